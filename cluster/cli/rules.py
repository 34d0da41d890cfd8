"""`kingmaker position` and `kingmaker rules`: what the referee knows of the games."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import polars as pl
import typer

from cluster.cli.output import Columns, Format, FormatOption, show
from cluster.cli.settings import OptionOption, options_of
from referee.rules import position as positions
from referee.rules import registry
from referee.rules.sheet import Sheet, sheet

_RULESETS: Columns = [
    ("ruleset", "Ruleset", None), ("title", "Game", None), ("players", "Players", None), ("deck", "Cards", 0),
    ("match", "A match", None), ("options", "Options (default first)", None),
]  # fmt: skip


def register(app: typer.Typer) -> None:
    """Enter the commands."""
    app.command(epilog="Example: kingmaker rules king.fetes")(rules)
    app.command(epilog="Example: kingmaker position < positions.jsonl (docs/position.md says what a line holds)")(position)


def position() -> None:
    """Answer positions, one JSON object a line on standard input, each with one line: the rules oracle."""
    found_error = False
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            answer = positions.answer(json.loads(line.decode("utf-8")))
        except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, or brackets without end
            answer = {"error": f"not JSON: {error}"}
        found_error = found_error or "error" in answer
        print(json.dumps(answer, ensure_ascii=False), flush=True)
    sys.exit(1 if found_error else 0)


def rules(
    ruleset: Annotated[str | None, typer.Argument(help="A ruleset, for its spec sheet; left out: the list.")] = None,
    option: OptionOption = None,
    form: FormatOption = Format.table,
) -> None:
    """List the rulesets with their options, or print the spec sheet of one, made from its own data."""
    if ruleset is not None:
        spec = sheet(registry.ruleset(ruleset), options_of(option))
        print(json.dumps(asdict(spec), ensure_ascii=False) if form is not Format.table else spec.text())
        return
    rows = [_row(sheet(known)) for known in registry.RULESETS.values()]
    show(pl.DataFrame(rows), form, _RULESETS)


def _row(spec: Sheet) -> dict[str, object]:
    options = [f"{option.name}: {option.values}" for option in spec.options]
    teams = len(set(spec.teams))
    return {
        "ruleset": spec.id, "title": spec.title, "deck": len(spec.deck), "match": spec.match, "options": "\n".join(options),
        "players": f"{spec.players}, each for self" if teams == spec.players else f"{spec.players}, {teams} teams",
    }  # fmt: skip
