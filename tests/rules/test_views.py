"""A seat sees what it may see and nothing else: permuting the cards it cannot see changes nothing in its view."""

import random
from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from referee.rules.cards import mask, members
from referee.rules.deal import Deal
from referee.rules.dealing import Dealt
from referee.rules.layout import OpenLayout
from referee.rules.sampling import worlds
from referee.rules.view import View, view
from tests.strategies import deals

rngs = st.integers(0, 2**32).map(random.Random)


def permuted(deal: Deal, seat: int, rng: random.Random) -> Deal:
    """The same deal with all cards that ``seat`` cannot see permuted: other hands, the stock, how all was dealt."""
    other = deal.copy()
    hidden = [card for hand in other.hands[:seat] + other.hands[seat + 1 :] for card in members(hand)]
    stock = () if other.layout is None else other.layout.stock
    drawn = 0 if other.layout is None else other.layout.drawn
    hidden += stock[drawn:]
    rng.shuffle(hidden)
    for player, hand in enumerate(other.hands):
        if player != seat:
            other.hands[player] = mask(hidden.pop() for _ in range(hand.bit_count()))
    if other.layout is not None:
        other.layout.stock = (*rng.sample(stock[:drawn], drawn), *hidden)
    dealt = list(deal.game.deck)
    rng.shuffle(dealt)
    size = deal.game.hand_size
    hands = tuple(mask(dealt[player * size : player * size + size]) for player in range(deal.game.players))
    other.dealt = Dealt(hands, deal.dealt.turned, tuple(dealt[size * deal.game.players :]))
    other._mask = 0
    return other


@given(deal=deals(), rng=rngs)
def test_permuting_hidden_cards_changes_no_view(deal, rng):
    for seat in range(deal.game.players):
        other = permuted(deal, seat, rng)
        assert view(other, seat) == view(deal, seat)
        assert repr(view(other, seat)) == repr(view(deal, seat))
        if deal.actor == seat:
            assert other.legal() == deal.legal()


@given(deal=deals(), rng=rngs)
def test_deals_that_look_alike_now_have_always_looked_alike_in_trick_games(deal, rng):
    if deal.layout is not None:
        return
    for seat in range(deal.game.players):
        other = worlds(deal.game, view(deal, seat)).sample(rng)
        first, second = (deal.game.start(each.number, each.dealer, each.dealt) for each in (deal, other))
        for action in deal.actions:
            assert view(first, seat) == view(second, seat)
            first.apply(action)
            second.apply(action)


@given(deal=deals())
def test_a_view_holds_plain_values_that_cannot_be_changed(deal):
    for seat in range(deal.game.players):
        seen = view(deal, seat)
        hash(seen)
        before = repr(seen)
        while not deal.over:
            deal.apply(deal.legal()[0])
        assert repr(seen) == before


def test_a_view_is_this_list_and_no_more():
    """Whoever adds a field says here that a seat may see it."""
    assert [field.name for field in fields(View)] == [
        "seat", "number", "dealer", "hand", "contract", "declarer", "actions", "seats", "table", "tricks", "layout",
    ]  # fmt: skip
    assert [field.name for field in fields(OpenLayout)] == ["piles", "stock", "hand_sizes", "turned"]
