"""What the pages are made of, without Streamlit."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import polars as pl
import pytest

from cluster import summaries
from cluster.store import NoResults, Store
from dashboard import cardtable, chartparts, plots, reading, sheets, stepping, words
from dashboard.colours import MANY, Colours
from dashboard.reading import Reader, Snapshot, Working
from referee.rules import registry
from tests.dashboard.folders import BOTS, EVIL, FORMULA, add, tournament


def test_the_pages_import_neither_ray_nor_grpc() -> None:
    code = "import sys, dashboard.app; print([m for m in ('ray', 'grpc', 'typer') if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("contract", "name"),
    [("no_king_of_hearts", "No king of hearts"), ("trump:S", "Trump ♠"), ("433", "4-3-3-3"), ("round", "Round")],
)
def test_contracts_have_human_names(contract: str, name: str) -> None:
    assert words.contract_name(contract) == name


@pytest.mark.parametrize(
    ("action", "name"),
    [
        ("TH", "10♥"),
        ("+3", "+3"),
        ("-1", "−1 nulls"),
        ("trump:S:self", "Trump ♠, leads himself"),
        ("nulls:next", "Nulls, next seat leads"),
        ("place:QH:NE", "Q♥ on north-east corner"),
        ("move:E:N", "Pile east onto north"),
        ("give_up", "Give up"),
    ],
)
def test_actions_have_human_names(action: str, name: str) -> None:
    assert words.action_name(action) == name


@pytest.mark.parametrize("ruleset", registry.RULESETS)
def test_every_action_and_contract_has_a_name_of_its_own(ruleset: str) -> None:
    game = registry.ruleset(ruleset).game()
    for texts, named in ((game.actions.texts, words.action_name), (game.contract_ids, words.contract_name)):
        names = [named(text) for text in texts]
        assert len(set(names)) == len(names)
        assert not any("_" in name or ":" in name for name in names)


def test_numbers_have_a_real_minus_and_no_negative_nought() -> None:
    assert words.number(-1234.5, 1) == "−1,234.5"
    assert words.number(-0.01, 1) == "0.0"
    assert words.interval(None, 1.0) == "–"
    assert words.elo(1500.0, 1500.0) == "–"
    assert (words.ranks(1, 1), words.ranks(2, 10)) == ("1", "2–10")


def test_the_rules_say_actions_and_numbers_in_words() -> None:
    told = words.sentence("`433`: who bids -1 or 325 takes trump:S, as 12-13 says", {"433", "trump:S", "-1"})
    assert told == "“4-3-3-3”: who bids −1 or 325 takes “Trump ♠”, as 12-13 says"


def test_a_long_name_keeps_its_end() -> None:
    assert words.short("ace v12") == "ace v12"
    assert words.short("A rather long name of a bot, Ltd. v12") == "A rather long n…Ltd. v12"
    table = pl.DataFrame({"Bot": ["ace v1", "A rather long name of a bot v12"]})
    assert sheets.written(table, [sheets.Heading("Bot")])["Bot"]("A rather long name of a bot v12").endswith(" bot v12")


def test_a_strangers_text_is_no_markdown() -> None:
    assert words.plain("[a](b) *c* <d> :red[e] $f$") == r"\[a\]\(b\) \*c\* \<d\> \:red\[e\] \$f\$"
    assert words.plain("a\n# b") == r"a \# b"


def test_csv_starts_no_formula_and_keeps_full_precision() -> None:
    frame = pl.DataFrame(
        {"bot": ["=1+1", "+a", "-b", "@c", "d"], "x": [-1 / 3, 1.0, None, 0.0, 2.0], "l": [[-1, 2]] * 5}
    )
    rows = sheets.csv(frame).decode().splitlines()
    assert [row.split(",")[0] for row in rows] == ["bot", "'=1+1", "'+a", "'-b", "'@c", "d"]
    assert rows[1] == f"'=1+1,{-1 / 3},'-1 | 2"


def seen(source: Reader) -> Snapshot:
    now = source.snapshot()
    assert isinstance(now, Snapshot)
    return now


def listed(snapshot: Snapshot) -> pl.DataFrame:
    return snapshot.matches.sort("block", "game").collect()


def test_new_batches_are_seen_and_nothing_is_made_twice(tmp_path: Path) -> None:
    game, source = tournament("king.simple", 3), Reader(tmp_path / "r")
    add(source.folder, game, 0, 1)
    first = seen(source)
    assert (first.progress.done, first.progress.scheduled, first.progress.is_over) == (1, 3, False)
    assert source.snapshot() is first
    add(source.folder, game, 1, 3)
    second = seen(source)
    assert second is not first
    assert second.progress.done == 3
    assert second.progress.is_over
    assert listed(second)["match_id"].to_list() == summaries.match_list(Store(source.folder).table("matches"))["match_id"].to_list()


def test_a_batch_that_cannot_be_read_is_left_out_and_named(tmp_path: Path) -> None:
    game, source = tournament("king.simple", 2), Reader(tmp_path)
    add(tmp_path, game, 0, 1)
    add(tmp_path, game, 1, 2)
    broken = Store(tmp_path).batches()[0]
    (broken / "matches.parquet").write_bytes(b"no parquet")
    results = seen(source)
    assert results.progress.done == 1
    assert list(results.unreadable) == [broken.name]
    broken.rename(tmp_path / "aside")
    again = seen(source)
    assert again.progress.done == 1
    assert not again.unreadable


def test_who_does_not_wait_sees_what_was_before(tmp_path: Path) -> None:
    game, source = tournament("king.simple", 2), Reader(tmp_path)
    add(tmp_path, game, 0, 1)
    release = Event()
    source._thread.submit(release.wait)  # the thread has something else to do
    try:
        assert isinstance(source.snapshot(patience=0.0), Working)
    finally:
        release.set()
    first = seen(source)
    add(tmp_path, game, 1, 2)
    release.clear()
    source._thread.submit(release.wait)
    try:
        assert source.snapshot(patience=0.0) is first
    finally:
        release.set()
    assert seen(source).progress.done == 2


def test_pages_that_took_their_share_of_the_processors_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = tournament("king.simple", 4)
    add(tmp_path, game, 0, 2)
    source = Reader(tmp_path)
    first = source.snapshot()
    add(tmp_path, game, 2, 4)
    for name in ("DUTY", "EASY_S"):
        monkeypatch.setattr(reading, name, 0.0)
    assert source.snapshot() is first
    monkeypatch.setattr(reading, "LONGEST_S", 0.0)
    later = source.snapshot()
    assert isinstance(later, Snapshot)
    assert later.progress.done == 4


def test_a_wrong_or_an_empty_folder_says_so(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(NoResults, match=r"kingmaker play|no results here"):
            Reader(folder).snapshot()
    add(tmp_path / "empty", tournament("king.fetes", 4), 0, 0)
    results = seen(Reader(tmp_path / "empty"))
    assert results.is_empty
    assert listed(results).is_empty()
    assert (results.progress.done, results.progress.share) == (0, 0.0)


def test_pages_and_command_line_agree(results: Path) -> None:
    snapshot, matches = seen(reading.reader(results)), Store(results).table("matches")
    assert snapshot.standings.equals(summaries.standings(summaries.Evidence.of(matches)))
    assert snapshot.pairs.equals(summaries.pairs(summaries.Evidence.of(matches)))
    told = summaries.contracts(Store(results).table("tallies"))
    assert snapshot.contracts.sort("bot", "contract").equals(told.sort("bot", "contract"))
    assert snapshot.anchor == "random"


def test_tables_have_headings_and_no_raw_names(results: Path) -> None:
    snapshot = seen(reading.reader(results))
    mine = snapshot.contracts.filter(pl.col("bot") == EVIL)
    told = snapshot.replay(listed(snapshot)["match_id"][0])
    tables = [
        sheets.standings(snapshot.standings, snapshot.history), sheets.contracts(mine), sheets.matches(listed(snapshot)),
        sheets.choices(snapshot.choices), sheets.decisions(told["deals"][0], told["players"]), sheets.score_sheet(told),
        sheets.opponents(snapshot.pairs.filter(bot=EVIL)), sheets.trades(snapshot.trades), sheets.conduct(snapshot.conduct),
        sheets.in_contract(snapshot.contracts.filter(contract="no_hearts")),
    ]  # fmt: skip
    for table in tables:
        assert table.height
        assert not any("_" in name for name in table.columns)
    assert list(tables[1]["Contract"])[:2] == ["No tricks", "No hearts"]  # in the order of the rules
    assert "Roem taken" not in tables[1].columns  # this game has none
    assert tables[0].filter(pl.col("Bot") == "random")["Rating, 95 %"].to_list() == ["–"]


def test_charts_can_be_drawn(results: Path, corner: Path) -> None:
    for folder in (results, corner):
        snapshot = seen(reading.reader(folder))
        bots = snapshot.standings["bot"].to_list()
        charts = [
            plots.ratings(snapshot.standings, snapshot.anchor), plots.head_to_head(snapshot.pairs, bots),
            plots.contract_map(snapshot.contracts, "edge", bots, lower_is_better=True),
            plots.contract_edges(snapshot.contracts.filter(bot=bots[0]), snapshot.contracts.filter(pl.col("bot") != bots[0]), "#123456"),
            plots.surprises(snapshot.pairs, bots), plots.one_history(snapshot.history.filter(bot=bots[1]), "#123456"),
            plots.bots_in_contract(snapshot.contracts.filter(contract=snapshot.contract_ids[0]), bots),
            plots.compared(snapshot.contracts, bots[:2], Colours(bots)),
        ]  # fmt: skip
        for chart in charts:
            assert json.loads(chart.to_json())["layer"]


def test_a_chart_is_drawn_once_however_many_look(results: Path) -> None:
    snapshot, drawn = seen(reading.reader(results)), list[str]()

    def draw(bot: str) -> dict[str, Any]:
        drawn.append(bot)
        return chartparts.spec(plots.thinking(snapshot.conduct, bot, "#123456"))

    for bot in ("steady", "random", "steady"):
        spec = snapshot.once(("thinking", bot), partial(draw, bot))
        (rows,) = (pl.read_ipc_stream(data) for data in spec["datasets"].values())
        assert rows.filter(pl.col("mine"))["bot"].to_list() == [bot]
    assert drawn == ["steady", "random"]


def test_a_snapshot_keeps_so_much_and_no_more(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "KEPT", 2)
    snapshot = seen(Reader(results))
    for key in "abcd":
        snapshot.once(key, object)
    assert snapshot.once("c", object) is snapshot.once("c", object)
    assert list(snapshot._kept) == ["c", "d"]


def test_a_bot_has_its_colour_whoever_else_is_there() -> None:
    few, many = Colours(["a", "b", "c"]), Colours(["a", "b", "c", *map(str, range(20))])
    assert [few.of(bot) for bot in "abc"] == [many.of(bot) for bot in "abc"] == list(MANY[:3])
    looks = {(many.of(bot), tuple(many.dashes(bot))) for bot in ["a", "b", "c", *map(str, range(20))]}
    assert len(looks) == 23  # more than colours, and no two alike
    assert few.of("a and b") == many.of("a and b")


def test_negative_numbers_of_a_table_have_a_real_minus() -> None:
    table = pl.DataFrame({"Bot": ["a", "b"], "Against the table": [-1234.56, None], "Deals": [3, 4]})
    written = sheets.written(table, [sheets.Heading("Bot"), sheets.Heading("Against the table", "%.1f"), sheets.Heading("Deals", "%d")])
    assert list(written) == ["Against the table"]  # what needs none is left to Streamlit
    assert [written["Against the table"](value) for value in (-1234.56, float("nan"))] == ["−1,234.6", "–"]
    share = sheets.written(pl.DataFrame({"Score": [-0.4]}), [sheets.Heading("Score", "%.0f %%")])["Score"]
    assert (share(-12.3), share(-0.4)) == ("−12 %", "0 %")


def test_trends_stand_on_one_scale() -> None:
    assert sheets.span(pl.Series([[1500.0, 1490.0], None, [1610.0]])) == (1490.0, 1610.0)
    assert sheets.span(pl.Series([None], dtype=pl.List(pl.Float64))) == (None, None)


def test_scenes_begin_with_the_deal_and_end_with_its_scores(results: Path, corner: Path) -> None:
    for folder in (results, corner):
        snapshot = seen(reading.reader(folder))
        told = snapshot.replay(listed(snapshot)["match_id"][-1])
        for index, deal in enumerate(told["deals"]):
            scenes = stepping.scenes(told, index)
            assert len(scenes) == len(deal["decisions"]) + 1
            assert [sorted(hand) for hand in scenes[0].hands if scenes[0].piles is None] in (
                [sorted(hand) for hand in deal["hands"]], [],
            )  # fmt: skip
            assert [scene.actor for scene in scenes[:-1]] == [decision["seat"] for decision in deal["decisions"]]
            assert (scenes[-1].actor, scenes[-1].ends_part) == (None, True)
            assert "km-table" in cardtable.board(scenes[-1], told, index)


def test_a_full_trick_stays_until_the_next_card(results: Path) -> None:
    snapshot = seen(reading.reader(results))
    scenes = stepping.scenes(snapshot.replay(listed(snapshot)["match_id"][0]), 0)
    assert [len(scene.trick) for scene in scenes[:7]] == [0, 1, 2, 3, 4, 1, 2]
    assert scenes[4].winner == scenes[4].actor
    assert sum(scenes[4].tricks or ()) == 1
    assert (stepping.jump(scenes, 0, 1), stepping.jump(scenes, 5, -1), stepping.jump(scenes, 4, -1)) == (4, 4, 0)
    assert stepping.jump(scenes, len(scenes) - 1, 1) == len(scenes) - 1


def test_the_bidding_stands_in_the_order_of_the_seats() -> None:
    bids = [(1, "pass"), (2, "+1"), (3, "pass"), (0, "raise"), (2, "+2"), (0, "accept")]
    deal = {"dealer": 0, "decisions": [{"seat": s, "kind": "bid", "action": a} for s, a in bids]}
    rows = stepping.bid_rows(deal, 6, 4)
    assert [[cell and cell[1]["action"] for cell in row] for row in rows] == [
        ["pass", "+1", "pass", "raise"], [None, "+2", None, "accept"],
    ]  # fmt: skip
    assert len(stepping.bid_rows(deal, 4, 4)) == 1


def test_names_are_escaped_on_the_table(results: Path) -> None:
    snapshot = seen(reading.reader(results))
    faulty_ones = listed(snapshot).filter(pl.col("faults") > 0)
    told = snapshot.replay(faulty_ones["match_id"][0])
    assert set(told["players"]) == set(BOTS)
    last = len(told["deals"]) - 1
    scene = stepping.scenes(told, last)[-1]
    texts = [
        cardtable.board(scene, told, last),
        cardtable.scores(told, last),
        cardtable.bidding(told, last, scene.done) or "",
    ]
    for text in texts:
        assert "<img" not in text
        assert "&lt;img" in text
    deal, step = stepping.faults(told)[0]
    faulty = stepping.scenes(told, deal)[step]
    assert faulty.decision is not None
    assert told["players"][faulty.decision["seat"]] == FORMULA
    assert "fault: timeout" in cardtable.board(faulty, told, deal)
