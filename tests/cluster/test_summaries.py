"""One library for command line and exports: the same numbers everywhere, to the last digit, and never a NaN."""

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cluster import run, summaries
from cluster.cli import app
from cluster.quality import quality
from cluster.records import SCHEMAS, frames
from cluster.statistics.errors import UnknownBot
from cluster.statistics.points import per_contract
from cluster.store import Store, writer
from cluster.summaries import Evidence
from tests.cluster.fakes import FakePlay, Quiet, a_tournament, all_blocks, play_block

NAMES = ("lowest", "random", "=1+2", 'Kůň, "国王"')
TABLES = ("standings", "contracts", "outcomes", "pairs", "quality")


def summary(folder: Path, table: str) -> pl.DataFrame:
    store = Store(folder)
    matches, deals = store.table("matches"), store.table("deals")
    if table == "contracts":
        return summaries.contracts(store.table("tallies"))
    if table == "outcomes":
        return summaries.outcomes(deals, matches)
    if table == "quality":
        return quality(matches, [bot["name"] for bot in store.plan["bots"]])
    return getattr(summaries, table)(Evidence.of(matches))  # type: ignore[no-any-return]


def kingmaker(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    app([str(word) for word in words], standalone_mode=False)
    return capsys.readouterr().out


def strict(text: str) -> Any:
    def refuse(constant: str) -> float:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


@pytest.fixture(scope="module")
def corners(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game with outcomes."""
    folder = tmp_path_factory.mktemp("corners") / "results"
    settings = a_tournament(("lowest", "random", "ada", "bob"), ruleset="kings_corner", blocks=6)
    run.run(settings, folder, FakePlay(settings), Quiet())
    return folder


@pytest.mark.parametrize("table", TABLES)
def test_command_line_and_exports_say_what_the_library_says(
    table: str, fake_results: Path, corners: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = corners if table == "outcomes" else fake_results
    rows = summary(folder, table).to_dicts()
    assert rows
    assert strict(kingmaker(capsys, table, folder, "--format", "json")) == rows
    for ending in ("json", "jsonl", "csv", "parquet"):
        kingmaker(capsys, "export", table, folder, "--out", tmp_path / f"x.{ending}")
    assert strict((tmp_path / "x.json").read_text(encoding="utf-8")) == rows
    assert [strict(line) for line in (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()] == rows
    assert pl.read_parquet(tmp_path / "x.parquet").equals(summary(folder, table))
    assert (tmp_path / "x.csv").read_text(encoding="utf-8") == kingmaker(capsys, table, folder, "--format", "csv")
    read = list(csv.DictReader(io.StringIO((tmp_path / "x.csv").read_text(encoding="utf-8"))))
    assert len(read) == len(rows)
    for told, row in zip(read, rows, strict=True):
        assert list(told) == list(row)
        for name, value in row.items():
            if isinstance(value, float):
                assert float(told[name]) == value, "full precision"
            elif isinstance(value, str):
                assert told[name] == ("'" + value if value.startswith("=") else value)
            else:
                assert told[name] == ("" if value is None else str(value))


def test_the_table_for_people_shows_the_same_numbers_rounded(fake_results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = kingmaker(capsys, "standings", fake_results)
    for row in summary(fake_results, "standings").to_dicts():
        (line,) = (line for line in text.splitlines() if row["bot"] in line)
        assert f"{row['rating']:,.0f}".replace(",", " ") in line
        assert f"{row['points']:,.1f}".replace(",", " ").replace("-", "−") in line
    assert "−" in text


def test_the_table_for_people_calls_contracts_by_their_names(fake_results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = kingmaker(capsys, "contracts", fake_results)
    assert "No queens" in text
    assert "Trump ♥" in text
    assert "no_queens" not in text
    assert "no_queens" in kingmaker(capsys, "contracts", fake_results, "--format", "csv"), "programs read the ids"


@pytest.mark.parametrize("table", [table for table in SCHEMAS if table != "replays"])
@pytest.mark.parametrize("ending", ["csv", "json", "jsonl", "parquet"])
def test_every_stored_table_can_be_exported(
    table: str, ending: str, fake_results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"x.{ending}"
    kingmaker(capsys, "export", table, fake_results, "--out", out)
    rows = Store(fake_results).table(table)
    readers = {"csv": pl.read_csv, "json": lambda file: pl.DataFrame(strict(file.read_text())), "parquet": pl.read_parquet,
               "jsonl": lambda file: pl.DataFrame([strict(line) for line in file.read_text().splitlines()])}  # fmt: skip
    if rows.height:
        read = readers[ending](out)  # type: ignore[operator]
        assert read.columns == rows.columns
        assert read.height == rows.height


def test_replays_are_exported_as_json_lines(fake_results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kingmaker(capsys, "export", "replays", fake_results, "--out", tmp_path / "r.jsonl")
    lines = (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()
    matches = summaries.match_list(Store(fake_results).table("matches"))
    assert [strict(line)["match_id"] for line in lines] == matches["match_id"].to_list()
    one = kingmaker(capsys, "replay", fake_results, matches["match_id"][5], "--json")
    assert one == lines[5] + "\n"


def test_standings_say_what_happened(fake_results: Path) -> None:
    matches = Store(fake_results).table("matches")
    frame = summary(fake_results, "standings")
    assert frame["bot"].to_list() == sorted(NAMES, key=lambda bot: -frame.filter(bot=bot)["rating"].item())
    assert frame.filter(bot="random")["rating"].item() == 1500
    for row in frame.to_dicts():
        mine = matches.filter(bot=row["bot"])
        assert row["matches"] == mine["match_id"].n_unique() == 32
        assert row["blocks"] == 8
        assert row["decisions"] == mine["decisions"].sum()
        assert row["points"] == pytest.approx(mine["total"].mean(), abs=1e-9)
        assert row["ms_per_decision"] == pytest.approx(mine["charged_ms"].sum() / mine["decisions"].sum())
        assert (row["faults"], row["forfeits"]) == (0, 0)
        assert row["low"] <= row["rating"] <= row["high"]
        assert row["rank_low"] <= row["rank_high"]
    assert sum(frame["points"]) == pytest.approx(0, abs=1e-9)


def test_contracts_add_up_to_the_standings(fake_results: Path) -> None:
    contracts, standings = summary(fake_results, "contracts"), summary(fake_results, "standings")
    for bot in NAMES:
        mine = contracts.filter(bot=bot)
        assert mine["deals"].sum() == 320
        assert (mine["points"] * mine["deals"]).sum() / 32 == pytest.approx(standings.filter(bot=bot)["points"].item())


def test_pairs_mirror_each_other(fake_results: Path) -> None:
    frame = summary(fake_results, "pairs")
    assert frame.height == 12
    for row in frame.to_dicts():
        back = frame.row(by_predicate=(pl.col("bot") == row["opponent"]) & (pl.col("opponent") == row["bot"]), named=True)
        assert row["score"] + back["score"] == pytest.approx(1)
        assert row["difference"] == pytest.approx(-back["difference"])
        assert row["results"] == back["results"] == 32


def test_outcomes_share_to_one(corners: Path) -> None:
    frame = summary(corners, "outcomes")
    shares = frame.group_by("bot", "contract").agg(pl.col("share").sum(), pl.col("deals").sum())
    assert shares["share"].to_list() == pytest.approx([1.0] * 4)
    assert shares["deals"].to_list() == [24] * 4


def test_another_anchor_only_moves_the_list(fake_results: Path) -> None:
    matches = Store(fake_results).table("matches")
    usual, other = summaries.standings(Evidence.of(matches)), summaries.standings(Evidence.of(matches), "lowest")
    assert usual["bot"].to_list() == other["bot"].to_list()
    assert other.filter(bot="lowest")["rating"].item() == 1500
    moved = usual["rating"] - other["rating"]
    assert moved.to_list() == pytest.approx([moved[0]] * 4)
    with pytest.raises(UnknownBot, match=r"'lowst'.*'lowest'"):
        summaries.standings(Evidence.of(matches), "lowst")


def test_without_random_the_first_by_name_is_the_anchor() -> None:
    assert summaries.anchor_of(["dan", "bob", "cyd"]) == "bob"
    assert summaries.anchor_of(["dan", "random"]) == "random"
    assert summaries.anchor_of(["dan", "random"], "dan") == "dan"


@pytest.mark.parametrize("table", [*(table for table in TABLES if table != "quality"), "matches"])
@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_results_that_are_empty_are_empty_tables(
    table: str, form: str, tmp_path: Path, fake_results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with writer(tmp_path) as store:
        store.create(run.plan_of(a_tournament()))
    text = kingmaker(capsys, table, tmp_path, "--format", form)
    if form == "json":
        assert strict(text) == []
    elif form == "csv":
        assert text == kingmaker(capsys, table, fake_results, "--format", "csv").splitlines()[0] + "\n"


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_one_bot_alone_has_points_and_no_rating(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = a_tournament(("random",), blocks=2, ruleset="king.fetes")
    run.run(settings, tmp_path, FakePlay(settings), Quiet())
    assert "random" in kingmaker(capsys, "standings", tmp_path, "--format", form)
    (row,) = summary(tmp_path, "standings").to_dicts()
    assert row["points"] == 0, "four copies of one bot cancel out"
    assert row["rating"] is row["low"] is row["rank_low"] is row["chance_best"] is None
    assert row["matches"] == 8
    assert summary(tmp_path, "pairs").is_empty()
    for table in ("contracts", "outcomes", "pairs"):
        kingmaker(capsys, table, tmp_path, "--format", form)


def test_columns_are_the_same_whether_there_is_a_rating_or_not(fake_results: Path, tmp_path: Path) -> None:
    with writer(tmp_path) as store:
        store.create(run.plan_of(a_tournament()))
    assert summary(tmp_path, "standings").schema == summary(fake_results, "standings").schema


def test_incomplete_blocks_do_not_count(fake_results: Path) -> None:
    matches = Store(fake_results).table("matches")
    hole = matches.filter(~((pl.col("block") == 3) & (pl.col("game") == 1)))
    assert set(summaries.standings(Evidence.of(hole))["blocks"]) == {7}
    assert summaries.standings(Evidence.of(hole)).equals(summaries.standings(Evidence.of(matches.filter(pl.col("block") != 3))))
    assert summaries.match_list(hole).height == 31


@pytest.mark.parametrize("bots", [2, 3])
@pytest.mark.parametrize(("ruleset", "extra"), [("klaverjas.amsterdam", {}), ("kings_corner", {"options": {"players": 2}})])
def test_nothing_is_infinite_however_few_the_results(bots: int, ruleset: str, extra: dict[str, Any], tmp_path: Path) -> None:
    settings = a_tournament(("lowest", "random", "ada")[:bots], ruleset=ruleset, blocks=1, **extra)
    run.run(settings, tmp_path, FakePlay(settings), Quiet())
    for table in TABLES:
        for row in summary(tmp_path, table).to_dicts():
            for name, value in row.items():
                assert not isinstance(value, float) or math.isfinite(value), (table, name)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@a", "\tx", "\rx"])
def test_what_looks_like_a_formula_is_harmless_in_csv(text: str) -> None:
    from cluster.cli.output import flat

    frame = pl.DataFrame({"a": [text, "x=1"], "b": ["ok", None], "n": [-1, 2], "l": [["=a", "b"], []]})
    assert flat(frame).to_dicts() == [
        {"a": "'" + text, "b": "ok", "n": -1, "l": "'=a b"}, {"a": "x=1", "b": None, "n": 2, "l": ""},
    ]  # fmt: skip


def test_matches_are_listed_in_order(fake_results: Path) -> None:
    frame = summaries.match_list(Store(fake_results).table("matches"))
    assert frame.height == 32
    assert frame.select("block", "game").rows() == [(block, game) for block in range(8) for game in range(4)]
    assert all(sum(totals) == 0 for totals in frame["totals"])
    assert all(len(bots) == 4 for bots in frame["bots"])


def test_mixed_partners_meet_as_pairs() -> None:
    settings = a_tournament(
        ("a", "b", "c", "d"), ruleset="klaverjas.rotterdam", options={"target": 1}, blocks=6, partners="mixed"
    )
    played = [play_block(settings, block) for block in all_blocks(settings)]
    frame = summaries.pairs(Evidence.of(frames(settings.id, played)["matches"]))
    assert set(frame["relation"]) == {"partners"}
    assert frame["results"].sum() == 2 * 12  # two matches a block, each seen from both sides
    scores = {(first, second): score for first, second, score in frame.select("bot", "opponent", "score").rows()}
    assert all(math.isclose(score + scores[second, first], 1) for (first, second), score in scores.items())


def test_tallies_of_batches_come_to_the_same_as_all_deals_at_once(tmp_path: Path) -> None:
    settings = a_tournament(("lowest", "random", "ada", "bob", "cyd"), ruleset="klaverjas.amsterdam", blocks=12, partners="mixed")
    run.run(settings, tmp_path, FakePlay(settings), Quiet())
    store = Store(tmp_path)
    assert len(store.batches()) > 4
    whole = per_contract(store.table("deals"), store.table("matches"))
    by_batch = summaries.contracts(store.table("tallies").sample(fraction=1, shuffle=True, seed=1))
    assert_frame_equal(by_batch.select(whole.columns), whole, check_exact=True)
    assert by_batch["bonus"].sum() > 0


@pytest.mark.parametrize(
    ("ruleset", "bots", "extra"),
    [
        ("king.simple", 6, {}), ("king.simple", 2, {}), ("klaverjas.rotterdam", 5, {"partners": "mixed"}), ("klaverjas.rotterdam", 3, {}),
        ("kings_corner", 4, {"options": {"players": 3}}), ("king.simple", 1, {}),
    ],
)  # fmt: skip
def test_what_is_kept_of_each_batch_comes_to_the_same_as_all_matches_at_once(
    ruleset: str, bots: int, extra: dict[str, Any], tmp_path: Path
) -> None:
    """Bit by bit, in any order of the batches."""
    settings = a_tournament(("zoe", "lowest", "random", "ada", "bob", "cyd")[:bots], ruleset=ruleset, blocks=14, **extra)
    run.run(settings, tmp_path, FakePlay(settings), Quiet())
    store = Store(tmp_path)
    assert len(store.batches()) > 4
    whole = Evidence.of(store.table("matches"))
    stored = Evidence.stored(*(store.table(name).sample(fraction=1, shuffle=True, seed=1) for name in ("blocks", "played")))
    assert (stored.table.bots, stored.table.blocks) == (whole.table.bots, whole.table.blocks)
    np.testing.assert_array_equal(stored.table.members, whole.table.members)
    for part in ("pairs", "places"):
        for name, values in vars(getattr(whole.table, part)).items():
            np.testing.assert_array_equal(getattr(getattr(stored.table, part), name), values, err_msg=f"{part}.{name}")
    for table in (summaries.standings, summaries.pairs):
        assert_frame_equal(table(stored), table(whole), check_exact=True)


def test_points_beyond_the_anchor_allow_for_opponents(fake_results: Path) -> None:
    """Everybody met everybody equally often: then they are differences of mean points."""
    frame = summary(fake_results, "standings")
    anchor = frame.filter(bot="random")["points"].item()
    for row in frame.to_dicts():
        assert row["adjusted"] == pytest.approx(row["points"] - anchor, abs=1e-9)
        assert row["adjusted_low"] <= row["adjusted"] <= row["adjusted_high"]
    better = frame["superiority"].to_list()
    assert better[-1] is None
    assert all(0.5 <= chance <= 1 for chance in better[:-1])


def answers(frame: pl.DataFrame) -> dict[str, str]:
    return dict(frame.select("question", "answer").iter_rows())


def test_quality_says_who_is_missing_and_what_blocks_are_worth(fake_results: Path) -> None:
    frame = quality(Store(fake_results).table("matches"), [*NAMES, "late"])
    told = answers(frame)
    assert told["bots that have not played"] == "no complete block yet: late; they are not in the standings"
    assert told["bots with few blocks"].startswith("fewer than 10 blocks")
    assert told["separate lists"] == "all bots are joined by common opponents"
    worth = frame.filter(question="worth of a block, points").row(0, named=True)
    assert worth["low"] < worth["value"] < worth["high"]
    assert told["forfeited seats"].startswith("no seat")


def test_quality_of_nothing(fake_results: Path) -> None:
    told = answers(quality(Store(fake_results).table("matches").head(0), ["a"]))
    assert "a; they are not in the standings" in told["bots that have not played"]
    assert told["ties"] == "nobody met"


def test_quality_finds_circles_and_lists_apart(tmp_path: Path) -> None:
    """Rock, paper and scissors have equal ratings; two who never met them have none in common."""
    beats = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock"), ("up", "down"), ("down", "up")}
    rows = []
    lineups = [("rock", "paper"), ("paper", "scissors"), ("scissors", "rock"), ("up", "down")] * 20
    for block, lineup in enumerate(lineups):
        for game in (0, 1):
            for seat in (0, 1):
                bot, other = lineup[(seat + game) % 2], lineup[(seat + game + 1) % 2]
                wins = (bot, other) in beats and not (bot == "up" and block % 8 == 3) and not (bot == "down" and block % 8 == 7)
                upset = block % 10 == 9
                rows.append({"block_id": f"b{block:03}", "match_id": f"{block}-{game}", "game": game, "games": 2, "seat": seat,
                             "team": seat, "bot": bot, "total": int(wins != upset), "rank": 1 if wins != upset else 2,
                             "forfeited": bot == "down" and block == 3})  # fmt: skip
    told = answers(quality(pl.DataFrame(rows), anchor="rock"))
    assert "no common opponents, so no rating across" in told["separate lists"]
    assert "one number a bot is not enough" in told["fit of the ratings, p"]
    for circle in ("rock beats scissors", "scissors beats paper", "paper beats rock"):
        assert circle in told["largest surprise, z"]
    assert "points of down are partly its own" in told["forfeited seats"]


def test_standings_say_what_they_leave_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = a_tournament(tuple("abcdefghi"), blocks=1)
    run.run(settings, tmp_path, FakePlay(settings), Quiet())
    app(["standings", str(tmp_path)], standalone_mode=False)
    said = capsys.readouterr().err
    assert "Without a complete block yet, so not in the table:" in said
    assert "Fewer than 10 blocks, so any rank is possible" in said


def test_a_game_without_outcomes_says_so(fake_results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app(["outcomes", str(fake_results)], standalone_mode=False)
    said = capsys.readouterr()
    assert said.out == ""
    assert "king.fetes has no words for how a deal ended" in said.err


def test_both_ends_of_an_interval_have_as_many_decimals(corners: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = kingmaker(capsys, "outcomes", corners)
    intervals = [cell for line in text.splitlines() for cell in line.split("│") if "…" in cell]
    assert intervals
    assert all(len(end.strip().split(".")[1]) == 3 for cell in intervals for end in cell.split("…"))


def test_choices_can_be_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = a_tournament(("lowest", "random"), ruleset="klaverjas.amsterdam", blocks=3)
    run.run(settings, tmp_path / "r", FakePlay(settings), Quiet())
    kingmaker(capsys, "export", "choices", tmp_path / "r", "--out", tmp_path / "c.csv")
    assert pl.read_csv(tmp_path / "c.csv").columns[:3] == ["bot", "choices", "blocks"]
