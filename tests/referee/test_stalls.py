"""A host that stands still now and then, all of it, or whose clock is set, changes nothing: neither who wins nor any fault."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import psutil
import pytest

from referee.faults import Clocks, Fault
from referee.host import Host, LauncherClient
from referee.rules.registry import RULESETS
from referee.table import Table
from tests import loop
from tests.referee.hosting import against, good, host, hostile, new_mark, play

GAME = RULESETS["king.simple"].game()
#: Deterministic ones, all of them quick; two of them go by their seeds.
STYLES = ("random", "lowest", "greedy", "cautious", "random", "lowest", "greedy", "cautious")
BOTS = tuple(f"bot {number}" for number in range(len(STYLES)))
#: Less than a stall, and no bank to pay it from.
TIGHT = Clocks(budget_ms=60, bank_ms=0, margin_ms=30)
STALL_S, EVERY = 0.2, 1_000


def season(begun: Callable[[Host], None] = lambda _: None) -> list[Table]:
    """Each bot sits with each other one, in turns."""
    commands = {name: good(style) for name, style in zip(BOTS, STYLES, strict=True)}
    line_ups = [tuple(BOTS[(start + step * seat) % 8] for seat in range(4)) for start in range(8) for step in (1, 3, 5)]

    async def main() -> list[Table]:
        async with Host(LauncherClient(), commands) as house:
            begun(house)
            return await play(house, *line_ups, clocks=TIGHT, game=GAME)

    return loop.run(main(), 280)


def order(tables: list[Table]) -> list[str]:
    """The bots by what they won in all, best first."""
    won = dict.fromkeys(BOTS, 0)
    for table in tables:
        for name, points in zip(table.spec.players, table.match.totals, strict=True):
            won[name] += points
    return sorted(BOTS, key=lambda name: -won[name])


def stand_still(house: Host) -> None:
    """The whole of it for a moment, as when its hypervisor takes the processors away: the bots, and we."""
    bots = psutil.Process(house._launcher._process.pid).children(recursive=True)
    for bot in bots:
        bot.suspend()
    time.sleep(STALL_S)
    for bot in bots:
        bot.resume()


@pytest.mark.slow
def test_a_stall_of_the_host_in_a_thousand_decisions_changes_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """C5, with bots that would all lose on time."""
    undisturbed, answer, answers = season(), Table.answer, 0

    def begun(house: Host) -> None:
        def counted(table: Table, action: int, charge_us: int) -> None:
            nonlocal answers
            answers += 1
            if answers % EVERY == 0:
                stand_still(house)
            answer(table, action, charge_us)

        monkeypatch.setattr(Table, "answer", counted)

    stalled = season(begun)
    assert answers > 4 * EVERY
    assert not any(any(table.faults) or table.forfeits for table in stalled)
    assert order(stalled) == order(undisturbed)
    assert [table.record_hash() for table in stalled] == [table.record_hash() for table in undisturbed]


def test_a_jump_of_the_system_clock_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row 49: by days, to and fro, each time that anybody here looks at it."""
    now, jumps = time.time, itertools.cycle((0, 86_400, -86_400))
    monkeypatch.setattr(time, "time", lambda: now() + next(jumps))
    assert len({time.time() // 86_400 for _ in range(3)}) == 3

    async def main() -> list[list[Fault]]:
        async with host({"silent": hostile("silent", new_mark())}) as house:
            (table,) = await play(house, against("silent"), clocks=Clocks(budget_ms=300, bank_ms=300), game=GAME)
            return table.faults

    start = time.monotonic()
    assert loop.run(main(), 100) == [[], [Fault.TIMEOUT] * 3, [], []]
    assert time.monotonic() - start > 3 * 0.3 + 0.3
