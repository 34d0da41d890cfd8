"""The digest of a results folder: the same as the tables made from all rows at once, batch by batch."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cluster import digest as digests
from cluster import history, matchlist, summaries
from cluster.digest import Keeper
from cluster.statistics import points, sums
from cluster.statistics.blocks import block_table
from cluster.statistics.reduced import join_blocks
from cluster.store import Store
from tests.dashboard.folders import BOTS, add, tournament

GAMES = ["king.fetes", "king.auction", "klaverjas.rotterdam", "kings_corner"]


def folder_of(folder: Path, ruleset: str) -> Store:
    game = tournament(ruleset, 6, BOTS)
    for first, last in ((0, 2), (2, 3), (3, 6)):
        add(folder, game, first, last)
    return Store(folder)


def names(store: Store) -> list[str]:
    return [path.name for path in store.batches()]


@pytest.mark.parametrize("ruleset", GAMES)
def test_sums_of_batches_come_to_the_tables_of_all_rows(tmp_path: Path, ruleset: str) -> None:
    store = folder_of(tmp_path, ruleset)
    matches, deals = store.table("matches"), store.table("deals")
    told = Keeper(store).update(names(store))
    assert_frame_equal(sums.choice_table(told.sums["choices"]), points.choice_values(deals, matches).select(
        "bot", "choices", "blocks", "value", "value_low", "value_high"))  # fmt: skip
    assert_frame_equal(sums.outcome_table(told.sums["outcomes"]), summaries.outcomes(deals, matches))
    assert_frame_equal(summaries.contracts(told.sums["tallies"]), summaries.contracts(store.table("tallies")), check_row_order=False)
    conduct = sums.conduct_table(told.sums["conduct"])
    assert conduct["faults"].sum() == matches["faults"].sum() > 0
    assert conduct["decisions"].sum() == matches["decisions"].sum()
    assert conduct["slowest_ms"].max() == matches["slowest_ms"].max()
    table, whole = join_blocks(told.rows("blocks").collect().drop("block")), block_table(matches)
    assert table.blocks == whole.blocks
    listed = told.rows("matches").sort("block", "game").collect()
    assert listed["match_id"].to_list() == summaries.match_list(matches)["match_id"].to_list()
    assert listed["totals"].to_list() == summaries.match_list(matches)["totals"].to_list()


def test_who_bought_paid_as_much_as_the_sellers_got(tmp_path: Path) -> None:
    store = folder_of(tmp_path, "king.auction")
    table = sums.trade_table(Keeper(store).update(names(store)).sums["trades"])
    spent = (table["bought"] * table["price"].fill_null(0)).sum()
    earned = (table["sold"] * table["income"].fill_null(0)).sum()
    assert spent == pytest.approx(earned)
    assert spent > 0
    shares = table.group_by("bot").agg(pl.col("share").sum())["share"]
    assert set(shares.round(9)) <= {0.0, 1.0}  # one bot takes the first action always, and declares nothing


def test_points_beyond_those_of_others_in_the_same_seat_cancel(tmp_path: Path) -> None:
    store = folder_of(tmp_path, "king.fetes")
    rows = Keeper(store).update(names(store)).rows("matches").select("block", "edges").collect()
    by_seat = rows.group_by("block").agg(pl.col("edges").list.to_struct(fields=list("abcd"))).explode("edges").unnest("edges")
    assert by_seat.group_by("block").agg(pl.exclude("block").sum().abs()).drop("block").max_horizontal().max() < 1e-3


@pytest.mark.parametrize("ruleset", GAMES)
@pytest.mark.parametrize("order", ["worst", "best"])
def test_the_extremes_are_the_first_of_the_whole_list(tmp_path: Path, ruleset: str, order: matchlist.Order) -> None:
    store = folder_of(tmp_path, ruleset)
    told = Keeper(store).update(names(store))
    for bot in set(store.table("matches")["bot"]):
        rows = matchlist.find(told.rows("matches"), 4, bots=[bot])
        whole = matchlist.ordered(rows, 4, bot, order, lower_is_better=False).head(matchlist.EXTREMES).collect()
        kept = told.sums["extremes"].filter(bot=bot).sort("edge", "block", "game", descending=[order == "best", False, False])
        kept = kept.unique("match_id", keep="first", maintain_order=True).head(matchlist.EXTREMES)
        assert kept["edge"].round(3).to_list() == whole["edge"].round(3).to_list()


def test_a_new_batch_is_added_and_the_rest_is_not_read_again(tmp_path: Path) -> None:
    game = tournament("king.simple", 4, BOTS)
    add(tmp_path, game, 0, 2)
    store = Store(tmp_path)
    Keeper(store).update(names(store))
    first = store.batches()[0]
    for table in ("matches", "deals"):
        (first / f"{table}.parquet").write_bytes(b"not to be looked at again")
    add(tmp_path, game, 2, 4)
    again = Keeper(store)
    told = again.update(names(store))
    assert again.unreadable == {}
    assert told.rows("matches").collect().height == 16


def test_a_batch_that_was_set_aside_is_forgotten(tmp_path: Path) -> None:
    store = folder_of(tmp_path, "king.simple")
    keeper = Keeper(store)
    assert keeper.update(names(store)).rows("matches").collect().height == 24
    store.batches()[0].rename(tmp_path / "aside")
    left = keeper.update(names(store))
    assert left.rows("matches").collect().height < 24
    fresh = tmp_path / "fresh"
    (fresh / "batches").mkdir(parents=True)
    (fresh / "tournament.json").write_bytes((tmp_path / "tournament.json").read_bytes())
    for path in store.batches():
        path.rename(fresh / "batches" / path.name)
    anew = Keeper(Store(fresh)).update(names(Store(fresh)))
    for kind in left.sums:
        assert_frame_equal(left.sums[kind], anew.sums[kind])


@pytest.mark.parametrize("damage", ["nonsense", "{}", '{"format": "kingmaker-digest/1", "batches": ["x"]}'])
def test_a_broken_state_is_made_anew(tmp_path: Path, damage: str) -> None:
    store = folder_of(tmp_path, "king.simple")
    Keeper(store).update(names(store))
    (tmp_path / "digest" / "state.json").write_text(damage)
    assert Keeper(store).update(names(store)).rows("matches").collect().height == 24


def test_two_processes_do_not_share_a_place(tmp_path: Path) -> None:
    store = folder_of(tmp_path, "king.simple")
    one = Keeper(store)
    other = Keeper(store)
    assert one.update(names(store)).files["matches"][0].parent == tmp_path / "digest"
    assert other.update(names(store)).files["matches"][0].parent != tmp_path / "digest"


def test_files_of_many_updates_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "_FILES", 2)
    game = tournament("king.simple", 5, BOTS)
    add(tmp_path, game, 0, 0)
    keeper = Keeper(Store(tmp_path))
    for block in range(5):
        add(tmp_path, game, block, block + 1)
        told = keeper.update(names(Store(tmp_path)))
        assert told.rows("matches").collect().height == 4 * (block + 1)
    assert len(list((tmp_path / "digest").glob("matches-*.parquet"))) <= 3


def test_the_last_place_of_the_history_is_the_standings(tmp_path: Path) -> None:
    store = folder_of(tmp_path, "king.fetes")
    told = Keeper(store).update(names(store))
    rows = told.rows("blocks").collect()
    table = join_blocks(rows.drop("block"))
    frame = history.history(table, rows.select("block_id", "block"))
    last = frame.filter(blocks=6).sort("bot")
    now = summaries.standings(summaries.Evidence(table, told.sums["played"])).sort("bot")
    assert_frame_equal(last.select("bot", "rating", "low", "high"), now.select("bot", "rating", "low", "high"))
    assert frame["blocks"].unique().sort().to_list() == [1, 2, 3, 4, 5, 6]
    first = store.table("matches").filter(pl.col("block") < 3)
    early = summaries.standings(summaries.Evidence.of(first)).sort("bot")
    assert_frame_equal(frame.filter(blocks=3).sort("bot").select("bot", "rating"), early.select("bot", "rating"))
