"""`kingmaker null`: copies of one bot must cancel out."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from cluster import tournament as tournaments
from cluster.cli.output import Bar, Columns, Format, FormatOption, say, show
from cluster.cli.play import AddressOption, ResultsOption, WorkersOption, end, play_missing, seed_of
from cluster.cli.settings import OptionOption, options_of
from cluster.nulltest import Null, Parting, examine
from cluster.schedule import design
from cluster.store import Store
from referee.rules import registry

_COPIES: Columns = [
    ("bot", "Copy", None), ("points", "Points a match, from the table's mean", 3), ("low", "95 % from", 3), ("high", "to", 3),
    ("blocks", "Blocks", 0),
]  # fmt: skip


def register(app: typer.Typer) -> None:
    """Enter the command."""
    app.command(epilog='Example: kingmaker null "python my_bot.py" --ruleset king.fetes --blocks 20')(null)


def null(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A reference name, a command, or NAME=COMMAND.")],
    ruleset: Annotated[str, typer.Option(help="One of `kingmaker rules`.")] = "king.fetes",
    option: OptionOption = None,
    blocks: Annotated[int, typer.Option(min=1, help="Blocks to play.")] = 20,
    seed: Annotated[str | None, typer.Option(help="The same seed gives the same cards; default: that of --results, or a fresh one.")] = None,
    results: ResultsOption = None,
    lanes: Annotated[int, typer.Option(min=1, max=4, help="Processes of each copy: with 4 each match of a block has its own.")] = 1,
    tables: Annotated[int, typer.Option(min=1, help="Matches that a bot plays at the same time.")] = 64,
    workers: WorkersOption = None,
    address: AddressOption = None,
    budget_ms: Annotated[int, typer.Option(min=1, help="Time for a decision, in milliseconds.")] = 200,
    form: FormatOption = Format.table,
) -> None:
    """Play copies of one bot under several names: each block must come to exactly zero."""
    game = registry.ruleset(ruleset).game(options_of(option))
    named = tournaments.named_bot(bot)
    named.setdefault("command", named["name"])
    bots = [
        {"cwd": str(Path.cwd()), **named, "name": f"{named['name']}-{number}"} for number in range(1, design(game).places + 1)
    ]
    data: dict[str, Any] = {
        "name": "null", "isolation": "trusted", "ruleset": ruleset, "options": options_of(option), "blocks": blocks, "schedule": "null",
        "lanes": lanes, "tables": tables, "seed": seed_of(seed, results), "clocks": {"budget_ms": budget_ms}, "bots": bots,
    }  # fmt: skip
    folder = results or Path(tempfile.mkdtemp(prefix="kingmaker-null-"))
    try:
        outcome = play_missing(tournaments.parse(data, "null"), folder, workers, address, extend=True, bar=Bar())
    except KeyboardInterrupt:
        say(f"stopped; {folder} is whole: the same command with --results {folder} goes on where this one ended")
        sys.exit(130)
    store = Store(folder)
    found = examine(store.table("matches"), store.table("replays"))
    if form is Format.json:
        rest = {key: value for key, value in asdict(found).items() if key != "copies"}
        print(json.dumps({"passed": found.passed, **rest, "copies": found.copies.to_dicts()}, ensure_ascii=False))
    else:
        show(found.copies, form, _COPIES)
    _tell(found, folder)
    end(outcome, folder, found_problem=not found.passed)


def _tell(found: Null, folder: Path) -> None:
    if found.passed:
        say(f"all {found.blocks} blocks come to exactly zero: it goes by what it is told, and by nothing else; results in {folder}")
        return
    say(f"{found.unequal} of {found.blocks} blocks do not come to zero; in {found.parted} the games, which should be one, part")
    if found.faults:
        say(f"its copies committed {found.faults} faults; a late answer depends on the machine: give it more --budget-ms, or see `kingmaker doctor`")
    if found.first is None:
        say("yet all games of a block are the same: this is a fault of the platform, please report it")
        return
    say(_sentence(found.first))
    say(
        "the copies were told the same but for the match's name: so the bot keeps something between decisions or matches, draws "
        "random numbers of its own (take observation.random), looks at a clock, or knows the cards from another match of the "
        "block (--lanes 4 keeps these apart)"
    )
    say(f"results in {folder}")


def _sentence(first: Parting) -> str:
    answers = [f"{name} plays {answer}{f' ({fault})' if fault else ''}"
               for name, answer, fault in zip(first.names, first.answers, first.faults, strict=True)]  # fmt: skip
    return (
        f"block {first.block}, matches 0 and {first.game}, action {first.action} (deal {first.deal}, {first.contract}, seat "
        f"{first.seat}; legal: {' '.join(first.legal)}): {answers[0]}, {answers[1]}"
    )
