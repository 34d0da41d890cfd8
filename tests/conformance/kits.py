"""The kits as `kingmaker new` hands them out, built once for each state of their files."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from cluster import manifest
from tests.conformance.referee import run


@dataclass(frozen=True)
class Kit:
    """How a kit is tested. ``tools``: what must be installed; ``build``: builds the two other bots as well.

    ``bots``: the commands of all three, in the kit's folder; an empty one is what bot.toml says.
    """

    tools: tuple[str, ...]
    build: str
    bots: dict[str, str]


KITS = {
    # The packages are those of the tests: its own build, with a download, is a slow test.
    "python": Kit((), "", {bot: f"env PYTHONPATH=sdk {sys.executable} {file}.py" for bot, file in (("random", "bot"), ("lowest", "lowest"), ("witness", "witness"))}),
    "node": Kit(("node", "npm"), "", {"lowest": "node lowest.js", "witness": "node witness.js"}),
    "go": Kit(("go",), "go build -o build/ ./...", {"lowest": "build/lowest", "witness": "build/witness"}),
    "rust": Kit(("cargo",), "cargo build --release --quiet --examples", {bot: f"target/release/examples/{bot}" for bot in ("lowest", "witness")}),
    "java": Kit(("java", "mvn"), "", {bot: f"java -XX:+UseSerialGC -cp target/bot.jar examples.{bot.title()}" for bot in ("lowest", "witness")}),
    "cpp": Kit(("cmake", "g++", "protoc", "grpc_cpp_plugin"), "", {"lowest": "build/lowest", "witness": "build/witness"}),
}  # fmt: skip
#: A clean machine downloads and compiles all that a language needs.
BUILD_S = 600


@dataclass(frozen=True)
class Built:
    """A built kit."""

    language: str
    folder: Path
    random: str

    def command(self, bot: str) -> list[str]:
        return (KITS[self.language].bots.get(bot) or self.random).split()

    def play(self, bot: str, seat: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        return run(self.command(bot), self.folder, seat, **environment)


def built(language: str) -> Built:
    """A fresh folder from `kingmaker new`, built by its own command; one that was built from the same files serves again."""
    kit = KITS[language]
    if missing := [tool for tool in kit.tools if shutil.which(tool) is None]:
        pytest.skip(f"no {language} here: {', '.join(missing)} not found")
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch) / "my-bot"
        made = manifest.new(language, fresh)
        place = Path(tempfile.gettempdir()) / f"kingmaker-kits-{os.getuid()}" / f"{language}-{_digest(fresh, kit)}"
        if not (place / "built").exists():
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(fresh, place / "my-bot")
            for command in filter(None, [made.build if language != "python" else "", kit.build]):
                build(command, place / "my-bot")
            (place / "built").touch()
    return Built(language, place / "my-bot", made.run)


def build(command: str, folder: Path) -> None:
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, timeout=BUILD_S, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"


def _digest(folder: Path, kit: Kit) -> str:
    digest = hashlib.sha256(repr(kit).encode())
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
