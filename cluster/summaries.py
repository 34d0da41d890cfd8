"""The tables that people read: one library for command line, dashboard and exports, to the last digit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from cluster.statistics.blocks import BlockTable, block_table, complete_blocks
from cluster.statistics.means import cluster_mean_of_sums, cluster_share
from cluster.statistics.points import contract_table, rate_points
from cluster.statistics.ratings import Ratings, rate
from cluster.statistics.reduced import join_blocks, join_played, reduce_played

#: The reference bot that ratings are measured from, where it plays.
ANCHOR = "random"


def anchor_of(bots: Sequence[str], wanted: str | None = None) -> str:
    """The bot whose rating is fixed: the wanted one, else the reference bot, else the first by name."""
    if wanted is not None:
        return wanted
    return ANCHOR if ANCHOR in bots else min(bots)


@dataclass(frozen=True)
class Evidence:
    """What ratings are made from: the table of all complete blocks, and what each bot did in them."""

    table: BlockTable
    played: pl.DataFrame

    @classmethod
    def of(cls, matches: pl.DataFrame) -> Evidence:
        """From rows of the `matches` table."""
        return cls(block_table(matches), reduce_played(matches))

    @classmethod
    def stored(cls, blocks: pl.DataFrame, played: pl.DataFrame) -> Evidence:
        """From rows of the `blocks` and `played` tables: the same to the last digit, and much sooner."""
        return cls(join_blocks(blocks), join_played(played))


def ratings(evidence: Evidence, anchor: str | None = None) -> Ratings | None:
    """Ratings from all complete blocks; None while there is nothing to rate: no block, or one bot only.

    Raises:
        UnknownBot: ``anchor`` did not play.
    """
    if not evidence.table.blocks:
        return None
    return rate(evidence.table, anchor=anchor_of(evidence.table.bots, anchor))


def standings(evidence: Evidence, anchor: str | None = None) -> pl.DataFrame:
    """One row a bot, best first.

    Columns: bot, rating (Elo), low, high (95 % interval relative to the anchor, clustered by block), rank_low,
    rank_high, chance_best, superiority (chance to be better than the bot of the next row), adjusted (points a match
    beyond the anchor's, as against the same opponents), adjusted_low, adjusted_high, points (mean a match), points_low,
    points_high, matches, blocks, decisions, ms_per_decision, faults, forfeits. All before ``points`` is null for a bot that
    met nobody of the anchor's list.
    """
    played, table = _played(evidence.played), evidence.table
    frame = pl.DataFrame(schema=_RATED) if not table.blocks else _rated(table, anchor_of(table.bots, anchor))
    return frame.join(played, on="bot", how="full", coalesce=True).sort(
        "rating", "bot", descending=[True, False], nulls_last=True
    )


def contracts(tallies: pl.DataFrame) -> pl.DataFrame:
    """One row for each bot and contract; see `cluster.statistics.points.contract_table`.

    ``tallies``: those of all batches. Added: bonus and bonus_left, the roem a deal that the bot's seats claimed and left,
    where anybody had any.
    """
    sums = tallies.group_by("bot", "contract").agg(pl.col("bonus", "bonus_left", "n").sum())
    means = sums.select("bot", "contract", *(pl.col(name) / pl.col("n") for name in ("bonus", "bonus_left")))
    if sums.select(pl.max_horizontal("bonus", "bonus_left").max()).item() in (None, 0):
        means = means.with_columns(pl.lit(None, pl.Float64).alias(name) for name in ("bonus", "bonus_left"))
    return contract_table(tallies).join(means, on=["bot", "contract"], how="left", maintain_order="left")


def outcomes(deals: pl.DataFrame, matches: pl.DataFrame) -> pl.DataFrame:
    """How deals ended for those whom their outcome concerns: one row for each bot, contract and outcome.

    Columns: bot, contract, outcome, deals, share (of the bot's deals of this contract that have an outcome), low, high
    (95 %, Wilson, clustered by block), points (mean score of these deals), blocks. Empty in games without outcomes.
    """
    rated = deals.join(complete_blocks(matches).select("block_id").unique(), on="block_id", how="semi")
    teams = matches.select("match_id", "seat", "team")
    told = (
        rated.filter(pl.col("outcome").is_not_null())
        .join(teams, on=["match_id", "seat"])
        .sort("block_id", "game", "deal", "seat")
        .unique(["match_id", "deal", "bot", "team"], keep="first", maintain_order=True)  # partners share one outcome
    )
    rows = []
    for (bot, contract), cell in sorted(told.group_by("bot", "contract", maintain_order=True), key=lambda item: item[0]):
        for outcome in sorted(set(cell["outcome"])):
            hit = pl.col("outcome") == outcome
            blocks = cell.group_by("block_id", maintain_order=True).agg(hit.sum().alias("hits"), pl.len().alias("deals"))
            share = cluster_share(blocks["hits"].to_numpy(), blocks["deals"].to_numpy())
            mine = cell.filter(hit)
            rows.append({
                "bot": bot, "contract": contract, "outcome": outcome, "deals": mine.height, "share": share.share,
                "low": share.low, "high": share.high, "points": mine["score"].mean(), "blocks": share.blocks,
            })  # fmt: skip
    schema = {"bot": pl.String, "contract": pl.String, "outcome": pl.String, "deals": pl.Int64, "share": pl.Float64,
              "low": pl.Float64, "high": pl.Float64, "points": pl.Float64, "blocks": pl.Int64}  # fmt: skip
    return pl.DataFrame(rows, schema=schema)


def pairs(evidence: Evidence, anchor: str | None = None) -> pl.DataFrame:
    """One row for each ordered pair of sides that met: bots, or with mixed partners ``one + other``.

    Columns: bot, opponent, score (share of results won, a draw a half), results, expected (by the ratings),
    residual_z, difference (Elo), low, high (95 %), superiority, blocks, relation. What is about a bot's rating is null
    for partners, and relation is ``partners``.
    """
    rated = ratings(evidence, anchor)
    rows = []
    if rated is not None:
        met = rated.head_to_head
        for i, first in enumerate(met.sides):
            for j, second in enumerate(met.sides):
                if i != j and met.counts[i, j]:
                    rows.append(_pair(rated, i, j, first, second))
    schema = {"bot": pl.String, "opponent": pl.String, "score": pl.Float64, "results": pl.Float64,
              "expected": pl.Float64, "residual_z": pl.Float64, "difference": pl.Float64, "low": pl.Float64,
              "high": pl.Float64, "superiority": pl.Float64, "blocks": pl.Int64, "relation": pl.String}  # fmt: skip
    return pl.DataFrame(rows, schema=schema)


def match_list(matches: pl.DataFrame) -> pl.DataFrame:
    """One row a match, in the order of the schedule: match_id, block, game, bots, totals, ranks (by seat), faults.

    ``isolation``: the tiers of its bots, with what they lacked; ``endings``: how bots ended that were lost in it.
    """
    lacking = pl.format("{} ({})", "tier", "weakness")
    return (
        matches.with_columns(isolation=pl.coalesce(lacking, "tier")).sort("block", "game", "seat")
        .group_by("block", "game", "match_id", maintain_order=True)
        .agg(
            pl.col("ruleset").first(), pl.col("deals").first(), pl.col("bot").alias("bots"), pl.col("total").alias("totals"),
            pl.col("rank").alias("ranks"), pl.col("faults").sum(), pl.col("forfeited").sum().alias("forfeits"),
            pl.col("isolation").unique().sort().str.join(", "), pl.col("ending").drop_nulls().alias("endings"),
            pl.col("match_hash").first(),
        )
    )  # fmt: skip


_RATED = pl.Schema({
    "bot": pl.String, "rating": pl.Float64, "low": pl.Float64, "high": pl.Float64, "rank_low": pl.Int64,
    "rank_high": pl.Int64, "chance_best": pl.Float64, "superiority": pl.Float64, "adjusted": pl.Float64,
    "adjusted_low": pl.Float64, "adjusted_high": pl.Float64,
})  # fmt: skip


def _rated(table: BlockTable, anchor: str) -> pl.DataFrame:
    """What the models say of each bot of the anchor's list."""
    rated, points = rate(table, anchor=anchor), rate_points(table, anchor=anchor)
    frame = rated.frame().rename({"elo": "rating"})
    order = frame["bot"].to_list()
    better = [rated.difference(one, other).superiority for one, other in pairwise(order)]
    adjusted = pl.DataFrame({
        "bot": points.bots, "adjusted": points.points, "adjusted_low": points.low, "adjusted_high": points.high,
    })  # fmt: skip
    frame = frame.with_columns(superiority=pl.Series([*better, None], dtype=pl.Float64))
    return frame.join(adjusted, on="bot", how="left", maintain_order="left").select(list(_RATED)).cast(_RATED)


def _pair(rated: Ratings, i: int, j: int, first: str, second: str) -> dict[str, object]:
    met = rated.head_to_head
    row: dict[str, object] = {
        "bot": first, "opponent": second, "score": met.scores[i, j] / met.counts[i, j], "results": met.counts[i, j],
        "residual_z": met.residual_z[i, j], "relation": "partners",
    }  # fmt: skip
    if max(i, j) >= len(rated.bots):  # the sides after the bots are partners
        return row
    gap = rated.difference(first, second)
    return row | {
        "expected": 1 / (1 + 10 ** (-gap.estimate / 400)), "difference": gap.estimate, "low": gap.low, "high": gap.high,
        "superiority": gap.superiority, "blocks": gap.blocks, "relation": gap.relation,
    }  # fmt: skip


def _played(sums: pl.DataFrame) -> pl.DataFrame:
    """What each bot did in the complete blocks, without any model; a row a bot, by name."""
    rows = []
    for row in sums.iter_rows(named=True):
        mean = cluster_mean_of_sums(*(row[name] for name in ("blocks", "n", "nn", "s", "ss", "sn")))
        decisions = row["decisions"]
        rows.append({
            "bot": row["bot"], "points": mean.mean, "points_low": mean.low, "points_high": mean.high,
            "matches": row["matches"], "blocks": row["blocks"], "decisions": decisions,
            "ms_per_decision": row["charged_us"] / 1000 / decisions if decisions else None,
            "faults": row["faults"], "forfeits": row["forfeits"],
        })  # fmt: skip
    schema = {"bot": pl.String, "points": pl.Float64, "points_low": pl.Float64, "points_high": pl.Float64,
              "matches": pl.Int64, "blocks": pl.Int64, "decisions": pl.Int64, "ms_per_decision": pl.Float64,
              "faults": pl.Int64, "forfeits": pl.Int64}  # fmt: skip
    return pl.DataFrame(rows, schema=schema)
