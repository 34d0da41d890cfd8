"""The table of Kings in the Corner: eight piles and a stock, and what can be done with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.rules.actions import ActionTable
from referee.rules.cards import ALL_CARDS, CARD_TEXTS, RANKS, mask, of_rank

if TYPE_CHECKING:
    from referee.rules.deal import Deal

#: The places of the piles, by number: the sides, then the corners.
PLACES = ("N", "E", "S", "W", "NE", "SE", "SW", "NW")
SIDES = 4

#: The moves of a side pile onto another, as pairs of places.
MOVES = [(start, end) for start in range(SIDES) for end in range(len(PLACES)) if start != end]
ACTIONS = ActionTable(
    [
        "end",
        *(f"place:{card}:{place}" for place in PLACES for card in CARD_TEXTS),
        *(f"move:{PLACES[start]}:{PLACES[end]}" for start, end in MOVES),
    ]
)
END = ACTIONS.number("end")
FIRST_PLACE = END + 1
FIRST_MOVE = FIRST_PLACE + 52 * len(PLACES)


def laid_card(action: int) -> int | None:
    """The card that an action lays from the hand, if it lays one."""
    return (action - FIRST_PLACE) % 52 if FIRST_PLACE <= action < FIRST_MOVE else None


_KINGS = of_rank("K")
_RED = mask(range(13, 39))
#: Ranks from the lowest to the highest.
LOW_TO_HIGH = "A" + RANKS[:-1]


def _next_lower(card: int) -> int:
    """The cards one rank lower and of the other colour, as a set."""
    place = LOW_TO_HIGH.index(RANKS[card % 13])
    if place == 0:
        return 0
    return of_rank(LOW_TO_HIGH[place - 1]) & (ALL_CARDS ^ _RED if _RED >> card & 1 else _RED)


#: For each card, the set of those that may lie on it.
FITTING = tuple(_next_lower(card) for card in range(52))
_ON_EMPTY = (ALL_CARDS ^ _KINGS,) * SIDES + (_KINGS,) * SIDES


@dataclass(frozen=True, slots=True)
class OpenLayout:
    """What everybody sees.

    ``piles``: by place, bottom card first; ``stock``: cards left in it; ``hand_sizes``: by seat; ``turned``: the
    cards turned at the start onto N, E, S, W.
    """

    piles: tuple[tuple[int, ...], ...]
    stock: int
    hand_sizes: tuple[int, ...]
    turned: tuple[int, ...]


class Layout:
    """The piles, and what is left of the stock.

    ``piles``: by place, bottom card first; ``accepts``: the set of cards that may be laid on each. ``drawn``: how many
    cards of ``stock`` are gone. ``is_idle``: nothing has happened in this turn; ``idle_turns``: turns in a row that
    ended so.
    """

    __slots__ = ("accepts", "drawn", "idle_turns", "is_idle", "piles", "stock")

    def __init__(self, turned: Sequence[int], stock: tuple[int, ...]) -> None:
        self.piles: list[tuple[int, ...]] = [()] * len(PLACES)
        self.accepts = list(_ON_EMPTY)
        self.stock = stock
        self.drawn = 0
        for side, card in enumerate(turned):
            self.place(card, side + SIDES if _KINGS >> card & 1 else side)
        self.is_idle = True
        self.idle_turns = 0

    def draw(self) -> int:
        """The set of the card that a turn begins with, empty with the stock."""
        if self.drawn == len(self.stock):
            return 0
        card = self.stock[self.drawn]
        self.drawn += 1
        return 1 << card

    def moves(self) -> list[tuple[int, int]]:
        """The moves of a whole side pile onto another pile that are possible, as pairs of places."""
        piles = self.piles
        bottoms = 0
        for pile in piles[:SIDES]:
            if pile:
                bottoms |= 1 << pile[0]
        return [
            (start, end)
            for end, accepted in enumerate(self.accepts)
            if accepted & bottoms and piles[end]
            for start in range(SIDES)
            if piles[start] and accepted >> piles[start][0] & 1
        ]

    def place(self, card: int, place: int) -> None:
        """Lay a card."""
        self.piles[place] += (card,)
        self.accepts[place] = FITTING[card]
        self.is_idle = False

    def move(self, start: int, end: int) -> None:
        """Lay a whole pile onto another."""
        self.piles[end] += self.piles[start]
        self.accepts[end] = self.accepts[start]
        self.piles[start] = ()
        self.accepts[start] = _ON_EMPTY[start]
        self.is_idle = False

    def copy(self) -> Layout:
        """An independent copy."""
        other = Layout.__new__(Layout)
        other.piles = self.piles[:]
        other.accepts = self.accepts[:]
        other.stock = self.stock
        other.drawn = self.drawn
        other.is_idle = self.is_idle
        other.idle_turns = self.idle_turns
        return other

    def open(self, deal: Deal) -> OpenLayout:
        """What everybody sees of it."""
        return OpenLayout(
            piles=tuple(self.piles),
            stock=len(self.stock) - self.drawn,
            hand_sizes=tuple(hand.bit_count() for hand in deal.hands),
            turned=deal.dealt.turned,
        )

    def texts(self) -> dict[str, list[str]]:
        """The piles as docs/position.md writes them."""
        return {place: [CARD_TEXTS[card] for card in pile] for place, pile in zip(PLACES, self.piles, strict=True)}
