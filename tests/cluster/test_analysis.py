"""Points lost by each decision: those of minimax, kept in the folder, and a sentence where the solver is missing."""

import json
import shutil
import subprocess
import sys
from array import array
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bots.reference import bot
from cluster.analysis import Analyst, NoAnalyst, analyse, keep, losses, stored
from cluster.records import unpack
from referee.rules import registry
from referee.rules.match import Match
from tests.bots.minimax import Minimax
from tests.bots.test_planner import play

CRATE = Path(__file__).parents[2] / "bots" / "solver"
needs_cargo = pytest.mark.skipif(shutil.which("cargo") is None, reason="the solver is in Rust, and cargo is not installed")


@pytest.fixture(scope="module")
def analyst() -> Iterator[Analyst]:
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=CRATE, check=True, timeout=250)
    with closing(Analyst()) as asked:
        yield asked


def row(ruleset: str, options: dict[str, Any]) -> dict[str, Any]:
    """A match of greedy bots as the `replays` table has it."""
    game = registry.ruleset(ruleset).game(options)
    table = play(game, b"same" * 8, [bot("greedy")] * 4)
    little = [array(code, values) for code, values in (("H", table.actions), ("B", table.marks))]
    if sys.byteorder == "big":
        little[0].byteswap()
    return {
        "match_id": f"{ruleset}-0", "ruleset": ruleset, "options": json.dumps(dict(game.options)), "seed": b"same" * 8,
        "players": ["a", "b", "a", "b"], "actions": little[0].tobytes(), "marks": little[1].tobytes(),
    }  # fmt: skip


@needs_cargo
@pytest.mark.parametrize(("ruleset", "options"), [("king.simple", {}), ("klaverjas.amsterdam", {})])
def test_what_a_decision_lost_is_what_minimax_says(analyst: Analyst, ruleset: str, options: dict[str, Any]) -> None:
    played = row(ruleset, options)
    match = Match(registry.ruleset(ruleset).game(options), played["seed"])
    right = []
    for action in unpack("H", played["actions"]):
        deal = match.deal
        assert deal.actor is not None
        if deal.trick is not None and deal.hands[deal.actor].bit_count() <= 3 and len(deal.legal()) > 1:
            plain = Minimax(match.game, deal.actor)
            values = {each: plain.after(deal, each) for each in deal.legal()}
            right.append((deal.number, deal.actor, max(values.values()) - values[action]))
        match.apply(action)
    found = analyse(played, analyst, cards=3)
    assert list(found.select("deal", "seat", "lost").iter_rows()) == right
    assert found["lost"].sum() > 0
    summed = losses(found)
    assert summed["lost"].sum() == found["lost"].sum()
    assert set(summed["bot"]) == {"a", "b"}
    assert set(summed["matches"]) == {2}


@needs_cargo
def test_analyses_are_kept_one_after_the_other(analyst: Analyst, tmp_path: Path) -> None:
    store: Any = SimpleNamespace(folder=tmp_path)
    frames = [analyse(row(name, {}), analyst, cards=2) for name in ("king.simple", "king.auction")]
    assert stored(store).is_empty()
    keep(store, iter(frames[:1]))
    keep(store, iter(frames[1:]))
    assert set(stored(store)["match_id"]) == {"king.simple-0", "king.auction-0"}
    assert stored(store).height == sum(frame.height for frame in frames)
    assert [path.name for path in tmp_path.iterdir()] == ["analysis.parquet"]


@needs_cargo
def test_kings_in_the_corner_has_nothing_to_solve(analyst: Analyst) -> None:
    assert analyse(row("kings_corner", {}), analyst, cards=13).is_empty()


@pytest.mark.parametrize(
    ("code", "text"),
    [("import sys; sys.exit('no program')", "no program"), ("input(); print('error: what?')", "does not understand a decision: error")],
)
def test_a_solver_that_does_not_answer_is_a_sentence(code: str, text: str) -> None:
    asked = Analyst((sys.executable, "-c", code))
    with pytest.raises(NoAnalyst, match=text):
        analyse(row("king.simple", {}), asked, cards=2)
    asked.close()
