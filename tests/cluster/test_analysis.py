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

import polars as pl
import pytest

from bots.reference import bot
from cluster.analysis import FILE, SCHEMA, Analyst, NoAnalyst, analyse, keep, losses, stored
from cluster.records import unpack
from cluster.store import DamagedResults, Store
from referee.rules import registry
from referee.rules.match import Match
from tests.bots.minimax import Minimax
from tests.bots.test_planner import play
from tests.dashboard.folders import add, tournament

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
    assert {path.name for path in tmp_path.iterdir()} == {"analysis.parquet", ".analysis.parquet.lock"}


def judged(match: str, rows: list[tuple[str, str, int]]) -> pl.DataFrame:
    """Decisions of a match as they are stored: (bot, contract, points lost) each."""
    few = {"ruleset": "king.simple", "seat": 0, "action": "KH", "best": "QH", "value": 0, "match_id": match}
    told = [few | {"deal": 1, "step": step, "bot": bot, "contract": contract, "lost": lost} for step, (bot, contract, lost) in enumerate(rows, 1)]
    return pl.DataFrame(told, schema=SCHEMA)


def test_losses_are_compared_with_those_of_the_others() -> None:
    rows = [("a", "x", 6), ("a", "x", 0), ("b", "x", 1), ("c", "x", 4), ("a", "y", 3)]
    summed = losses(pl.concat([judged("m", rows), judged("n", [("a", "x", 8)])]))
    told = {(one["bot"], one["contract"]): one for one in summed.iter_rows(named=True)}
    assert told["a", "x"]["lost_a_match"] == 7
    assert told["a", "x"]["lost_a_decision"] == pytest.approx(14 / 3)
    assert told["a", "x"]["others_a_decision"] == pytest.approx(5 / 2)
    assert told["b", "x"]["others_a_decision"] == pytest.approx(18 / 4)
    assert told["a", "y"]["others_a_decision"] is None


def test_who_analyses_at_the_same_time_takes_nothing_away(tmp_path: Path) -> None:
    store: Any = SimpleNamespace(folder=tmp_path)
    mine, theirs = judged("m", [("a", "x", 1)]), judged("n", [("b", "x", 2)])

    def slowly() -> Iterator[pl.DataFrame]:
        keep(store, iter([theirs, mine]))
        yield mine

    assert keep(store, slowly()).sort("match_id").equals(pl.concat([mine, theirs]))


@pytest.mark.parametrize("content", [b"", b"PAR1", None])
def test_a_file_that_is_none_of_ours_is_a_sentence(tmp_path: Path, content: bytes | None) -> None:
    store: Any = SimpleNamespace(folder=tmp_path)
    if content is None:
        judged("m", [("a", "x", 1)]).drop("step").write_parquet(tmp_path / FILE)
    else:
        (tmp_path / FILE).write_bytes(content)
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(DamagedResults, match="makes it anew"):
        keep(store, iter([judged("n", [("a", "x", 1)])]))
    assert (tmp_path / FILE).read_bytes() == before


@needs_cargo
def test_more_goes_through_the_schedule(analyst: Analyst, tmp_path: Path) -> None:
    add(tmp_path, tournament("king.simple", 1), 0, 1)
    first = Store(tmp_path).table("replays")["match_id"].to_list()
    command = [sys.executable, "-m", "cluster.cli", "analyse", str(tmp_path), "--cards", "2", "--format", "csv"]
    for words, there in ((["--more", "1"], first[:1]), ([first[0], first[2]], [first[0], first[2]]), (["--more", "9"], first)):
        run = subprocess.run([*command, *words], capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, run.stderr
        assert run.stdout.startswith("bot,contract,")
        assert set(stored(Store(tmp_path))["match_id"]) == set(there)
    (tmp_path / FILE).write_bytes(b"PAR1")
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert run.returncode == 1
    assert "makes it anew" in run.stderr
    assert "Traceback" not in run.stderr


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
