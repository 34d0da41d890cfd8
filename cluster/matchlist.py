"""Finding matches in the list of a digest, without reading more of it than is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import polars as pl

Order = Literal["schedule", "worst", "best"]
#: Of each bot so many matches with the least points beyond those of others in its seat are kept at hand, and so many with the most.
EXTREMES = 10


def find(
    rows: pl.LazyFrame, players: int, *, bots: Sequence[str] = (), contract: str | None = None, faulty: bool = False,
    low: float | None = None, high: float | None = None,
) -> pl.LazyFrame:  # fmt: skip
    """The matches in which all of these bots sat, with that contract, with a fault if wanted, and a total between the bounds.

    ``rows``: see `cluster.digest.MATCHES`; ``players``: seats of a table. The total is that of the first of the bots, or
    anybody's where none is named.
    """
    for bot in bots:
        rows = rows.filter(pl.col("bots").list.contains(bot))
    if contract is not None:
        rows = rows.filter(pl.col("contracts").list.contains(contract))
    if faulty:
        rows = rows.filter(pl.col("faults") > 0)
    if low is not None or high is not None:
        rows = rows.filter(pl.any_horizontal(
            _of(seat, bots[:1]) & _between(pl.col("totals").list.get(seat, null_on_oob=True), low, high) for seat in range(players)
        ))  # fmt: skip
    return rows


def ordered(rows: pl.LazyFrame, players: int, bot: str | None, order: Order, *, lower_is_better: bool) -> pl.LazyFrame:
    """In the order of the schedule; or by the points of a bot beyond what others made of the same cards in the same seat.

    Added for a bot: its ``seat``, ``total``, ``rank`` and ``edge``; of several seats the one with the worst edge.
    """
    if bot is None:
        return rows.sort("block", "game")
    sign = -1 if lower_is_better else 1
    edges = [pl.when(_of(seat, [bot])).then(pl.col("edges").list.get(seat, null_on_oob=True) * sign) for seat in range(players)]
    seat = pl.concat_list(edge.fill_null(float("inf")) for edge in edges).list.arg_min()
    told = rows.with_columns(seat=seat).with_columns(
        pl.col("totals").list.get(pl.col("seat")).alias("total"),
        pl.col("ranks").list.get(pl.col("seat")).alias("rank"),
        pl.col("edges").list.get(pl.col("seat")).alias("edge"),
    )
    if order == "schedule":
        return told.sort("block", "game")
    return told.sort(pl.col("edge") * (sign if order == "worst" else -sign), "block", "game")


def extremes(rows: pl.DataFrame) -> pl.DataFrame:
    """Each bot's matches with the least and the most points beyond what others made of the same cards in the same seat.

    ``rows``: of the form of `cluster.digest.MATCHES`, or of earlier results of this function. Added: the ``bot``, and its
    ``seat``, ``total``, ``rank`` and ``edge``; of several seats in a match the one that is furthest out.
    """
    if "bot" not in rows.columns:
        seats = rows.with_columns(seat=pl.int_ranges(pl.col("bots").list.len(), dtype=pl.Int8), bot="bots", total="totals", rank="ranks",
                                  edge="edges")  # fmt: skip
        rows = seats.explode("seat", "bot", "total", "rank", "edge", empty_as_null=False)

    def side(*, descending: bool) -> pl.DataFrame:
        order = [False, descending, False, False, False]
        once = rows.sort("bot", "edge", "block", "game", "seat", descending=order).unique(("bot", "match_id"), keep="first", maintain_order=True)
        return once.filter(pl.int_range(pl.len()).over("bot") < EXTREMES)

    both = pl.concat([side(descending=False), side(descending=True)])
    return both.unique(("bot", "match_id", "seat"), keep="first", maintain_order=True)


def _of(seat: int, bots: Sequence[str]) -> pl.Expr:
    """Whether a bot sits there; everybody where none is named."""
    return pl.col("bots").list.get(seat, null_on_oob=True) == bots[0] if bots else pl.lit(True)


def _between(total: pl.Expr, low: float | None, high: float | None) -> pl.Expr:
    inside = pl.lit(True)
    if low is not None:
        inside = inside & (total >= low)
    if high is not None:
        inside = inside & (total <= high)
    return inside
