"""What the worker makes of a submission, whatever it is: active, or rejected with a reason its author understands."""

import hashlib
import os
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.competition import owners, registry
from cluster.competition.place import Place
from cluster.competition.registry import Submission
from cluster.competition.schema import State
from cluster.competition.settings import LadderSettings, Settings
from cluster.competition.worker import MAX_ATTEMPTS, Worker
from cluster.tournament import ClockSettings
from tests.competition.hostile import ARCHIVES
from tests.competition.running import a_bot, packed

SETTINGS = Settings(
    ladders=(LadderSettings(ruleset="king.simple"),), trial_blocks=1, clocks=ClockSettings(budget_ms=30_000), pause_s=0.01
)
ILLEGAL = """
import bots

class Bot:
    def decide(self, observation, legal):
        if observation.seat != 1:
            return legal[0]
        print("at seat", observation.seat, flush=True)
        return 51 - legal[0]

bots.play(Bot())
"""


class Taken:
    """A competition of which only the worker runs."""

    def __init__(self, folder: Path) -> None:
        self.place = Place(folder)
        self.database = self.place.database(None)
        (folder / "competition.toml").write_text(
            'trial_blocks = 1\nladders = [{ruleset = "king.simple"}]\nclocks = {budget_ms = 30000}\nbuild_s = 5\n'
        )
        self.owner, _ = owners.add(self.database, "ada", ("submit",), owners.Limits(max_submissions_a_day=100, max_bots=50))

    def submit(self, archive: bytes) -> str:
        digest = hashlib.sha256(archive).hexdigest()
        self.place.upload(registry.id_of(self.owner, digest)).write_bytes(archive)
        return registry.receive(self.database, self.owner, digest, len(archive)).id

    def end_of(self, archive: bytes) -> Submission:
        chosen = self.submit(archive)
        worker = Worker(self.place, self.database, SETTINGS)
        while worker.step():
            pass
        return registry.one(self.database, chosen)


@pytest.fixture
def taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Taken]:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    found = Taken(tmp_path / "c")
    yield found
    assert list(found.place.work.iterdir()) == [], "nothing of it is left"
    found.database.close()


def test_a_good_bot_is_built_tried_and_active(taken: Taken, tmp_path: Path) -> None:
    found = taken.end_of(packed(tmp_path, "国王", build="echo made > made.txt; echo hello"))
    assert (found.state, found.player) == (State.ACTIVE, "国王 v1"), found.log
    assert "built: hello" in found.log
    assert "king.simple against itself: 4 matches without a fault" in found.log
    assert "king.simple against the reference bots: 4 matches without a fault" in found.log
    (version,) = registry.active(taken.database)
    assert (taken.place.version(version.id, version.tree) / "made.txt").read_text() == "made\n"


def test_a_bot_that_has_faults_only_as_second_seat_is_rejected_with_what_it_printed(taken: Taken, tmp_path: Path) -> None:
    found = taken.end_of(packed(tmp_path, "bad", ILLEGAL))
    assert found.state is State.REJECTED
    assert "king.simple against itself: it has faults" in found.log
    assert "seat 1: 3 × illegal" in found.log
    assert not any(f"seat {other}:" in found.log for other in (0, 2, 3))
    assert "at seat 1" in found.log


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"build": "echo it is broken; exit 3"}, "exited with status 3\nit is broken"),
        ({"run": "no-such-program"}, "no program 'no-such-program'"),
    ],
)
def test_what_cannot_be_built_or_started_is_told(more: dict[str, str], sentence: str, taken: Taken, tmp_path: Path) -> None:
    found = taken.end_of(packed(tmp_path, "bad", **more))
    assert found.state is State.REJECTED
    assert sentence in found.log


def test_a_ruleset_that_there_is_not_is_told_even_to_whom_no_command_of_ours_has_told_it(taken: Taken, tmp_path: Path) -> None:
    with tarfile.open(archive := tmp_path / "bad.tar", "w") as tar:
        tar.add(a_bot(tmp_path / "bad", "bad", rulesets='["king.fetez"]'), "bad")
    found = taken.end_of(archive.read_bytes())
    assert found.state is State.REJECTED
    assert "rejected: bad/bot.toml: no ruleset 'king.fetez'; did you mean 'king.fetes'?" in found.log


@pytest.mark.parametrize("what", ["leads out", "no archive", "a packed bomb"])
def test_an_archive_that_breaks_a_rule_is_told_which(what: str, taken: Taken, tmp_path: Path) -> None:
    make, sentence = ARCHIVES[what]
    found = taken.end_of(make())
    assert found.state is State.REJECTED
    assert sentence in found.log
    assert str(tmp_path) not in found.log, "where things lie is nobody's matter"
    assert not (tmp_path / "evil").exists()
    assert not (taken.place.folder / "evil").exists()


def test_what_breaks_the_platform_again_and_again_is_set_aside(taken: Taken) -> None:
    chosen = taken.submit(b"x")
    for _ in range(MAX_ATTEMPTS):  # as a worker does that is killed each time
        state = registry.one(taken.database, chosen).state
        registry.move(taken.database, chosen, (state,), State.BUILDING, "begun", attempt=True)
    assert Worker(taken.place, taken.database, SETTINGS).step()
    found = registry.one(taken.database, chosen)
    assert found.state is State.REJECTED
    assert "the platform failed" in found.log
