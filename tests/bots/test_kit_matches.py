"""Real matches through the real referee: the same rule gives the same records in every language."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from referee.faults import Clocks
from referee.host import Command, Host, LauncherClient, ProcessKey
from referee.rules.registry import RULESETS
from referee.table import MatchSpec, Table
from tests.conformance.kits import BUILD_S, KITS, Built, built
from tests.referee.hosting import ROOT, good

BOTS = ("kit", "north", "east", "south")
#: A loaded machine may stop a process for long.
PATIENT = Clocks(budget_ms=20_000)
RULES: dict[str, Callable[[list[int], int], int]] = {
    "lowest": lambda legal, seed: legal[0],
    "random": lambda legal, seed: legal[seed % len(legal)],
}

pytestmark = pytest.mark.timeout(BUILD_S + 120)


@pytest.fixture(scope="session", params=KITS)
def kit(request: pytest.FixtureRequest) -> Built:
    return built(request.param)


def specs() -> list[MatchSpec]:
    """Two matches of each ruleset."""
    return [
        MatchSpec(match_id=f"{ruleset.id}-{number}", game=(game := ruleset.game()), seed=bytes([number]) * 32,
                  players=BOTS[: game.players], bot_seeds=tuple(range(10, 10 + game.players)), clocks=PATIENT)
        for ruleset in RULESETS.values()
        for number in range(2)
    ]  # fmt: skip


def alone(spec: MatchSpec, rule: Callable[[list[int], int], int]) -> Table:
    """The match without any process."""
    table = Table(spec)
    while table.advance() is not None:
        table.answer(rule(table.match.deal.legal(), table.decision_seed()), 0)
    return table


async def hosted(command: Command, name: str) -> list[Table]:
    """All matches at the same time, against three Python bots of the same rule."""
    commands = {"kit": command, **dict.fromkeys(BOTS[1:], good(name))}
    async with Host(LauncherClient(), commands, start_timeout_s=60) as host:
        matches = specs()
        seats = [[ProcessKey(bot, 0, 0) for bot in spec.players] for spec in matches]
        return await host.play(matches, seats, asyncio.Semaphore(len(matches)))


@pytest.mark.parametrize("name", RULES)
def test_the_records_are_those_of_the_rule(kit: Built, name: str) -> None:
    command = Command(tuple(kit.command(name)), str(kit.folder))
    tables = asyncio.run(hosted(command, name))
    assert [table.faults for table in tables] == [[[] for _ in table.faults] for table in tables]
    assert [table.record_hash() for table in tables] == [alone(spec, RULES[name]).record_hash() for spec in specs()]


def test_the_doctor_finds_nothing_wrong(kit: Built) -> None:
    doctor = [sys.executable, "-m", "cluster.cli", "doctor", "--", *kit.command("random")]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(doctor, cwd=kit.folder, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
