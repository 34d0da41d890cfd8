"""A contract is a row: what is trump, which cards must be kept to, what it counts, when it stops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.rules.cards import members
from referee.rules.obligations import Obligation, follow_suit
from referee.rules.trick import KING_ORDER, Trick

if TYPE_CHECKING:
    from referee.rules.deal import Deal

#: What was taken, counted: one number a seat.
Tally = Callable[[Trick], list[int]]
#: Counts into scores, payments not included: one number a seat.
Settlement = Callable[["Deal", list[int]], list[int]]
#: Whether the deal is over although tricks are left.
Stop = Callable[[Trick], bool]


def per_trick(points: int) -> Tally:
    """Points for each trick taken."""

    def tally(trick: Trick) -> list[int]:
        return [points * count for count in trick.counts]

    tally.__doc__ = f"{points:+d} for each trick."
    return tally


def per_card(points: int, cards: int, what: str) -> Tally:
    """Points for each card of a set that was taken."""

    def tally(trick: Trick) -> list[int]:
        return [points * (taken & cards).bit_count() for taken in trick.taken]

    tally.__doc__ = f"{points:+d} for each {what} taken."
    return tally


def last_tricks(how_many: int, points: int) -> Tally:
    """Points for each of the last tricks of a whole deal."""

    def tally(trick: Trick) -> list[int]:
        result = [0] * len(trick.counts)
        for winner in trick.winners[trick.size - how_many :]:
            result[winner] += points
        return result

    tally.__doc__ = f"{points:+d} for each of the last {how_many} tricks." if how_many > 1 else f"{points:+d} for the last trick."
    return tally


def card_values(values: dict[int, int]) -> Tally:
    """The value of each card that was taken, by card."""

    def tally(trick: Trick) -> list[int]:
        return [sum(values.get(card, 0) for card in members(taken)) for taken in trick.taken]

    tally.__doc__ = "The values of the cards taken."
    return tally


def all_of(*tallies: Tally) -> Tally:
    """The sum of several tallies."""

    def tally(trick: Trick) -> list[int]:
        return [sum(parts) for parts in zip(*(part(trick) for part in tallies), strict=True)]

    tally.__doc__ = " ".join(part.__doc__ or "" for part in tallies)
    return tally


def nothing(trick: Trick) -> list[int]:
    """Nothing is counted."""
    return [0] * len(trick.counts)


def as_counted(deal: Deal, counts: list[int]) -> list[int]:
    """Each player scores what he counts."""
    return counts


def never(trick: Trick) -> bool:
    """All tricks are played."""
    return False


def at_once(trick: Trick) -> bool:
    """No trick is played."""
    return True


def when_taken(cards: int) -> Stop:
    """Stop at the end of the trick in which the last of these cards was taken."""

    def stop(trick: Trick) -> bool:
        rest = cards
        for taken in trick.taken:
            rest &= ~taken
        return not rest

    stop.__doc__ = "The deal stops when the last card that counts was taken."
    return stop


@dataclass(frozen=True, kw_only=True)
class Contract:
    """What a deal is played for.

    ``plain_order``, ``trump_order``: ranks from the lowest to the highest. ``trump``: a suit, or none.
    """

    id: str
    tally: Tally
    settlement: Settlement = as_counted
    obligations: tuple[Obligation, ...] = (follow_suit,)
    trump: int | None = None
    stop: Stop = never
    plain_order: str = KING_ORDER
    trump_order: str = KING_ORDER
