"""The whole path: a host, gRPC over unix sockets, four bot processes; decisions a second by tables a bot."""

import asyncio
import hashlib
import sys
from dataclasses import replace
from time import perf_counter

from cluster.schedule import KLEIN
from referee.faults import Clocks
from referee.host import Command, Host, LauncherClient, ProcessKey
from referee.isolation import tiers
from referee.rules import registry
from referee.table import MatchSpec, Table

BOTS = ("north", "east", "south", "west")
#: Tables a bot, and blocks of four matches to play on them.
RUNS = {1: 2, 64: 64, 256: 256, 1024: 512}
PATIENT = Clocks(budget_ms=10_000)
PYTHON = Command((sys.executable, "-m", "bots.reference", "random"))
ISOLATED = replace(PYTHON, tier="bubblewrap")


def measure() -> dict[str, float]:
    """King with four random Python bots in four processes."""
    rounds = [[asyncio.run(run(tables, blocks, PYTHON)) for tables, blocks in RUNS.items()] for _ in range(3)]
    best = [max(figures) for figures in zip(*rounds, strict=True)]  # in turns, because the machine's speed drifts
    figures = {f"decisions_per_s_{t}_table{'s' * (t > 1)}": figure for t, figure in zip(RUNS, best, strict=True)}
    figures["decisions_256_tables_over_1_table"] = figures["decisions_per_s_256_tables"] / figures["decisions_per_s_1_table"]
    return figures | _isolated()


def _isolated() -> dict[str, float]:
    """What isolation costs: both ways in turns, and the better of each, because the machine's speed drifts."""
    if reason := tiers.why_not(ISOLATED.tier):
        print(f"{reason}: no figure for isolated bots")
        return {}
    rounds = [[asyncio.run(run(256, 256, command)) for command in (PYTHON, ISOLATED)] for _ in range(8)]
    trusted, isolated = (max(figures) for figures in zip(*rounds, strict=True))
    return {
        "decisions_per_s_256_tables_bubblewrap": isolated,
        "decisions_bubblewrap_over_trusted": isolated / trusted,
    }


async def run(tables: int, blocks: int, command: Command) -> float:
    """Decisions a second over all bots, each of them a process of this command."""
    async with Host(LauncherClient(), dict.fromkeys(BOTS, command)) as host:
        permits = asyncio.Semaphore(tables)
        await _block(host, "warm-up", permits)
        start = perf_counter()
        played = await asyncio.gather(*(_block(host, str(number), permits) for number in range(blocks)))
        elapsed = perf_counter() - start
    decisions = [sum(table.asked) for block in played for table in block]
    if any(faults for block in played for table in block for faults in table.faults):
        raise SystemExit("a bot was faulted: the figures would mean nothing")
    return sum(decisions) / elapsed


async def _block(host: Host, name: str, permits: asyncio.Semaphore) -> list[Table]:
    game = registry.ruleset("king.fetes").game()
    seed = hashlib.sha256(name.encode()).digest()
    seatings = [tuple(BOTS[place] for place in seating) for seating in KLEIN]
    specs = [
        MatchSpec(match_id=f"{name}-{k}", game=game, seed=seed, players=seats, bot_seeds=(1, 2, 3, 4), clocks=PATIENT)
        for k, seats in enumerate(seatings)
    ]
    return await host.play(specs, [[ProcessKey(bot, 0, 0) for bot in seats] for seats in seatings], permits)
