"""`kingmaker analyse`: where the bots lost points, with all hands known."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from cluster.analysis import Analyst, analyse, keep, losses, stored
from cluster.cli.output import Columns, Format, FormatOption, say, show
from cluster.store import Store

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.")]
MatchesArgument = Annotated[list[str] | None, typer.Argument(metavar="MATCH …", help="Matches to analyse, as `kingmaker matches` names them; none: only show what was analysed.")]  # fmt: skip
CardsOption = Annotated[int, typer.Option("--cards", min=1, max=13, help="Decisions with at most so many cards in hand; beyond seven one can take minutes.")]  # fmt: skip
MoreOption = Annotated[int, typer.Option("--more", min=0, help="Analyse so many further matches, in the order of the schedule.")]  # fmt: skip

_LOSSES: Columns = [
    ("bot", "Bot", None), ("contract", "Contract", None), ("lost_a_match", "Points lost a match", 1), ("decisions", "Decisions", 0),
    ("lost_a_decision", "Lost by one", 2), ("share", "Share that lost", 2),
    ("others_a_decision", "Others lose by one", 2), ("matches", "Matches and seats", 0),
]  # fmt: skip


def register(app: typer.Typer) -> None:
    """Enter the command."""
    app.command("analyse", epilog="Example: kingmaker analyse results/demo --more 20")(analyse_matches)


def analyse_matches(
    folder: Folder, matches: MatchesArgument = None, more: MoreOption = 0, cards: CardsOption = 7,
    form: FormatOption = Format.table,
) -> None:  # fmt: skip
    """Tell what perfect play of the same cards would have given: points lost by bot and contract, kept in the folder.

    Needs the solver (make solver). Trick games only. Where each plays for himself, perfect play is one seat's against all the
    others; what was analysed before is not analysed again.
    """
    store = Store(folder)
    known = set(stored(store)["match_id"])
    wanted = list(dict.fromkeys(matches or []))
    further = [match for match in store.table("replays")["match_id"] if match not in known | set(wanted)] if more else []
    rows = [store.replay(match) for match in wanted + further[:more] if match not in known]
    analysed = stored(store)
    if rows:
        with closing(Analyst()) as analyst:
            analysed = keep(store, (analyse(row, analyst, cards) for row in rows))
    if analysed.is_empty():
        say("nothing was analysed; kingmaker matches lists what can be")
    show(losses(analysed), form, _LOSSES)
