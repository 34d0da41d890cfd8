"""The null test: copies of one bot under several names, which have to come out equal.

All games of a block are then one and the same game but for the names, down to the random numbers that the bots are given.
A bot that goes by what it is told plays them alike, and every name's points of a block, taken from the table's mean, add up to
exactly zero. Where games part, something else went into a decision.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from cluster.records import mark_parts, unpack
from cluster.replays import replay
from cluster.statistics.blocks import block_table
from cluster.statistics.means import cluster_mean

_PLAYED = ("actions", "marks")


@dataclass(frozen=True)
class Parting:
    """The first decision at which two games of a block part; ``game`` is the other game, the first has number 0."""

    block: str
    game: int
    action: int  # from 1
    deal: int
    contract: str
    seat: int
    names: tuple[str, str]  # who decided, in either game
    answers: tuple[str, str]
    faults: tuple[str | None, str | None]
    legal: tuple[str, ...]


@dataclass(frozen=True)
class Null:
    """What a null test found."""

    blocks: int
    unequal: int  # blocks in which some name's points do not add up to zero
    parted: int  # blocks whose games are not one game
    faults: int
    first: Parting | None
    copies: pl.DataFrame  # bot, points (from the table's mean, a match), low, high, blocks

    @property
    def passed(self) -> bool:
        """Every block came to exactly zero, and all its games are one."""
        return self.unequal == self.parted == 0


def examine(matches: pl.DataFrame, replays: pl.DataFrame) -> Null:
    """Judge a null test by its complete blocks."""
    table = block_table(matches)
    points = pl.DataFrame({
        "block": table.places.block, "bot": [table.bots[side] for side in table.places.side], "points": table.places.points,
    })  # fmt: skip
    unequal = points.filter(pl.col("points") != 0)["block"].n_unique()
    rows = []
    for (bot,), mine in sorted(points.sort("block").group_by("bot", maintain_order=True)):
        mean = cluster_mean(mine["points"], [1] * mine.height)
        rows.append({"bot": bot, "points": mean.mean, "low": mean.low, "high": mean.high, "blocks": mean.blocks})
    parted, first = _parted(replays)
    copies = pl.DataFrame(rows, schema={"bot": pl.String, "points": pl.Float64, "low": pl.Float64, "high": pl.Float64, "blocks": pl.Int64})
    return Null(len(table.blocks), unequal, parted, int(matches["faults"].sum()), first, copies)


def _parted(replays: pl.DataFrame) -> tuple[int, Parting | None]:
    """How many blocks hold games that differ, and where the first of them part."""
    parted, first = 0, None
    for _, block in replays.sort("block", "game").group_by("block", maintain_order=True):
        one, *others = block.to_dicts()
        differing = [other for other in others if any(one[name] != other[name] for name in _PLAYED)]
        parted += bool(differing)
        if differing and first is None:
            first = _parting(one, differing[0])
    return parted, first


def _parting(one: dict[str, object], other: dict[str, object]) -> Parting:
    told = [[(deal, at) for deal in replay(row)["deals"] for at in deal["decisions"]] for row in (one, other)]
    marks = [[mark_parts(mark)[2] for mark in unpack("B", row["marks"])] for row in (one, other)]  # type: ignore[arg-type]
    for number, ((deal, mine), (_, theirs)) in enumerate(zip(*told, strict=False)):
        faults = (marks[0][number], marks[1][number])
        if mine["action"] != theirs["action"] or faults[0] != faults[1]:
            seat = mine["seat"]
            return Parting(
                block=str(one["block_id"]), game=int(str(other["game"])), action=number + 1, deal=deal["number"],
                contract=deal["contract"], seat=seat, names=(one["players"][seat], other["players"][seat]),  # type: ignore[index]
                answers=(mine["action"], theirs["action"]), faults=faults, legal=tuple(mine["legal"]),
            )  # fmt: skip
    raise ValueError(f"the games of block {one['block_id']} do not part")
