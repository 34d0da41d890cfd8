"""The headline: Elo ratings of all bots of a list from all its blocks at once, and how sure they are."""

from dataclasses import dataclass, replace
from math import log

import numpy as np
import polars as pl
from scipy.sparse import csgraph
from scipy.special import chdtrc

from cluster.statistics.blocks import BlockTable, Bools, Floats, Ints, group_of, shared_blocks
from cluster.statistics.bradley_terry import clustered_covariance, fit, pair_scores, surprises
from cluster.statistics.comparisons import Comparison, Difference, Ranking, Relation, ranking

ELO = 400 / log(10)  # Elo points in a natural unit of strength


@dataclass(frozen=True)
class Misfit:
    """A rough test of the model over all pairs; a small ``p_value`` says that one number a bot is too little."""

    chi_square: float
    degrees: int  # 0: nothing to test
    p_value: float  # 1 where there is nothing to test


@dataclass(frozen=True, eq=False)
class HeadToHead:
    """What each side did against each other; m sides: the bots first, then the mixed partners that occurred."""

    sides: tuple[str, ...]  # (m,) names
    scores: Floats  # (m, m) points of row against column, a draw a half
    counts: Floats  # (m, m) results between row and column
    residual_z: Floats  # (m, m) points beyond the ratings' promise, in standard errors; 0 where they never met
    misfit: Misfit


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of n bots; arrays stand in the order of ``bots``."""

    bots: tuple[str, ...]  # sorted; those with a path of common opponents to the anchor
    anchor: str
    prior_games: float  # drawn games against a ghost that each bot was given
    comparison: Comparison  # Elo with its covariance, for any pair
    elo: Floats  # (n,)
    se: Floats  # (n,) Elo, relative to the anchor; its own is 0
    low: Floats  # (n,) Elo, 95 % interval relative to the anchor
    high: Floats  # (n,) Elo
    blocks: Ints  # (n,) blocks in which the bot sat; below 10 show it grey
    ranking: Ranking
    above: Bools  # (n, n) a chain of wins leads from row to column and none back: no interval, only ">"
    tier: Ints  # (n,) bots of one tier are joined by wins both ways; 0 the highest
    head_to_head: HeadToHead
    unconnected: tuple[str, ...]  # bots without any path to the anchor: other lists

    def difference(self, first: str, second: str) -> Difference:
        """Compare two bots in Elo; its ``relation`` says whether the interval means anything.

        Raises:
            UnknownBot: one of them is not on this list.
        """
        i, j = self.comparison.index(first), self.comparison.index(second)
        relation: Relation = "measured" if self.tier[i] == self.tier[j] else "unknown"
        if self.above[i, j] or self.above[j, i]:
            relation = "above" if self.above[i, j] else "below"
        return replace(self.comparison.difference(first, second), relation=relation)

    def frame(self) -> pl.DataFrame:
        """The list as people read it: a row a bot, the highest first, equals by name."""
        ranking = self.ranking
        columns = {"bot": self.bots, "elo": self.elo, "se": self.se, "low": self.low, "high": self.high}
        columns |= {"blocks": self.blocks, "chance_best": ranking.chance_best, "expected_rank": ranking.expected}
        columns |= {"rank_low": ranking.low, "rank_high": ranking.high, "tier": self.tier}
        return pl.DataFrame(columns).sort("elo", "bot", descending=[True, False])


def rate(table: BlockTable, *, anchor: str, prior_games: float = 1.0, anchor_rating: float = 1500.0) -> Ratings:
    """Fit pair-point Bradley–Terry ratings to all blocks at once.

    The result holds the bots with a path of common opponents to ``anchor``, which is fixed at ``anchor_rating``;
    the others are in ``unconnected`` and have a list of their own under another anchor. Errors are clustered by
    block; they mean little for a bot with fewer than 10.

    Raises:
        UnknownBot: ``anchor`` sits in no block.
        NoConvergence: without ``prior_games``, where somebody won or lost everything.
    Source: statistics.md §3; Bradley and Terry 1952; cluster sandwich, Liang and Zeger 1986.
    """
    group, theta, scores, comparison = _fitted(table, anchor, prior_games, anchor_rating)
    se, low, high = comparison.interval(anchor)
    above, tier = _tiers(group, scores)
    return Ratings(
        bots=group.bots,
        anchor=anchor,
        prior_games=prior_games,
        comparison=comparison,
        elo=comparison.values,
        se=se,
        low=low,
        high=high,
        blocks=comparison.blocks,
        ranking=ranking(comparison),
        above=above,
        tier=tier,
        head_to_head=_head_to_head(group, theta, scores),
        unconnected=tuple(sorted(set(table.bots) - set(group.bots))),
    )


def compare(table: BlockTable, *, anchor: str) -> Comparison:
    """The ratings of the anchor's list with their joint uncertainty alone; see `rate`, which costs ten times as much."""
    return _fitted(table, anchor, 1.0, 1500.0)[3]


def _fitted(
    table: BlockTable, anchor: str, prior_games: float, anchor_rating: float
) -> tuple[BlockTable, Floats, Floats, Comparison]:
    """The anchor's group, its strengths, its pair scores, and the ratings with their covariance."""
    group = group_of(table, anchor)
    scores = pair_scores(group)
    theta, inverse = fit(scores, group.weights, prior_games=prior_games)
    covariance = clustered_covariance(group, theta, inverse)
    elo = anchor_rating + ELO * (theta - theta[group.bots.index(anchor)])
    return group, theta, scores, Comparison(group.bots, elo, ELO**2 * covariance, shared_blocks(group))


def _tiers(table: BlockTable, scores: Floats) -> tuple[Bools, Ints]:
    """Order the bots that wins do not join both ways: who is above whom (n, n), and the tier of each (n,)."""
    beats = table.weights.T @ (scores > 0) @ table.weights > 0
    reaches = np.isfinite(csgraph.shortest_path(beats.astype(float), unweighted=True))
    above, mutual = reaches & ~reaches.T, reaches & reaches.T
    # Whoever stands below another one has more above it; the least member tells apart tiers that have as many.
    place = np.stack([above.sum(axis=0), mutual.argmax(axis=1)])
    _, tier = np.unique(place, axis=1, return_inverse=True)
    return above, tier.astype(np.int64)


def _head_to_head(table: BlockTable, theta: Floats, scores: Floats) -> HeadToHead:
    counts, z = scores + scores.T, _residual_z(table, theta)
    met = int(np.count_nonzero(np.triu(counts)))
    degrees = max(met - (len(theta) - 1), 0)
    chi_square = float(np.sum(np.triu(z) ** 2))
    misfit = Misfit(chi_square, degrees, float(chdtrc(degrees, chi_square)) if degrees else 1.0)
    return HeadToHead(table.sides, scores, counts, z, misfit)


def _residual_z(table: BlockTable, theta: Floats) -> Floats:
    """Test each pair of sides, (m, m): the sum of the blocks' mean surprises over its clustered error."""
    pairs, m = table.pairs, len(table.members)
    surprise = surprises(table, theta) / pairs.count
    cell = pairs.i * m + pairs.j
    total, squares = np.bincount(cell, surprise, m * m), np.bincount(cell, surprise**2, m * m)
    z = (total / np.sqrt(np.where(squares > 0, squares, 1.0))).reshape(m, m)
    return z - z.T
