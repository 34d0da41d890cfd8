"""The command `kingmaker`: what others may script (README.md lists it).

Exit status: 0 done, 1 found a problem, 2 wrong usage or input. Results go to standard output, all else to standard
error.
"""

from __future__ import annotations

import sys

import typer

from cluster.cli import (
    admin,
    analyse,
    checks,
    doctor,
    duel,
    host,
    intake,
    new,
    null,
    play,
    results,
    rules,
    serve,
    submit,
)
from referee.rules.errors import KingmakerError

app = typer.Typer(
    name="kingmaker",
    help="Find out which bot plays best at luck-heavy card games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for module in (new, play, results, analyse, duel, null, checks, rules, doctor, host, intake, submit, admin, serve):
    module.register(app)


def main() -> None:
    """Run the command; what a person can put right ends in a sentence, never in a traceback."""
    try:
        app(prog_name="kingmaker")
    except KingmakerError as error:
        print(f"kingmaker: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, ValueError) else 1)  # ValueError: what we were given cannot be
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has seen enough
        sys.exit(0)
