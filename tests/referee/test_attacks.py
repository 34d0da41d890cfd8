"""Bots that attack the referee, most of them one after the other, in one real host: docs/faults.md, rows 16 to 34.

Each plays a match against three good bots, who wait for its first answer while it attacks.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

import psutil
import pytest

from referee.faults import Clocks, Fault
from referee.host import Host, ProcessKey
from referee.table import Table
from tests import loop
from tests.referee.hosting import CLOCKS, GOOD, against, gone_within, host, hostile, marked, new_mark, play

NONE: list[Fault] = []
ILLEGAL, MALFORMED, DISCONNECT = ([fault] * 3 for fault in (Fault.ILLEGAL, Fault.MALFORMED, Fault.DISCONNECT))
UNAUTHENTICATED = "UNAUTHENTICATED: metadata 'kingmaker-token' is not the token of this socket"
CLOSED = "the connection is closed"
#: The faults of each, the status of its process while the host lives (None: it lives on), and what it was told.
EXPECTED: dict[str, tuple[list[Fault], int | None, str]] = {
    # 16
    "no_token": (NONE, None, UNAUTHENTICATED),
    "wrong_token": (NONE, None, UNAUTHENTICATED),
    "anothers_token": (NONE, None, UNAUTHENTICATED),
    # 22 to 24
    "too_soon": (NONE, None, ""),
    "future": (DISCONNECT, 1, "10 messages that answer nothing"),
    "not_held": (ILLEGAL, None, ""),
    "negative": (ILLEGAL, None, ""),
    "truncated": (MALFORMED, None, ""),
    "wrong_type": (MALFORMED, None, ""),
    "bad_utf8": (MALFORMED, None, ""),
    "unknown_fields": (NONE, None, ""),
    # 25
    "too_large": (DISCONNECT, 1, "RESOURCE_EXHAUSTED"),
    "large_hello": (NONE, None, "RESOURCE_EXHAUSTED"),
    "four_gigabytes": (NONE, None, CLOSED),
    "frame_of_16_mib": (NONE, None, CLOSED),
    "metadata": (NONE, None, "RESOURCE_EXHAUSTED"),
    "bomb": (NONE, None, "UNIMPLEMENTED"),
    # 26
    "random_bytes": (NONE, None, CLOSED),
    "http_1": (NONE, None, CLOSED),
    "tls_hello": (NONE, None, CLOSED),
    # 27
    "pings": (NONE, None, CLOSED),
    "pings_on_a_stream": (NONE, None, CLOSED),
    "many_settings": (NONE, None, CLOSED),
    "open_and_reset": (NONE, None, CLOSED),
    "half_open": (NONE, None, "200 connections"),
    "fifty_streams": (NONE, None, "50 streams"),
    # 28, 29
    "zero_window": (DISCONNECT, -15, ""),
    "zero_window_at_start": (DISCONNECT, -15, ""),
    "pours": (DISCONNECT, 1, "10 messages that answer nothing"),
    # 30, 31, 33, 34
    "half_close": (DISCONNECT, 0, ""),
    "second_stream": (NONE, None, "ABORTED: superseded by a newer stream of the same process"),
    "frozen": ([Fault.TIMEOUT], None, ""),
    "strange_name": (NONE, None, ""),
}
#: Those that attack before anybody has asked them anything: they start when their match does, all others before.
UNASKED = ("too_soon", "zero_window_at_start")
#: A bot that freezes itself for 2.5 seconds is late once. Who does not read, or is gone, is found without any clock. Most of what
#: these do is waiting, and they do it at the same time.
UNTIMED = Clocks(budget_ms=10**8, bank_ms=0)
SPECIAL = {"frozen": Clocks(budget_ms=1_500, bank_ms=0)} | dict.fromkeys(("zero_window", "zero_window_at_start", "half_close"), UNTIMED)
MOST_CPU_S, MOST_MIB, MOST_LOGGED = 5.0, 8.0, 20_000


@dataclass
class Outcome:
    """What a match against it has left: the table, the host's processor time and growth, and the bot's end."""

    table: Table
    cpu_s: float
    mib: float
    code: int | None = None
    printed: str = ""


async def ended(house: Host) -> None:
    """Wait until those have ended that do."""
    short = {name for name, (_, code, _) in EXPECTED.items() if code is not None}
    while any(process.key.bot in short for process in house._living.values()):  # noqa: ASYNC110  # nothing tells of it
        await asyncio.sleep(0.05)


@contextmanager
def logged(file: IO[bytes]) -> Iterator[None]:
    """Let all that this process writes to its standard error go there, gRPC's own lines too."""
    sys.stderr.flush()
    before = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(before, 2)
        os.close(before)


@pytest.fixture(scope="module")
def log() -> Iterator[IO[bytes]]:
    """What the referee has logged meanwhile."""
    with tempfile.TemporaryFile() as file:
        yield file


@pytest.fixture(scope="module")
def outcomes(log: IO[bytes]) -> dict[str, Outcome]:
    mark = new_mark()
    me = psutil.Process()

    async def main() -> dict[str, Outcome]:
        found: dict[str, Outcome] = {}
        async with host({name: hostile("attack", mark, name) for name in EXPECTED}) as house:
            await play(house, (*GOOD, GOOD[0]))  # what comes with the first match is no growth
            await asyncio.gather(*(house._process(ProcessKey(name, 0, 0)) for name in EXPECTED if name not in UNASKED))
            for names in [*([name] for name in EXPECTED if name not in SPECIAL), list(SPECIAL)]:
                cpu, memory = time.process_time(), me.memory_info().rss
                matches = [play(house, against(name), clocks=SPECIAL.get(name, CLOCKS)) for name in names]
                tables = [table for tables in await asyncio.gather(*matches) for table in tables]
                cpu, memory = time.process_time() - cpu, me.memory_info().rss - memory
                found |= {name: Outcome(table, cpu, memory / 2**20) for name, table in zip(names, tables, strict=True)}
            await ended(house)
            for log in await house.take_logs():
                if log.bot in found:
                    found[log.bot].code = log.code
                    found[log.bot].printed += log.stdout + log.stderr
        for log in await house.take_logs():
            if log.bot in found:
                found[log.bot].printed += log.stdout + log.stderr
        return found

    with logged(log):
        found = loop.run(main(), 250)
    assert gone_within(2, lambda: marked(mark))
    return found


every_attack = pytest.mark.parametrize("name", EXPECTED)


@every_attack
def test_each_has_its_own_faults_and_no_other(outcomes, name):
    outcome = outcomes[name]
    faults = outcome.table.faults[1]
    if name == "pours":  # what it pours hits a decision that is open, or none
        assert set(faults) <= {Fault.MALFORMED, Fault.DISCONNECT}
        faults = [Fault.DISCONNECT] * len(faults)
    assert (faults, outcome.code) == EXPECTED[name][:2]
    assert outcome.table.forfeits == ({1} if len(EXPECTED[name][0]) == 3 else set())


@every_attack
def test_the_others_play_undisturbed(outcomes, name):
    table = outcomes[name].table
    assert table.over
    assert [table.faults[seat] for seat in (0, 2, 3)] == [[], [], []]


@every_attack
def test_each_is_told_what_was_wrong_and_never_a_traceback_of_ours(outcomes, name):
    printed = outcomes[name].printed
    assert EXPECTED[name][2] in printed
    assert "referee/" not in printed.replace("/tests/referee/", "")


@every_attack
def test_time_and_memory_of_the_host_are_bounded(outcomes, name):
    assert outcomes[name].cpu_s < MOST_CPU_S
    assert outcomes[name].mib < MOST_MIB


def test_nothing_floods_the_log(outcomes, log):
    """Row 26: not even a hundred thousand bytes of nonsense."""
    log.seek(0)
    assert len(log.read()) < MOST_LOGGED


@pytest.mark.parametrize("name", ["zero_window", "zero_window_at_start"])
def test_a_bot_that_does_not_read_is_given_up_and_not_waited_for(outcomes, name):
    """Row 28: neither for its clock nor for its start."""
    assert outcomes[name].table.endings[1] == "not reading"


def test_a_bot_in_whose_place_the_default_is_played_leaves_the_table_as_if_it_had_answered_so(outcomes):
    """Row 23: the same cards, the same good bots; one answers the first legal action, the others have it played."""
    answered = outcomes["unknown_fields"].table
    for name in ("not_held", "negative", "truncated", "future", "zero_window"):
        assert outcomes[name].table.actions == answered.actions
