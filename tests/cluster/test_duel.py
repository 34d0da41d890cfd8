"""A duel stops by itself, at the same block however it was played, and says what it stands on."""

import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console
from typer.testing import CliRunner

from cluster import run
from cluster.arena import Chunk
from cluster.cli import app
from cluster.cli import duel as command
from cluster.schedule import Block
from cluster.schedule.rounds import DUEL_ROUND, rounds
from cluster.statistics import duel
from cluster.statistics.blocks import block_table
from cluster.statistics.ratings import rate
from cluster.store import Store
from tests.cluster.fakes import FakePlay, Quiet, a_tournament, all_blocks

#: The lowest action ends a turn, so that any other player is better, and soon found to be.
SETTINGS = a_tournament(("random", "lowest"), schedule="duel", blocks=400, ruleset="kings_corner", options={"players": 2})


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("duel") / "r"
    assert run.run(SETTINGS, folder, FakePlay(SETTINGS), Quiet()).complete
    return folder


def judged(folder: Path) -> duel.Duel:
    return command.judged(SETTINGS, Store(folder).table("matches"))


def test_it_stops_by_itself_at_the_end_of_a_round(decided: Path) -> None:
    ended = judged(decided)
    assert ended.stopped_early
    assert ended.verdict in ("better", "not better")
    assert ended.sprt.decided_at is not None
    assert ended.blocks - DUEL_ROUND < ended.sprt.decided_at <= ended.blocks < 400
    assert ended.blocks % DUEL_ROUND == 0
    assert Store(decided).done() == {block.id for block in all_blocks(SETTINGS)[: ended.blocks]}


@pytest.mark.parametrize(("workers", "stops"), [(2, []), (1, [0, 0]), (3, [2, 2])])
def test_it_plays_the_same_blocks_however_it_is_interrupted(
    workers: int, stops: list[int], decided: Path, tmp_path: Path
) -> None:
    for stop in stops:
        with pytest.raises(KeyboardInterrupt):
            run.run(SETTINGS, tmp_path, FakePlay(SETTINGS, stop_after=stop), Quiet(), workers=workers)
    assert run.run(SETTINGS, tmp_path, FakePlay(SETTINGS), Quiet(), workers=workers).complete
    again = run.run(SETTINGS, tmp_path, FakePlay(SETTINGS), Quiet())
    assert (again.played, again.complete) == (0, True)
    assert Store(tmp_path).table("replays").equals(Store(decided).table("replays"))


def test_results_that_come_in_another_order_change_nothing(tmp_path: Path, decided: Path) -> None:
    fake = FakePlay(SETTINGS)

    def backwards(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        return fake(iter(list(chunks)[::-1]))

    run.run(SETTINGS, tmp_path, backwards, Quiet(), workers=4)
    assert command.frame(judged(tmp_path)).equals(command.frame(judged(decided)))


def test_only_blocks_without_a_gap_before_them_count(decided: Path) -> None:
    matches = Store(decided).table("matches")
    holed = matches.filter(pl.col("block") != 25)
    now = duel.state(holed, "random", "lowest")
    assert now.blocks == 25
    assert now.sprt.llr == duel.state(matches.filter(pl.col("block") < 25), "random", "lowest").sprt.llr


def test_before_the_first_block_nothing_is_known() -> None:
    frame = pl.DataFrame(schema={"block": pl.UInt32, "block_id": pl.String, "game": pl.UInt8, "games": pl.UInt8,
                                 "team": pl.UInt8, "seat": pl.UInt8, "bot": pl.String, "total": pl.Int32, "rank": pl.UInt8})  # fmt: skip
    now = duel.state(frame, "new", "old")
    assert (now.blocks, now.score, now.elo, now.verdict) == (0, None, None, "undecided")
    assert now.fixed_length == 481


def test_the_other_way_round_the_signs_change(decided: Path) -> None:
    matches = Store(decided).table("matches")
    one, other = duel.state(matches, "random", "lowest"), duel.state(matches, "lowest", "random")
    assert one.score is not None
    assert other.score is not None
    assert one.elo is not None
    assert other.elo is not None
    assert one.score + other.score == pytest.approx(1)
    assert one.elo + other.elo == pytest.approx(0)


def test_elo_is_that_of_the_standings(decided: Path) -> None:
    matches = Store(decided).table("matches")
    rated = rate(block_table(matches), anchor="lowest")
    assert judged(decided).elo == rated.elo[rated.bots.index("random")] - 1500


def test_the_budget_ends_it_undecided(tmp_path: Path) -> None:
    short = SETTINGS.model_copy(update={"blocks": 13})
    assert run.run(short, tmp_path, FakePlay(short), Quiet()) == run.Outcome(scheduled=13, before=0, played=13)
    assert command.judged(short, Store(tmp_path).table("matches")).verdict == "undecided"
    longer = run.run(SETTINGS, tmp_path, FakePlay(SETTINGS), Quiet(), extend=True)
    assert (longer.before, longer.complete) == (13, True)


def test_rounds_are_asked_for_one_at_a_time() -> None:
    def too_early() -> pl.DataFrame:
        raise AssertionError("results were asked for before the first round was taken")

    assert next(iter(rounds(SETTINGS, too_early))).size == DUEL_ROUND


@pytest.fixture
def fake_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    def play_missing(tournament: Any, folder: Path, *_: object, extend: bool, bar: Any) -> Any:
        with bar:
            return run.run(tournament, folder, FakePlay(tournament), bar, extend=extend)

    monkeypatch.setattr(command, "play_missing", play_missing)


@pytest.mark.usefixtures("fake_bots")
def test_the_command_tells_people_and_programs(tmp_path: Path) -> None:
    words = ["duel", "random", "lowest", "--ruleset", "kings_corner", "--option", "players=2", "--results", str(tmp_path / "r"), "--seed", "test"]
    told = CliRunner().invoke(app, [*words, "--max-blocks", "30"])
    assert told.exit_code == 0
    for part in ("Is random better than lowest at kings_corner?", "score", "Elo", "P(better)", "a test of fixed length takes 481"):
        assert part in told.stdout
    again = CliRunner().invoke(app, [*words[:-2], "--max-blocks", "400", "--format", "json"])
    row = json.loads(again.stdout)
    assert row["verdict"] in ("better", "not better")
    assert row["stopped_early"] is True
    assert row["blocks"] >= row["decided_at"] >= 20
    assert "blocks are there already" in again.stderr
    table = CliRunner().invoke(app, [*words[:-2], "--max-blocks", "400"])
    assert "stopped early" in table.stdout
    assert f"decided at block {row['decided_at']}" in table.stdout
    csv = CliRunner().invoke(app, [*words[:-2], "--max-blocks", "400", "--format", "csv"])
    assert csv.stdout.splitlines()[0].startswith("new,old,verdict,stopped_early")
    assert repr(row["llr"]) in csv.stdout


@pytest.mark.usefixtures("fake_bots")
def test_another_question_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    words = ["duel", "random", "lowest", "--ruleset", "kings_corner", "--option", "players=2", "--results", str(tmp_path / "r"), "--max-blocks", "10"]
    assert CliRunner().invoke(app, words).exit_code == 0
    refused = CliRunner().invoke(app, [*words, "--t1", "0.2"])
    assert refused.exit_code != 0
    assert "duel.t1 was 0.15, is 0.2" in str(refused.exception)


@pytest.mark.usefixtures("fake_bots")
def test_on_a_terminal_the_bounds_are_on_screen_while_it_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(command, "err", Console(file=screen, force_terminal=True, width=120))
    words = ["duel", "random", "lowest", "--ruleset", "kings_corner", "--option", "players=2", "--max-blocks", "30"]
    assert CliRunner().invoke(app, [*words, "--results", str(tmp_path / "r")]).exit_code == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    for block in (10, 20, 30):
        assert f"random against lowest, block {block} (of fixed length: 481)" in text
    assert re.search(r"not better ─*●─* better", text)
    assert "bounds −2.94 and +2.94" in text


@pytest.mark.usefixtures("fake_bots")
def test_where_nobody_watches_a_line_is_printed_now_and_then(tmp_path: Path) -> None:
    words = ["duel", "random", "random", "--ruleset", "kings_corner", "--option", "players=2", "--max-blocks", "60"]
    told = CliRunner().invoke(app, [*words, "--results", str(tmp_path / "r"), "--t0=-0.1", "--t1", "0.1"])
    assert told.exit_code == 0
    assert told.stderr.count("log-likelihood ratio") == 1
    assert "block 50: log-likelihood ratio" in told.stderr
