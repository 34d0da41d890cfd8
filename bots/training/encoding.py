"""What a seat may know, as numbers for a learner: a function of the rules' own view, and of nothing else.

The same function serves where one trains and where one plays: there the view comes out of the referee's messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from referee.rules.cards import members
from referee.rules.layout import PLACES, laid_card
from referee.rules.ruleset import Game
from referee.rules.view import View

Tensor: TypeAlias = NDArray[np.float32]
Mask: TypeAlias = NDArray[np.int8]

CARDS = 52
#: What is divided by these comes to about 1.
_DEALS, _POINTS, _ACTIONS = 10, 100, 128


@dataclass(frozen=True)
class Slot:
    """A part of the tensor: its name, its shape, what it says, and what fills it in.

    Seats are counted from one's own: 0 is the seat itself, 1 the one at its left.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    fill: Callable[[Tensor, View, Sequence[int]], None]

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)


class Encoding:
    """The tensor of one game: its slots, in order, and how an observation fills them.

    ``size``: numbers in all. ``slots``: see docs/training.md.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.slots = _slots(game)
        self.size = sum(slot.size for slot in self.slots)

    def encode(self, view: View, totals: Sequence[int]) -> Tensor:
        """What a seat knows, as ``size`` numbers of 32 bits; ``totals``: points before this deal, by seat."""
        tensor = self.blank()
        for slot, part in zip(self.slots, self.parts(tensor).values(), strict=True):
            slot.fill(part, view, totals)
        return tensor

    def blank(self) -> Tensor:
        """A tensor of zeros."""
        return np.zeros(self.size, np.float32)

    def parts(self, tensor: Tensor) -> dict[str, Tensor]:
        """The slots of a tensor by name, each in its shape; they share its memory."""
        result, place = {}, 0
        for slot in self.slots:
            result[slot.name] = tensor[place : place + slot.size].reshape(slot.shape)
            place += slot.size
        return result

    def mask(self, legal: int) -> Mask:
        """1 for each action of a set, 0 for the others, by number."""
        mask = np.zeros(len(self.game.actions), np.int8)
        mask[members(legal)] = 1
        return mask


def _slots(game: Game) -> tuple[Slot, ...]:
    players, actions = game.players, len(game.actions)
    always = (
        Slot("hand", (CARDS,), "1 for each card in one's hand", _hand),
        Slot("laid", (players, CARDS), "1 for each card that a seat has laid in this deal", _laid),
        Slot("trick", (players, CARDS), "1 for the card of each seat in the trick on the table", _trick),
        Slot(
            "done", (players, actions), f"when a seat last took an action in this deal: its place / {_ACTIONS}", _done
        ),
        Slot("contract", (len(game.contracts),), "1 for the contract, once it is known", _contract(game)),
        Slot("declarer", (players,), "1 for the seat that plays the deal, where there is one", _declarer),
        Slot("dealer", (players,), "1 for the seat that dealt", _dealer),
        Slot("tricks", (players,), "tricks taken by each seat, as a share of those of a deal", _tricks(game)),
        Slot("totals", (players,), f"points of each seat before this deal / {_POINTS}", _totals),
        Slot("deal", (1,), f"the deal's number in the match / {_DEALS}", _deal),
    )
    if not game.turned:
        return always
    return (
        *always,
        Slot("piles", (len(PLACES), CARDS), f"1 for each card in the pile at {', '.join(PLACES)}", _piles),
        Slot("stock", (1,), f"cards left in the stock / {CARDS}", _stock),
        Slot("hand_sizes", (players,), f"cards in each hand / {CARDS}", _hand_sizes),
    )


def _from_own(seat: int, view: View, players: int) -> int:
    return (seat - view.seat) % players


def _hand(part: Tensor, view: View, totals: Sequence[int]) -> None:
    part[members(view.hand)] = 1


def _laid(part: Tensor, view: View, totals: Sequence[int]) -> None:
    for seat, action in zip(view.seats, view.actions, strict=True):
        card = action if action < CARDS else laid_card(action) if view.layout is not None else None
        if card is not None:
            part[_from_own(seat, view, len(part)), card] = 1


def _trick(part: Tensor, view: View, totals: Sequence[int]) -> None:
    for seat, card in zip(view.seats[len(view.seats) - len(view.table) :], view.table, strict=True):
        part[_from_own(seat, view, len(part)), card] = 1


def _done(part: Tensor, view: View, totals: Sequence[int]) -> None:
    for place, (seat, action) in enumerate(zip(view.seats, view.actions, strict=True), 1):
        part[_from_own(seat, view, len(part)), action] = min(place / _ACTIONS, 1)


def _contract(game: Game) -> Callable[[Tensor, View, Sequence[int]], None]:
    places = {name: place for place, name in enumerate(game.contract_ids)}

    def fill(part: Tensor, view: View, totals: Sequence[int]) -> None:
        if view.contract is not None:
            part[places[view.contract]] = 1

    return fill


def _declarer(part: Tensor, view: View, totals: Sequence[int]) -> None:
    if view.declarer is not None:
        part[_from_own(view.declarer, view, len(part))] = 1


def _dealer(part: Tensor, view: View, totals: Sequence[int]) -> None:
    part[_from_own(view.dealer, view, len(part))] = 1


def _tricks(game: Game) -> Callable[[Tensor, View, Sequence[int]], None]:
    def fill(part: Tensor, view: View, totals: Sequence[int]) -> None:
        for seat, taken in enumerate(view.tricks):
            part[_from_own(seat, view, len(part))] = taken / game.hand_size

    return fill


def _totals(part: Tensor, view: View, totals: Sequence[int]) -> None:
    for seat, total in enumerate(totals):
        part[_from_own(seat, view, len(part))] = total / _POINTS


def _deal(part: Tensor, view: View, totals: Sequence[int]) -> None:
    part[0] = view.number / _DEALS


def _piles(part: Tensor, view: View, totals: Sequence[int]) -> None:
    assert view.layout is not None
    for place, pile in enumerate(view.layout.piles):
        part[place, list(pile)] = 1


def _stock(part: Tensor, view: View, totals: Sequence[int]) -> None:
    assert view.layout is not None
    part[0] = view.layout.stock / CARDS


def _hand_sizes(part: Tensor, view: View, totals: Sequence[int]) -> None:
    assert view.layout is not None
    for seat, size in enumerate(view.layout.hand_sizes):
        part[_from_own(seat, view, len(part))] = size / CARDS
