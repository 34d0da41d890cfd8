"""`kingmaker verify`: whether results hold what they say."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from cluster.cli.output import Columns, Format, FormatOption, say, show
from cluster.commitment import commitment
from cluster.store import Store
from cluster.verify import verify as check

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.")]
SampleOption = Annotated[int | None, typer.Option("--sample", min=0, metavar="N", help="Play only N blocks again, drawn by lot; default: all.")]  # fmt: skip
CommitmentOption = Annotated[str | None, typer.Option("--commitment", metavar="HEX", help="What was told of the season's seed before it was played.")]  # fmt: skip

_COUNTS: Columns = [("what", "Counted in", None), ("blocks", "Blocks", 0), ("matches", "Matches", 0)]
#: So many problems are printed for people.
_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Enter the commands."""
    app.command(epilog="Example: kingmaker verify results/demo --sample 100")(verify)


def verify(
    folder: Folder, sample: SampleOption = None, committed: CommitmentOption = None, form: FormatOption = Format.table
) -> None:
    """Check results against plan, seeds and rules: every match there once, and played again to the same hash."""
    store = Store(folder)
    report = check(store, sample)
    if committed is not None and commitment(store.plan["seed"]) != committed.lower():
        report.problems.append(f"the seed is not the one that was committed to; its commitment is {commitment(store.plan['seed'])}")
    rows = [
        {"what": "plan", "blocks": report.planned_blocks, "matches": report.planned_matches},
        {"what": "files", "blocks": report.stored_blocks, "matches": report.stored_matches},
        {"what": "replays", "blocks": None, "matches": report.replays},
        {"what": "ratings", "blocks": report.rated_blocks, "matches": report.rated_matches},
        {"what": "played again", "blocks": report.retraced_blocks, "matches": report.retraced_matches},
    ]
    if form is Format.json:
        print(json.dumps(asdict(report), ensure_ascii=False))
    else:
        show(pl.DataFrame(rows), form, _COUNTS)
    for note in report.notes if form is Format.table else ():
        say(note)
    for problem in report.problems[: _SHOWN if form is Format.table else None]:
        say(problem)
    if len(report.problems) > _SHOWN and form is Format.table:
        say(f"… and {len(report.problems) - _SHOWN} more; --format json has all of them")
    if report.problems:
        say(f"problems found: {len(report.problems)}")
        sys.exit(1)
    say(f"all agrees; {report.retraced_matches} matches played again to the same hash")
