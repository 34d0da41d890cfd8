"""Real matches through the real referee: the same rule gives the same records in every language."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster import manifest
from referee.faults import Clocks
from referee.host import Command, Host, LauncherClient, ProcessKey
from referee.rules.registry import RULESETS
from referee.table import MatchSpec, Table
from tests.conformance.kits import BUILD_S, KITS, Built, build, built
from tests.referee.hosting import good

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
        table.answer(rule(table.match.deal.legal(), int.from_bytes(table.decision_seed(), "little")), 0)
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
    doctor = [Path(sys.executable).with_name("kingmaker"), "doctor", "--", *kit.command("random")]
    done = subprocess.run(doctor, cwd=kit.folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_python_folder_builds_by_its_own_command_and_plays(tmp_path: Path) -> None:
    """The one kit whose own build the other tests leave out; played from its folder, where a user would stand."""
    made = manifest.new("python", tmp_path / "snake")
    assert made.build is not None
    build(made.build, tmp_path / "snake")
    play = [Path(sys.executable).with_name("kingmaker"), "play", "--bots", ".", "random", "greedy", "--blocks", "3",
            "--results", str(tmp_path / "results"), "--format", "csv", "--budget-ms", "5000"]  # fmt: skip
    done = subprocess.run(play, cwd=tmp_path / "snake", capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    rows = {line.split(",")[0]: line for line in done.stdout.splitlines()}
    assert rows["snake"].endswith(",0,0")
    assert rows["greedy"].endswith(",0,0")
