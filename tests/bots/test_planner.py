"""Planner: repeatable under a node budget, within its time, blind to what does not matter, and better than greedy."""

import random
from collections.abc import Sequence
from statistics import mean, stdev
from types import SimpleNamespace
from typing import Any

import pytest

from bots import Match, Observation, Ruleset
from bots.reference import allowance, bot
from bots.reference.choices import distinct
from bots.reference.contest import Contest
from bots.reference.planner import PlannerBot, search, value
from referee.rules import registry
from referee.rules.cards import card, mask
from referee.rules.deal import Deal
from referee.rules.dealing import Dealt
from referee.rules.ruleset import Game
from referee.table import MatchSpec, Table
from referee.v1 import decision_pb2
from referee.wire import DecisionEncoder, match_start, ruleset_info

RULESETS = sorted(registry.RULESETS)


def play(game: Game, seed: bytes, players: Sequence[Any], deals: int | None = None) -> Table:
    """A match of these bots; the first so many deals of it."""
    names = tuple(str(seat) for seat in range(game.players))
    seeds = tuple(range(game.players))
    table = Table(MatchSpec(match_id="test", game=game, seed=seed, players=names, bot_seeds=seeds))
    ruleset = Ruleset(ruleset_info(1, game))
    matches = [Match(match_start(table, seat, 1, 1), ruleset) for seat in range(game.players)]
    encoder = DecisionEncoder(table)
    while (seat := table.advance()) is not None and len(table.match.finished) != deals:
        observation = Observation(decision_pb2.Decision.FromString(encoder.encode(1)), matches[seat])
        table.answer(players[seat].decide(observation, observation.legal), 0)
    return table


@pytest.mark.parametrize("ruleset", RULESETS)
def test_with_the_same_nodes_it_plays_the_same_again(ruleset: str) -> None:
    game = registry.ruleset(ruleset).game()
    first, again = (play(game, b"same" * 8, [PlannerBot(400) for _ in range(game.players)], 2) for _ in range(2))
    assert first.actions == again.actions
    other = play(game, b"same" * 8, [bot("greedy")] * game.players, 2)
    assert other.actions != first.actions


def test_it_stops_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(allowance, "perf_counter", lambda: now[0])
    observation: Any = SimpleNamespace(budget_ms=100, bank_ms=0)
    some = allowance.Allowance(observation)
    steps = 1
    now[0] += 0.01
    while some.spend(1):
        now[0] += 0.01
        steps += 1
    assert 3 <= steps <= 7
    assert now[0] <= 0.07


def test_a_little_of_the_bank_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "perf_counter", lambda: 0.0)
    poor: Any = SimpleNamespace(budget_ms=100, bank_ms=0)
    rich: Any = SimpleNamespace(budget_ms=100, bank_ms=5000)
    assert allowance.Allowance(poor).end < allowance.Allowance(rich).end < 0.1


def dealt(contract_deal: int, *hands: str) -> Deal:
    game = registry.ruleset("king.simple").game()
    return game.start(contract_deal, 3, Dealt(tuple(mask(map(card, hand.split())) for hand in hands)))


def test_cards_that_do_the_same_are_tried_once() -> None:
    deal = dealt(
        3, "7C 8C 9C JC QC 7D 9D AS", "TC KC AC 8D TD JD QD KD", "AD 7H 8H 9H TH JH QH KH", "AH 7S 8S 9S TS JS QS KS"
    )
    found = distinct(deal, deal.legal(), card("8C"))
    assert [deal.game.actions.text(action) for action in sorted(found)] == ["8C", "JC", "QC", "7D", "9D", "AS"]
    tricks = dealt(
        1, "7C 8C 9C JC QC 7D 9D AS", "TC KC AC 8D TD JD QD KD", "AD 7H 8H 9H TH JH QH KH", "AH 7S 8S 9S TS JS QS KS"
    )
    assert len(distinct(tricks, tricks.legal(), card("AS"))) == 5  # the queen counts no more than the jack


def test_two_empty_places_are_one() -> None:
    game = registry.ruleset("kings_corner").game()
    hands = ["2C 3C 4C 5C 6C 7C 8C", "2D 3D 4D 5D 6D 7D 8D", "2H 3H 4H 5H 6H 7H 8H", "2S 3S 4S 5S 6S 7S 8S"]
    turned = ["KC", "KD", "9H", "9S"]
    given = tuple(mask(map(card, hand.split())) for hand in hands)
    rest = [number for number in range(52) if not sum(given) >> number & 1 and number not in map(card, turned)]
    deal = game.start(1, 3, Dealt(given, tuple(map(card, turned)), tuple(rest)))
    texts = [game.actions.text(action) for action in distinct(deal, deal.legal(), deal.legal()[0])]
    assert "place:2C:N" in texts
    assert "place:2C:E" not in texts


def test_the_usual_choice_stands_until_another_is_ahead_by_more_than_chance() -> None:
    contest = Contest(1, [1, 2])
    contest.enter({1: 0.0, 2: 1.0})
    contest.enter({1: 1.0, 2: 0.5})
    assert contest.best() == 1
    for _ in range(40):
        if len(contest.open) == 1:
            break
        contest.enter({1: 0.0, 2: 10.0})
    assert contest.best() == 2
    assert contest.open == [2]


def test_a_choice_that_is_clearly_worse_is_given_up() -> None:
    contest = Contest(1, [1, 2, 3])
    for number in range(8):
        contest.enter({choice: {1: 0.0, 2: 5.0 * (-1) ** number, 3: -50.0}[choice] for choice in contest.open})
    assert 3 not in contest.open
    assert {1, 2} <= set(contest.open)


def test_the_last_tricks_are_searched_to_the_end() -> None:
    game = registry.ruleset("king.simple").game()
    rng = random.Random(5)
    better = 0
    for number in range(20):
        deal = game.deal(rng.randbytes(32), 1 + number % 14)
        while max(hand.bit_count() for hand in deal.hands) > 3 or deal.trick is None or deal.trick.cards:
            deal.apply(rng.choice(deal.legal()))
        seat = deal.actor
        assert seat is not None
        outcomes = []
        for action in deal.legal():
            after = deal.copy()
            after.apply(action)
            outcomes.append(value(game, search(after)[0], seat))
        best = value(game, search(deal.copy())[0], seat)
        assert best == max(outcomes)
        better += best > min(outcomes)
    assert better > 3


def ahead_of_greedy(ruleset: str, blocks: int, nodes: int) -> list[float]:
    game = registry.ruleset(ruleset).game()
    rng = random.Random(ruleset)
    planner, greedy = PlannerBot(nodes), bot("greedy")
    result = []
    for _ in range(blocks):
        seed, ahead = rng.randbytes(32), []
        for swap in (0, 1):
            players = [(planner, greedy)[(seat + swap) % 2] for seat in range(game.players)]
            totals = play(game, seed, players).match.totals
            sides = [mean(totals[swap::2]), mean(totals[1 - swap :: 2])]
            ahead.append((sides[0] - sides[1]) * (-1 if game.lower_is_better else 1))
        result.append(mean(ahead))
    return result


@pytest.mark.long
def test_it_beats_greedy() -> None:
    ahead = ahead_of_greedy("klaverjas.rotterdam", 20, 6000)
    assert mean(ahead) > 3 * stdev(ahead) / len(ahead) ** 0.5, (mean(ahead), stdev(ahead))


@pytest.mark.parametrize(("nodes", "text"), [(0, "at least 1"), (5, "does not search")])
def test_nodes_are_for_bots_that_search(nodes: int, text: str) -> None:
    with pytest.raises(LookupError, match=text):
        bot("planner" if not nodes else "greedy", nodes)
