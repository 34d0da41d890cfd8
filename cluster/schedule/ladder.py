"""Who plays next in a list that goes on and on: newcomers first, then all about equally often, then where results tell most.

A pure function of who is in the field, of all line-ups so far, and of the ratings that they led to. What it says is written down
before it is played (`cluster.store`), so that nobody has to work it out again. Source: statistics.md §8 and §9.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from cluster.schedule.adaptive import BASE, base, cost, learn
from cluster.schedule.cycles import Balancer, Table, cheapest
from cluster.schedule.lineups import sets
from cluster.schedule.seating import Design
from cluster.statistics.blocks import Floats
from cluster.statistics.comparisons import MIN_BLOCKS, Comparison

#: A newcomer is placed once its standard error is at most so many times that of the others, or after so many blocks.
NEAR_ENOUGH, PLACED_AFTER = 1.25, 30
#: The part of a round that goes to newcomers, and where there are none to open questions; the rest stays balanced.
CHOSEN = 0.7

Names = tuple[str, ...]


def next_lineups(
    field: Sequence[str], past: Sequence[Names], comparison: Comparison | None, design: Design, size: int
) -> list[Names]:  # fmt: skip
    """The line-ups of the next ``size`` blocks.

    ``field``: who may sit, always in the same order. ``past``: every line-up so far, of those that are gone too.
    ``comparison``: the ratings by all of these blocks; None while there is nothing to compare.
    """
    if len(field) <= design.places:
        return _everybody(field, len(past), design, size)
    seats = _Seats(field, past, comparison, design.places)
    newcomers, settled = seats.newcomers(), seats.is_settled()
    others = [bot for bot in range(len(field)) if bot not in newcomers]
    chosen = round(CHOSEN * size)
    tables: list[Table] = []
    if newcomers and len(others) >= design.places - 1:
        tables = [seats.placing(newcomers, others) for _ in range(chosen)]
    elif not newcomers and settled:
        tables = [seats.telling() for _ in range(chosen)]
    tables += [seats.balanced() for _ in range(size - len(tables))]
    return [tuple(field[bot] for bot in table) for table in tables]


def _everybody(field: Sequence[str], start: int, design: Design, size: int) -> list[Names]:
    """As many bots as places or fewer: all of them each time, and the ways in which they can sit in turn."""
    ways = [tuple(table[place] for place in order) for order in design.orders for table in sets(len(field), design.places)]
    return [tuple(field[bot] for bot in ways[number % len(ways)]) for number in range(start, start + size)]


class _Seats:
    """Seats a field of bots, which are numbers here, table after table."""

    def __init__(self, field: Sequence[str], past: Sequence[Names], comparison: Comparison | None, places: int) -> None:
        self._field = field
        self._comparison = comparison
        self._places = places
        self._balancer, self._lately = Balancer(len(field), places), Balancer(len(field), places)
        self._known = np.zeros((len(field), len(field)))
        self._blocks = np.zeros(len(field), dtype=np.int64)
        number = {name: bot for bot, name in enumerate(field)}

        def seated(lineup: Names) -> Table:
            return tuple(number[name] for name in dict.fromkeys(lineup) if name in number)

        for lineup, times in sorted(Counter(past).items()):
            self._count(seated(lineup), times)
        for lineup in past[-base(len(field), places) :]:
            self._lately.count(seated(lineup))

    def newcomers(self) -> list[int]:
        """Those of whom next to nothing is known beside the others."""
        few = self._blocks < PLACED_AFTER
        errors = self._errors()
        usual = [error for error, is_few in zip(errors, few, strict=True) if not is_few and np.isfinite(error)]
        thin = self._blocks < MIN_BLOCKS
        limit = NEAR_ENOUGH * float(np.median(usual)) if usual else np.inf
        return [int(bot) for bot in np.flatnonzero(few & (thin | (np.round(errors, 6) > round(limit, 6))))]

    def is_settled(self) -> bool:
        """All are rated, and met each other often enough for results to decide who meets whom."""
        pairs = np.triu_indices(len(self._field), 1)
        rated = self._comparison is not None and set(self._field) <= set(self._comparison.bots)
        return rated and float(self._balancer.met[pairs].mean()) >= BASE

    def placing(self, newcomers: Sequence[int], others: Sequence[int]) -> Table:
        """The newcomer who sat least, with others from all over the order, whom it met least."""
        new = min(newcomers, key=lambda bot: (self._blocks[bot], bot))
        parts = np.array_split(np.array(self._in_order(others)), self._places - 1)
        met, blocks = self._balancer.met, self._blocks
        return self._taken((new, *(min(map(int, part), key=lambda bot: (met[new, bot], blocks[bot], bot)) for part in parts)))

    def telling(self) -> Table:
        """Those of whom it is hardest to say who is better."""
        assert self._comparison is not None
        return self._taken(cheapest(cost(self._comparison, self._field, self._balancer.met, self._known), self._places))

    def balanced(self) -> Table:
        """Those who met least lately; beside all that was before, a newcomer would sit at every table for ever."""
        table = self._lately.next()
        self._count(table, 1)
        return table

    def _taken(self, chosen: Table) -> Table:
        table = self._balancer.seated(chosen)
        self._count(table, 1)
        self._lately.count(table)
        return table

    def _count(self, table: Table, times: int) -> None:
        if table:
            self._balancer.count(table, times)
            learn(self._known, table, times)
            self._blocks[list(table)] += times

    def _in_order(self, bots: Sequence[int]) -> list[int]:
        """The best first; those without a rating last."""
        known = self._comparison
        values = {} if known is None else dict(zip(known.bots, known.values.tolist(), strict=True))
        return sorted(bots, key=lambda bot: (-round(values.get(self._field[bot], -1e9), 6), bot))

    def _errors(self) -> Floats:
        """Standard error of each bot's rating beside the mean of the others', (n,); infinite where there is no rating."""
        errors = np.full(len(self._field), np.inf)
        if self._comparison is None:
            return errors
        index = {name: place for place, name in enumerate(self._comparison.bots)}
        here = [bot for bot, name in enumerate(self._field) if name in index]
        if len(here) < 2:
            return errors
        covariance = self._comparison.covariance[np.ix_(*[[index[self._field[bot]] for bot in here]] * 2)]
        contrast = (len(here) * np.eye(len(here)) - 1) / (len(here) - 1)
        errors[here] = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", contrast, covariance, contrast), 0.0))
        return errors
