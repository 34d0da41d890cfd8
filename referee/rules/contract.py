"""A contract is a row: what is trump, which cards must be kept to, what it counts, when it stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from referee.rules.cards import members
from referee.rules.obligations import Obligation, follow_suit
from referee.rules.trick import KING_ORDER, Trick

if TYPE_CHECKING:
    from referee.rules.deal import Deal

#: What was taken, one number a seat.
Count = Callable[[Trick], Sequence[int]]
#: Counts into scores, payments not included: one number a seat.
Settlement = Callable[["Deal", list[int]], list[int]]
#: Whether the deal is over although tricks are left.
Stop = Callable[[Trick], bool]
#: How a deal that is over ended for each seat, in a word, or None.
Outcome = Callable[["Deal"], Sequence[str | None]]


@dataclass(frozen=True)
class Term:
    """So many points for each of something that was taken, such as ``-20`` ``for each heart``."""

    points: int
    what: str
    count: Count


@dataclass(frozen=True)
class Tally:
    """What was taken, counted: a sum of terms. Tallies can be added and turned round with a minus."""

    terms: tuple[Term, ...] = ()

    def __call__(self, trick: Trick) -> list[int]:
        """The counts by seat."""
        result = [0] * len(trick.counts)
        for term in self.terms:
            for seat, number in enumerate(term.count(trick)):
                result[seat] += term.points * number
        return result

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.terms + other.terms)

    def __neg__(self) -> Tally:
        return Tally(tuple(replace(term, points=-term.points) for term in self.terms))

    def __str__(self) -> str:
        return "; ".join(f"{term.points:+d} {term.what}" for term in self.terms)


#: Nothing is counted.
NOTHING = Tally()


def per_trick(points: int) -> Tally:
    """Points for each trick taken."""
    return Tally((Term(points, "for each trick", lambda trick: trick.counts),))


def per_card(points: int, cards: int, what: str) -> Tally:
    """Points for each card of a set that was taken; ``what``: the words for it, such as "for each heart"."""

    def count(trick: Trick) -> list[int]:
        return [(taken & cards).bit_count() for taken in trick.taken]

    return Tally((Term(points, what, count),))


def last_tricks(how_many: int, points: int) -> Tally:
    """Points for each of the last tricks of a whole deal."""

    def count(trick: Trick) -> list[int]:
        last = trick.winners[trick.size - how_many :]
        return [last.count(seat) for seat in range(len(trick.counts))]

    what = f"for each of the last {how_many} tricks" if how_many > 1 else "for the last trick"
    return Tally((Term(points, what, count),))


def card_values(values: dict[int, int]) -> Tally:
    """The value of each card that was taken, by card."""

    def count(trick: Trick) -> list[int]:
        return [sum(values.get(card, 0) for card in members(taken)) for taken in trick.taken]

    return Tally((Term(1, "for each point on the cards taken", count),))


def as_counted(deal: Deal, counts: list[int]) -> list[int]:
    """Each player scores what he counts."""
    return counts


def never(trick: Trick) -> bool:
    """Played to the end."""
    return False


def at_once(trick: Trick) -> bool:
    """Over before the first trick."""
    return True


def when_taken(cards: int) -> Stop:
    """Stop at the end of the trick in which the last of these cards was taken."""

    def stop(trick: Trick) -> bool:
        rest = cards
        for taken in trick.taken:
            rest &= ~taken
        return not rest

    stop.__doc__ = "Over at the end of the trick in which the last card that counts was taken."
    return stop


def no_outcome(deal: Deal) -> Sequence[str | None]:
    """The scores say all."""
    return (None,) * len(deal.hands)


@dataclass(frozen=True, kw_only=True)
class Contract:
    """What a deal is played for.

    ``plain_order``, ``trump_order``: ranks from the lowest to the highest. ``trump``: a suit, or none. ``outcome``: the
    words for how a deal that is over ended for each seat, for statistics, where players have them.
    """

    id: str
    tally: Tally = NOTHING
    settlement: Settlement = as_counted
    obligations: tuple[Obligation, ...] = (follow_suit,)
    trump: int | None = None
    stop: Stop = never
    outcome: Outcome = no_outcome
    plain_order: str = KING_ORDER
    trump_order: str = KING_ORDER


def mirrored(contracts: Sequence[Contract], ids: Sequence[str]) -> tuple[Contract, ...]:
    """The same contracts under other names, with what was lost now won."""
    return tuple(replace(row, id=name, tally=-row.tally) for row, name in zip(contracts, ids, strict=True))
