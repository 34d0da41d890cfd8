"""Data for others: every table in every form, every column documented, and the page's own examples."""

import json
import re
from pathlib import Path

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cluster import run
from cluster.cli.results import TABLES, table_of
from cluster.records import SCHEMAS
from cluster.store import Store
from tests.cluster.fakes import FakePlay, Quiet, a_tournament
from tests.cluster.test_cli import Kingmaker, kingmaker  # noqa: F401  # a fixture

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "results" / "demo"
    settings = a_tournament(("greedy", "lowest", "random", "=1+2", 'Kůň, "国王"'), ruleset="klaverjas.amsterdam", blocks=12)
    run.run(settings, folder, FakePlay(settings), Quiet())
    return folder


def section(page: str, name: str) -> str:
    """The part of a page below a heading that names this table."""
    text = (DOCS / page).read_text(encoding="utf-8")
    (found,) = re.findall(rf"^## (?:[^\n]*\b)?{name}\b[^\n]*\n(.*?)(?=^## |\Z)", text, re.S | re.M)
    return str(found)


def words(text: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", text))


@pytest.mark.parametrize("table", TABLES)
def test_every_column_is_documented_with_its_table(table: str, folder: Path) -> None:
    columns = set(table_of(Store(folder), table).columns)
    page = section("results.md" if table in SCHEMAS else "data.md", table)
    if "as above" in page:
        page += section("results.md", "matches")
    assert columns <= words(page)
    assert f"`{table}`" in (DOCS / "data.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", TABLES)
def test_every_table_in_every_form_holds_the_same(table: str, folder: Path, tmp_path: Path, kingmaker: Kingmaker) -> None:  # noqa: F811
    frame = table_of(Store(folder), table)
    for form in ("csv", "json", "jsonl", "parquet"):
        said = kingmaker("export", table, folder, "--out", tmp_path / f"x.{form}")
        assert (said.status, said.out) == (0, "")
    assert_frame_equal(pl.read_parquet(tmp_path / "x.parquet"), frame)
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()]
    assert json.loads((tmp_path / "x.json").read_text(encoding="utf-8")) == lines
    csv = pl.read_csv(tmp_path / "x.csv", schema_overrides=dict.fromkeys([n for n, k in frame.schema.items() if not k.is_numeric()], pl.String))
    assert csv.columns == frame.columns
    assert csv.height == frame.height == len(lines)
    assert frame.height or table == "logs"
    if table == "replays":
        assert {"deals", "seed", "commitment"} <= set(lines[0])
        return
    for name, kind in frame.schema.items():
        if kind.is_numeric():
            assert csv[name].cast(kind).to_list() == frame[name].to_list() == [line[name] for line in lines], name


def test_duckdb_reads_the_files_as_they_lie(folder: Path) -> None:
    for table in SCHEMAS:
        ((count,),) = duckdb.sql(f"SELECT count(*) FROM '{folder}/batches/*/{table}.parquet'").fetchall()
        assert count == Store(folder).table(table).height


def test_the_examples_of_the_page_run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(folder.parents[1])
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", (DOCS / "data.md").read_text(encoding="utf-8"), re.S):
        exec(compile(block, "docs/data.md", "exec"), names)
    said = capsys.readouterr().out
    standings = table_of(Store(folder), "standings").filter(pl.col("bot") == "greedy")
    assert f"{standings['points'][0]:.1f} ± " in said
    assert "trump:S" in said
