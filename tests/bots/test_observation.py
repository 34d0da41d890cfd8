"""What a bot sees is what the rules say that its seat may see."""

import random

import pytest

from bots.observation import Match, Observation, Ruleset
from referee import wire
from referee.rules import registry
from referee.rules.sampling import sample
from referee.rules.view import view
from referee.table import MatchSpec, Table
from referee.v1 import decision_pb2


@pytest.mark.parametrize("ruleset", registry.RULESETS)
def test_the_view_of_an_observation_is_the_view_of_the_seat(ruleset):
    game = registry.ruleset(ruleset).game()
    names = tuple(f"bot {seat}" for seat in range(game.players))
    table = Table(MatchSpec(match_id="m", game=game, seed=bytes(32), players=names, bot_seeds=(1, 2, 3, 4)))
    encoder, rng = wire.DecisionEncoder(table), random.Random(1)
    told = Ruleset(wire.ruleset_info(1, game))
    seats = {seat: Match(wire.match_start(table, seat, 7, 1), told) for seat in range(game.players)}
    decisions = 0
    while (seat := table.advance()) is not None and decisions < 300:
        observation = Observation(decision_pb2.Decision.FromString(encoder.encode(7)), seats[seat])
        deal = table.match.deal
        assert observation.view == view(deal, seat)
        assert observation.game.options == game.options
        assert observation.legal == deal.legal()
        guess = sample(observation.game, observation.view, rng)
        assert guess.legal() == deal.legal()
        assert guess.hands[seat] == deal.hands[seat]
        table.answer(rng.choice(observation.legal), 0)
        decisions += 1
    assert decisions > 20
