"""Where the next blocks tell most: the questions that are still open, after a balanced base.

In rounds, see `cluster.schedule.rounds`. Seven tenths of a round go where neighbours in the order are hard to tell apart, the
rest stays balanced, so that a model that is wrong shows. Source: statistics.md §8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

import numpy as np
import polars as pl
from scipy.special import ndtr

from cluster.schedule.cycles import Balancer, Table, cheapest
from cluster.schedule.lineups import balanced
from cluster.schedule.seating import Block
from cluster.schedule.sequence import Blocks, design_of
from cluster.statistics.blocks import Bools, Floats, block_table
from cluster.statistics.comparisons import Comparison
from cluster.statistics.ratings import compare
from cluster.statistics.sequential import watched_critical
from cluster.tournament import Tournament

#: Meetings of each pair, on average, before results decide anything.
BASE = 20
#: Blocks of a round, and how many of them stay balanced.
ROUND, STEADY = 30, 9


class Adaptive:
    """The blocks of an adaptive tournament, a round after another."""

    def __init__(self, tournament: Tournament) -> None:
        self._names = tuple(bot.name for bot in tournament.bots)
        self._design = design_of(tournament)
        self._make = Blocks(tournament)
        self._budget = tournament.blocks
        self._steady = balanced(len(self._names), self._design, tournament.key)
        self._seen = Balancer(len(self._names), self._design.places) if self._may_choose else None
        self._known = np.zeros((len(self._names),) * 2)
        self.ids: list[str] = []

    def base(self) -> list[Block]:
        """The first round: all meet often enough to begin with."""
        bots, places = len(self._names), self._design.places
        blocks = base(bots, places) if self._may_choose else ROUND
        return [self._block(lineup) for lineup, _ in islice(self._steady, min(blocks, self._budget))]

    def next(self, matches: pl.DataFrame) -> list[Block]:
        """The next round, by the results of all rounds so far; empty when the order is settled or the budget is spent.

        ``matches``: the `matches` table; what belongs to no round of this plan is left out.
        """
        size = min(ROUND, self._budget - len(self.ids))
        if size <= 0:
            return []
        comparison = compared(matches.filter(pl.col("block_id").is_in(self.ids)))
        if comparison is not None and not open_questions(comparison):
            return []
        return [self._block(lineup) for lineup in self._lineups(comparison, size)]

    @property
    def _may_choose(self) -> bool:
        return len(self._names) > self._design.places

    def _lineups(self, comparison: Comparison | None, size: int) -> Iterator[Table]:
        ready = comparison is not None and self._seen is not None and set(comparison.bots) == set(self._names)
        steady = min(STEADY, size) if ready else size
        yield from (lineup for lineup, _ in islice(self._steady, steady))
        for _ in range(size - steady):
            assert comparison is not None
            assert self._seen is not None
            chosen = cheapest(self._cost(comparison), self._design.places)
            yield self._seen.seated(chosen)

    def _cost(self, comparison: Comparison) -> Floats:
        assert self._seen is not None
        return cost(comparison, self._names, self._seen.met, self._known)

    def _block(self, lineup: Table) -> Block:
        """The next block; what it will tell does not depend on how it ends, so it is counted already."""
        block = self._make.block(len(self.ids), tuple(self._names[bot] for bot in lineup), len(self.ids))
        self.ids.append(block.id)
        if self._seen is not None:
            self._seen.count(lineup)
            learn(self._known, lineup)
        return block


def base(bots: int, places: int) -> int:
    """Blocks in which all meet often enough to begin with."""
    return -(-BASE * bots * (bots - 1) // (places * (places - 1)))


def cost(comparison: Comparison, names: Sequence[str], met: Floats, known: Floats) -> Floats:
    """What it costs to seat two of these bots at one table, (n, n): least where it tells most.

    ``met``: how often they met, ``known``: see `learn`; both (n, n). Least where two bots, neighbours in the order, are hardest to
    tell apart; among equals where they met least.
    """
    places = [comparison.bots.index(name) for name in names]
    gaps = np.abs(comparison.values[:, None] - comparison.values[None, :])[np.ix_(places, places)]
    measured = comparison.errors()[np.ix_(places, places)] ** 2
    belief = np.linalg.inv(known + 0.001 * np.eye(len(places)))
    doubt = belief.diagonal()[:, None] + belief.diagonal()[None, :] - 2 * belief
    pairs = np.triu_indices(len(places), 1)
    unit = np.sqrt(measured[pairs].mean() / doubt[pairs].mean())  # of a block's contrast, in the ratings' unit
    np.fill_diagonal(doubt, 1.0)
    wrong = ndtr(-gaps / max(unit, 1e-12) / np.sqrt(doubt))
    rank = np.argsort(np.argsort(-comparison.values[places], kind="stable"), kind="stable")
    apart = np.abs(rank[:, None] - rank[None, :])
    weight = np.where(apart == 1, 1.0, np.where(apart == 2, 0.5, 0.0))
    settled = told_apart(comparison)[np.ix_(places, places)]
    priority = np.where(settled, 0.0, weight * wrong * doubt)
    # Rounded, so that the last bits of another machine's arithmetic decide nothing.
    shares = np.round(priority / max(float(priority.max()), 1e-300), 6)
    return met / max(float(met.max()), 1.0) * 1e-3 - shares


def learn(known: Floats, lineup: Sequence[int], blocks: int = 1) -> None:
    """Add to the precision of all contrasts, (n, n), what so many blocks of a line-up will tell, however they end."""
    known[np.ix_(lineup, lineup)] += blocks * 2 * (np.eye(len(lineup)) - 1 / len(lineup))  # variance ½ a place


def compared(matches: pl.DataFrame) -> Comparison | None:
    """The ratings of all bots with their joint uncertainty; None while there is nothing to compare."""
    table = block_table(matches)
    return compare(table, anchor=table.bots[0]) if len(table.bots) > 1 else None


def open_questions(comparison: Comparison) -> list[tuple[str, str]]:
    """Neighbours in the order that are not told apart yet, by bounds that may be looked at after every block.

    The bounds allow for all pairs at once, because which bots are neighbours is known from the same results.
    Source: confidence sequence, statistics.md §7.
    """
    order = np.argsort(-comparison.values, kind="stable")
    apart = told_apart(comparison)
    return [
        (comparison.bots[one], comparison.bots[other])
        for one, other in pairwise(order)
        if not apart[one, other]
    ]


def told_apart(comparison: Comparison) -> Bools:
    """Which pairs differ beyond the bounds, (n, n)."""
    n = len(comparison.bots)
    blocks = np.maximum(comparison.either_blocks(), 1)
    far = np.abs(comparison.scores()) > watched_critical(blocks, comparisons=n * (n - 1) // 2)
    thin = comparison.is_thin
    apart: Bools = far & ~thin[:, None] & ~thin[None, :]
    return apart
