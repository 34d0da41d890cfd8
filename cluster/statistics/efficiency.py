"""What blocks are worth: how many independent matches tell as much as the matches of a block do."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from cluster.statistics.blocks import Floats, block_table, complete_blocks
from cluster.statistics.comparisons import student
from cluster.statistics.points import rate_points
from cluster.statistics.ratings import ELO, rate

#: More blocks than these say no more about it.
MOST_BLOCKS = 5000


@dataclass(frozen=True)
class Worth:
    """Variance of as many independent matches over the variance of a block's matches; 1: a block is worth its matches."""

    efficiency: float
    low: float  # 95 % interval, jackknife over blocks
    high: float
    blocks: int


def block_worth(matches: pl.DataFrame) -> dict[str, Worth]:
    """Measure it on the results themselves: for ``points`` (share of the table) and ``results`` (who was above whom).

    What the ratings expect of each line-up is taken out first. Empty without two complete blocks, or where nothing varies.
    Source: statistics.md §2; within and between variance of the same matches.
    """
    rows = complete_blocks(matches).filter(pl.col("bot").n_unique().over("block_id") > 1)
    known = rows["block_id"].unique().sort().head(MOST_BLOCKS)
    rows = rows.filter(pl.col("block_id").is_in(known.implode())).sort("block_id", "game", "seat")  # the same to the last bit
    found = {}
    if known.len() > 1:
        for name, residuals in (("points", _point_residuals(rows)), ("results", _result_residuals(rows))):
            worth = _worth(residuals)
            if worth is not None:
                found[name] = worth
    return found


def _worth(residuals: pl.DataFrame) -> Worth | None:
    """``residuals``: block_id, game, bot, x. The variances are summed over bots; a ratio of sums over blocks."""
    in_order = residuals.sort("block_id", "bot", "game")
    per_bot = in_order.group_by("block_id", "bot", maintain_order=True).agg(
        mean=pl.col("x").mean(), square=(pl.col("x") ** 2).mean(), games=pl.len()
    )
    # Independent matches would have the variance of one match over their number; a block has that of its mean.
    blocks = per_bot.group_by("block_id", maintain_order=True).agg(
        alone=(pl.col("square") / pl.col("games")).sum(), block=(pl.col("mean") ** 2).sum()
    )
    alone, block = (blocks[name].to_numpy() for name in ("alone", "block"))
    if not block.sum() > 1e-12 * max(alone.sum(), 1e-300):
        return None
    ratio = float(alone.sum() / block.sum())
    without: Floats = np.log((alone.sum() - alone) / np.maximum(block.sum() - block, 1e-300))
    n = len(without)
    se = float(np.sqrt((n - 1) / n * np.sum((without - without.mean()) ** 2)))
    reach = float(np.exp(student(np.array([n]))[0] * se))
    return Worth(ratio, ratio / reach, ratio * reach, n)


def _point_residuals(rows: pl.DataFrame) -> pl.DataFrame:
    """Points beyond the table's mean, and beyond what the line-up promised."""
    table = block_table(rows)
    rated = rate_points(table, anchor=table.bots[0])
    strength = pl.DataFrame({"bot": rated.bots, "strength": rated.comparison.values})
    surplus = pl.col("total") - pl.col("strength")
    centred = rows.join(strength, on="bot", maintain_order="left").with_columns(x=surplus - surplus.mean().over("match_id"))
    return centred.group_by("block_id", "game", "bot", maintain_order=True).agg(pl.col("x").mean())


def _result_residuals(rows: pl.DataFrame) -> pl.DataFrame:
    """Share of opponents above whom a seat finished, beyond what the ratings promised."""
    table = block_table(rows)
    rated = rate(table, anchor=table.bots[0])
    strength = pl.DataFrame({"bot": rated.bots, "strength": rated.elo / ELO})
    seats = rows.join(strength, on="bot", maintain_order="left").select("block_id", "game", "match_id", "team", "bot", "rank", "strength")
    others = seats.select("match_id", "team", "rank", "strength")
    met = seats.join(others, on="match_id", suffix="_other", maintain_order="left_right")
    met = met.filter(pl.col("team") != pl.col("team_other"))
    score = 0.5 + (pl.col("rank_other").cast(pl.Int64) - pl.col("rank").cast(pl.Int64)).sign() / 2
    expected = 1 / (1 + (pl.col("strength_other") - pl.col("strength")).exp())
    surplus = met.with_columns(x=score - expected)
    return surplus.group_by("block_id", "game", "bot", maintain_order=True).agg(pl.col("x").mean())
