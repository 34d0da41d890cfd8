"""Tallies: whole numbers about a bot's deals of a contract that can be added up, from batch to batch and in any order.

They hold all that the tables of contracts need, so that nobody has to read forty million deals again to make one.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

#: What a tally is of, and its sums. ``s``, ``e`` and ``n`` are a block's sums: of scores, of surpluses, of deals.
KEYS: Mapping[str, Any] = {"bot": pl.String, "contract": pl.String, "size": pl.Int64}
SUMS: Mapping[str, Any] = dict.fromkeys(
    (
        "blocks", "n", "nn", "s", "ss", "sn", "e", "ee", "en", "squares", "tricks", "tricks_n", "declared", "defended",
        "points_declaring", "points_defending", "bonus", "bonus_left",
    ), pl.Int64,
)  # fmt: skip


def tally(deals: pl.DataFrame) -> pl.DataFrame:
    """A row per bot, contract and size of the table, sorted; ``deals``: those of whole blocks.

    A surplus is the table's size times the score, less the sum of the table's scores: so it stays whole.
    ``squares``: of each deal's surplus; all other squares and products are of a block's sums.
    """
    declares, score, bonus = pl.col("declarer") == pl.col("seat"), pl.col("score"), ("bonus", "bonus_left")
    blocks = with_surplus(deals).group_by(*KEYS, "block_id").agg(
        n=pl.len().cast(pl.Int64), s=score.cast(pl.Int64).sum(), e=pl.col("surplus").sum(), squares=pl.col("surplus").pow(2).sum(),
        tricks=pl.col("tricks").cast(pl.Int64).sum(), tricks_n=pl.col("tricks").count(),
        declared=declares.sum(), defended=(~declares).sum(),
        points_declaring=score.filter(declares).cast(pl.Int64).sum(),
        points_defending=score.filter(~declares).cast(pl.Int64).sum(),
        **{name: (pl.col(name) if name in deals.columns else pl.lit(0)).cast(pl.Int64).sum() for name in bonus},
    )  # fmt: skip
    s, e, n = pl.col("s"), pl.col("e"), pl.col("n")
    products = {"blocks": pl.lit(1), "nn": n * n, "ss": s * s, "sn": s * n, "ee": e * e, "en": e * n}
    return add_up(blocks.with_columns(**products))


def add_up(tallies: pl.DataFrame) -> pl.DataFrame:
    """Tallies of several batches as one; whole numbers, so that no order matters."""
    return tallies.group_by(list(KEYS)).agg(pl.col(name).cast(kind).sum() for name, kind in SUMS.items()).sort(list(KEYS))


def with_surplus(deals: pl.DataFrame) -> pl.DataFrame:
    """Add the table's size and, times it so that it stays whole, the score minus the table's mean in the deal."""
    score, deal = pl.col("score").cast(pl.Int64), ("match_id", "deal")
    with_size = deals.with_columns(size=pl.len().over(deal).cast(pl.Int64))
    return with_size.with_columns(surplus=score * pl.col("size") - score.sum().over(deal))
