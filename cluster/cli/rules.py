"""`kingmaker position` and `kingmaker rules`: what the referee knows of the games."""

from __future__ import annotations

import json
import sys

import typer

from referee.rules import position as positions


def register(app: typer.Typer) -> None:
    """Enter the commands."""
    app.command(epilog="Example: kingmaker position < tests/rules/vectors/king.fetes.jsonl")(position)


def position() -> None:
    """Answer positions, one JSON object a line on standard input, each with one line: the rules oracle."""
    found_error = False
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            answer = positions.answer(json.loads(line))
        except ValueError as error:
            answer = {"error": f"not JSON: {error}"}
        found_error = found_error or "error" in answer
        print(json.dumps(answer, ensure_ascii=False), flush=True)
    sys.exit(1 if found_error else 0)
