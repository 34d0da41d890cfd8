"""Sampling: every deal that agrees with what a seat has seen, each as likely as any other, and no other deal."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.cards import CLUBS, SUIT_MASKS, mask, members
from referee.rules.deal import Deal
from referee.rules.dealing import Dealt
from referee.rules.errors import IllegalAction
from referee.rules.sampling import sample, worlds
from referee.rules.view import view
from tests.rules.tables import do, table
from tests.strategies import deals

rngs = st.integers(0, 2**32).map(random.Random)


def replayed(deal: Deal) -> Deal:
    """The deal from its first card on; raises where an action was not legal."""
    again = deal.game.start(deal.number, deal.dealer, deal.dealt)
    for action in deal.actions:
        again.apply(action)
    return again


@given(deal=deals(), rng=rngs)
def test_a_sample_looks_the_same_to_the_seat(deal, rng):
    for seat in range(deal.game.players):
        seen = view(deal, seat)
        prepared = worlds(deal.game, seen)
        for found in (prepared.sample(rng), prepared.sample(rng), sample(deal.game, seen, rng)):
            assert view(found, seat) == seen
            assert (found.actor, found.kind, found.over) == (deal.actor, deal.kind, deal.over)
            if deal.actor == seat:
                assert found.legal() == deal.legal()


@given(deal=deals(), rng=rngs)
def test_a_sample_could_have_been_played_so(deal, rng):
    for seat in range(deal.game.players):
        found = sample(deal.game, view(deal, seat), rng)
        again = replayed(found)
        assert (again.hands, again.actor, again.legal()) == (found.hands, found.actor, found.legal())
        if found.layout is not None:
            assert (again.layout.stock, again.layout.drawn) == (found.layout.stock, found.layout.drawn)


@given(deal=deals(), rng=rngs)
def test_a_sample_can_be_played_on_without_touching_the_deal_or_another_sample(deal, rng):
    seat = rng.randrange(deal.game.players)
    prepared = worlds(deal.game, view(deal, seat))
    before, hands = prepared.sample(random.Random(1)), list(deal.hands)
    found = prepared.sample(rng)
    while not found.over:
        found.apply(rng.choice(found.legal()))
    assert deal.hands == hands
    assert prepared.sample(random.Random(1)).hands == before.hands


def alternatives(deal: Deal, seat: int) -> Iterator[tuple[int, ...]]:
    """By brute force, the hands dealt in every trick game deal that agrees with what a seat has seen."""
    played = [0] * deal.game.players
    for who, action in zip(deal.seats, deal.actions, strict=True):
        played[who] |= 1 << action if action < 52 else 0
    others = [player for player in range(deal.game.players) if player != seat]
    hidden = [card for player in others for card in members(deal.hands[player])]
    sizes = {player: deal.hands[player].bit_count() for player in others}

    def share(players: list[int], cards: list[int]) -> Iterator[dict[int, int]]:
        if not players:
            yield {}
            return
        for chosen in combinations(cards, sizes[players[0]]):
            for rest in share(players[1:], [card for card in cards if card not in chosen]):
                yield {players[0]: mask(chosen)} | rest

    for shares in share(others, hidden):
        hands = tuple(played[player] | shares.get(player, deal.hands[player]) for player in range(deal.game.players))
        other = deal.copy()
        other.dealt = Dealt(hands)
        try:
            replayed(other)
        except IllegalAction:
            continue
        yield hands


#: Ruleset, deal, hands, actions.
TRICKS = {
    "follow suit": ("king.fetes", 1, ("2C 9D 3S", "4D 5C 6S", "6C 7C 8S", "8C 9C 9S"), "2C 5C"),
    "void": ("king.fetes", 1, ("2C 9D 3S", "4D 5S 6S", "6C 7C 8S", "8C 9C 9S"), "2C 4D 6C"),
    "hearts led": ("king.fetes", 2, ("2H 9H 3H", "4D 5H 6S", "6H 7C 8S", "8H 9C 9S"), "2H 5H"),
    "heart discarded": ("king.fetes", 2, ("2C 9D 3S", "4H 5H 6H", "6C 7C 2H", "8C 9C 3H"), "2C 4H"),
    "king of hearts": ("king.fetes", 5, ("AC 9D 3S", "4C 5S KH", "6C 7C 2H", "8C 9C 3H"), "AC 4C 6C 8C 9D KH"),
    "no higher trump": (
        "king.fetes", 7, ("2C 3C 4C", "4D 9S 6D", "7S 6C 8D", "8C 9C 8S"), "pass pass pass trump:S:next 2C 9S 6C"
    ),
    "amsterdam discard": (
        "klaverjas.amsterdam", 1, ("7D 8C 9C", "9D JC QC", "AS KC AC", "7S KS 9H"), "trump:S 7D 9D AS 9H"
    ),
    "amsterdam undertrump": (
        "klaverjas.amsterdam", 1, ("7D 8C 9C", "9D JC QC", "AS KC AC", "7S KS 8S"), "trump:S 7D 9D AS 7S"
    ),
    "rotterdam undertrump": (
        "klaverjas.rotterdam", 1, ("7D 8C 9C", "9D JC QC", "AS KC AC", "7S KS 9H"), "trump:S 7D 9D AS KS"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TRICKS)
@pytest.mark.parametrize("seat", range(4))
def test_all_deals_that_agree_are_found_equally_often_and_no_other(case, seat):
    name, number, hands, actions = TRICKS[case]
    options = {"roem": "auto"} if "klaverjas" in name else {}
    deal = do(table(name, number, *hands, **options), actions)
    expected = set(alternatives(deal, seat))
    prepared = worlds(deal.game, view(deal, seat))
    rng = random.Random(11)
    times = 12 * len(expected)
    found = Counter(prepared.sample(rng).dealt.hands for _ in range(times))
    assert set(found) <= expected
    missing = len(expected) - len(found)
    assert missing <= 3 + len(expected) * 1e-3  # each is missed with probability exp(-12)
    chi_square = sum((found[hands] - 12) ** 2 / 12 for hands in expected)
    free = len(expected) - 1
    assert abs(chi_square - free) <= 5 * (2 * free) ** 0.5  # mean and standard deviation of chi-square


def test_what_a_player_has_shown_is_used():
    name, number, hands, actions = TRICKS["void"]
    deal = do(table(name, number, *hands), actions)
    for seed in range(100):
        found = sample(deal.game, view(deal, 0), random.Random(seed))
        assert not found.hands[1] & SUIT_MASKS[CLUBS]


@pytest.mark.parametrize(("seat", "deals_that_agree"), [(0, 60), (1, 30), (2, 60)])
def test_kings_in_the_corner_hands_and_stock_are_equally_likely(seat, deals_that_agree):
    """Two, three and two cards in the hands, and one in the stock: 6! / 3! 2! 1! ways for what seat 0 cannot see."""
    hands = ("7D 9D", "3D 4D", "KD 5D")
    deal = table("kings_corner", 1, *hands, dealer=2, players=3, turned="8C TC QC 3C", stock="2S 4S 6S")
    do(deal, "place:7D:N end")
    prepared = worlds(deal.game, view(deal, seat))
    rng = random.Random(5)
    samples = [prepared.sample(rng) for _ in range(100 * deals_that_agree)]
    found = Counter((tuple(other.hands), other.layout.stock[other.layout.drawn :]) for other in samples)
    assert len(found) == deals_that_agree
    assert 50 < min(found.values()) <= max(found.values()) < 150
