"""Copies of one bot come to exactly zero, and a bot that goes by more than it is told is found out."""

import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from cluster import run
from cluster.arena import Arena
from cluster.cli import app
from cluster.cli import null as command
from cluster.nulltest import Null, examine
from cluster.store import Store
from referee.faults import Fault
from referee.rules.registry import RULESETS
from referee.table import MatchSpec, Table
from tests.cluster import fakes
from tests.cluster.fakes import FakePlay, Quiet, a_tournament, arena_play

COPIES = ("x-1", "x-2", "x-3", "x-4")


def examined(folder: Path, **settings: Any) -> Null:
    tournament = a_tournament(**({"bots": COPIES, "schedule": "null", "blocks": 5} | settings))
    run.run(tournament, folder, FakePlay(tournament), Quiet())
    return examine(Store(folder).table("matches"), Store(folder).table("replays"))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_bot_that_goes_by_what_it_is_told_comes_to_zero(ruleset: str, tmp_path: Path) -> None:
    """The bot of these tables plays at random, by the seeds that it is given."""
    game = RULESETS[ruleset].game()
    found = examined(tmp_path, ruleset=ruleset, bots=COPIES[: len(set(game.teams))], blocks=3)
    assert found.passed
    assert (found.blocks, found.unequal, found.parted, found.first) == (3, 0, 0, None)
    assert found.copies["points"].to_list() == [0.0] * len(set(game.teams))


def test_a_counter_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()

    def stateful(spec: MatchSpec) -> Table:
        table = Table(spec)
        while (seat := table.advance()) is not None:
            name = spec.players[seat]
            asked[name] += 1
            table.answer(table.match.deal.legal()[-1 if asked[name] % 50 == 0 else 0], 1)
        return table

    monkeypatch.setattr(fakes, "play_table", stateful)
    found = examined(tmp_path)
    assert not found.passed
    assert found.parted > 0
    assert found.first is not None
    assert found.first.answers[0] != found.first.answers[1]
    assert set(found.first.answers) <= set(found.first.legal)
    replays = {row["match_id"]: row for row in Store(tmp_path).table("replays").to_dicts()}
    one, other = (replays[f"{found.first.block}-{game}"] for game in (0, found.first.game))
    before = 2 * (found.first.action - 1)
    assert one["actions"][:before] == other["actions"][:before]
    assert one["actions"][before : before + 2] != other["actions"][before : before + 2]


def test_random_numbers_of_its_own_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = random.Random(3)

    def rolled(spec: MatchSpec) -> Table:
        table = Table(spec)
        while table.advance() is not None:
            table.answer(own.choice(table.match.deal.legal()), 1)
        return table

    monkeypatch.setattr(fakes, "play_table", rolled)
    found = examined(tmp_path)
    assert (found.blocks, found.parted) == (5, 5)
    assert found.unequal > 0
    assert abs(sum(found.copies["points"].to_list())) < 1e-9


def test_a_seat_that_knows_more_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One name plays otherwise than the others: what a leak to it would look like."""

    def favoured(spec: MatchSpec) -> Table:
        table = Table(spec)
        while (seat := table.advance()) is not None:
            table.answer(table.match.deal.legal()[-1 if spec.players[seat] == "x-2" else 0], 1)
        return table

    monkeypatch.setattr(fakes, "play_table", favoured)
    found = examined(tmp_path, blocks=20)
    assert found.first is not None
    assert "x-2" in found.first.names


def test_faults_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(spec: MatchSpec) -> Table:
        table = Table(spec)
        while (seat := table.advance()) is not None:
            if spec.players[seat] == "x-1" and table.asked[seat] == 2:
                table.fault(Fault.TIMEOUT, 1)
            else:
                table.answer(table.match.deal.legal()[0], 1)
        return table

    monkeypatch.setattr(fakes, "play_table", late)
    found = examined(tmp_path, blocks=2)
    assert found.faults == 8
    assert found.first is not None
    assert "timeout" in found.first.faults


def test_a_real_bot_with_hidden_state_is_found(tmp_path: Path) -> None:
    script = f"{sys.executable} {Path(__file__).with_name('forgetful.py')}"
    entries = [{"name": name, "command": script, "cwd": str(Path(__file__).parents[2])} for name in COPIES]
    tournament = a_tournament(blocks=2, schedule="null", bots=COPIES, clocks={"budget_ms": 30_000})
    tournament = tournament.model_validate({**tournament.model_dump(), "bots": entries})
    arena = Arena(tournament)
    try:
        run.run(tournament, tmp_path, arena_play(arena), Quiet())
    finally:
        arena.close()
    found = examine(Store(tmp_path).table("matches"), Store(tmp_path).table("replays"))
    assert not found.passed
    assert found.faults == 0


def test_real_random_bots_come_to_zero(tmp_path: Path) -> None:
    entries = [{"name": name, "command": "random"} for name in COPIES]
    tournament = a_tournament(blocks=2, schedule="null", bots=COPIES, clocks={"budget_ms": 30_000})
    tournament = tournament.model_validate({**tournament.model_dump(), "bots": entries})
    arena = Arena(tournament)
    try:
        run.run(tournament, tmp_path, arena_play(arena), Quiet())
    finally:
        arena.close()
    assert examine(Store(tmp_path).table("matches"), Store(tmp_path).table("replays")).passed


@pytest.fixture
def fake_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    def play_missing(tournament: Any, folder: Path, *_: object, extend: bool, bar: Any) -> Any:
        with bar:
            return run.run(tournament, folder, FakePlay(tournament), bar, extend=extend)

    monkeypatch.setattr(command, "play_missing", play_missing)


@pytest.mark.usefixtures("fake_bots")
def test_the_command_says_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["null", "greedy", "--ruleset", "king.simple", "--blocks", "3"]
    good = CliRunner().invoke(app, [*words, "--format", "csv"])
    assert good.exit_code == 0
    assert good.stdout.splitlines()[1] == "greedy-1,0.0,0.0,0.0,3"
    assert "all 3 blocks come to exactly zero" in good.stderr
    own = random.Random(3)
    real = fakes.play_table
    monkeypatch.setattr(fakes, "play_table", lambda spec: real(spec_with(spec, own)))
    bad = CliRunner().invoke(app, [*words, "--format", "json"])
    assert bad.exit_code == 1
    told = json.loads(bad.stdout)
    assert told["passed"] is False
    assert (told["blocks"], told["parted"], len(told["copies"])) == (3, 3, 4)
    assert "3 the games, which should be one, part" in bad.stderr
    assert f"action {told['first']['action']} (deal" in bad.stderr
    assert "random numbers of its own" in bad.stderr


def spec_with(spec: MatchSpec, own: random.Random) -> MatchSpec:
    """The same match for bots who draw their numbers elsewhere."""
    values = {name: getattr(spec, name) for name in spec.__dataclass_fields__}
    return MatchSpec(**values | {"bot_seeds": tuple(own.getrandbits(64) for _ in spec.bot_seeds)})


@pytest.mark.usefixtures("fake_bots")
@pytest.mark.parametrize(("ruleset", "options", "copies"), [
    ("klaverjas.amsterdam", [], 2), ("kings_corner", ["--option", "players=3"], 3), ("king.fetes", [], 4),
])  # fmt: skip
def test_there_is_a_copy_for_each_that_plays_for_itself(ruleset: str, options: list[str], copies: int) -> None:
    told = CliRunner().invoke(app, ["null", "random", "--ruleset", ruleset, *options, "--blocks", "1", "--format", "json"])
    assert told.exit_code == 0
    assert pl.DataFrame(json.loads(told.stdout)["copies"]).height == copies
