"""Verify finds nothing in an honest folder, and names whatever somebody changed, even where the checksums were redone."""

import hashlib
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from cluster import run
from cluster.cli import app
from cluster.records import unpack
from cluster.store import PLAN, Store
from cluster.tournament import Tournament
from cluster.verify import Report, verify
from referee.faults import Fault
from referee.table import MatchSpec, Table
from tests.cluster import fakes
from tests.cluster.fakes import FakePlay, Quiet, a_tournament, all_blocks

BOTS = ("ada", "bob", "cyd", "dan", "eve")


def played(folder: Path, settings: Tournament) -> Path:
    assert run.run(settings, folder, FakePlay(settings), Quiet()).complete
    return folder


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("honest") / "r", a_tournament(BOTS, blocks=6))


@pytest.fixture
def folder(honest: Path, tmp_path: Path) -> Path:
    shutil.copytree(honest, tmp_path / "r")
    return tmp_path / "r"


def change(folder: Path, table: str, how: Callable[[pl.DataFrame], pl.DataFrame], batch: int = 0) -> None:
    """Change a table of a batch, and redo the checksums as a careful forger would."""
    path = Store(folder).batches()[batch]
    buffer = io.BytesIO()
    frame = pl.read_parquet(path / f"{table}.parquet")
    how(frame).select(frame.columns).cast(dict(frame.schema)).write_parquet(buffer)
    (path / f"{table}.parquet").write_bytes(buffer.getvalue())
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(path.glob("*.parquet"))]
    (path / "SHA256SUMS").write_text("".join(sums))


def cell(column: str, row: int, value: Callable[[Any], Any]) -> Callable[[pl.DataFrame], pl.DataFrame]:
    def changed(frame: pl.DataFrame) -> pl.DataFrame:
        values = frame[column].to_list()
        values[row] = value(values[row])
        return frame.with_columns(pl.Series(column, values, dtype=frame.schema[column]))

    return changed


def found(folder: Path, sample: int | None = None) -> str:
    report = verify(Store(folder), sample)
    assert report.problems
    return "\n".join(report.problems)


def test_an_honest_folder_agrees(honest: Path) -> None:
    assert verify(Store(honest)) == Report(6, 24, 6, 24, 24, 6, 24, 6, 24, [])


def test_a_sample_is_played_again_and_the_same_one_each_time(honest: Path) -> None:
    report = verify(Store(honest), 2)
    assert (report.retraced_blocks, report.retraced_matches, report.problems) == (2, 8, [])
    assert verify(Store(honest), 0).retraced_blocks == 0


@pytest.mark.parametrize("settings", [
    {"ruleset": "king.auction", "blocks": 2}, {"ruleset": "klaverjas.rotterdam", "partners": "mixed", "blocks": 2},
    {"ruleset": "kings_corner", "options": {"players": 3}, "blocks": 2}, {"bots": ("ada",), "blocks": 2},
    {"schedule": "gauntlet", "blocks": 5}, {"bots": ("ada", "bob"), "schedule": "duel", "blocks": 30},
    {"bots": ("ada", "bob", "cyd", "dan"), "schedule": "null", "blocks": 2},
])  # fmt: skip
def test_every_kind_of_tournament_agrees(settings: dict[str, Any], tmp_path: Path) -> None:
    played(tmp_path, a_tournament(**({"bots": BOTS} | settings)))
    assert verify(Store(tmp_path)).problems == []


def test_faults_and_forfeits_follow_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(spec: MatchSpec) -> Table:
        table = Table(spec)
        while (seat := table.advance()) is not None:
            wrong = spec.players[seat] == "bob" and table.asked[seat] % 4 == 0
            legal = table.match.deal.legal()
            if wrong:
                table.fault(Fault.TIMEOUT, 260_000)
            else:
                table.answer(legal[-1], 210_000)
        return table

    monkeypatch.setattr(fakes, "play_table", faulty)
    played(tmp_path, a_tournament(BOTS, blocks=2))
    assert Store(tmp_path).table("matches")["forfeited"].any()
    assert verify(Store(tmp_path)).problems == []
    change(tmp_path, "matches", lambda frame: frame.with_columns(forfeited=False))
    assert "forfeited in matches is False; it comes out as True" in found(tmp_path)


def test_a_flipped_bit_of_a_seed(folder: Path) -> None:
    change(folder, "replays", cell("seed", 1, lambda seed: bytes([seed[0] ^ 1]) + seed[1:]))
    match = pl.read_parquet(Store(folder).batches()[0] / "replays.parquet")["match_id"][1]
    assert f"match {match}: its seed does not follow from the tournament's" in found(folder)


def test_another_commitment(folder: Path) -> None:
    change(folder, "replays", cell("commitment", 0, lambda told: told[::-1]))
    assert "its commitment is not the hash of its seed" in found(folder)


def test_a_changed_action(folder: Path) -> None:
    def swapped(actions: bytes) -> bytes:
        numbers = unpack("H", actions)
        numbers[0], numbers[1] = numbers[1], numbers[0]
        return numbers.tobytes()

    change(folder, "replays", cell("actions", 2, swapped))
    assert "action 1 is number" in found(folder) or "action 2 is number" in found(folder)


@pytest.mark.parametrize(("table", "column", "row"), [
    ("matches", "total", 0), ("matches", "rank", 3), ("matches", "charged_ms", 1), ("matches", "match_hash", 2),
    ("deals", "score", 5), ("deals", "tricks", 5), ("replays", "match_hash", 1),
])  # fmt: skip
def test_a_changed_value(table: str, column: str, row: int, folder: Path) -> None:
    change(folder, table, cell(column, row, lambda value: value + 1 if not isinstance(value, str) else value[::-1]))
    assert f": {column} in {table} is " in found(folder)


@pytest.mark.parametrize(("table", "column"), [("tallies", "s"), ("played", "faults"), ("blocks", "size")])
def test_a_changed_sum(table: str, column: str, folder: Path) -> None:
    change(folder, table, cell(column, 0, lambda value: value + 1))
    assert f"its table {table} does not follow from its matches and deals" in found(folder)


def test_another_name(folder: Path) -> None:
    change(folder, "replays", cell("players", 0, lambda players: players[::-1]))
    assert "it was played by" in found(folder)
    assert "scheduled are" in found(folder)


def test_actions_too_few_and_too_many(folder: Path) -> None:
    def cut(frame: pl.DataFrame) -> pl.DataFrame:
        for column, size in (("actions", 2), ("marks", 1), ("charged_us", 4)):
            frame = cell(column, 0, lambda data, size=size: data[: -40 * size])(frame)
            frame = cell(column, 1, lambda data, size=size: data + data[:size])(frame)
        return frame

    change(folder, "replays", cut)
    assert "actions end before the match does" in found(folder)
    assert "the match is over after" in found(folder)


def test_a_missing_batch(folder: Path) -> None:
    shutil.rmtree(Store(folder).batches()[0])
    told = found(folder)
    assert "of 6 planned blocks are not there" in told
    report = verify(Store(folder))
    assert report.planned_matches == 24
    assert report.stored_matches < 24


def test_a_duplicated_match(folder: Path) -> None:
    change(folder, "matches", lambda frame: pl.concat([frame, frame.head(4)]))
    assert "holds a match twice" in found(folder)


def test_a_duplicated_batch(folder: Path) -> None:
    batch = Store(folder).batches()[0]
    shutil.copytree(batch, batch.with_name("zz-1"))
    assert "and again in batch zz-1" in found(folder)


def test_a_truncated_file(folder: Path) -> None:
    file = Store(folder).batches()[0] / "deals.parquet"
    file.write_bytes(file.read_bytes()[:-10])
    assert "deals.parquet is not what SHA256SUMS says" in found(folder)


def test_a_block_of_another_tournament(folder: Path, tmp_path: Path) -> None:
    other = a_tournament(BOTS, blocks=1, seed="other")
    played(tmp_path / "other", other)
    (batch,) = Store(tmp_path / "other").batches()
    shutil.copytree(batch, folder / "batches" / batch.name)
    assert f"1 blocks are not in the plan, such as {all_blocks(other)[0].id}" in found(folder)


@pytest.mark.parametrize(("key", "value", "told"), [
    ("seed", "forged", "its id is"), ("max_faults", 0, "the plan cannot be"), ("tournament_id", "0" * 16, "its id is"),
])  # fmt: skip
def test_a_changed_plan(key: str, value: object, told: str, folder: Path) -> None:
    plan = json.loads((folder / PLAN).read_text())
    (folder / PLAN).write_text(json.dumps(plan | {key: value}))
    assert told in found(folder)


def test_the_command_counts_and_says_what_disagrees(honest: Path, folder: Path) -> None:
    good = CliRunner().invoke(app, ["verify", str(honest), "--sample", "1", "--format", "csv"])
    assert good.exit_code == 0
    assert good.stdout.splitlines() == [
        "what,blocks,matches", "plan,6,24", "files,6,24", "replays,,24", "ratings,6,24", "played again,1,4",
    ]  # fmt: skip
    assert "all agrees; 4 matches played again" in good.stderr
    change(folder, "matches", cell("total", 0, lambda total: total - 1))
    bad = CliRunner().invoke(app, ["verify", str(folder), "--format", "json"])
    assert bad.exit_code == 1
    assert json.loads(bad.stdout)["planned_blocks"] == 6
    assert any("total in matches is" in problem for problem in json.loads(bad.stdout)["problems"])
    assert "total in matches is" in bad.stderr
