"""What the cards of one suit are worth to whoever holds them: tricks and points that they will take.

A suit is looked at alone, as a set of 13 ranks of one's own and a set of those unseen. What comes out is kept:
the same few pairs of sets come up again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bots.reference.chances import WINS_IF_DUCKED
from referee.rules.cards import RANKS
from referee.rules.trick import KING_ORDER

#: Tricks and points that the cards of a suit will take.
Holding = tuple[float, float]
#: The winning chance of each of one's own cards: ``(unseen above each, from the lowest up; unseen) -> chances``.
Chances = Callable[[list[int], int], list[float]]

_MOST_KEPT = 100_000
_DUCKED = WINS_IF_DUCKED[2][3]

#: A card that is not the highest wins in the end, by cards above it (0 to 3) and own cards below it (0 to 3).
_STANDS = ((0.95, 0.97, 0.97, 0.97), (0.30, 0.60, 0.70, 0.75), (0.12, 0.20, 0.40, 0.50), (0.05, 0.08, 0.12, 0.25))
#: A plain suit's round is not ruffed, by rounds played before.
_NOT_RUFFED = (0.92, 0.75, 0.40, 0.15) + (0.05,) * 10


class SuitTable:
    """The holdings of one suit under one way of playing it.

    ``worth``: points for each rank; ``captures``: how much of the points that lie lower a winning card brings home;
    ``order``: the ranks from the lowest to the highest.
    """

    def __init__(self, worth: Sequence[float], chances: Chances, captures: float, order: str = KING_ORDER) -> None:
        self.worth = worth
        self.chances = chances
        self.captures = captures
        self.order = [RANKS.index(rank) for rank in order]
        self.known: dict[int, Holding] = {}

    def holding(self, mine: int, unseen: int) -> Holding:
        """Tricks and points to be expected from ``mine``; both sets are of ranks."""
        key = mine << 13 | unseen
        found = self.known.get(key)
        if found is None:
            if len(self.known) > _MOST_KEPT:
                self.known.clear()
            found = self.known[key] = self._work_out(mine, unseen)
        return found

    def _work_out(self, mine: int, unseen: int) -> Holding:
        worth = self.worth
        count = unseen.bit_count()
        ranks, above, below = [], [], []
        lower, lower_worth = 0, 0.0
        for rank in self.order:
            if unseen >> rank & 1:
                lower += 1
                lower_worth += worth[rank]
            elif mine >> rank & 1:
                ranks.append(rank)
                above.append(count - lower)
                below.append(lower_worth)
        chances = self.chances(above, count)
        points = sum(
            chance * (worth[rank] + self.captures * less)
            for rank, chance, less in zip(ranks, chances, below, strict=True)
        )
        return sum(chances), points


def when_ducking(above: list[int], unseen: int) -> list[float]:
    """Everybody plays low: the lowest card goes to the first round of the suit."""
    chances = []
    for turn, higher in enumerate(above):
        rest = unseen - 3 * turn
        played = 1.0 - 0.1 * turn if rest >= 3 else 0.6 if rest > 0 else 0.1
        chances.append(played * _DUCKED[higher][max(0, unseen - higher - 2 * turn)])
    return chances


def when_fighting(above: list[int], unseen: int) -> list[float]:
    """Everybody wants tricks, and there is no trump."""
    return [
        max(_stands(higher, below), 0.7 if unseen < 3 * (len(above) - 1 - below) else 0.0)
        for below, higher in enumerate(above)
    ]


def when_ruffed(above: list[int], unseen: int) -> list[float]:
    """Everybody wants tricks, and another suit is trump."""
    return [
        _stands(higher, below) * _NOT_RUFFED[max(higher, len(above) - 1 - below)] for below, higher in enumerate(above)
    ]


def when_trump(above: list[int], unseen: int) -> list[float]:
    """The suit is trump: also a low card may take a trick in which others follow suit."""
    return [
        max(_stands(higher, below), 0.9 if unseen < 3 * (len(above) - 1 - below) else 0.45)
        for below, higher in enumerate(above)
    ]


def at_the_end(above: list[int], unseen: int) -> list[float]:
    """Only the last tricks count: how dangerous a card is to have left."""
    return [1 - higher / unseen if unseen else 0.4 for higher in above]


def _stands(higher: int, below: int) -> float:
    return _STANDS[higher][min(below, 3)] if higher < 4 else 0.0
