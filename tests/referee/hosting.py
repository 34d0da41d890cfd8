"""A real host with real processes for tests: good bots, hostile ones, and a mark to find all of them again."""

from __future__ import annotations

import asyncio
import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from referee.faults import Clocks
from referee.host import Command, Host, LauncherClient, ProcessKey
from referee.rules.registry import RULESETS
from referee.table import MatchSpec, Table

ROOT = Path(__file__).resolve().parents[2]
GOOD = ("north", "east", "south")
#: Long enough for good bots on a busy machine, short enough to wait for three time-outs.
CLOCKS = Clocks(budget_ms=500, bank_ms=2_000)
GAME = RULESETS["king.fetes"].game()


def good(name: str = "random") -> Command:
    return Command((sys.executable, "-m", "bots.reference", name), str(ROOT))


def hostile(name: str, mark: str, *arguments: str) -> Command:
    return Command((sys.executable, str(ROOT / "tests" / "hostile" / f"{name}.py"), mark, *arguments), str(ROOT))


def new_mark() -> str:
    """What every process of a test bears in its command line."""
    return f"mark-{secrets.token_hex(8)}"


def marked(mark: str) -> list[psutil.Process]:
    """All living processes that bear a mark."""
    found = []
    for process in psutil.process_iter():
        try:
            if mark in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.NoSuchProcess:
            pass  # it ended meanwhile
    return found


def gone_within(seconds: float, living: Callable[[], list[psutil.Process]]) -> bool:
    """Wait until nothing lives any more; kill what does after so long."""
    deadline = time.monotonic() + seconds
    while (left := living()) and time.monotonic() < deadline:
        time.sleep(0.02)
    for process in left:
        process.kill()
    return not left


def spec(players: tuple[str, ...], name: str = "m", **changes) -> MatchSpec:
    given = {"game": GAME, "seed": bytes(32), "bot_seeds": (1, 2, 3, 4), "clocks": CLOCKS} | changes
    return MatchSpec(match_id=name, players=players, **given)


def keys(players: tuple[str, ...]) -> list[ProcessKey]:
    return [ProcessKey(bot, players[:seat].count(bot), 0) for seat, bot in enumerate(players)]


def against(bot: str) -> tuple[str, ...]:
    """A line-up with three good bots."""
    return (GOOD[0], bot, *GOOD[1:])


async def play(host: Host, *players: tuple[str, ...], **changes) -> list[Table]:
    """A match of each line-up, all at once."""
    specs = [spec(each, f"m{number}", **changes) for number, each in enumerate(players)]
    return await host.play(specs, [keys(each) for each in players], asyncio.Semaphore(1000))


def host(bots: dict[str, Command], start_timeout_s: float = 60.0) -> Host:
    return Host(LauncherClient(), dict.fromkeys(GOOD, good()) | bots, start_timeout_s=start_timeout_s)
