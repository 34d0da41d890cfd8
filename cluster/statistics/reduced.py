"""What is kept of each block beside its rows: little enough that a million matches are rated in seconds.

`reduce_blocks` and `reduce_played` are taken of one batch at a time; `join_blocks` makes the table of all blocks again.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from cluster.statistics.blocks import BlockTable, Pairs, Places, block_table, complete_blocks, sides_of

#: A row per block: its sides by their lesser and greater bot, what each scored, and the pairs of sides that met.
BLOCKS: Mapping[str, Any] = {
    "block_id": pl.String, "low": pl.List(pl.String), "high": pl.List(pl.String), "size": pl.UInt8,
    "places": pl.List(pl.Float64), "points": pl.List(pl.Float64), "i": pl.List(pl.UInt8), "j": pl.List(pl.UInt8),
    "score": pl.List(pl.Float64), "count": pl.List(pl.Float64),
}  # fmt: skip
_BY_SIDE, _BY_PAIR = ("low", "high", "places", "points"), ("i", "j", "score", "count")
#: A row per bot. ``s`` and ``n`` are a block's sums: of totals, and of seats.
PLAYED: Mapping[str, Any] = {"bot": pl.String} | dict.fromkeys(
    ("blocks", "matches", "n", "nn", "s", "ss", "sn", "decisions", "charged_us", "faults", "forfeits"), pl.Int64
)


def reduce_blocks(matches: pl.DataFrame) -> pl.DataFrame:
    """The rows of `BLOCKS`, by block id; without blocks in which a bot only met itself.

    ``matches``: see `cluster.statistics.blocks.block_table`.
    """
    table = block_table(matches)
    places, pairs, members = table.places, table.pairs, table.members[table.places.side]
    bots = pl.Series(table.bots, dtype=pl.String)
    first = np.searchsorted(places.block, np.arange(len(table.blocks)))
    own = _positions(table, first)
    sides = pl.DataFrame({
        "block": places.block, "low": bots.gather(members[:, 0]), "high": bots.gather(members[:, 1]), "size": places.size,
        "places": places.places, "points": places.points,
    })  # fmt: skip
    met = pl.DataFrame({
        "block": pairs.block, "i": own[pairs.block * len(table.members) + pairs.i] if pairs.block.size else pairs.i,
        "j": own[pairs.block * len(table.members) + pairs.j] if pairs.block.size else pairs.j,
        "score": pairs.score, "count": pairs.count,
    })  # fmt: skip
    by_block = sides.group_by("block", maintain_order=True).agg(pl.col("size").first(), pl.exclude("size"))
    rows = by_block.join(met.group_by("block", maintain_order=True).agg(pl.all()), on="block", maintain_order="left")
    return rows.with_columns(block_id=pl.Series(table.blocks, dtype=pl.String)).select(pl.col(name).cast(kind) for name, kind in BLOCKS.items())


def _positions(table: BlockTable, first: Any) -> Any:
    """Where a side stands among those of its block, by block times the number of sides plus side."""
    places = table.places
    own = np.zeros(len(table.blocks) * len(table.members), np.int64)
    own[places.block * len(table.members) + places.side] = np.arange(places.side.size) - first[places.block]
    return own


def join_blocks(rows: pl.DataFrame) -> BlockTable:
    """The table of all blocks, bit-equal to the one that their matches would give; ``rows`` in any order."""
    rows = rows.sort("block_id")
    flat = rows.select(_BY_SIDE).explode(_BY_SIDE)
    bots = tuple(pl.concat([flat["low"].unique(), flat["high"].unique()]).unique().sort()) if rows.height else ()
    low, high = (flat[name].cast(pl.Enum(bots)).to_physical().to_numpy().astype(np.int64) for name in ("low", "high"))
    side, members = sides_of(low, high, len(bots))
    sizes, met = rows["low"].list.len().to_numpy().astype(np.int64), rows["i"].list.len().to_numpy().astype(np.int64)
    start, index = np.cumsum(sizes) - sizes, np.arange(rows.height)
    block, size = np.repeat(index, sizes), rows["size"].to_numpy().astype(np.float64)
    pair_block = np.repeat(index, met)
    pairs = rows.select(_BY_PAIR).explode(_BY_PAIR)
    i, j = (side[start[pair_block] + pairs[name].to_numpy()] for name in ("i", "j"))
    weight = 1 / (size[pair_block] - 1) if np.unique(size).size > 1 else 1.0
    score, count = (pairs[name].to_numpy() * weight for name in ("score", "count"))
    return BlockTable(
        bots, tuple(rows["block_id"]), members, Pairs(pair_block, i, j, score, count),
        Places(block, side, flat["places"].to_numpy(), flat["points"].to_numpy(), size[block]),
    )  # fmt: skip


def reduce_played(matches: pl.DataFrame) -> pl.DataFrame:
    """The rows of `PLAYED`: what each bot did in complete blocks; they can be added up in any order."""
    charged = (pl.col("charged_ms") * 1000).round().cast(pl.Int64)
    by_block = complete_blocks(matches).group_by("bot", "block_id").agg(
        s=pl.col("total").cast(pl.Int64).sum(), n=pl.len().cast(pl.Int64), matches=pl.col("match_id").n_unique(),
        decisions=pl.col("decisions").cast(pl.Int64).sum(), charged_us=charged.sum(), faults=pl.col("faults").cast(pl.Int64).sum(),
        forfeits=pl.col("forfeited").sum(),
    )  # fmt: skip
    s, n = pl.col("s"), pl.col("n")
    return join_played(by_block.with_columns(blocks=pl.lit(1), nn=n * n, ss=s * s, sn=s * n))


def join_played(rows: pl.DataFrame) -> pl.DataFrame:
    """What each bot did in all batches; a row a bot, by name."""
    return rows.group_by("bot").agg(pl.col(name).cast(kind).sum() for name, kind in PLAYED.items() if name != "bot").sort("bot")
