"""`kingmaker serve` for real: bots come to the board, and whatever is killed whenever, nothing is lost and nothing doubled."""

import json
from pathlib import Path

import polars as pl
import pytest

from cluster.competition import publishing, registry, seasons
from cluster.competition.schema import State
from cluster.store import Store
from cluster.verify import verify
from tests.competition.running import GOOD, Competition, packed, until

SETTINGS = """
isolation = "{isolation}"
round_blocks = 3
trial_blocks = 1
pause_s = 0.1
ladders = [{{ruleset = "king.simple"}}]
clocks = {{budget_ms = 30000}}
"""


def board(running: Competition) -> pl.DataFrame:
    """The standings that the pages show."""
    ladder = seasons.ladder(running.database, "king.simple")
    found = seasons.latest_snapshot(running.database, ladder.id, 1)
    return pl.DataFrame({"bot": [], "blocks": []}) if found is None else found.standings


def is_on_board(running: Competition, player: str, blocks: int = 1) -> bool:
    return board(running).filter((pl.col("bot") == player) & (pl.col("blocks") >= blocks)).height == 1


def blocks_of(running: Competition, player: str) -> int:
    return int(board(running).filter(pl.col("bot") == player)["blocks"].sum())


def ended_well(running: Competition) -> Path:
    """Freeze the season: all that was scheduled is played once, and anybody can verify it."""
    publishing.freeze(running.place, running.database)
    folder = running.place.results(seasons.ladder(running.database, "king.simple"), 1)

    def is_complete() -> bool:
        store = Store(folder)
        return len(store.done()) == store.plan["blocks"]

    until(is_complete, "the end of the season")
    report = verify(Store(folder))
    assert report.problems == []
    assert report.stored_blocks == report.planned_blocks
    assert not (folder / "conflicts").exists()
    assert not (folder / "damaged").exists()
    return folder


def kill_in_turn(running: Competition, folder: Path, times: int) -> None:
    """Kill each kind of process in turn while submissions come in and matches are played."""
    sent: dict[str, str] = {}
    for _ in range(times):
        for victim in ("service", "worker", "cluster.competition.candidate", "ladder", "remote", "referee.launcher", "serve"):
            if victim in ("service", "cluster.competition.candidate"):  # so that there is something to do all the time
                name = f"bot{len(sent)}"
                sent[running.submit("ada", packed(folder / "bots", name))] = name
            if victim == "serve":
                running.kill_all()
                running.start()
            else:
                running.kill(victim)
    until(lambda: all(running.state(each) == State.ACTIVE for each in sent), "every submission active")
    found = registry.of_owner(running.database, None)
    assert {each.id: each.bot for each in found} == sent, "none is lost, none is there twice"
    assert sorted(version.player for version in registry.active(running.database)) == sorted(f"{name} v1" for name in sent.values())
    last = list(sent.values())[-1]
    until(lambda: is_on_board(running, f"{last} v1"), "the last one on the board")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_whatever_is_killed_fourteen_times_nothing_is_lost_or_doubled(url: str, tmp_path: Path) -> None:
    with Competition(tmp_path / "c", SETTINGS.format(isolation="trusted"), url) as running:
        kill_in_turn(running, tmp_path, times=2)
        folder = ended_well(running)
        published = publishing.publish(running.place, running.database, 1)
    assert json.loads((published / "season.json").read_text())["seed"] == Store(folder).plan["seed"]
    assert verify(Store(published / "king.simple"), sample=1).problems == []


@pytest.mark.slow
def test_a_new_version_takes_the_place_of_the_old_one_whose_results_stay(tmp_path: Path) -> None:
    with Competition(tmp_path / "c", SETTINGS.format(isolation="bubblewrap")) as running:
        first = running.submit("ada", packed(tmp_path / "1", "Éva"))
        until(lambda: is_on_board(running, "Éva v1", 3), "the first version on the board")
        second = running.submit("ada", packed(tmp_path / "2", "Éva", "import sys\nprint('new', file=sys.stderr)\n" + GOOD))
        until(lambda: is_on_board(running, "Éva v2"), "the second version on the board")
        assert running.state(first) == State.RETIRED
        assert is_on_board(running, "Éva v1", 3)
        assert running.submit("ada", packed(tmp_path / "3", "Éva")) == first, "the same bytes are the same submission"
        before = blocks_of(running, "Éva v1")
        until(lambda: blocks_of(running, "Éva v1") > before, "the first version again, which goes on from what it had")
        assert running.state(second) == State.RETIRED
        folder = ended_well(running)
    tiers = Store(folder).table("matches").group_by("bot").agg(pl.col("tier").unique())
    assert {row["bot"]: row["tier"] for row in tiers.iter_rows(named=True)}["Éva v1"] == ["bubblewrap"]
