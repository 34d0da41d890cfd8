"""Kings in the Corner simulated: as the referee plays it, as greedy plays it, and from what a seat may know."""

import random

import pytest

from bots import Match, Observation, Ruleset
from bots.reference.greedy import GreedyBot
from bots.reference.inside import Inside
from bots.reference.piles import PileTrials, holds_none_of
from bots.reference.planner import PlannerBot
from bots.reference.quick import Round
from referee.rules import registry
from referee.rules.cards import ALL_CARDS, card, mask, members, of_rank
from referee.rules.deal import Deal
from referee.rules.dealing import Dealt
from referee.rules.layout import END
from referee.rules.ruleset import Game
from referee.rules.sampling import sample
from referee.rules.view import view
from referee.table import MatchSpec, Table
from referee.v1 import decision_pb2
from referee.wire import match_start, ruleset_info

KINGS = of_rank("K")


def outside(game: Game) -> Observation:
    """An observation of the first deal, dealt by seat 3, without any cards."""
    names = tuple(map(str, range(game.players)))
    spec = MatchSpec(match_id="test", game=game, seed=bytes(32), players=names, bot_seeds=(0,) * game.players)
    match = Match(match_start(Table(spec), 0, 1, 1), Ruleset(ruleset_info(1, game)))
    return Observation(decision_pb2.Decision(deal=1, dealer=3), match)


def greedy_to_the_end(deal: Deal, around: Observation) -> None:
    greedy = GreedyBot()
    while deal.actor is not None:
        deal.apply(greedy.decide(Inside(deal, around), deal.legal()))


def same(quick: Round, deal: Deal) -> bool:
    """They stand alike; all that a later action depends on is compared."""
    layout = deal.layout
    assert layout is not None
    return (
        quick.actor == deal.actor
        and quick.hands == deal.hands
        and quick.accepts == layout.accepts
        and quick.bottoms == [1 << pile[0] if pile else 0 for pile in layout.piles[:4]]
        and quick.seen == mask(number for pile in layout.piles for number in pile)
        and (quick.drawn, quick.is_idle, quick.idle_turns) == (layout.drawn, layout.is_idle, layout.idle_turns)
        and quick.steps == len(deal.actions)
    )


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_round_goes_as_the_referee_plays_it_and_on_as_greedy_plays(players: int) -> None:
    game = registry.ruleset("kings_corner").game({"players": players})
    around, greedy, rng = outside(game), GreedyBot(), random.Random(players)
    positions = ends = 0
    for _ in range(40):
        deal = game.deal(rng.randbytes(32), 1)
        quick = Round(deal.dealt.turned, deal.dealt.hands, deal.dealt.stock, deal.leader)
        wild = rng.random()
        while deal.actor is not None:
            assert same(quick, deal)
            assert same(Round.of(deal), deal)
            positions += 1
            if rng.random() < 0.1:
                engine, played_out = deal.copy(), quick.copy()
                greedy_to_the_end(engine, around)
                played_out.play_out()
                assert same(played_out, engine)
                assert played_out.scores() == engine.scores()
                ends += 1
            legal = deal.legal()
            action = rng.choice(legal) if rng.random() < wild else greedy.decide(Inside(deal, around), legal)
            deal.apply(action)
            quick.apply(action)
        assert same(quick, deal)
        assert quick.scores() == deal.scores()
    assert positions > 1000
    assert ends > 100


def positions_of_greedy(count: int) -> list[Deal]:
    game = registry.ruleset("kings_corner").game()
    around, greedy, rng = outside(game), GreedyBot(), random.Random("positions")
    result: list[Deal] = []
    while len(result) < count:
        deal = game.deal(rng.randbytes(32), 1)
        while deal.actor is not None:
            if rng.random() < 0.2:
                result.append(deal.copy())
            deal.apply(greedy.decide(Inside(deal, around), deal.legal()))
    return result


def test_what_others_could_have_laid_they_are_not_dealt() -> None:
    rng = random.Random(1)
    told = 0
    for deal in positions_of_greedy(100):
        seat, layout = deal.actor, deal.layout
        assert seat is not None
        assert layout is not None
        cannot = holds_none_of(deal)
        told += sum(map(bool, cannot))
        others = [other for other in range(4) if other != seat]
        assert not any(deal.hands[other] & cannot[other] for other in others)
        trials = PileTrials(deal)
        for _ in range(5):
            trials.deal_anew(rng)
            now = trials.now
            assert now.hands[seat] == deal.hands[seat]
            assert [hand.bit_count() for hand in now.hands] == [hand.bit_count() for hand in deal.hands]
            assert len(now.stock) - now.drawn == len(layout.stock) - layout.drawn
            parts = [*now.hands, mask(now.stock), now.seen]
            assert sum(parts) == ALL_CARDS
            assert sum(part.bit_count() for part in parts) == 52
            assert not any(now.hands[other] & cannot[other] for other in others)
    assert told > 100


def test_of_a_player_who_leaves_a_place_empty_nothing_is_said() -> None:
    game = registry.ruleset("kings_corner").game()
    rng = random.Random(2)
    ended = 0
    for _ in range(30):
        deal = game.deal(rng.randbytes(32), 1)
        while deal.actor is not None:
            seat, action = deal.actor, rng.choice(deal.legal())
            assert deal.layout is not None
            empty = any(not pile for pile in deal.layout.piles[:4])
            deal.apply(action)
            if action == END:
                assert bool(holds_none_of(deal)[seat]) != empty
                ended += empty
            if deal.actor is not None:  # whatever the others hold, there is something to try
                trials = PileTrials(deal)
                trials.deal_anew(rng)
                assert [hand.bit_count() for hand in trials.now.hands] == [hand.bit_count() for hand in deal.hands]
    assert ended > 5


def test_the_guesses_do_not_depend_on_what_is_hidden() -> None:
    for number, deal in enumerate(positions_of_greedy(40)):
        assert deal.actor is not None
        other = sample(deal.game, view(deal, deal.actor), random.Random(number))
        guesses = []
        for world in (deal, other):
            trials = PileTrials(world)
            trials.deal_anew(random.Random(number))
            guesses.append((trials.now.hands, list(trials.now.stock), trials.outcome(END)))
        assert guesses[0] == guesses[1]


def test_it_makes_room_for_its_last_card() -> None:
    """The nine first, the eight onto it, and there is a place for the ace; greedy lays the ace and keeps the nine."""
    game = registry.ruleset("kings_corner").game()
    turned = [card(text) for text in ("KD", "8C", "7S", "6C")]
    mine = [card(text) for text in ("9H", "AC", "6H", "5S", "4H", "3S", "5H")]
    drawn = card("4C")
    rest = [number for number in members(ALL_CARDS) if number not in [*turned, *mine, drawn]]
    random.Random(3).shuffle(rest)
    hands = tuple(map(mask, (mine, rest[:7], rest[7:14], rest[14:21])))
    left = {}
    for name, player in (("planner", PlannerBot(3000)), ("greedy", GreedyBot())):
        deal = game.start(1, 3, Dealt(hands, tuple(turned), (drawn, *rest[21:])))
        while deal.actor == 0:
            deal.apply(player.decide(Inside(deal, outside(game)), deal.legal()))
        left[name] = deal.hands[0].bit_count()
    assert left == {"planner": 0, "greedy": 1}
