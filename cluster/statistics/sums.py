"""What the pages tell beside ratings and contracts, as sums that are added up from batch to batch, in any order.

Each of the ``*_sums`` functions takes the rows of whole blocks; each of the ``*_table`` functions what was added up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from cluster.statistics.blocks import complete_blocks
from cluster.statistics.means import cluster_mean_of_sums, wilson

_BLOCKS = dict.fromkeys(("blocks", "n", "nn"), pl.Int64)
FAULTS = ("illegal", "malformed", "timeout", "disconnect")

#: By the name of each kind of sum: its keys, and its columns.
KEYS: Mapping[str, tuple[str, ...]] = {
    "choices": ("bot",), "outcomes": ("bot", "contract", "outcome"), "trades": ("bot", "contract"), "conduct": ("bot",),
}  # fmt: skip
SUMS: Mapping[str, Mapping[str, Any]] = {
    "choices": _BLOCKS | dict.fromkeys(("s", "ss", "sn"), pl.Float64),
    "outcomes": _BLOCKS | dict.fromkeys(("h", "hh", "hn", "score"), pl.Int64),
    "trades": dict.fromkeys(("declared", "bought", "price", "sold", "income"), pl.Int64),
    "conduct": dict.fromkeys(("matches", "decisions", "charged_us", "forfeits", *FAULTS), pl.Int64)
    | {"slowest_ms": pl.Float64},
}


def sums_of(matches: pl.DataFrame, deals: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """All kinds of sums over the complete blocks among these rows of the `matches` and `deals` tables."""
    whole = complete_blocks(matches)
    rated = deals.join(whole.select("block_id").unique(), on="block_id", how="semi")
    made = {
        "choices": choice_sums(rated),
        "outcomes": outcome_sums(rated, whole),
        "trades": trade_sums(rated),
        "conduct": conduct_sums(whole),
    }
    return {name: add_up(name, frame) for name, frame in made.items()}


def add_up(kind: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Sums of several batches as one; the slowest decision stays the slowest."""
    columns = [pl.col(name).max().cast(form) if name == "slowest_ms" else pl.col(name).sum().cast(form)
               for name, form in SUMS[kind].items()]  # fmt: skip
    return rows.group_by(*KEYS[kind]).agg(columns).sort(*KEYS[kind])


def empty(kind: str) -> pl.DataFrame:
    """No sums yet."""
    return pl.DataFrame(schema=dict.fromkeys(KEYS[kind], pl.String) | dict(SUMS[kind]))


def choice_sums(deals: pl.DataFrame) -> pl.DataFrame:
    """What declaring brought beyond the mean of the same seat with the same cards; by bot and block."""
    same_cards = pl.col("score").mean().over("block_id", "deal", "seat")
    chosen = deals.with_columns(value=pl.col("score") - same_cards).filter(pl.col("declarer") == pl.col("seat"))
    blocks = chosen.group_by("bot", "block_id").agg(s=pl.col("value").sum(), n=pl.len().cast(pl.Int64))
    s, n = pl.col("s"), pl.col("n")
    return blocks.select("bot", "n", "s", blocks=pl.lit(1), nn=n * n, ss=s * s, sn=s * n)


def choice_table(sums: pl.DataFrame) -> pl.DataFrame:
    """Who chooses well; the columns of `cluster.statistics.points.choice_values`: bot, choices, blocks, value, value_low, value_high."""
    rows = []
    for row in sums.iter_rows(named=True):
        mean = cluster_mean_of_sums(*(row[name] for name in ("blocks", "n", "nn", "s", "ss", "sn")))
        rows.append((row["bot"], row["n"], row["blocks"], mean.mean, mean.low, mean.high))
    schema = {"bot": pl.String, "choices": pl.Int64, "blocks": pl.Int64} | dict.fromkeys(
        ("value", "value_low", "value_high"), pl.Float64
    )
    return pl.DataFrame(rows, schema=schema, orient="row")


def outcome_sums(deals: pl.DataFrame, matches: pl.DataFrame) -> pl.DataFrame:
    """How deals ended, by bot, contract, outcome and block; ``outcome`` is null in the row of all outcomes together."""
    told = (
        deals.filter(pl.col("outcome").is_not_null())
        .join(matches.select("match_id", "seat", "team"), on=["match_id", "seat"])
        .sort("block_id", "game", "deal", "seat")
        .unique(["match_id", "deal", "bot", "team"], keep="first", maintain_order=True)  # partners share one outcome
    )
    cell = ["bot", "contract", "block_id"]
    whole = told.group_by(cell).agg(n=pl.len().cast(pl.Int64))
    hits = told.group_by(*cell, "outcome").agg(h=pl.len().cast(pl.Int64), score=pl.col("score").cast(pl.Int64).sum())
    hits = hits.join(whole, on=cell).with_columns(hh=pl.col("h") ** 2, hn=pl.col("h") * pl.col("n"))
    none = dict.fromkeys(("h", "hh", "hn", "score"), pl.lit(0))
    zero = dict.fromkeys(("blocks", "n", "nn"), pl.lit(0))
    all_of_them = whole.with_columns(outcome=pl.lit(None, pl.String), blocks=pl.lit(1), nn=pl.col("n") ** 2, **none)
    order = [*KEYS["outcomes"], *SUMS["outcomes"]]
    ints = [pl.col(name).cast(pl.Int64) for name in SUMS["outcomes"]]
    return pl.concat([frame.select(order).with_columns(ints) for frame in (all_of_them, hits.with_columns(**zero))])


def outcome_table(sums: pl.DataFrame) -> pl.DataFrame:
    """The same table as `cluster.summaries.outcomes`, from sums."""
    whole = {(row["bot"], row["contract"]): row for row in sums.filter(pl.col("outcome").is_null()).iter_rows(named=True)}
    rows = []
    for row in sums.filter(pl.col("outcome").is_not_null()).sort("bot", "contract", "outcome").iter_rows(named=True):
        cell = whole[row["bot"], row["contract"]]
        mean = cluster_mean_of_sums(cell["blocks"], cell["n"], cell["nn"], row["h"], row["hh"], row["hn"])
        spread = mean.mean * (1 - mean.mean)
        effective = spread / mean.se**2 if mean.se and spread else float(mean.blocks)
        rows.append((row["bot"], row["contract"], row["outcome"], row["h"], mean.mean, *wilson(mean.mean, effective),
                     row["score"] / row["h"], cell["blocks"]))  # fmt: skip
    schema = {"bot": pl.String, "contract": pl.String, "outcome": pl.String, "deals": pl.Int64, "share": pl.Float64,
              "low": pl.Float64, "high": pl.Float64, "points": pl.Float64, "blocks": pl.Int64}  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def trade_sums(deals: pl.DataFrame) -> pl.DataFrame:
    """What was declared, bought and sold, by bot and contract; in deals that somebody declared."""
    paid = pl.col("paid").cast(pl.Int64)
    return (
        deals.filter(pl.col("declarer").is_not_null()).group_by("bot", "contract")
        .agg(
            declared=(pl.col("declarer") == pl.col("seat")).sum(),
            bought=(paid > 0).sum(), price=paid.filter(paid > 0).sum(),
            sold=(paid < 0).sum(), income=-paid.filter(paid < 0).sum(),
        )
    )  # fmt: skip


def trade_table(sums: pl.DataFrame) -> pl.DataFrame:
    """What each bot chose and what it paid: a row for each bot and contract.

    Columns: bot, contract, declared (deals), share (of all the deals that the bot declared, 0 to 1), bought (deals for
    which the bot paid), price (points a bought deal), sold (deals for which the bot was paid), income (points a sold deal).
    """
    none = pl.lit(None, pl.Float64)
    return sums.select(
        "bot", "contract", "declared",
        share=pl.when(pl.col("declared").sum().over("bot") > 0).then(pl.col("declared") / pl.col("declared").sum().over("bot")).otherwise(none),
        bought="bought",
        price=pl.when(pl.col("bought") > 0).then(pl.col("price") / pl.col("bought")).otherwise(none),
        sold="sold",
        income=pl.when(pl.col("sold") > 0).then(pl.col("income") / pl.col("sold")).otherwise(none),
    ).filter(pl.sum_horizontal("declared", "bought", "sold") > 0)  # fmt: skip


def conduct_sums(matches: pl.DataFrame) -> pl.DataFrame:
    """Faults by kind and thinking time, by bot."""
    charged = (pl.col("charged_ms") * 1000).round().cast(pl.Int64)
    return matches.group_by("bot").agg(
        matches=pl.col("match_id").n_unique(), decisions=pl.col("decisions").cast(pl.Int64).sum(), charged_us=charged.sum(),
        forfeits=pl.col("forfeited").sum(), slowest_ms=pl.col("slowest_ms").max(),
        **{name: pl.col(name).cast(pl.Int64).sum() for name in FAULTS},
    )  # fmt: skip


def conduct_table(sums: pl.DataFrame) -> pl.DataFrame:
    """How each bot behaved: a row a bot.

    Columns: bot, matches, decisions, ms_per_decision (mean charged), slowest_ms, illegal, malformed, timeout, disconnect,
    faults (all kinds), fault_share (faults a decision, 0 to 1), forfeits.
    """
    decisions, faults = pl.col("decisions"), pl.sum_horizontal(*FAULTS)
    asked = pl.when(decisions > 0).then(decisions)
    return sums.select(
        "bot", "matches", "decisions", ms_per_decision=pl.col("charged_us") / 1000 / asked, slowest_ms="slowest_ms",
        **{name: pl.col(name) for name in FAULTS}, faults=faults, fault_share=faults / asked, forfeits="forfeits",
    )  # fmt: skip
