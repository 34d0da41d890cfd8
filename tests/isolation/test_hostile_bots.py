"""Hostile bots in each tier, in a real referee with three good bots: each ends as its own fault, and nothing is left.

No clock runs: what is recorded is seen by the end of a process or a stream, and no match waits for a dead bot.
"""

from __future__ import annotations

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
from referee.host import Host, ProcessLog
from referee.isolation import selftest
from referee.table import Table
from tests import loop
from tests.isolation.sandboxed import SMALL, TIERS, groups, node_bot, sandboxed
from tests.referee.hosting import GOOD, against, gone_within, host, marked, new_mark, play

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
    "early": (["early"], LOST, "exited with status 1"),
    "stubborn": (["stubborn"], [], ""),
}


@dataclass
class Outcome:
    """What is left of a host with one tier."""

    tables: dict[str, Table]
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


@pytest.fixture(scope="module", params=[*TIERS[:2], pytest.param("oci", marks=pytest.mark.slow)])
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
            await play(house, (GOOD[0],) * 4, clocks=UNTIMED)
            with targets(house) as given:
                house._bots["burglar"] = sandboxed("burglar", tier, mark, json.dumps(given))
                tables = await play(house, *map(against, [*BOTS, "node"]), clocks=UNTIMED)
            used = sum(file.lstat().st_size for file in house._folder.rglob("*"))
            logs = await house.take_logs()
            folder = house._folder
        logs += await house.take_logs()
        by_bot = {bot: [log for log in logs if log.bot == bot] for bot in (*BOTS, "node", *GOOD)}
        played = dict(zip([*BOTS, "node"], tables, strict=True))
        return Outcome(played, by_bot, used, marked(mark), groups(folder), folder.exists())

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
    assert len(answers) > 40


def test_a_fork_bomb_stops_at_its_limit(outcome):
    found = re.fullmatch(r"(\d+) processes, then Resource temporarily unavailable\n", printed(outcome, "bomb"))
    assert found
    assert 1 <= int(found[1]) < SMALL.processes


def test_nothing_can_be_filled_but_the_own_scratch(outcome):
    for name in ("hoarder", "hoarder_exit"):
        lines = printed(outcome, name).splitlines()
        assert len(lines) == 6
        assert all(
            re.fullmatch(r"(\S+) (File too large|No space left on device|Permission denied|Read-only file system|No such file or directory)", line)
            for line in lines
        )
        assert lines[2] == "HOME/most No space left on device"
    assert outcome.disk_used < 1 << 20


def test_nothing_is_left_of_any(outcome):
    assert outcome.left == []
    assert outcome.groups == []
    assert not outcome.folder_left


def test_good_bots_notice_nothing(outcome):
    for bot in GOOD:
        assert {(log.code, log.stdout, log.stderr) for log in outcome.logs[bot]} == {(0, "", "")}
    for log in outcome.logs["flood"]:
        assert len(log.stdout) < 200_000
    assert gone_within(0, lambda: outcome.left)
