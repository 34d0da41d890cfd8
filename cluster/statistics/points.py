"""Points: adjusted for opponents over the whole list, and contract by contract."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse

from cluster.statistics.blocks import BlockTable, Floats, Ints, complete_blocks, group_of, shared_blocks
from cluster.statistics.bradley_terry import sandwich
from cluster.statistics.comparisons import Comparison, Difference, student
from cluster.statistics.means import shrink
from cluster.statistics.tallies import add_up, tally


@dataclass(frozen=True, eq=False)
class PointRatings:
    """Points a match of n bots relative to the anchor, as against the same opponents; in the order of ``bots``."""

    bots: tuple[str, ...]  # sorted; those with a path of common opponents to the anchor
    anchor: str
    comparison: Comparison  # points with their covariance, for any pair
    points: Floats  # (n,) the anchor has 0
    se: Floats  # (n,) relative to the anchor; its own is 0
    low: Floats  # (n,) 95 % interval relative to the anchor
    high: Floats  # (n,)
    blocks: Ints  # (n,) blocks in which the bot sat; below 10 show it grey
    unconnected: tuple[str, ...]  # bots without any path to the anchor: other lists

    def difference(self, first: str, second: str) -> Difference:
        """Compare two bots in points a match.

        Raises:
            UnknownBot: one of them is not on this list.
        """
        return self.comparison.difference(first, second)


def rate_points(table: BlockTable, *, anchor: str) -> PointRatings:
    """Fit points a match, adjusted for who sat at the table, to all blocks at once.

    Model: a side's points beyond the table's mean are its strength beyond the mean strength of the table.

    Raises:
        UnknownBot: ``anchor`` sits in no block.
    Source: least squares with errors clustered by block; statistics.md §4.
    """
    group = group_of(table, anchor)
    places, weights = group.places, group.weights
    seated = sparse.csr_array((places.places, (places.block, places.side)), shape=(len(group.blocks), len(weights)))
    per_place = sparse.csr_array((places.places / places.size, (places.block, places.side)), shape=seated.shape)
    total = np.bincount(places.side, places.places, len(weights))
    design = weights.T @ (np.diag(total) - (seated.T @ per_place).toarray()) @ weights
    # The sum of all strengths is free, and so is the split between partners who never part: both become even.
    bread = np.linalg.pinv(design, rcond=1e-10, hermitian=True)
    theta = bread @ weights.T @ np.bincount(places.side, places.points, len(weights))
    strength = weights @ theta
    expected = strength[places.side] - (per_place @ strength)[places.block]
    residual = places.points - places.places * expected
    covariance = sandwich(group, places.block, places.side, residual, bread)
    values = theta - theta[group.bots.index(anchor)]
    comparison = Comparison(group.bots, values, covariance, shared_blocks(group))
    se, low, high = comparison.interval(anchor)
    unconnected = tuple(sorted(set(table.bots) - set(group.bots)))
    return PointRatings(group.bots, anchor, comparison, values, se, low, high, comparison.blocks, unconnected)


def contract_scales(deals: pl.DataFrame) -> dict[str, float]:
    """The spread of each contract: the standard deviation of scores about the mean of their deal; 1 where it is 0.

    Take it from the balanced base of a season and keep it, so that old ratings do not move.
    """
    return _scales(tally(deals))


def standardised(matches: pl.DataFrame, deals: pl.DataFrame, scales: Mapping[str, float]) -> pl.DataFrame:
    """Put in place of each ``total`` the sum of the deals' scores in units of their contract's spread.

    A rare heavy penalty then no longer rules the variance. Ranks stay as they were; a match without deals has null.

    Raises:
        polars.exceptions.InvalidOperationError: a contract has no scale.
    """
    unit = pl.col("contract").replace_strict(scales, return_dtype=pl.Float64)
    in_order = deals.sort("match_id", "seat", "deal").group_by("match_id", "seat", maintain_order=True)
    totals = in_order.agg(total=(pl.col("score") / unit).sum())
    return matches.drop("total").join(totals, on=["match_id", "seat"], how="left", maintain_order="left")


def per_contract(deals: pl.DataFrame, matches: pl.DataFrame) -> pl.DataFrame:
    """``contract_table`` of all complete blocks."""
    return contract_table(tally(_rated(deals, matches)))


def contract_table(tallies: pl.DataFrame) -> pl.DataFrame:
    """Show where each bot wins and loses its points: a row per bot and contract, sorted.

    ``tallies``: of complete blocks, in any order, see `cluster.statistics.tallies`. ``deals`` counts rows, so two for a bot in two seats. ``points`` are as scored, a deal;
    ``edge`` is the score minus the mean of the same deal's table, and ``edge_shrunk`` draws it towards the bot's edge
    in all contracts, in units of each contract's spread (null if no cell of the bot has two blocks). Intervals are
    95 %, clustered by block, and null for a single block. ``declarer`` is the share of the deals with a declarer that
    the bot declared; it and ``points_declaring``/``points_defending`` are null where nobody declares, ``tricks`` (a
    deal) where they are not counted.
    Source: statistics.md §5.
    """
    whole, size = add_up(tallies), pl.col("size")
    cells = whole.with_columns(e=pl.col("e") / size, ee=pl.col("ee") / size.pow(2), en=pl.col("en") / size)
    sums = cells.group_by("bot", "contract", maintain_order=True).agg(pl.exclude("size").sum())
    declared, defended = pl.col("declared"), pl.col("defended")
    table = sums.select(
        "bot", "contract", "blocks",
        deals=pl.col("n"),
        points=pl.col("s") / pl.col("n"),
        points_se=_cluster_se("s"),
        edge=pl.col("e") / pl.col("n"),
        edge_se=_cluster_se("e"),
        tricks=pl.col("tricks") / _above_0(pl.col("tricks_n")),
        declarer=declared / _above_0(declared + defended),
        points_declaring=pl.col("points_declaring") / _above_0(declared),
        points_defending=pl.col("points_defending") / _above_0(defended),
    ).select("bot", "contract", "deals", pl.exclude("bot", "contract", "deals"))  # fmt: skip
    with_intervals = _intervals(_intervals(table, "points"), "edge")
    return _shrunk(with_intervals, _scales(whole))


def choice_values(deals: pl.DataFrame, matches: pl.DataFrame) -> pl.DataFrame:
    """Show who chooses well: a row per bot that declared, sorted, with ``choices, blocks, value`` and its interval.

    The value of a choice is the declarer's score minus the mean score of the same seat, with the same cards, over the
    games of the block. Only complete blocks count; the interval is null for a single block.
    Source: statistics.md §5.
    """
    same_cards = pl.col("score").mean().over("block_id", "deal", "seat")
    chosen = _rated(deals, matches).with_columns(value=pl.col("score") - same_cards)
    blocks = chosen.filter(pl.col("declarer") == pl.col("seat")).sort("bot", "block_id", "game", "deal")
    sums = blocks.group_by("bot", "block_id", maintain_order=True).agg(pl.col("value").sum(), choices=pl.len())
    cells = sums.group_by("bot", maintain_order=True).agg(
        pl.col("choices").sum().cast(pl.Int64),
        pl.len().cast(pl.Int64).alias("blocks"),
        *_cluster_mean("value", "choices"),
    )
    return _intervals(cells, "value")


def _rated(deals: pl.DataFrame, matches: pl.DataFrame) -> pl.DataFrame:
    return deals.join(complete_blocks(matches).select("block_id").unique(), on="block_id", how="semi")


def _scales(tallies: pl.DataFrame) -> dict[str, float]:
    by_size = tallies.group_by("contract", "size").agg(pl.col("squares", "n").sum()).sort("contract", "size")
    variance = (pl.col("squares") / pl.col("size").pow(2)).sum() / pl.col("n").sum()
    spread = by_size.group_by("contract", maintain_order=True).agg(variance.sqrt())
    return {contract: scale or 1.0 for contract, scale in spread.iter_rows()}


def _above_0(count: pl.Expr) -> pl.Expr:
    return pl.when(count > 0).then(count)


def _cluster_se(of: str) -> pl.Expr:
    """The error of ``means.cluster_mean`` from sums over blocks: Σ(s - mean n)² = Σss - 2 mean Σsn + mean² Σnn."""
    n, blocks = pl.col("n"), pl.col("blocks")
    mean = pl.col(of) / n
    squares = pl.col(2 * of) - 2 * mean * pl.col(f"{of}n") + mean.pow(2) * pl.col("nn")
    # What is left by rounding where all blocks agree is no spread.
    spread = pl.when(squares > 1e-12 * pl.col(2 * of)).then(squares).otherwise(0.0)
    return pl.when(blocks > 1).then((spread * blocks / (blocks - 1)).sqrt() / n)


def _cluster_mean(sums: str, counts: str) -> tuple[pl.Expr, pl.Expr]:
    """``means.cluster_mean`` over a group's blocks, in bulk: the mean, and its error as ``<sums>_se``."""
    s, n, blocks = pl.col(sums), pl.col(counts), pl.len()
    mean = s.sum() / n.sum()
    squares = (s - mean * n).pow(2).sum() * blocks / (blocks - 1)
    return mean, pl.when(blocks > 1).then(squares.sqrt() / n.sum()).alias(f"{sums}_se")


def _intervals(cells: pl.DataFrame, name: str) -> pl.DataFrame:
    """Add ``<name>_low`` and ``<name>_high``, the 95 % bounds, beside ``<name>_se``."""
    half = pl.Series(student(cells["blocks"].to_numpy())) * cells[f"{name}_se"]
    bounds = [(cells[name] - half).alias(f"{name}_low"), (cells[name] + half).alias(f"{name}_high")]
    at = cells.get_column_index(f"{name}_se") + 1
    return cells.insert_column(at, bounds[0]).insert_column(at + 1, bounds[1])


def _shrunk(cells: pl.DataFrame, scales: Mapping[str, float]) -> pl.DataFrame:
    """Add ``edge_shrunk`` behind the edge; a cell of one block takes what its bot's other cells have in common."""
    unit = np.array([scales[contract] for contract in cells["contract"]])
    edge = cells["edge"].to_numpy() / unit
    variance = (cells["edge_se"].fill_null(np.inf).to_numpy() / unit) ** 2
    drawn = np.full(len(cells), np.nan)
    bots = cells["bot"].to_numpy()
    for bot in np.unique(bots):
        mine = bots == bot
        if np.isfinite(variance[mine]).any():
            # Two blocks may agree by chance; no cell is known better than to a thousandth of a standard deviation.
            drawn[mine] = shrink(edge[mine], np.maximum(variance[mine], 1e-6)).values * unit[mine]
    shrunk = pl.Series("edge_shrunk", drawn).fill_nan(None)
    return cells.insert_column(cells.get_column_index("edge_high") + 1, shrunk)
