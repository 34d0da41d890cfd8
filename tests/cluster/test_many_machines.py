"""A cluster of several machines: bots' files travel, machines go and come, every match is there once."""

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

#: It muses as long as there is a file `still` beside it.
BOT = """
import sys, time
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent))
import bots, habits
class Mine:
    def decide(self, observation, legal):
        while Path("still").exists():
            time.sleep(0.02)
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
    return machine.start(words, {**entitled(token), "RAY_gcs_rpc_server_reconnect_timeout_s": "5"}, log)


def entitled(token: str) -> dict[str, str]:
    return {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token}


def start_all(folder: Path, token: str, head: Machine, *others: Machine) -> None:
    """Start Ray on all of them, and wait until each has joined."""
    for number, machine in enumerate((head, *others)):
        log = folder / f"ray-{secrets.token_hex(4)}.txt"
        process = ray_start(machine, token, log, None if machine is head else head, min(number, 1))
        wait_for(lambda log=log: "Ray runtime started" in log.read_text(), 120, process, log)  # type: ignore[misc]


def still(machine: Machine) -> Path:
    """While this file is there, no match on that machine ends."""
    assert machine.disk
    (bag,) = bags(machine)
    return machine.disk / "kingmaker-bots-0" / bag / "still"


def batches(results: Path) -> int:
    return len(list((results / "batches").glob("[!.]*")))


def attempts(results: Path) -> set[int]:
    return set(Store(results).table("matches")["attempt"])


def bags(machine: Machine) -> list[str]:
    assert machine.disk
    return [path.name for path in (machine.disk / "kingmaker-bots-0").glob("[!.]*")]


def test_a_machine_that_is_unplugged_costs_nothing_but_time(tmp_path: Path) -> None:
    file, results, log, token = tournament_file(tmp_path, blocks=80), tmp_path / "r", tmp_path / "log.txt", secrets.token_hex(32)
    with network(tmp_path, 3) as (head, one, other):
        start_all(tmp_path, token, head, one, other)

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
    assert 2 in attempts(results)
    assert hashes(results) == undisturbed(file, tmp_path)


def test_a_machine_that_is_drained_and_a_head_that_is_started_anew_cost_nothing_but_time(tmp_path: Path) -> None:
    file, results, log, token = tournament_file(tmp_path, blocks=120), tmp_path / "r", tmp_path / "log.txt", secrets.token_hex(32)
    with network(tmp_path, 3) as (head, one, other):
        start_all(tmp_path, token, head, one, other)
        driver = kingmaker(head, head, file, results, token, log)
        wait_for(lambda: batches(results) >= 2 and one.runs("mine.py") and other.runs("mine.py"), 200, driver, log)
        for machine in (one, other):
            still(machine).touch()
        words = [str(Path(sys.executable).with_name("ray")), "drain-node", "--address", f"{head.address}:6379", "--reason",
                 "DRAIN_NODE_REASON_PREEMPTION", "--reason-message", "maintenance", "--deadline-remaining-seconds", "1"]  # fmt: skip
        assert one.start(words, entitled(token), tmp_path / "drain.txt").wait(60) == 0, (tmp_path / "drain.txt").read_text()
        one.end()
        wait_for(lambda: "a worker broke" in log.read_text(), 100, driver, log)
        still(other).unlink()
        wait_for(lambda: 2 in attempts(results), 100, driver, log)
        still(other).touch()
        head.end(but=driver)
        assert driver.wait(100) == 1, log.read_text()
        assert "Traceback" not in log.read_text()
        assert 0 < len(hashes(results)) < 120 * 4
        other.end()
        still(other).unlink()
        start_all(tmp_path, token, head, other)
        driver = kingmaker(head, head, file, results, token, log)
        assert driver.wait(400) == 0, log.read_text()
    assert hashes(results) == undisturbed(file, tmp_path)


def undisturbed(file: Path, folder: Path) -> dict[str, str]:
    """What comes out on this machine alone."""
    settings = tournament.load(file).model_copy(update={"tables": 160})
    arena = Arena(settings)
    try:
        run.run(settings, folder / "undisturbed", arena_play(arena, 40), Quiet())
    finally:
        arena.close()
    return hashes(folder / "undisturbed")
