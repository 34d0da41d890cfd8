"""Hostile bots in each tier, in a real referee with three good bots: each ends as its own fault, and nothing is left.

No clock runs: what is recorded is seen by the end of a process or a stream, and no match waits for a dead bot. Beside them
good bots play among themselves, with clocks.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from referee.faults import Clocks, Fault
from referee.host import Host, ProcessKey, ProcessLog
from referee.isolation import selftest, tiers
from referee.table import Table
from tests import loop
from tests.isolation.sandboxed import SMALL, TIERS, groups, node_bot, sandboxed
from tests.referee.hosting import GOOD, against, gone_within, host, marked, new_mark, play, spec

LOST = [Fault.DISCONNECT] * 3
UNTIMED = Clocks(budget_ms=10**8, bank_ms=0)
#: Of each: its script and arguments, its faults, and how it is said to have ended.
BOTS: dict[str, tuple[list[str], list[Fault], str]] = {
    "burglar": (["burglar"], [], ""),
    "bomb": (["bomb"], [], ""),
    "bomb_exit": (["bomb", "exit"], LOST, ".*: too many processes"),  # its gRPC may crash for want of a thread
    "glutton": (["glutton"], LOST, "killed by signal 9: out of memory"),
    "hoarder": (["hoarder"], [], ""),
    "hoarder_exit": (["hoarder", "exit"], LOST, "exited with status 1: out of disk"),
    "flood": (["flood"], LOST, "killed by signal 9: too much output"),
    "closed": (["closed"], [], ""),
    "daemons": (["daemons"], [], ""),
    "daemons_exit": (["daemons", "exit"], LOST, "exited with status 0"),
    "exits": (["exits"], LOST, "exited with status 3"),
    "killed": (["killed"], LOST, "killed by signal 9"),
    "before_0": (["quits", "before", "0"], LOST, "exited with status 0"),
    "before_3": (["quits", "before", "3"], LOST, "exited with status 3"),
    "before_9": (["quits", "before", "-9"], LOST, "killed by signal 9"),
    "after_0": (["quits", "after", "0"], [], ""),
    "after_3": (["quits", "after", "3"], [], ""),
    "after_9": (["quits", "after", "-9"], [], ""),
    "stubborn": (["stubborn"], [], ""),
}
#: Processes of their own for those who play beside all this.
BESIDE = [ProcessKey(GOOD[0], copy, 0) for copy in range(1, 5)]


@dataclass
class Outcome:
    """What is left of a host with one tier."""

    tables: dict[str, Table]
    beside: list[Table]
    logs: dict[str, list[ProcessLog]]
    disk_used: int
    left: list[psutil.Process]
    groups: list[Path]
    folder_left: bool


@contextmanager
def targets(house: Host) -> Iterator[dict[str, Any]]:
    """What the burglar tries to reach: a port and a socket of the host, and a living bot's seat."""
    other = next(each for each in house._living.values() if each.key.bot == GOOD[0])
    with ExitStack() as stack:
        port = stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0kingmaker-test-{port}")
        abstract.listen()
        with selftest._scene() as scene:
            yield scene.targets | {
                "tcp": port, "abstract": f"kingmaker-test-{port}", "other": str(other.folder), "own": ".",
                "scratch": SMALL.scratch_mb, "pid": os.getpid(),
            }  # fmt: skip


async def play_beside(house: Host, matches: int) -> list[Table]:
    specs = [spec((GOOD[0],) * 4, f"beside {number}") for number in range(matches)]
    return await house.play(specs, [BESIDE] * matches, asyncio.Semaphore(1))


@pytest.fixture(
    scope="module", params=[pytest.param(tier, marks=pytest.mark.slow if tier != tiers.DEFAULT else ()) for tier in TIERS]
)
def outcome(request: pytest.FixtureRequest) -> Outcome:
    """One host plays against all of them at once, in one tier."""
    tier, mark = request.param, new_mark()

    async def main() -> Outcome:
        limits = {"flood": replace(SMALL, output_mb=8)}
        bots = {
            name: sandboxed(words[0], tier, mark, *words[1:], limits=limits.get(name, SMALL))
            for name, (words, _, _) in BOTS.items()
        }
        async with host(bots | {"node": node_bot(tier)}) as house:
            await play_beside(house, 1)
            with targets(house) as given:
                house._bots["burglar"] = sandboxed("burglar", tier, mark, json.dumps(given))
                names = [*BOTS, "node"]
                tables, beside = await asyncio.gather(
                    play(house, *map(against, names), clocks=UNTIMED), play_beside(house, 20)
                )
            used = sum(file.lstat().st_size for file in house._folder.rglob("*"))
            logs = await house.take_logs()
            folder = house._folder
        logs += await house.take_logs()
        by_bot = {bot: [log for log in logs if log.bot == bot] for bot in (*BOTS, "node", *GOOD)}
        played = dict(zip(names, tables, strict=True))
        return Outcome(played, beside, by_bot, used, marked(mark), groups(folder), folder.exists())

    return loop.run(main(), 200)


def printed(outcome: Outcome, name: str) -> str:
    return "".join(log.stdout for log in outcome.logs[name])


every_bot = pytest.mark.parametrize("name", BOTS)


@every_bot
def test_each_ends_as_its_own_fault_with_the_limit_named(outcome, name):
    _, faults, ending = BOTS[name]
    table = outcome.tables[name]
    assert table.faults == [[], faults, [], []]
    assert re.fullmatch(ending, table.endings[1])
    assert table.endings[0] == table.endings[2] == table.endings[3] == ""
    assert table.forfeits == ({1} if faults else set())


def test_a_good_bot_in_node_plays_in_every_tier(outcome):
    assert not any(outcome.tables["node"].faults)
    assert [log.code for log in outcome.logs["node"] if log.code is not None] == [0]


def test_a_burglar_gets_at_nothing_that_is_not_its_own(outcome, request):
    tier = request.node.callspec.params["outcome"]
    answers = json.loads(printed(outcome, "burglar"))
    wrong = {}
    for probe, given in answers.items():
        expected = selftest.EXPECTED[probe]
        if not re.fullmatch(expected if isinstance(expected, str) else expected[tier], given):
            wrong[probe] = given
    assert wrong == {}
    assert len(answers) > 45


def test_a_fork_bomb_stops_at_its_limit(outcome):
    found = re.fullmatch(r"(\d+) processes, then Resource temporarily unavailable\n", printed(outcome, "bomb"))
    assert found
    assert 1 <= int(found[1]) < SMALL.processes


def test_who_ends_after_its_last_answer_ends_as_it_ended_itself(outcome):
    """Row 11: that is its own affair, and no fault."""
    for name, code in (("after_0", 0), ("after_3", 3), ("after_9", -9)):
        assert [log.code for log in outcome.logs[name] if log.code is not None] == [code]


def test_nothing_can_be_filled_but_the_own_scratch(outcome):
    for name in ("hoarder", "hoarder_exit"):
        lines = printed(outcome, name).splitlines()
        assert len(lines) == 6
        assert all(
            re.fullmatch(r"(\S+) (File too large|No space left on device|Permission denied|Read-only file system|No such file or directory)", line)
            for line in lines
        )
        assert lines[2] == "HOME/most No space left on device"
    assert outcome.disk_used < SMALL.scratch_mb << 19, "a container's settings alone take 70 KB for each bot"


def test_nothing_is_left_of_any(outcome):
    assert outcome.left == []
    assert outcome.groups == []
    assert not outcome.folder_left


def test_good_bots_notice_nothing(outcome):
    assert not any(any(table.faults) for table in outcome.beside), "nobody was late"
    for bot in GOOD:
        assert {(log.code, log.stdout, log.stderr) for log in outcome.logs[bot]} == {(0, "", "")}
    for log in outcome.logs["flood"]:
        assert len(log.stdout) < 200_000
    assert gone_within(0, lambda: outcome.left)
