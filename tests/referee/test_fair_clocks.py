"""Clocks on a crowded machine: the host's load is nobody's time, and who is slow is found out all the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from referee.faults import Clocks, Fault
from referee.processes import Command, Overloaded
from referee.rules.registry import RULESETS
from referee.table import Table
from tests import loop
from tests.isolation.sandboxed import TIERS, sandboxed
from tests.referee.hosting import against, host, hostile, new_mark, play

GAME = RULESETS["king.simple"].game()
#: No bank to fall back on; what really takes 100 ms of processor time is beyond budget and margin.
TIGHT = Clocks(budget_ms=60, bank_ms=0, margin_ms=30)
BURNERS = 6


@contextmanager
def crowd(size: int = BURNERS) -> Iterator[None]:
    """So many processes that take all they can get."""
    burners = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(size)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


@pytest.fixture
def burning() -> Iterator[None]:
    with crowd():
        yield


def played(how: str, milliseconds: int, clocks: Clocks, tables: int = 1) -> list[Table]:
    """Matches of a bot that takes so long for every decision against three that take next to none."""

    async def main() -> list[Table]:
        async with host({"slow": hostile("thinks", new_mark(), how, str(milliseconds))}) as house:
            return await play(house, *[against("slow")] * tables, clocks=clocks, max_faults=10**6, game=GAME)

    return loop.run(main(), 280)


@pytest.mark.slow
def test_twenty_milliseconds_of_sixty_are_never_late_under_six_burners(burning: None) -> None:
    (table,) = played("cpu", 20, TIGHT)
    assert Fault.TIMEOUT not in table.faults[1]
    assert table.asked[1] > 50


@pytest.mark.slow
def test_a_hundred_milliseconds_of_sixty_are_always_late_under_six_burners(burning: None) -> None:
    (table,) = played("cpu", 100, TIGHT)
    assert table.faults[1] == [Fault.TIMEOUT] * table.asked[1]
    assert table.asked[1] > 50


def idling(bots: dict[str, Command], clocks: Clocks) -> tuple[dict[str, Table], dict[str, str]]:
    """A match of each of these bots, all at the same time; and what each printed."""

    async def main() -> tuple[dict[str, Table], dict[str, str]]:
        async with host(bots) as house:
            tables = await play(house, *map(against, bots), clocks=clocks, max_faults=10**6, game=GAME)
        logs = await house.take_logs()
        return dict(zip(bots, tables, strict=True)), {log.bot: log.stdout for log in logs if log.bot in bots}

    return loop.run(main(), 280)


@pytest.mark.slow
def test_a_stranger_s_bot_cannot_make_itself_wait(burning: None) -> None:
    """It may not lower its own priority, and so it is late with what it ran, as any other bot."""
    tables, printed = idling({tier: sandboxed("idler", tier, new_mark(), "100") for tier in TIERS}, TIGHT)
    for tier, table in tables.items():
        assert table.faults[1] == [Fault.TIMEOUT] * table.asked[1]
        session, *own = printed[tier].split()
        assert session in ("EROFS", "EACCES", "ENOENT")
        assert own == ["EPERM", "EPERM"]


@pytest.mark.slow
def test_a_bot_that_gets_next_to_no_processor_makes_the_match_void(burning: None) -> None:
    """A trusted bot may lower its priority; so this is as on a host that is overloaded many times over."""
    with pytest.raises(Overloaded, match=r"the host is overloaded: in \d+ s idler got no processor"):
        idling({"idler": hostile("idler", new_mark(), "60000")}, Clocks(budget_ms=1_000, bank_ms=0))


@pytest.mark.slow
def test_at_256_tables_a_fast_bot_is_never_late_and_one_that_takes_too_long_is() -> None:
    """The referee has much to do between two answers, and charges nobody for it.

    Who sleeps uses no processor, so where others crowd the machine a few of its naps that are hardly too long look like
    waiting: 592 of 624 were late beside twenty busy processes on two cores.
    """
    clocks = Clocks(budget_ms=50, bank_ms=0, margin_ms=5)
    fast = played("cpu", 1, clocks, 256)
    assert not any(table.faults[1] for table in fast)
    for how, milliseconds in (("cpu", 60), ("sleep", 120)):
        for table in played(how, milliseconds, clocks):
            assert table.faults[1] == [Fault.TIMEOUT] * table.asked[1], how
    naps = played("sleep", 60, clocks, 4)
    late, asked = sum(len(table.faults[1]) for table in naps), sum(table.asked[1] for table in naps)
    print(f"{late} of {asked} short naps were late")
    assert 0.8 * asked < late <= asked
    assert not any(set(table.faults[1]) - {Fault.TIMEOUT} for table in naps)
