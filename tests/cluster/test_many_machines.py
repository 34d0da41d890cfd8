"""A cluster of several machines: bots' files travel, one machine is unplugged, every match is there once."""

import secrets
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster import run, tournament
from cluster.arena import Arena
from cluster.store import Store
from tests.cluster.fakes import Quiet, arena_play
from tests.cluster.machines import Machine, network, ray_start
from tests.cluster.test_recovery import hashes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

BOT = """
import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent))
import bots, habits
class Mine:
    def decide(self, observation, legal):
        return habits.choose(legal, Path("weights.txt").read_text())
bots.play(Mine())
"""


def tournament_file(folder: Path, blocks: int) -> Path:
    place = folder / "mine"
    place.mkdir()
    (place / "mine.py").write_text(BOT)
    (place / "habits.py").write_text("def choose(legal, weights): return legal[int(weights) % len(legal)]")
    (place / "weights.txt").write_text("7")
    file = folder / "cup.toml"
    file.write_text(
        f'ruleset = "king.simple"\nseed = "machines"\nblocks = {blocks}\ntables = 32\nclocks = {{budget_ms = 60000}}\n'
        f'bots = [{{name = "random"}}, {{name = "mine", command = "{sys.executable} mine.py", cwd = "mine"}}]\n'
    )
    return file


def wait_for(what: Callable[[], object], seconds: float, process: subprocess.Popen[bytes], log: Path) -> None:
    began = time.monotonic()
    while not what():
        assert process.poll() is None, log.read_text()
        assert time.monotonic() - began < seconds, log.read_text()
        time.sleep(0.1)


def kingmaker(machine: Machine, head: Machine, file: Path, results: Path, token: str, log: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "cluster.cli", "run", str(file), "--results", str(results)]
    words += ["--address", f"{head.address}:6379", "--workers", "2"]
    return machine.start(words, {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token}, log)


def batches(results: Path) -> int:
    return len(list((results / "batches").glob("[!.]*")))


def bags(machine: Machine) -> list[str]:
    assert machine.disk
    return [path.name for path in (machine.disk / "kingmaker-bots-0").glob("[!.]*")]


def test_a_machine_that_is_unplugged_costs_nothing_but_time(tmp_path: Path) -> None:
    file, results, log, token = tournament_file(tmp_path, blocks=80), tmp_path / "r", tmp_path / "log.txt", secrets.token_hex(32)
    with network(tmp_path, 3) as (head, one, other):
        process = ray_start(head, token, tmp_path / "head.txt", None, 0)
        wait_for(lambda: "Ray runtime started" in (tmp_path / "head.txt").read_text(), 120, process, tmp_path / "head.txt")
        for machine, told in ((one, tmp_path / "one.txt"), (other, tmp_path / "other.txt")):
            process = ray_start(machine, token, told, head, 1)
            wait_for(lambda told=told: "Ray runtime started" in told.read_text(), 120, process, told)  # type: ignore[misc]

        stranger = kingmaker(head, head, file, tmp_path / "none", secrets.token_hex(32), log)
        assert stranger.wait(200) == 2, log.read_text()
        assert "kingmaker: --address 10.77.0.1:6379: " in log.read_text()
        assert "Traceback" not in log.read_text()

        driver = kingmaker(head, head, file, results, token, log)
        wait_for(lambda: batches(results) >= 4 and one.runs("mine.py") and other.runs("mine.py"), 200, driver, log)
        assert bags(one) == bags(other), "the same files, once on each"
        assert len(bags(one)) == 1
        one.unplug()
        assert driver.wait(400) == 0, log.read_text()
    assert "a worker broke" in log.read_text()
    assert 2 in set(Store(results).table("matches")["attempt"])
    settings = tournament.load(file).model_copy(update={"tables": 160})
    arena = Arena(settings)
    try:
        run.run(settings, tmp_path / "undisturbed", arena_play(arena, 40), Quiet())
    finally:
        arena.close()
    assert hashes(results) == hashes(tmp_path / "undisturbed")
