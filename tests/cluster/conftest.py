"""Results that several tests read: one folder made by real bots, one without them."""

from pathlib import Path

import pytest

from cluster import run
from cluster.arena import Arena
from cluster.tournament import Tournament
from tests.cluster.fakes import FakePlay, Quiet, a_tournament, arena_play


@pytest.fixture(scope="session")
def real_tournament() -> Tournament:
    return a_tournament(ruleset="king.fetes", blocks=2, clocks={"budget_ms": 30_000})


@pytest.fixture(scope="session")
def real_results(real_tournament: Tournament, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder that real bots played over gRPC."""
    folder = tmp_path_factory.mktemp("real") / "results"
    arena = Arena(real_tournament)
    try:
        run.run(real_tournament, folder, arena_play(arena), Quiet())
    finally:
        arena.close()
    return folder


@pytest.fixture(scope="session")
def fake_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder of four bots, one with a name that a spreadsheet would take for a formula."""
    folder = tmp_path_factory.mktemp("fake") / "results"
    settings = a_tournament(("lowest", "random", "=1+2", 'Kůň, "国王"'), ruleset="king.fetes", blocks=8)
    run.run(settings, folder, FakePlay(settings), Quiet())
    return folder
