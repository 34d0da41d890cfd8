"""`kingmaker doctor`: checks a bot as its author would want it checked."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from cluster.cli.settings import OptionOption, options_of
from cluster.texts import plain
from cluster.tournament import BotEntry
from referee.rules import registry

if TYPE_CHECKING:
    from referee.doctor import Doctor, Finding

_MARKS = {True: "ok  ", False: "FAIL", None: "-   "}


class _Doctor(TyperGroup):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """What is no subcommand is a bot's command, with or without ``--`` before it."""
        if args and args[0] not in (*self.commands, "--help"):
            args = ["bot", *args]
        return super().parse_args(ctx, args)


doctor = typer.Typer(
    cls=_Doctor,
    no_args_is_help=True,
    help="Check a bot: kingmaker doctor -- COMMAND.",
    epilog="Example: kingmaker doctor -- python my_bot.py",
)


def register(app: typer.Typer) -> None:
    """Enter the command."""
    doctor.command(
        "bot",
        epilog="Example: kingmaker doctor --ruleset klaverjas.amsterdam -- node my_bot.js",
        context_settings={"allow_interspersed_args": False},  # options behind the command are the bot's
    )(examine)
    app.add_typer(doctor, name="doctor")


def examine(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND", help="The words that start the bot.")],
    ruleset: Annotated[str, typer.Option(help="One of `kingmaker rules`.")] = "king.fetes",
    option: OptionOption = None,
    budget_ms: Annotated[int, typer.Option(min=1, help="Time for a decision, in milliseconds.")] = 200,
    start_timeout_s: Annotated[float, typer.Option(min=0.1, help="Time for the bot to connect, in seconds.")] = 30.0,
) -> None:
    """Start a bot like the real thing and walk it through what a tournament may ask of it; exit status 0 or 1."""
    from referee.doctor import Doctor  # gRPC is needed here alone
    from referee.faults import Clocks
    from referee.processes import Command, LauncherClient

    options, rules = options_of(option), registry.ruleset(ruleset)
    game, forced = rules.game(options), rules.game({**options, "ask_forced": True})
    bot = BotEntry(name="bot", command=shlex.join(command) if len(command) > 1 else command[0])
    patient = Doctor(LauncherClient(), Command(bot.words()), game, forced, Clocks(budget_ms=budget_ms), start_timeout_s)
    findings = asyncio.run(_walk(patient))
    if patient.printed.stderr:
        print("\nstderr of the bot:")
        print("\n".join(f"  {line}" for line in plain(patient.printed.stderr).splitlines()))
    failed = [finding.number for finding in findings if not finding.passed]
    if failed:
        print(f"\nThis bot is not ready: see step {failed[0]}.")
        sys.exit(1)
    print("\nThis bot is ready to play.")


async def _walk(patient: Doctor) -> Sequence[Finding]:
    findings = []
    async for finding in patient.examine():
        findings.append(finding)
        if finding.passed is None:
            print(f"{finding.number:2} {_MARKS[None]} {finding.title}: {plain(finding.found)}", flush=True)
            continue
        print(f"{finding.number:2} {_MARKS[finding.passed]} {finding.title}")
        print(f"          expected: {finding.expected}")
        print(f"          came:     {plain(finding.found)}", flush=True)
    return findings
