"""How tables and progress appear on a terminal, and in the forms that programs read."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from cluster.texts import contract_name, number

if TYPE_CHECKING:
    from cluster.arena import Chunk

err = Console(stderr=True, highlight=False)


class Format(StrEnum):
    """How a table is printed."""

    table = "table"
    csv = "csv"
    json = "json"



def say(text: str) -> None:
    """Print a sentence to standard error as it is: names and folders may hold what looks like markup."""
    err.print(text, markup=False, soft_wrap=True)


FormatOption = Annotated[Format, typer.Option("--format", help="How to print: csv and json have full precision.")]

#: Column, heading, decimals (None: as it is).
Columns = list[tuple[str, str, int | None]]


def show(frame: pl.DataFrame, form: Format, columns: Columns, title: str = "") -> None:
    """Print a table: all its columns for programs, the given ones for people."""
    if form is Format.csv:
        sys.stdout.write(flat(frame).write_csv())
    elif form is Format.json:
        print(json.dumps(frame.to_dicts(), ensure_ascii=False, default=str))
    else:
        table = Table(title=title or None, title_justify="left", header_style="bold")
        for _, heading, decimals in columns:
            table.add_column(heading, justify="left" if decimals is None else "right", overflow="fold")
        for row in frame.iter_rows(named=True):
            table.add_row(*(Text(_cell(name, row[name], decimals)) for name, _, decimals in columns))
        width = None if sys.stdout.isatty() else 160
        Console(file=sys.stdout, width=width, highlight=False).print(table)


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with lists as texts, and texts that a spreadsheet would take for formulas made harmless."""
    for name, kind in frame.schema.items():
        if isinstance(kind, pl.List):
            joined = pl.col(name).cast(pl.List(pl.String)).list.join(" ")
            frame = frame.with_columns(joined)
        elif kind == pl.Binary:
            frame = frame.with_columns(pl.col(name).bin.encode("hex"))
    guarded = [
        pl.when(pl.col(name).str.contains(r"^[=+\-@\t\r]")).then(pl.lit("'") + pl.col(name)).otherwise(pl.col(name)).alias(name)
        for name, kind in frame.schema.items()
        if kind == pl.String
    ]
    return frame.with_columns(guarded)


def _cell(name: str, value: Any, decimals: int | None) -> str:
    """A value as people read it; contracts keep their ids for programs."""
    if value is None:
        return "–"
    if isinstance(value, list):
        return "  ".join(_cell(name, part, decimals) for part in value)
    if isinstance(value, str):
        return contract_name(value) if name == "contract" else value
    if decimals is not None:
        return number(value, f",.{decimals}f").replace(",", " ")
    return str(value).replace("-", "−") if isinstance(value, int | float) else str(value)


class _Speed(ProgressColumn):
    def render(self, task: Task) -> Text:
        """Matches per second."""
        games = task.fields.get("games", 1)
        return Text(f"{task.speed * games:.1f} matches/s" if task.speed else "starting …", style="cyan")


class Bar:
    """A progress bar on standard error; use as a context."""

    def __init__(self) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("blocks"), _Speed(),
            TimeRemainingColumn(), TextColumn("left"), console=err,
        )  # fmt: skip
        self._task = self._bar.add_task("playing", total=None)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar.live.is_started:
            self._bar.stop()

    def begin(self, *, blocks: int, done: int, games: int) -> None:
        """Show how much there is, and was; before this nothing is shown."""
        self._bar.start()
        self._bar.update(self._task, total=blocks, completed=done, games=games)
        if done:
            say(f"{done} of {blocks} blocks are there already; playing what is missing")

    def warn(self, text: str) -> None:
        """Say what was set aside."""
        say(f"warning: {text}")

    def played(self, chunk: Chunk) -> None:
        """Show some blocks more."""
        self._bar.advance(self._task, len(chunk.block_ids))
