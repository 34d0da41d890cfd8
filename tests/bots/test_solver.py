"""The solver in Rust: its rows are the rules', its values those of minimax, its play legal and repeatable."""

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.reference import rows, solver
from bots.reference.solver import Program, SolverBot, line, listed
from referee.rules import registry
from referee.rules.contract import Contract, at_once
from referee.rules.deal import Deal
from referee.rules.ruleset import Game
from tests.bots.minimax import Check, Minimax, ending
from tests.bots.test_planner import play
from tests.conformance.kits import BUILD_S

pytestmark = pytest.mark.timeout(BUILD_S + 120)
CRATE = Path(solver.__file__).parents[1] / "solver"
CARGO = shutil.which("cargo")
needs_cargo = pytest.mark.skipif(CARGO is None, reason="the solver is in Rust, and cargo is not installed")
OPTIONS = [
    ("king.auction", {"deck": 52}), ("king.auction", {"deck": 32}), ("king.fetes", {}), ("king.simple", {"last_two": 6}),
    ("king.simple", {"last_two": 8}), *((f"klaverjas.{town}", {"roem": roem}) for town in ("amsterdam", "rotterdam") for roem in ("choice", "auto")),
]  # fmt: skip
GAMES = [registry.ruleset(name).game(options) for name, options in OPTIONS]
CONTRACTS = [(game, contract) for game in GAMES for contract in game.contracts if contract.stop is not at_once]


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=CRATE, check=True, timeout=BUILD_S)
    asked = Program()
    yield asked
    asked.close()


def values(program: Program, deal: Deal) -> list[int]:
    """The solver's value of each legal action."""
    words: dict[str, object] = {
        "ruleset": deal.game.ruleset,
        **{f"option.{name}": json.dumps(setting) for name, setting in deal.game.options.items()},
        "seat": deal.actor,
        "dealer": deal.dealer,
        "declarer": deal.declarer,
        "contract": deal.contract and deal.contract.id,
        "kind": deal.kind,
        "actions": listed(deal.actions),
        "seats": listed(deal.seats),
        "legal": listed(deal.legal()),
        "hands": listed(deal.dealt.hands),
    }
    return [int(number) for number in program.ask(line("solve", words)).split(",")]


def endings(game: Game, contract: Contract, cards: int, how_many: int) -> Iterator[Deal]:
    plan = game.programme.plan(1)
    assert plan is not None
    rng = random.Random(f"{game.ruleset} {game.options} {contract.id} {cards}")
    return (ending(game, contract, plan, cards, rng) for _ in range(how_many))


def test_the_rows_are_those_of_the_rules() -> None:
    assert (CRATE / "rules.txt").read_text() == "".join(f"{row}\n" for row in rows.rows()), (
        "python -m bots.reference.rows > bots/solver/rules.txt"
    )


@needs_cargo
def test_it_agrees_with_minimax_on_the_last_three_tricks_of_every_contract(program: Program) -> None:
    for game, contract in CONTRACTS:
        for deal in endings(game, contract, 3, 2):
            assert deal.actor is not None
            plain = Minimax(game, deal.actor)
            assert values(program, deal) == [plain.after(deal, action) for action in deal.legal()]


@needs_cargo
@pytest.mark.long
def test_it_agrees_with_minimax_on_the_last_four_tricks_of_every_contract(program: Program) -> None:
    for game, contract in CONTRACTS:
        for deal in endings(game, contract, 4, 3):
            assert deal.actor is not None
            for action, value in zip(deal.legal(), values(program, deal), strict=True):
                assert Check(game, deal.actor, value).after(deal, action) == 0


def cargo_test(*words: str) -> str:
    """What the solver's own tests say; they are to pass."""
    command = ["cargo", "test", "--release", "--quiet", "--", "--nocapture", *words]
    run = subprocess.run(command, cwd=CRATE, capture_output=True, text=True, timeout=BUILD_S)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@needs_cargo
@pytest.mark.slow
def test_its_own_tests_pass() -> None:
    """A five-card ending of every contract, among others; hundreds and thousands in the tests after this one."""
    cargo_test()


@needs_cargo
@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "hundreds"])
def test_it_agrees_with_minimax_on_hundreds_of_endings_of_five_cards(name: str) -> None:
    assert "1 passed" in cargo_test("--ignored", name)


@needs_cargo
@pytest.mark.long
@pytest.mark.parametrize("part", ["first", "second", "third", "fourth"])
def test_it_agrees_with_minimax_on_thousands_of_endings_of_five_cards(part: str) -> None:
    assert "1 passed" in cargo_test("--ignored", f"thousands_{part}")


@needs_cargo
@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.ruleset} {dict(game.options)}")
def test_its_play_is_legal_and_with_the_same_nodes_the_same_again(game: Game) -> None:
    records = []
    for _ in range(2):
        bot = SolverBot(5000)
        table = play(game, b"same" * 8, [bot] * 4, 10)
        bot.program.close()
        assert not any(table.faults)
        records.append(table.actions)
    assert records[0] == records[1]


@needs_cargo
def test_what_is_wrong_is_answered_by_a_sentence(program: Program) -> None:
    for asked, text in [
        ("decide", "KEY=VALUE"),
        ("decide ruleset=bridge", "no trick game bridge"),
        ("decide ruleset=king.fetes seat=9 dealer=0 kind=play actions= seats= legal=1,2", "a seat is 0 to 3"),
        ("decide ruleset=king.fetes seat=x dealer=0", 'seat is "x"'),
        ("decide ruleset=king.fetes contract=nothing seat=0", "no contract nothing"),
    ]:
        with pytest.raises(ValueError, match=text):
            program.ask(asked)
    assert values(program, next(endings(GAMES[0], GAMES[0].contracts[0], 3, 1)))


def test_a_solver_that_was_never_built_says_how(tmp_path: Path) -> None:
    code = (
        "import pathlib, sys\nfrom bots.reference import solver, __main__\n"
        f"solver.PROGRAM = pathlib.Path({str(tmp_path / 'solver')!r})\nsys.exit(__main__.main(['solver']))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.returncode == 1
    assert "make solver" in run.stderr
    assert "Traceback" not in run.stderr
