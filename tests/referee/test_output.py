"""Row 10, C9: what a bot prints is its own; it costs the referee no memory, and its match is the same."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from referee.host import ProcessLog
from referee.launcher import HEAD_BYTES, TAIL_BYTES
from referee.table import Table
from tests import loop
from tests.referee.hosting import against, host, hostile, new_mark, play

MOST_KIB = 20 << 10


class Memory:
    """How far a process has grown beyond what it had, at its peak."""

    def __init__(self, pid: int | str) -> None:
        self._folder = Path("/proc", str(pid))
        (self._folder / "clear_refs").write_text("5")  # the peak begins anew
        self._before = self._kib("VmRSS")

    def grown(self) -> int:
        """In KiB."""
        return self._kib("VmHWM") - self._before

    def _kib(self, word: str) -> int:
        found = re.search(rf"{word}:\s+(\d+) kB", (self._folder / "status").read_text())
        assert found
        return int(found[1])


@pytest.mark.parametrize("megabytes", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_what_a_bot_prints_is_capped_costs_no_memory_and_changes_no_record(megabytes: int) -> None:
    mark = new_mark()

    async def main() -> tuple[Table, Table, list[int], list[ProcessLog]]:
        bots = {"silent": hostile("closed", mark), "chatty": hostile("chatty", mark, str(megabytes))}
        async with host(bots) as house:
            (silent,) = await play(house, against("silent"))  # what comes with the first match is no growth
            memories = [Memory(pid) for pid in ("self", house._launcher._process.pid)]
            (chatty,) = await play(house, against("chatty"))
            logs = [log for log in await house.take_logs() if log.bot == "chatty"]
            return silent, chatty, [memory.grown() for memory in memories], logs

    silent, chatty, grown, logs = loop.run(main(), 280)
    assert not any(chatty.faults)
    chatty.spec = replace(chatty.spec, players=silent.spec.players)
    assert chatty.record_hash() == silent.record_hash()
    assert all(kib < MOST_KIB for kib in grown), grown
    (log,) = logs
    for text in (log.stdout, log.stderr):
        assert len(text.encode()) < 3 * (HEAD_BYTES + 2 * TAIL_BYTES)  # three bytes stand for one that is no text
        dropped = re.search(r"… (\d+) bytes left out …", text)
        assert dropped
        assert int(dropped[1]) > (megabytes << 20) - HEAD_BYTES - 2 * TAIL_BYTES
