"""Who does better in whose company than in all other company: what two entries that help each other cannot hide."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse
from scipy.special import stdtrit

from cluster.statistics.blocks import BlockTable, Bools, Floats, Ints, block_table, group_of
from cluster.statistics.comparisons import MIN_BLOCKS
from cluster.statistics.points import rate_points

#: Of lists in which nobody helps anybody, so many have a pair that is flagged.
FALSE_ALARMS = 0.01


@dataclass(frozen=True, eq=False)
class Favours:
    """What the row's bot does for the column's, (n, n), by sitting at its table as an opponent."""

    bots: tuple[str, ...]  # sorted
    gain: Floats  # places by which the column's bot ends higher than its strength promises, mean over blocks; nan: unknown
    t: Floats  # the gain in standard errors over blocks; 0 where too few have both, or none varies
    blocks: Ints  # blocks with both
    flagged: Bools  # beyond doubt, all pairs of the list considered


def favours(matches: pl.DataFrame, anchor: str) -> Favours:
    """Look for bots that help others, among those that are joined to ``anchor`` by common opponents.

    ``matches``: as for `cluster.statistics.blocks.block_table`. Mixed partners are left out: they are meant to help each other.
    A flag is no proof, as styles may suit each other. Of bots that always sit with the same others nothing can be told.

    Raises:
        UnknownBot: ``anchor`` sits in no block.
    Source: partner-conditional scores against a null without company, Student's t over blocks, Bonferroni over ordered pairs.
    """
    table = block_table(matches.with_columns(total=-pl.col("rank").cast(pl.Int64)))  # places: the higher the better in every game
    table = group_of(table, anchor)
    rest, seated = _residuals(table, rate_points(table, anchor=anchor).points)
    with np.errstate(divide="ignore", invalid="ignore"):
        blocks = (seated.T @ seated).toarray()
        gain = (seated.T @ rest).toarray() / blocks
        variance = ((seated.T @ rest.power(2)).toarray() / blocks - gain**2) * blocks / (blocks - 1)
        t = gain / np.sqrt(variance / blocks)
    known = ~np.eye(len(table.bots), dtype=bool) & (blocks >= MIN_BLOCKS) & (variance > 1e-12)
    t = np.where(known, t, 0.0)
    critical = stdtrit(np.maximum(blocks - 1, 1), 1 - FALSE_ALARMS / max(1, int(known.sum())))
    return Favours(table.bots, np.where(known, gain, np.nan), t, blocks.astype(np.int64), t > critical)


def _residuals(table: BlockTable, strength: Floats) -> tuple[sparse.csr_array, sparse.csr_array]:
    """By block and bot that sits for itself: places beyond those that its strength promises; and 1 where it sits."""
    places = table.places
    side = table.weights @ strength
    company = np.bincount(places.block, places.places / places.size * side[places.side], len(table.blocks))
    beyond = places.points / places.places - (side[places.side] - company[places.block])
    alone = places.side < len(table.bots)
    where, shape = (places.block[alone], places.side[alone]), (len(table.blocks), len(table.bots))
    return sparse.csr_array((beyond[alone], where), shape=shape), sparse.csr_array((np.ones(alone.sum()), where), shape=shape)
