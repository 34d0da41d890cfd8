"""Guesses at what a seat cannot see, for bots that search: deals that agree with all that it has seen.

Where a player showed by a card that he could not play certain others, he is dealt none of those: he failed to follow,
to trump, to trump higher. Bids and other choices are free and show nothing. In Kings in the Corner nobody is obliged to
anything; which of a player's known cards came from the stock is not guessed at, as nothing depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb
from typing import TYPE_CHECKING, Protocol

from referee.rules.cards import mask, members
from referee.rules.deal import Deal
from referee.rules.dealing import Dealt
from referee.rules.layout import laid_card
from referee.rules.ruleset import Game
from referee.rules.view import View

if TYPE_CHECKING:
    from random import Random

#: Who of the others may hold a card of this kind.
_Takers = tuple[bool, ...]


class Worlds(Protocol):
    """All deals that look to one seat as the one in progress does."""

    def sample(self, rng: Random) -> Deal:
        """One of them, each as likely as any other."""


def worlds(game: Game, view: View) -> Worlds:
    """Prepare to sample: many deals for one view cost little more than one."""
    return _TrickWorlds(game, view) if view.layout is None else _LayoutWorlds(game, view)


def sample(game: Game, view: View, rng: Random) -> Deal:
    """A deal in progress that looks to ``view.seat`` as this one does, each such deal as likely as any other."""
    return worlds(game, view).sample(rng)


class _TrickWorlds:
    """The cards that a seat has not seen are dealt to the others, but for those that they have shown not to hold."""

    def __init__(self, game: Game, view: View) -> None:
        self.known = [0] * game.players
        self.known[view.seat] = view.hand
        for seat, action in zip(view.seats, view.actions, strict=True):
            if action < 52:
                self.known[seat] |= 1 << action
        self.base = game.start(view.number, view.dealer, Dealt(tuple(self.known)))
        lacking = [0] * game.players
        for seat, action in zip(view.seats, view.actions, strict=True):
            if self.base.kind == "play":
                lacking[seat] |= _shown_by(self.base, action)
            self.base.apply(action)
        self.others = [seat for seat in range(game.players) if seat != view.seat]
        room = [game.hand_size - self.known[seat].bit_count() for seat in self.others]
        self.kinds: dict[_Takers, list[int]] = {}
        for card in members(mask(game.deck) & ~mask(member for hand in self.known for member in members(hand))):
            self.kinds.setdefault(tuple(not lacking[seat] >> card & 1 for seat in self.others), []).append(card)
        self.shares = _Shares([(takers, len(cards)) for takers, cards in self.kinds.items()], room)

    def sample(self, rng: Random) -> Deal:
        """Share out the cards of each kind."""
        hidden = [0] * len(self.known)
        for shares, cards in zip(self.shares.sample(rng), self.kinds.values(), strict=True):
            shuffled = rng.sample(cards, len(cards))
            for seat, share in zip(self.others, shares, strict=True):
                for _ in range(share):
                    hidden[seat] |= 1 << shuffled.pop()
        deal = self.base.copy()
        deal.dealt = Dealt(tuple(map(int.__or__, self.known, hidden)))
        deal.hands = list(map(int.__or__, self.base.hands, hidden))
        return deal


def _shown_by(deal: Deal, card: int) -> int:
    """The cards that the seat to act cannot hold if it may play this one.

    An obligation that the card does not meet was waived: no card in the hand meets it and those before it. Whether the
    player is void follows from the card itself, since everybody must follow suit.
    """
    trick, contract = deal.trick, deal.contract
    assert trick is not None
    assert contract is not None
    assert deal.actor is not None
    bit = trick.hand = 1 << card
    trick.player = deal.actor
    kept, lacking = -1, 0
    for obligation in contract.obligations:
        keep = obligation(trick)
        if keep & bit:
            kept &= keep
        else:
            lacking |= kept & keep
    return lacking


class _Shares:
    """How many cards of each kind go to each taker, weighted by the number of deals in which they do.

    ``kinds``: who may take a card of the kind, and how many there are; ``room``: cards that each taker still needs.
    """

    def __init__(self, kinds: Sequence[tuple[_Takers, int]], room: Sequence[int]) -> None:
        self.kinds = kinds
        self.room = tuple(room)
        self.splits = cache(self._splits)

    def sample(self, rng: Random) -> list[tuple[int, ...]]:
        """By kind, the cards for each taker."""
        result, room = [], self.room
        for index in range(len(self.kinds)):
            shares, weights = self.splits(index, room)
            (share,) = rng.choices(shares, weights)
            room = _less(room, share)
            result.append(share)
        return result

    def _splits(self, index: int, room: tuple[int, ...]) -> tuple[list[tuple[int, ...]], list[int]]:
        """The possible shares of a kind and those after it, and the number of deals with each."""
        takers, cards = self.kinds[index]
        most = [space if takes else 0 for takes, space in zip(takers, room, strict=True)]
        shares = _partitions(cards, most)
        if index == len(self.kinds) - 1:
            return shares, [_arrangements(share) for share in shares]
        weights = [_arrangements(share) * sum(self.splits(index + 1, _less(room, share))[1]) for share in shares]
        return shares, weights


def _less(room: tuple[int, ...], share: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(int.__sub__, room, share))


def _partitions(cards: int, most: Sequence[int]) -> list[tuple[int, ...]]:
    """All ways to give away so many cards, with at most so many to each taker."""
    if len(most) == 1:
        return [(cards,)] if cards <= most[0] else []
    others = sum(most[1:])
    return [
        (share, *rest)
        for share in range(max(0, cards - others), min(cards, most[0]) + 1)
        for rest in _partitions(cards - share, most[1:])
    ]


def _arrangements(share: Sequence[int]) -> int:
    """In how many ways different cards can be given away in these shares."""
    ways, total = 1, 0
    for cards in share:
        total += cards
        ways *= comb(total, cards)
    return ways


class _LayoutWorlds:
    """The cards that a seat has not seen lie in the hands of the others and in what is left of the stock."""

    def __init__(self, game: Game, view: View) -> None:
        assert view.layout is not None
        self.table = view.layout
        self.own, self.own_hand = view.seat, view.hand
        self.hand_size = game.hand_size
        self.laid: list[list[int]] = [[] for _ in range(game.players)]  # by seat, in the order in which it laid them
        for seat, action in zip(view.seats, view.actions, strict=True):
            card = laid_card(action)
            if card is not None:
                self.laid[seat].append(card)
        seen = [*self.table.turned, *members(view.hand), *(card for cards in self.laid for card in cards)]
        self.hidden = members(mask(game.deck) & ~mask(seen))
        turns = len(game.deck) - len(self.table.turned) - self.hand_size * game.players - self.table.stock
        self.drawers = [(view.dealer + 1 + turn) % game.players for turn in range(turns)]
        self.base = game.start(view.number, view.dealer, self._dealt(*self._shares(self.hidden)))
        for action in view.actions:
            self.base.apply(action)

    def sample(self, rng: Random) -> Deal:
        """Shuffle what is hidden."""
        hands, stock = self._shares(rng.sample(self.hidden, len(self.hidden)))
        deal = self.base.copy()
        assert deal.layout is not None
        deal.dealt = self._dealt(hands, stock)
        deal.hands = [mask(hand) for hand in hands]
        deal.layout.stock = deal.dealt.stock
        return deal

    def _shares(self, hidden: Sequence[int]) -> tuple[list[list[int]], list[int]]:
        """The hands now, and what is left of the stock."""
        rest = list(hidden)
        hands = []
        for seat, size in enumerate(self.table.hand_sizes):
            hands.append(members(self.own_hand) if seat == self.own else [rest.pop() for _ in range(size)])
        return hands, rest

    def _dealt(self, hands: Sequence[list[int]], stock: list[int]) -> Dealt:
        """Cards as dealt that come to these hands: a player got first what he laid first."""
        got = [laid + hand for laid, hand in zip(self.laid, hands, strict=True)]
        draws = [iter(cards[self.hand_size :]) for cards in got]
        drawn = [next(draws[seat]) for seat in self.drawers]
        return Dealt(tuple(mask(cards[: self.hand_size]) for cards in got), self.table.turned, (*drawn, *stock))
