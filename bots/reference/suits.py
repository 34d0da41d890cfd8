"""What the cards of one suit are worth to whoever holds them: tricks and points that they will take.

A suit is looked at alone, as a set of 13 ranks of one's own and a set of those unseen. What comes out is kept:
few pairs of sets come up again and again.
"""

from __future__ import annotations

from collections.abc import Callable

from bots.reference.chances import WINS_IF_DUCKED

#: Tricks and points that the cards of a suit will take.
Holding = tuple[float, float]
#: The winning chance of each of one's own cards, ascending by rank: ``(ranks, unseen) -> chances``.
Chances = Callable[[list[int], int], list[float]]

_MOST_KEPT = 100_000
_DUCKED = WINS_IF_DUCKED[2][3]

#: A card that is not the highest wins in the end, by cards above it (0 to 3) and own cards below it (0 to 3).
_STANDS = ((0.95, 0.97, 0.97, 0.97), (0.30, 0.60, 0.70, 0.75), (0.12, 0.20, 0.40, 0.50), (0.05, 0.08, 0.12, 0.25))
#: A plain suit's round is not ruffed, by rounds played before.
_NOT_RUFFED = (0.92, 0.75, 0.40, 0.15, 0.08, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05)


class SuitTable:
    """The holdings of one suit under one way of playing it.

    ``worth``: points for each rank; ``captures``: how much of the points that lie lower a winning card brings home.
    """

    def __init__(self, worth: tuple[float, ...], chances: Chances, captures: float) -> None:
        self.worth = worth
        self.chances = chances
        self.captures = captures
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
        ranks = [rank for rank in range(13) if mine >> rank & 1]
        tricks = points = 0.0
        for rank, chance in zip(ranks, self.chances(ranks, unseen), strict=True):
            below = sum(self.worth[other] for other in range(rank) if unseen >> other & 1)
            tricks += chance
            points += chance * (self.worth[rank] + self.captures * below)
        return tricks, points


def when_ducking(ranks: list[int], unseen: int) -> list[float]:
    """Everybody plays low: the lowest card goes to the first round of the suit."""
    chances = []
    total = unseen.bit_count()
    for turn, rank in enumerate(ranks):
        higher = (unseen >> rank).bit_count()
        lower = total - higher
        rest = total - 3 * turn
        played = 1.0 if rest >= 3 else 0.75 if rest > 0 else 0.3
        chances.append(played * _DUCKED[max(0, higher - turn)][max(0, lower - 2 * turn)])
    return chances


def when_fighting(ranks: list[int], unseen: int) -> list[float]:
    """Everybody wants tricks, and there is no trump."""
    chances = []
    total = unseen.bit_count()
    for below, rank in enumerate(ranks):
        higher = (unseen >> rank).bit_count()
        chance = _STANDS[higher][min(below, 3)] if higher < 4 else 0.03
        if total < 3 * (len(ranks) - 1 - below):
            chance = max(chance, 0.7)
        chances.append(chance)
    return chances


def when_ruffed(ranks: list[int], unseen: int) -> list[float]:
    """Everybody wants tricks, and another suit is trump."""
    chances = []
    for below, rank in enumerate(ranks):
        higher = (unseen >> rank).bit_count()
        chance = _STANDS[higher][min(below, 3)] if higher < 4 else 0.0
        chances.append(chance * _NOT_RUFFED[max(higher, len(ranks) - 1 - below)])
    return chances


def when_trump(ranks: list[int], unseen: int) -> list[float]:
    """The suit is trump: also a low card may take a trick in which others follow suit."""
    chances = []
    total = unseen.bit_count()
    for below, rank in enumerate(ranks):
        higher = (unseen >> rank).bit_count()
        chance = _STANDS[higher][min(below, 3)] if higher < 4 else 0.0
        low = 0.45 if total else 1.0
        if total < 3 * (len(ranks) - 1 - below):
            low = 0.9
        chances.append(max(chance, low))
    return chances


def at_the_end(ranks: list[int], unseen: int) -> list[float]:
    """Only the last tricks count: how dangerous a card is to have left."""
    total = unseen.bit_count()
    return [0.4 if not total else (total - (unseen >> rank).bit_count()) / total for rank in ranks]
