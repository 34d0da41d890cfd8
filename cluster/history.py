"""How the ratings came to be what they are: fitted again to the first blocks of the schedule, at some places of it."""

from __future__ import annotations

import numpy as np
import polars as pl

from cluster.statistics.blocks import BlockTable, Bools, Pairs, Places
from cluster.statistics.ratings import rate
from cluster.summaries import anchor_of

#: At so many places, at most, ratings are fitted.
PLACES = 12
_SCHEMA = {"blocks": pl.Int64, "bot": pl.String, "rating": pl.Float64, "low": pl.Float64, "high": pl.Float64}


def history(table: BlockTable, order: pl.DataFrame, anchor: str | None = None) -> pl.DataFrame:
    """One row for each place in the schedule and each bot rated by then; the last place is the end.

    ``order``: a row a block with ``block_id`` and ``block``, its number in the schedule. Columns: blocks (so many of the
    first blocks are counted), bot, rating (Elo), low, high (95 % relative to the anchor, over blocks).

    Raises:
        UnknownBot: ``anchor`` did not play.
    """
    if not table.blocks:
        return pl.DataFrame(schema=_SCHEMA)
    fixed = anchor_of(table.bots, anchor)
    names = pl.DataFrame({"block_id": pl.Series(table.blocks, dtype=pl.String)})
    number = names.join(order, on="block_id", how="left", maintain_order="left")["block"].to_numpy()
    turn = np.empty(len(number), np.int64)
    turn[np.argsort(number, kind="stable")] = np.arange(len(number))
    count = len(table.blocks)
    places = sorted({max(1, round(count * step / PLACES)) for step in range(1, PLACES + 1)})
    rows = [row for place in places for row in _rated(_first(table, turn < place), fixed, place)]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _rated(table: BlockTable, anchor: str, place: int) -> list[tuple[object, ...]]:
    rated = rate(table, anchor=anchor)
    if len(rated.bots) < 2:
        return []  # the anchor has not met anybody yet
    columns = (rated.elo, rated.low, rated.high)
    return [(place, bot, *map(float, values)) for bot, *values in zip(rated.bots, *columns, strict=True)]


def _first(table: BlockTable, kept: Bools) -> BlockTable:
    """Cut a table down to some of its blocks; bots that sit in none of them stand alone then."""
    new, pairs, places = np.cumsum(kept) - 1, table.pairs, table.places
    p, q = kept[pairs.block], kept[places.block]
    return BlockTable(
        bots=table.bots,
        blocks=tuple(name for name, is_kept in zip(table.blocks, kept, strict=True) if is_kept),
        members=table.members,
        pairs=Pairs(new[pairs.block[p]], pairs.i[p], pairs.j[p], pairs.score[p], pairs.count[p]),
        places=Places(
            new[places.block[q]], places.side[q], places.places[q], places.points[q], places.size[q]
        ),
    )  # fmt: skip
