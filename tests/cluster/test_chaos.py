"""Chaos: two thousand blocks while a worker, a launcher, a bot or the driver is killed every two seconds.

On a machine so slow that nothing at all is finished between two kills, the next one waits for something.
"""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import polars as pl
import psutil
import pytest

from cluster import run, tournament
from cluster.arena import Arena
from cluster.store import Store
from tests.cluster.fakes import Quiet, arena_play
from tests.cluster.test_recovery import batches, descendants, end, kingmaker, marked, wait_for

BLOCKS, EVERY_S = int(os.environ.get("KINGMAKER_CHAOS_BLOCKS", "2000")), 2.0
#: What is killed, so often in each seven times, in a random order; the driver needs longest to come back.
WHOM = {"worker": 2, "launcher": 2, "bot": 2, "driver": 1}
MARKS = {"worker": "ray::_Worker", "launcher": "referee.launcher", "bot": "bots.reference"}


def tournament_file(folder: Path) -> Path:
    file = folder / "cup.toml"
    file.write_text(
        f'ruleset = "klaverjas.amsterdam"\nseed = "chaos"\nblocks = {BLOCKS}\noptions = {{target = 1}}\n'
        'clocks = {budget_ms = 60000}\nmax_faults = 1000\n'
        'bots = [{name = "random"}, {name = "lowest"}, {name = "other", command = "random"}]\n'
    )
    return file


def strike(process: subprocess.Popen[str], rng: random.Random, coming: list[str], kills: Counter[str]) -> None:
    """Kill one of them; where there is none of the kind, nobody."""
    if not coming:
        coming += rng.sample(list(WHOM), sum(WHOM.values()), counts=list(WHOM.values()))
    whom = coming.pop()
    ours = descendants(psutil.Process(process.pid))
    if whom == "driver":
        process.kill()
        process.wait(10)
        end(ours)
    elif found := marked(process, MARKS[whom]):
        end([rng.choice(found)])
    else:
        return
    kills[whom] += 1


def hashes(results: Path) -> dict[str, str]:
    replays = Store(results).table("replays")
    found = dict(zip(replays["match_id"], replays["match_hash"], strict=True))
    assert len(found) == replays.height, "each match once"
    return found


def without_the_killed(results: Path) -> int:
    """Take out the batches with faults: a bot that was killed from outside has left, for all that its referee can see."""
    matches = Store(results).table("matches")
    assert matches.select("illegal", "malformed", "timeout").sum().row(0) == (0, 0, 0)
    faulty = set(matches.filter(matches["faults"] > 0)["block_id"])
    taken = [path for path in Store(results).batches() if faulty & set(pl.read_parquet(path / "matches.parquet")["block_id"])]
    for path in taken:
        path.rename(results.parent / f"faulty-{path.name}")
    return len(taken)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_thousand_blocks_among_killers(tmp_path: Path) -> None:
    file, results, rng, kills = tournament_file(tmp_path), tmp_path / "r", random.Random(4), Counter[str]()
    coming: list[str] = []
    began, is_over = time.monotonic(), False
    while not is_over:
        with kingmaker(file, results, workers=2) as process:
            before = batches(results)
            while process.poll() is None:
                try:
                    process.wait(EVERY_S)
                except subprocess.TimeoutExpired:
                    if batches(results) > before:
                        before = batches(results)
                        strike(process, rng, coming, kills)
            is_over = process.returncode in (0, 1)
    seconds, attempts = time.monotonic() - began, Counter(Store(results).table("matches")["attempt"].to_list())
    faulty = without_the_killed(results)
    with kingmaker(file, results, workers=2) as process:
        assert process.wait(300) == 0, (tmp_path / "log.txt").read_text()
    print(f"{BLOCKS} blocks in {seconds:.0f} s, killed: {dict(kills)}; rows by attempt: {dict(sorted(attempts.items()))}; "
          f"batches in which a bot was killed: {faulty}")  # fmt: skip
    assert set(kills) == set(WHOM)
    assert "Traceback" not in (tmp_path / "log.txt").read_text()

    settings = tournament.load(file).model_copy(update={"tables": 400})
    arena = Arena(settings)
    try:
        run.run(settings, tmp_path / "undisturbed", arena_play(arena, 200), Quiet())
    finally:
        arena.close()
    assert hashes(results) == hashes(tmp_path / "undisturbed")
    verified = subprocess.run([sys.executable, "-m", "cluster.cli", "verify", str(results)], capture_output=True, text=True, timeout=300)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    wait_for(lambda: not list((results / "batches").glob(".*")), 1)
