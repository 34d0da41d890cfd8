"""For people who train: PettingZoo's and OpenSpiel's own tests, and tensors that hold what the wire tells and no more."""

from __future__ import annotations

import random
import re
import runpy
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.bots.policy import PolicyBot
from pettingzoo.test import api_test, seed_test

from bots import Match, Observation, Ruleset
from bots.reference.simple import RandomBot
from bots.training import openspiel
from bots.training.encoding import Encoding, Slot
from bots.training.environment import ILLEGAL, KingmakerEnv, env
from bots.training.onedeal import different
from bots.training.players import OpenSpielBot, TensorBot
from bots.training.reward import margins
from referee.rules import registry
from referee.rules.errors import UnknownRuleset
from referee.rules.match import Match as RulesMatch
from referee.rules.ruleset import Game
from referee.rules.sampling import sample
from referee.rules.view import view
from referee.table import MatchSpec, Table
from referee.v1 import decision_pb2
from referee.wire import DecisionEncoder, match_start, ruleset_info
from tests.bots.test_planner import play

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "training"
GAMES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in sorted(registry.RULESETS)),
    ("king.auction", {"deck": 32}),
    ("king.fetes", {"ask_forced": True}),
    ("klaverjas.rotterdam", {"roem": "auto", "target": 200}),
    ("kings_corner", {"players": 2, "target": 25}),
]
every_game = pytest.mark.parametrize(("ruleset", "options"), GAMES, ids=lambda value: str(value))
every_ruleset = pytest.mark.parametrize("ruleset", sorted(registry.RULESETS))


@pytest.mark.parametrize("module", ["environment", "openspiel", "players"])
def test_it_needs_neither_grpc_nor_ray_nor_a_referee(module: str) -> None:
    code = (
        f"import sys, bots.training.{module}\n"
        "heavy = {'grpc', 'google.protobuf', 'ray', 'polars', 'cluster', 'referee.v1', 'referee.table', 'torch'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=120)


# PettingZoo.


@every_game
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")  # with a mask beside it it is a Dict
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")  # and a dict
def test_pettingzoo_finds_nothing_wrong(ruleset: str, options: dict[str, Any]) -> None:
    api_test(env(ruleset, options), num_cycles=300)


@every_game
def test_the_same_seed_plays_the_same(ruleset: str, options: dict[str, Any]) -> None:
    seed_test(lambda: env(ruleset, options), num_cycles=200)
    cards = []
    for seed in (1, 1, 2):
        here = KingmakerEnv(ruleset, options)
        here.reset(seed=seed)
        cards.append(here.match.deal.dealt)
    assert cards[0] == cards[1] != cards[2]


@every_game
def test_a_match_pays_what_its_totals_are_worth(ruleset: str, options: dict[str, Any]) -> None:
    here, rng, paid = KingmakerEnv(ruleset, options), random.Random(1), [0.0] * 4
    here.reset(seed=1)
    for _ in here.agent_iter():
        observation, reward, is_over, _, _ = here.last()
        paid[here.possible_agents.index(here.agent_selection)] += reward
        here.step(None if is_over else rng.choice(np.flatnonzero(observation["action_mask"])))
    match = here.match
    assert match.over
    assert here.agents == []
    ranks = match.ranks()
    assert paid[: len(ranks)] == pytest.approx(margins(here.game, match.totals))
    assert sum(paid) == pytest.approx(0)
    if len(set(here.game.teams)) == len(ranks):
        assert sorted(ranks) == [ranks[seat] for seat in sorted(range(len(ranks)), key=lambda seat: -paid[seat])]


def test_points_that_are_penalties_are_turned_round() -> None:
    assert margins(registry.ruleset("kings_corner").game(), [0, 4, 8, 0]) == pytest.approx([4, -4 / 3, -20 / 3, 4])
    assert margins(registry.ruleset("klaverjas.rotterdam").game(), [100, 62, 100, 62]) == [38, -38, 38, -38]


def test_what_is_illegal_ends_the_match_at_a_cost() -> None:
    here = env("king.simple")
    here.reset(seed=1)
    observation = here.last()[0]
    agent = here.agent_selection
    here.step(int(np.flatnonzero(observation["action_mask"] == 0)[0]))
    assert here.rewards[agent] == ILLEGAL
    assert all(here.terminations.values())


def test_what_does_not_exist_is_named() -> None:
    with pytest.raises(UnknownRuleset, match=r"no ruleset 'king\.simpel'"):
        env("king.simpel")
    with pytest.raises(UnknownRuleset, match="last_two"):
        openspiel.load("king.simple", (("last_two", 7),))


# The tensor.


def seen_by_bots(table: Table) -> Iterator[tuple[int, Observation]]:
    """Each decision of a match as its bot gets it over the wire; whoever asks answers."""
    words = Ruleset(ruleset_info(1, table.spec.game))
    matches = [Match(match_start(table, seat, 1, 1), words) for seat in range(table.spec.game.players)]
    encoder = DecisionEncoder(table)
    while (seat := table.advance()) is not None:
        yield seat, Observation(decision_pb2.Decision.FromString(encoder.encode(1)), matches[seat])


@every_game
def test_where_one_trains_and_where_one_plays_the_tensor_is_the_same(ruleset: str, options: dict[str, Any]) -> None:
    here, rng = KingmakerEnv(ruleset, options), random.Random(1)
    here.reset(seed=1)
    answered: list[int] = []

    def choose(tensor: Any, mask: Any) -> int:
        now = here.observe(here.agent_selection)
        assert np.array_equal(tensor, now["observation"])
        assert np.array_equal(mask, now["action_mask"])
        answered.append(rng.choice(np.flatnonzero(mask)))
        return answered[-1]

    names, seeds = tuple("abcd"[: here.game.players]), tuple(range(here.game.players))
    table = Table(MatchSpec(match_id="test", game=here.game, seed=here.match.seed, players=names, bot_seeds=seeds))
    bot = TensorBot(choose)
    for seat, observation in seen_by_bots(table):
        assert here.agent_selection == f"player_{seat}"
        action = bot.decide(observation, observation.legal)
        table.answer(action, 0)
        here.step(action)
    assert here.match.over
    assert here.match.totals == table.match.totals
    assert len(answered) > 10


@every_game
def test_hidden_cards_never_change_a_tensor(ruleset: str, options: dict[str, Any]) -> None:
    """Whatever the others hold, the whole deal up to now looks the same to a seat, as it would to one that may not look."""
    game, rng = registry.ruleset(ruleset).game(options), random.Random(1)
    encoding, match, looked = Encoding(game), RulesMatch(game, bytes(32)), 0
    for _ in range(150):
        if match.over:
            break
        deal = match.deal
        seat = rng.randrange(game.players)
        other = sample(game, view(deal, seat), rng)
        again = game.start(deal.number, deal.dealer, other.dealt)
        for action in deal.actions:
            again.apply(action)
        assert np.array_equal(
            encoding.encode(view(again, seat), match.totals), encoding.encode(view(deal, seat), match.totals)
        )
        looked += again.hands != deal.hands
        match.apply(rng.choice(deal.legal()))
    assert looked > 30


def test_a_tensor_that_looked_at_hidden_cards_would_be_found_out() -> None:
    """So the test before this one can fail: what another seat knows does change with the hidden cards."""
    game = registry.ruleset("king.simple").game()
    deal, encoding = game.deal(bytes(32), 1), Encoding(game)
    other = sample(game, view(deal, 0), random.Random(1))
    assert not np.array_equal(encoding.encode(view(other, 1), [0] * 4), encoding.encode(view(deal, 1), [0] * 4))


def test_each_slot_says_what_it_holds() -> None:
    game = registry.ruleset("king.simple").game()
    deal, encoding, number = game.deal(bytes(32), 2), Encoding(game), game.actions.number
    first = deal.actor
    assert first is not None
    led = deal.legal()[0]
    deal.apply(led)
    seat = deal.actor
    assert seat is not None
    parts = encoding.parts(encoding.encode(view(deal, seat), [10, 20, 30, 40]))
    assert set(np.flatnonzero(parts["hand"])) == {card for card in range(52) if deal.hands[seat] >> card & 1}
    for name in ("laid", "trick", "done"):
        assert [tuple(place) for place in np.argwhere(parts[name])] == [((first - seat) % 4, led)]
    assert parts["contract"].argmax() == game.contract_ids.index("no_jacks")
    assert parts["dealer"].tolist() == [float((deal.dealer - seat) % 4 == step) for step in range(4)]
    assert parts["totals"] == pytest.approx([(10 + 10 * ((seat + step) % 4)) / 100 for step in range(4)])
    assert parts["deal"] == pytest.approx([0.2])
    assert not parts["declarer"].any()
    assert number("KH") < 52


def test_the_page_lists_every_slot() -> None:
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| ([^|]*) \|", page, re.MULTILINE))
    slots: list[Slot] = [
        slot for name in ("king.simple", "kings_corner") for slot in Encoding(registry.ruleset(name).game()).slots
    ]
    assert {slot.name: slot.meaning for slot in slots} == table


def test_what_the_page_shows_runs() -> None:
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "docs/training.md", "exec"), {})


# OpenSpiel.


@every_game
def test_openspiel_finds_nothing_wrong(ruleset: str, options: dict[str, Any]) -> None:
    game = openspiel.load(ruleset, tuple(options.items()))
    assert dict(game.rules.options) == dict(registry.ruleset(ruleset).game(options).options)
    pyspiel.random_sim_test(game, 2, True, False)


@every_ruleset
def test_openspiels_simulation_of_its_python_games_passes(ruleset: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the games that OpenSpiel's module imports besides
        from open_spiel.python.tests.games_sim_test import GamesSimTest
    GamesSimTest().sim_game(pyspiel.load_game(openspiel.short_name(ruleset)))


@every_game
def test_a_guess_looks_the_same_to_its_seat(ruleset: str, options: dict[str, Any]) -> None:
    game, rng = openspiel.load(ruleset, tuple(options.items())), random.Random(1)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(rng.choice(state.chance_outcomes())[0])
    others = set()
    for _ in range(25):
        if state.is_terminal():
            break
        seat = state.current_player()
        other = state.resample_from_infostate(seat, rng.random)
        assert other.information_state_string(seat) == state.information_state_string(seat)
        assert other.information_state_tensor(seat) == state.information_state_tensor(seat)
        assert other.legal_actions() == state.legal_actions()
        others.add(str(other) != str(state))
        state.apply_action(rng.choice(state.legal_actions()))
    assert True in others


def test_every_deal_of_a_match_can_be_drawn() -> None:
    assert [different(registry.ruleset(name).game()) for name in ("king.simple", "king.fetes", "king.auction")] == [
        14,
        10,
        10,
    ]
    assert [different(registry.ruleset(name).game()) for name in ("klaverjas.amsterdam", "kings_corner")] == [4, 4]


def a_policy(game: Any, seat: int, rng: Any) -> Any:
    return PolicyBot(seat, rng, policy.UniformRandomPolicy(game))


@every_game
def test_a_policy_of_openspiel_plays_a_match(ruleset: str, options: dict[str, Any]) -> None:
    game = registry.ruleset(ruleset).game(options)
    first, again = (play(game, b"same" * 8, [OpenSpielBot(a_policy)] * game.players, 3) for _ in range(2))
    assert not any(first.faults)
    assert first.actions == again.actions
    assert len(first.actions) > 20


# The examples.


def test_openspiels_search_is_a_bot() -> None:
    example = runpy.run_path(str(EXAMPLES / "ismcts.py"))
    game = registry.ruleset("klaverjas.amsterdam").game()
    first, again = (play(game, b"same" * 8, [OpenSpielBot(example["make"]), *([RandomBot()] * 3)], 1) for _ in range(2))
    assert not any(first.faults)
    assert first.actions == again.actions


def test_what_was_learnt_plays_better_than_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))  # as Python does with a script's folder
    learn, learned = (runpy.run_path(str(EXAMPLES / f"{name}.py")) for name in ("learn", "learned"))
    bot: Any = TensorBot(learned["choose_by"](learn["learn"](matches=100)))
    game: Game = registry.ruleset("king.simple").game()
    ahead = []
    for number in range(40):
        seats: list[Any] = [RandomBot() for _ in range(4)]
        seats[number % 4] = bot
        table = play(game, bytes([number]) * 32, seats)
        assert not any(table.faults)
        ahead.append(margins(game, table.match.totals)[number % 4])
    assert np.mean(ahead) > 0  # about 27 points a match, with a standard error of 7
