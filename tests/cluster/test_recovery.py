"""Kill anything at any moment: every scheduled match is in the results once, and no process is left.

Everything here runs the command itself, with Ray and real bots. The bots are found by the folder that they are
started in, which is the tournament file's and no other process's.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from cluster import run, tournament
from cluster.arena import Arena
from cluster.store import Store
from tests.cluster.fakes import Quiet, arena_play

BLOCKS = 8
MUSING = Path(__file__).with_name("musing.py")
#: Ray starts slowly on a machine that is busy, and so do bots.
START_S = 180
#: Helpers of Ray that look for their dead head for a minute before they end; they hold nothing of ours.
LINGERING = ("ray::DashboardAgent", "ray::RuntimeEnvAgent")


def tournament_file(folder: Path, blocks: int = BLOCKS) -> Path:
    """A tournament that takes some seconds; its bots are started in ``folder``."""
    file = folder / "cup.toml"
    chance = f"{sys.executable} -P -m bots.reference random"  # as any command, for reference bots start nowhere in particular
    file.write_text(
        f'ruleset = "king.fetes"\nseed = "recovery"\nblocks = {blocks}\ntables = 8\nclocks = {{budget_ms = 60000}}\n'
        f'isolation = "trusted"\nbots = [{{name = "chance", command = "{chance}"}}, {{name = "least", command = "{sys.executable} {MUSING}"}}]\n'
    )
    return file


@contextmanager
def standing_still(folder: Path) -> Iterator[None]:
    """No match of the tournament in this folder ends in the meantime, so that what a test sees is so when it acts."""
    (folder / "still").touch()
    try:
        yield
    finally:
        (folder / "still").unlink()


def hashes(results: Path) -> dict[str, str]:
    """The hash of every match, each of which is there once."""
    replays = Store(results).table("replays")
    found = dict(zip(replays["match_id"], replays["match_hash"], strict=True))
    assert len(found) == replays.height
    matches = Store(results).table("matches")
    assert matches.height == 4 * len(found)
    assert not matches.select("match_id", "seat").is_duplicated().any()
    assert matches["faults"].sum() == 0, "a failure of the platform is nobody's fault"
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What comes out without Ray and without any trouble."""
    folder = tmp_path_factory.mktemp("undisturbed")
    settings = tournament.load(tournament_file(folder)).model_copy(update={"tables": 64})
    arena = Arena(settings)
    try:
        run.run(settings, folder / "r", arena_play(arena), Quiet())
    finally:
        arena.close()
    return hashes(folder / "r")


@contextmanager
def kingmaker(file: Path, results: Path, workers: int = 1) -> Iterator[subprocess.Popen[str]]:
    """Start `kingmaker run` in a session of its own; at the end nothing of it is left, whatever happened."""
    command = [sys.executable, "-m", "cluster.cli", "run", str(file), "--results", str(results), "--workers", str(workers)]
    with (results.parent / "log.txt").open("a") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, text=True)
    driver = psutil.Process(process.pid)
    try:
        yield process
    finally:
        end([*descendants(driver), driver])
        process.wait(30)


def descendants(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def marked(process: subprocess.Popen[str], mark: str) -> list[psutil.Process]:
    """What a run has started, and has this in its name or command; parents come before what they started."""
    found = []
    for one in descendants(psutil.Process(process.pid)):
        try:
            if mark in " ".join([one.name(), *one.cmdline()]):
                found.append(one)
        except psutil.Error:
            continue  # it ended meanwhile
    return found


def bots_in(folder: Path) -> list[psutil.Process]:
    """All processes that were started in a folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(folder):
                found.append(process)
        except psutil.Error:
            continue  # it ended meanwhile, or is none of ours
    return found


def wait_for(what: Callable[[], object], seconds: float, process: subprocess.Popen[str] | None = None) -> float:
    """Wait until something is so, and return how long it took."""
    began = time.monotonic()
    while not what():
        assert time.monotonic() - began < seconds, "it took too long"
        assert process is None or process.poll() is None, "the run has ended too early"
        time.sleep(0.05)
    return time.monotonic() - began


def batches(results: Path) -> int:
    return len(list((results / "batches").glob("[!.]*")))


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    found = []
    for one in processes:
        try:
            if one.is_running() and one.status() != psutil.STATUS_ZOMBIE and not one.name().startswith(LINGERING):
                found.append(one)
        except psutil.NoSuchProcess:
            continue  # it ended meanwhile
    return found


def end(processes: list[psutil.Process]) -> None:
    """Kill what a run had started, which may have lost its parent since."""
    for one in processes:
        try:
            one.kill()
        except psutil.NoSuchProcess:
            pass  # it has ended


def finish(file: Path, results: Path, workers: int = 1) -> None:
    """Run to the end."""
    with kingmaker(file, results, workers) as process:
        assert process.wait(200) == 0, (results.parent / "log.txt").read_text()


@pytest.mark.slow
def test_a_driver_that_was_killed_leaves_nothing_running_and_its_results_go_on(
    undisturbed: dict[str, str], tmp_path: Path
) -> None:
    file, results = tournament_file(tmp_path), tmp_path / "r"
    with kingmaker(file, results) as process:
        wait_for(lambda: batches(results) >= 1, START_S, process)
        with standing_still(tmp_path):
            ours = descendants(psutil.Process(process.pid))
            assert bots_in(tmp_path)
            process.kill()
            process.wait(10)
        try:
            wait_for(lambda: not bots_in(tmp_path), 10)
            wait_for(lambda: not alive(ours), 30)
        finally:
            end(ours)
    there = hashes(results)
    assert 0 < len(there) < len(undisturbed)
    finish(file, results)
    assert hashes(results) == undisturbed
    assert not bots_in(tmp_path)
    wait_for(lambda: not list((results / "batches").glob(".*")), 1)


@pytest.mark.slow
@pytest.mark.parametrize("whom", ["driver", "everybody"])
def test_ctrl_c_ends_in_order_and_the_folder_goes_on(whom: str, undisturbed: dict[str, str], tmp_path: Path) -> None:
    """A terminal sends it to the whole group, `kill -INT` to the driver alone."""
    file, results = tournament_file(tmp_path), tmp_path / "r"
    with kingmaker(file, results) as process:
        wait_for(lambda: batches(results) >= 1, START_S, process)
        with standing_still(tmp_path):
            ours = descendants(psutil.Process(process.pid))
            if whom == "driver":
                process.send_signal(signal.SIGINT)
            else:
                os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == 130
        wait_for(lambda: not bots_in(tmp_path), 5)
        wait_for(lambda: not alive(ours), 30)
    log = (tmp_path / "log.txt").read_text()
    assert f"stopped; {results} is whole: the same command goes on where this one ended" in log
    assert "Traceback" not in log
    there = hashes(results)
    assert there.items() <= undisturbed.items()
    assert not list((results / "batches").glob(".*"))


@pytest.mark.slow
def test_ctrl_c_before_anything_was_played_ends_with_130_too(tmp_path: Path) -> None:
    file, results = tournament_file(tmp_path), tmp_path / "r"
    with kingmaker(file, results) as process:
        wait_for((results / "tournament.json").exists, START_S, process)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert "Traceback" not in (tmp_path / "log.txt").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_workers_gives_the_same_matches(workers: int, undisturbed: dict[str, str], tmp_path: Path) -> None:
    file, results = tournament_file(tmp_path), tmp_path / "r"
    finish(file, results, workers)
    assert hashes(results) == undisturbed
    assert set(Store(results).table("matches")["attempt"]) == {1}
    assert not bots_in(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_that_was_killed_is_replaced_and_its_blocks_come_once(
    workers: int, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    file, results = tournament_file(tmp_path), tmp_path / "r"
    with kingmaker(file, results, workers) as process:
        wait_for(lambda: batches(results) >= 1, START_S, process)
        with standing_still(tmp_path):
            wait_for(lambda: len([one for one in marked(process, "ray::_Worker") if descendants(one)]) == workers, 40, process)
            victim = marked(process, "ray::_Worker")[0]
            theirs = descendants(victim)
            victim.kill()
            wait_for(lambda: not alive(theirs), 5)
        assert process.wait(200) == 0, (tmp_path / "log.txt").read_text()
    assert hashes(results) == undisturbed
    assert set(Store(results).table("matches")["attempt"]) == {1, 2}
    assert not bots_in(tmp_path)


@pytest.mark.slow
def test_a_launcher_that_was_killed_is_nobodys_fault(undisturbed: dict[str, str], tmp_path: Path) -> None:
    file, results = tournament_file(tmp_path), tmp_path / "r"
    with kingmaker(file, results) as process:
        wait_for(lambda: batches(results) >= 1, START_S, process)
        with standing_still(tmp_path):
            launcher, *_ = marked(process, "referee.launcher")  # after it, perhaps, what it is about to make a bot of
            launcher.kill()
        assert process.wait(200) == 0, (tmp_path / "log.txt").read_text()
    assert hashes(results) == undisturbed
    assert not bots_in(tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_driver_killed_at_random_points_again_and_again(undisturbed: dict[str, str], tmp_path: Path) -> None:
    file, rng, kills = tournament_file(tmp_path), random.Random(41), 0
    while kills < 3:  # on a fast machine a tournament is over before that, and there is another one
        kills += killed_again_and_again(file, tmp_path / f"after {kills} kills", undisturbed, rng)


def killed_again_and_again(file: Path, results: Path, undisturbed: dict[str, str], rng: random.Random) -> int:
    """Play a tournament by a driver that is killed at most ten times; return how often."""
    kills = 0
    while kills < 10 and batches(results) < BLOCKS - 1:
        with kingmaker(file, results, workers=rng.choice([1, 2])) as process:
            if rng.random() < 0.7:
                before = batches(results)
                wait_for(lambda before=before: batches(results) > before, START_S, process)  # type: ignore[misc]
                time.sleep(rng.uniform(0, 0.5))
            else:  # while it starts
                time.sleep(rng.uniform(0, 8))
            ours = descendants(psutil.Process(process.pid)) if process.poll() is None else []
            process.kill()
            process.wait(10)
            kills += 1
            try:
                wait_for(lambda: not bots_in(file.parent), 10)
            finally:
                end(ours)
        if (results / "tournament.json").exists():
            assert hashes(results).items() <= undisturbed.items()
    finish(file, results)
    assert hashes(results) == undisturbed
    return kills
