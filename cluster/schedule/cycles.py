"""Cycles: lists of tables over which all bots meet equally often, as far as that can be.

Bots are numbers here; which bot has which number is settled anew for every cycle (`cluster.schedule.lineups`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cluster.schedule.designs import DESIGNS

Table = tuple[int, ...]
#: The three ways to pair opposite seats, as orders of a line-up of four.
PAIRINGS = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2))
#: How often two bots meet on average in a cycle of the balancer.
MEETINGS = 6
#: How many of the pairs that met least are tried as the beginning of a table.
STARTS = 12


class Cycle(Sequence[Table]):
    """The tables of one cycle, made as they are asked for; each table lists the bots by place."""

    def __init__(self, bots: int, places: int) -> None:
        self._balancer = Balancer(bots, places)
        self._tables: list[Table] = []
        self._length = -(-MEETINGS * bots * (bots - 1) // (places * (places - 1)))

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, number: int) -> Table:  # type: ignore[override]  # nobody slices it
        if not 0 <= number < self._length:
            raise IndexError(number)
        while len(self._tables) <= number:
            self._tables.append(self._balancer.next())
        return self._tables[number]


class Balancer:
    """Seats those who met least, a table after another; numbers of bots below ``bots``.

    Deterministic to the last bit: ties are broken by whole numbers.
    Source: statistics.md §9 (greedy balancer): pair counts stay within 1 or 2 of their mean.
    """

    def __init__(self, bots: int, places: int) -> None:
        self.places = places
        self.met = np.zeros((bots, bots))
        self.opposite = np.zeros((bots, bots))
        mixed = np.arange(bots * bots, dtype=np.uint64) * np.uint64(2654435761) % np.uint64(1 << 32)
        tie = (mixed / (1 << 32) * 0.001).reshape(bots, bots)
        self._tie = np.triu(tie, 1) + np.triu(tie, 1).T

    def next(self) -> Table:
        """The next table, which is counted as played."""
        seats = self.met.sum(axis=1) / (self.places - 1)
        cost = self.met + 0.05 * (seats[:, None] + seats[None, :]) + self._tie
        table = self.seated(cheapest(cost, self.places))
        self.count(table)
        return table

    def seated(self, chosen: Table) -> Table:
        """The order of these bots in which those sit opposite who did so least; only four have opposites."""
        if len(chosen) != 4:
            return chosen
        orders = [tuple(chosen[place] for place in order) for order in PAIRINGS]
        return min(orders, key=lambda o: (self.opposite[o[0], o[2]] + self.opposite[o[1], o[3]]))

    def count(self, table: Table, times: int = 1) -> None:
        """Remember who met whom."""
        for at, one in enumerate(table):
            for other in table[:at]:
                self.met[one, other] += times
                self.met[other, one] += times
        if len(table) == 4:
            for one, other in (table[::2], table[1::2]):
                self.opposite[one, other] += times
                self.opposite[other, one] += times


def cheapest(cost: npt.NDArray[np.float64], places: int) -> Table:
    """The table with the least sum of costs of its pairs, as far as a greedy search finds it.

    ``cost``: symmetric, (n, n). Each of the cheapest pairs is completed by whoever costs least with those seated.
    """
    n = len(cost)
    first, second = np.triu_indices(n, 1)
    pairs = cost[first, second]
    starts = _least(pairs)
    tables = np.stack([first[starts], second[starts]], axis=1)
    total = pairs[starts]
    for _ in range(places - 2):
        extra = cost[tables].sum(axis=1)
        np.put_along_axis(extra, tables, np.inf, axis=1)
        third = extra.argmin(axis=1)
        total = total + np.take_along_axis(extra, third[:, None], axis=1)[:, 0]
        tables = np.concatenate([tables, third[:, None]], axis=1)
    return tuple(int(bot) for bot in tables[total.argmin()])


def _least(pairs: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """The numbers of the cheapest pairs, equals in order; without sorting all of them."""
    last = min(STARTS, pairs.size) - 1
    near = np.flatnonzero(pairs <= np.partition(pairs, last)[last])
    return near[np.argsort(pairs[near], kind="stable")][:STARTS].astype(np.int64)


@lru_cache(maxsize=16)
def cycle(bots: int, places: int) -> Sequence[Table]:
    """The cycle for so many bots at tables of so many places; more bots than places.

    Two places: a round robin in rounds. Four places and 5 to 25 bots: an exact design. Else: the balancer.
    """
    if places == 2:
        return _round_robin(bots)
    if places == 4 and bots in DESIGNS:
        return _spread(DESIGNS[bots].tables(), bots)
    return Cycle(bots, places)


def _round_robin(bots: int) -> tuple[Table, ...]:
    """The circle method: in each round everybody plays once, or all but one."""
    ring = list(range(bots)) + [-1] * (bots % 2)
    tables = []
    for _ in range(len(ring) - 1):
        pairs = zip(ring, reversed(ring), strict=True)
        tables += [pair for pair in list(pairs)[: len(ring) // 2] if -1 not in pair]
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return tuple(tables)


def _spread(tables: Sequence[Table], bots: int) -> tuple[Table, ...]:
    """Order the tables so that any beginning of the cycle seats everybody about as often, and new pairs first."""
    left, spread, counts = list(tables), [], Balancer(bots, len(tables[0]))
    while left:
        seats = counts.met.sum(axis=1)
        cost = seats[:, None] + counts.met
        best = min(left, key=lambda table: (float(cost[np.ix_(table, table)].sum()), table))
        left.remove(best)
        spread.append(best)
        counts.count(best)
    return tuple(spread)
