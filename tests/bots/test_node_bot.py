"""The Node.js kit: its own tests, and its random bot against a referee in Python."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

from referee.v1 import (
    decision_pb2,
    match_pb2,
    referee_service_pb2,
    referee_service_pb2_grpc,
)

KIT = Path(__file__).resolve().parents[2] / "bots" / "node"
TOKEN = "a-token-for-tests"
LEGAL = [3, 10, 11, 12, 20, 40, 51]
SEEDS = [0, 1, 2**31, 2**32 - 1, 2**53 + 1, 2**63, 2**64 - 59, 0x0123456789ABCDEF]

pytestmark = pytest.mark.skipif(
    not (shutil.which("node") and shutil.which("npm")), reason="node and npm are not installed"
)


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=KIT, env=os.environ | environment, capture_output=True, text=True, timeout=240, check=False
    )


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """The kit's dependencies, exactly as its lock file has them."""
    if not (KIT / "node_modules").is_dir():
        result = run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
        if result.returncode:
            shutil.rmtree(KIT / "node_modules", ignore_errors=True)
        assert result.returncode == 0, result.stdout + result.stderr


class Referee(referee_service_pb2_grpc.RefereeServiceServicer):
    """Asks for one batch and keeps what it was told."""

    def __init__(self) -> None:
        self.hello = referee_service_pb2.Hello()
        self.answers: list[decision_pb2.Answer] = []

    def Play(
        self, request_iterator: Iterator[referee_service_pb2.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[referee_service_pb2.PlayResponse]:
        if dict(context.invocation_metadata()).get("kingmaker-token") != TOKEN:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "wrong token")
        self.hello = next(request_iterator).hello
        yield referee_service_pb2.PlayResponse(welcome=referee_service_pb2.Welcome(version=1, max_batch=256))
        ruleset = match_pb2.RulesetInfo(
            ruleset=1,
            id="king.simple",
            options=[match_pb2.RulesetOption(name="last_two", value="6")],
            players=4,
            version=1,
        )
        start = match_pb2.MatchStart(match=1, ruleset=1, seat=2, players=list("abcd"), commitment=bytes(32))
        decisions = [
            decision_pb2.Decision(
                match=1, number=i, kind=decision_pb2.DECISION_KIND_PLAY, hand=2**51, legal=LEGAL, seed=seed
            )
            for i, seed in enumerate(SEEDS, 1)
        ]
        batch = referee_service_pb2.Batch(rulesets=[ruleset], match_starts=[start], decisions=decisions)
        yield referee_service_pb2.PlayResponse(batch=batch)
        self.answers = list(next(request_iterator).answers.answers)
        end = match_pb2.MatchEnd(match=1, match_id="m-1", totals=[0, 1, 2, 3], ranks=[4, 3, 2, 1], seed=bytes(32))
        yield referee_service_pb2.PlayResponse(batch=referee_service_pb2.Batch(match_ends=[end]))
        yield referee_service_pb2.PlayResponse(goodbye=referee_service_pb2.Goodbye(reason="over"))


@pytest.fixture
def referee(tmp_path: Path) -> Iterator[Referee]:
    """A referee at the socket of the seat ``tmp_path``."""
    servicer = Referee()
    with ThreadPoolExecutor(2) as pool:
        server = grpc.server(pool, options=[("grpc.compression_enabled_algorithms_bitset", 1)])
        referee_service_pb2_grpc.add_RefereeServiceServicer_to_server(servicer, server)
        server.add_insecure_port(f"unix:{tmp_path}/ref.sock")
        server.start()
        yield servicer
        server.stop(None).wait()


@pytest.mark.timeout(300)
def test_the_kits_own_tests_pass() -> None:
    result = run("npm", "test")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "# skipped 0" in result.stdout or "ℹ skipped 0" in result.stdout


def test_the_random_bot_draws_as_the_python_one(referee: Referee, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    result = run("node", "random.js", KINGMAKER_SEAT=str(tmp_path))
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert (referee.hello.min_version, referee.hello.max_version) == (1, 1)
    assert (referee.hello.name, referee.hello.sdk) == ("random", "kingmaker-node/1")
    assert [(a.match, a.number, a.action) for a in referee.answers] == [
        (1, i, LEGAL[seed % len(LEGAL)]) for i, seed in enumerate(SEEDS, 1)
    ]


def test_a_refused_bot_says_so_in_one_line(referee: Referee, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("wrong")
    result = run("node", "random.js", KINGMAKER_SEAT=str(tmp_path))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "kingmaker: the referee is gone: UNAUTHENTICATED: wrong token\n"
    assert not referee.answers


def test_the_lock_file_names_no_registry() -> None:
    assert '"resolved"' not in (KIT / "package-lock.json").read_text()
