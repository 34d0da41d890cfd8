"""C6: a bot that burns all it can, also while others think, takes nothing of their time, and no more than its share."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import psutil
import pytest

from referee.faults import Clocks
from referee.isolation import cgroups, tiers
from referee.rules.registry import RULESETS
from tests import loop
from tests.isolation.sandboxed import SMALL, sandboxed
from tests.referee.hosting import GOOD, host, marked, new_mark, play

GAME = RULESETS["king.simple"].game()
#: The thinker needs 20 ms of processor time for each decision, half of them from its bank. Its waiting is looked at once a
#: tenth of the budget is over; what it waits before is its own, and here next to nothing.
THINKS_MS, CLOCKS = 20, Clocks(budget_ms=10, bank_ms=1_500, margin_ms=5)
SHARE, MATCHES = 0.5, 4


def processor_s(mark: str) -> float:
    """What all living processes with this mark have run."""
    ran = 0.0
    for process in marked(mark):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue  # it ended meanwhile
        ran += times.user + times.system
    return ran


def season(rival: str) -> tuple[list[int], float]:
    """What a thinker is charged, in microseconds, beside two rivals, and what part of a processor each of these takes."""
    mark = new_mark()
    limits = replace(SMALL, cpu=SHARE)
    bots = {tier: sandboxed(rival, tier, mark, limits=limits) for tier in ("landlock", "bubblewrap")}
    bots["thinker"] = sandboxed("thinks", "bubblewrap", new_mark(), "cpu", str(THINKS_MS))

    async def main() -> tuple[list[int], float]:
        charged: list[int] = []
        async with host(bots) as house:
            await play(house, (GOOD[0], "landlock", "bubblewrap", GOOD[1]), game=GAME)  # they have started
            ran, start = await asyncio.to_thread(processor_s, mark), time.monotonic()
            for _ in range(MATCHES):
                (table,) = await play(house, ("landlock", "thinker", "bubblewrap", GOOD[0]), clocks=CLOCKS, game=GAME)
                assert not any(table.faults)
                charged += [us for us, seat in zip(table.charged_us, table.seats, strict=True) if seat == 1 and us]
            ran, passed = await asyncio.to_thread(processor_s, mark) - ran, time.monotonic() - start
        return sorted(charged), ran / passed / 2

    return loop.run(main(), 200)


@pytest.mark.slow
def test_one_that_burns_all_it_can_takes_no_time_of_others_and_no_more_than_its_share() -> None:
    quiet, beside_quiet = season("closed")
    burnt, beside_burners = season("burner")
    assert min(len(quiet), len(burnt)) > 100
    assert beside_quiet < 0.1 < beside_burners, "they do burn"
    print(f"p50 {quiet[len(quiet) // 2]} and {burnt[len(burnt) // 2]}, p99 {quiet[-len(quiet) // 100]} and {burnt[-len(burnt) // 100]} µs")
    if "cpu" in cgroups.controllers():
        assert beside_burners < SHARE * 1.2
    for tier in ("landlock", "bubblewrap"):  # the record says whether there is such a share
        assert ("no CPU limit" in tiers.standing(tier).weaknesses) == ("cpu" not in cgroups.controllers())
    p99 = [each[-max(1, len(each) // 100)] for each in (quiet, burnt)]
    assert p99[1] < p99[0] * 1.1, p99
