# Everything is done in .venv, from the lock file; nothing has to be installed by hand but Python 3.11 and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PY := .venv/bin/python
KINGMAKER := .venv/bin/kingmaker
PYTEST := $(PY) -m pytest
RESULTS ?= results/demo
NPM := npm ci --no-audit --no-fund --silent

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow test-long check bench proto lock browser kits sandbox network postgres dashboard solver

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

setup: .venv/.ready  ## install everything into .venv

.venv/.ready: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kingmaker needs Python 3.11 or newer; PYTHON=... names one")'
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --require-hashes -r requirements.lock
	@# -qq: setuptools would warn of each folder of the kits, which look like packages and are data
	$(PY) -m pip install -qq --no-deps --no-build-isolation -e .
	touch $@

bots/node/node_modules: bots/node/package-lock.json
	@if command -v npm > /dev/null; then cd bots/node && $(NPM); else echo "npm is missing: no Node bots"; fi
	@if command -v npm > /dev/null; then touch $@; fi

proto/node_modules: proto/package-lock.json
	cd proto && $(NPM) && touch node_modules

tests/dashboard/node_modules: tests/dashboard/package-lock.json
	cd tests/dashboard && $(NPM) && touch node_modules

browser: tests/dashboard/node_modules  # Chromium and axe for the tests of the pages
	@command -v chromium > /dev/null || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-dejavu; } > /dev/null

sandbox:  # bubblewrap and runc for the tests of isolation
	@command -v bwrap > /dev/null && command -v runc > /dev/null || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq bubblewrap runc; } > /dev/null

network:  # iproute2, for the tests with several machines
	@command -v ip > /dev/null || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq iproute2; } > /dev/null

solver: setup  ## build the bot "solver" (needs Rust)
	cd bots/solver && cargo build --release --quiet

kits:  # what the tests of the C++ kit need besides CMake and a compiler, and openssl for certificates
	@{ pkg-config --exists grpc++ && which grpc_cpp_plugin protoc openssl; } > /dev/null 2>&1 || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq libgrpc++-dev protobuf-compiler-grpc openssl pkg-config; } > /dev/null

postgres:  # PostgreSQL for the tests of a competition
	@ls -d /usr/lib/postgresql/*/bin > /dev/null 2>&1 || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql; } > /dev/null

demo: setup bots/node/node_modules  ## play a real tournament of four bots, and print the standings
	$(PY) examples/demo.py $(RESULTS)

dashboard: setup  ## open the pages on the demo's results
	$(KINGMAKER) dashboard $(RESULTS)

test: check browser kits sandbox bots/node/node_modules  ## all checks and tests but the slow ones
	$(PYTEST) -m "not slow and not long"

test-slow: setup browser kits sandbox network postgres bots/node/node_modules  ## the tests that take minutes: simulations, crashes
	$(PYTEST) -m "slow and not long" -s --timeout 900

test-long: setup browser kits sandbox network postgres solver bots/node/node_modules  ## the longest ones: fifty submissions at once, a million rows
	$(PYTEST) -m long -s

check: setup proto/node_modules  ## formatting, lint, types, imports, protos
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	$(PY) tests/generated_code.py
	cd proto && node_modules/.bin/buf lint && node_modules/.bin/buf breaking --against ../tests/conformance/v1/protos.binpb

bench: setup  ## measure, and write benchmarks/results.json
	$(PY) -m benchmarks.run

proto: setup  ## write the generated code from proto/
	$(PY) tests/generated_code.py --write
	@if command -v go > /dev/null; then cd bots/go/kingmaker && PROTOC="$(abspath $(PY)) -m grpc_tools.protoc" sh generate.sh; else echo "go is missing: bots/go keeps its code"; fi

lock: setup  ## compile requirements.lock from pyproject.toml
	.venv/bin/pip-compile --quiet --extra dev --generate-hashes --allow-unsafe --strip-extras --no-header --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --output-file requirements.lock pyproject.toml
	sed -i '/^kingmaker @ /,/^    # via/d; /^# WARNING: pip install will/,+1d' requirements.lock  # our own extras name us
