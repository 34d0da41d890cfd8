"""What the pages look up: matches, the pace of a tournament, and cycles."""

from __future__ import annotations

import json
import os
from pathlib import Path

import polars as pl
import pytest

from cluster import matchlist, run
from cluster.digest import Keeper
from cluster.pace import pace
from cluster.statistics.cycles import cycles
from cluster.store import QUARANTINE, Store, writer
from tests.cluster.fakes import FakePlay, Quiet, a_tournament
from tests.dashboard.folders import BOTS, FORMULA, add, tournament


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> pl.LazyFrame:
    folder = tmp_path_factory.mktemp("looking")
    add(folder, tournament("king.fetes", 6, (*BOTS, "fifth")), 0, 6)
    store = Store(folder)
    return Keeper(store).update([path.name for path in store.batches()]).rows("matches").collect().lazy()


def test_all_of_the_bots_sit_at_the_table(rows: pl.LazyFrame) -> None:
    found = matchlist.find(rows, 4, bots=["fifth", "steady"]).collect()
    assert 0 < found.height < rows.collect().height
    assert all({"fifth", "steady"} <= set(bots) for bots in found["bots"])


def test_the_total_is_that_of_the_first_bot(rows: pl.LazyFrame) -> None:
    mine = [(row["match_id"], row["totals"][row["bots"].index("steady")]) for row in rows.collect().iter_rows(named=True) if "steady" in row["bots"]]
    found = matchlist.find(rows, 4, bots=["steady"], low=-100, high=200).collect()
    assert set(found["match_id"]) == {name for name, total in mine if -100 <= total <= 200}
    anybody = matchlist.find(rows, 4, low=10_000).collect()
    assert anybody.is_empty()


def test_faults_and_contracts(rows: pl.LazyFrame) -> None:
    faulty = matchlist.find(rows, 4, faulty=True).collect()
    assert faulty["faults"].min() == 1
    assert all(FORMULA in bots for bots in faulty["bots"])
    assert matchlist.find(rows, 4, contract="no such contract").collect().is_empty()
    assert matchlist.find(rows, 4, contract="no_hearts").collect().height == rows.collect().height


@pytest.mark.parametrize("lower_is_better", [False, True])
def test_the_worst_stands_first(rows: pl.LazyFrame, lower_is_better: bool) -> None:
    mine = matchlist.find(rows, 4, bots=["steady"])
    worst = matchlist.ordered(mine, 4, "steady", "worst", lower_is_better=lower_is_better).collect()
    best = matchlist.ordered(mine, 4, "steady", "best", lower_is_better=lower_is_better).collect()
    assert worst["edge"].is_sorted(descending=lower_is_better)
    assert best["edge"].is_sorted(descending=not lower_is_better)
    assert worst.height == best.height == mine.collect().height
    for row in worst.iter_rows(named=True):
        assert row["bots"][row["seat"]] == "steady"
        assert row["total"] == row["totals"][row["seat"]]


def test_the_pace_is_told_by_the_batches(tmp_path: Path) -> None:
    game = tournament("king.simple", 8, BOTS)
    for number in range(4):
        add(tmp_path, game, 2 * number, 2 * number + 2)
    for number, path in enumerate(Store(tmp_path).batches()):
        os.utime(path, (1e9 + 30 * number, 1e9 + 30 * number))
    (tmp_path / QUARANTINE).write_text(json.dumps([{"block": 7, "why": "it broke"}]))
    now = pace(tmp_path)
    assert now.batches["done"].to_list() == [2, 4, 6, 8]
    assert now.blocks_a_minute == pytest.approx(4.0)
    assert now.seconds_left(8) == pytest.approx(120.0)
    assert [one["why"] for one in now.set_aside] == ["it broke"]
    assert now.workers is None


def test_whether_somebody_plays_is_seen_at_the_lock(tmp_path: Path) -> None:
    add(tmp_path, tournament("king.simple", 1, BOTS), 0, 1)
    assert pace(tmp_path).is_running is False
    with writer(tmp_path):
        assert pace(tmp_path).is_running is True


def test_a_run_says_who_plays(tmp_path: Path) -> None:
    settings = a_tournament(("random", "lowest", "ada", "bob"), ruleset="king.simple", blocks=2)
    run.run(settings, tmp_path, FakePlay(settings), Quiet(), workers=3)
    now = pace(tmp_path)
    assert now.workers == 3
    assert now.host
    assert now.began is not None


def test_a_status_that_is_no_status_is_no_word(tmp_path: Path) -> None:
    add(tmp_path, tournament("king.simple", 1, BOTS), 0, 1)
    for text in ("[]", "{", '{"workers": "many", "began": null}'):
        (tmp_path / "status.json").write_text(text)
        assert pace(tmp_path).workers is None


def test_a_cycle_is_found_once_and_the_surest_first() -> None:
    surprise = {("a", "b"): 2.0, ("b", "c"): 3.0, ("c", "a"): 1.5, ("d", "a"): 4.0, ("d", "b"): 0.5, ("c", "d"): 4.0, ("a", "e"): 9.0}
    surprise |= {(second, first): -z for (first, second), z in surprise.items()}
    pairs = pl.DataFrame(
        [(*pair, z, "measured") for pair, z in surprise.items()], schema=["bot", "opponent", "residual_z", "relation"], orient="row"
    )
    assert cycles(pairs).rows() == [("a", "b", "c", 1.5)]
    assert cycles(pairs.head(0)).is_empty()
