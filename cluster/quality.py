"""How far results can be trusted: what to look at before quoting a rating, a row for each question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from cluster.statistics.blocks import BlockTable, block_table, complete_blocks, groups
from cluster.statistics.comparisons import MIN_BLOCKS
from cluster.statistics.efficiency import block_worth
from cluster.statistics.favours import Favours, favours
from cluster.statistics.ratings import Ratings, rate
from cluster.summaries import anchor_of

#: A pair whose results are so many standard errors from what the ratings promise is a surprise.
SURPRISE = 3.0
_SCHEMA = {"question": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "answer": pl.String}


def quality(matches: pl.DataFrame, entered: Sequence[str] = (), anchor: str | None = None) -> pl.DataFrame:
    """One row for each question: question, value, low, high (95 %), answer (a sentence).

    ``entered``: the bots of the plan, of which some may not have played yet.
    """
    table = block_table(matches)
    rows = [_missing(matches, entered), _thin(matches), _connected(table)]
    if table.blocks:
        rated = rate(table, anchor=anchor_of(table.bots, anchor))
        rows += [_one_way(rated), _fit(rated), _surprise(rated), _company(favours(matches, rated.anchor))]
    rows += [_ties(matches), *_worth(matches), _substituted(matches)]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


_Row = tuple[str, float | None, float | None, float | None, str]


def _listed(names: Sequence[str], most: int = 8) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _row(question: str, value: float | None, answer: str) -> _Row:
    return (question, value, None, None, answer)


def _missing(matches: pl.DataFrame, entered: Sequence[str]) -> _Row:
    absent = sorted(set(entered) - set(complete_blocks(matches)["bot"]))
    text = f"no complete block yet: {_listed(absent)}; they are not in the standings" if absent else "everybody has played"
    return _row("bots that have not played", len(absent), text)


def _thin(matches: pl.DataFrame) -> _Row:
    blocks = complete_blocks(matches).group_by("bot").agg(pl.col("block_id").n_unique().alias("blocks"))
    thin = blocks.filter(pl.col("blocks") < MIN_BLOCKS)["bot"].sort().to_list()
    text = f"fewer than {MIN_BLOCKS} blocks, too few for any claim: {_listed(thin)}" if thin else f"all have {MIN_BLOCKS} blocks or more"
    return _row("bots with few blocks", len(thin), text)


def _connected(table: BlockTable) -> _Row:
    lists = groups(table)
    if len(lists) <= 1:
        return _row("separate lists", len(lists), "all bots are joined by common opponents")
    told = "; ".join(_listed(names, 4) for names in lists)
    return _row("separate lists", len(lists), f"no common opponents, so no rating across: {told}")


def _one_way(rated: Ratings) -> _Row:
    tiers = int(rated.tier.max(initial=0)) + 1
    if tiers == 1:
        return _row("tiers", 1, "wins join all bots both ways")
    names = [_listed([bot for bot, tier in zip(rated.bots, rated.tier, strict=True) if tier == t], 4) for t in range(tiers)]
    return _row("tiers", tiers, f"nobody of a later tier ever beat one before it, so how far apart they are is not known: {' > '.join(names)}")


def _fit(rated: Ratings) -> _Row:
    misfit = rated.head_to_head.misfit
    if misfit.degrees == 0:
        return _row("fit of the ratings, p", None, "too few pairs to test whether one number a bot is enough")
    fits = "one number a bot explains the pairs" if misfit.p_value >= 0.01 else "one number a bot is not enough: look at the pairs"
    return _row("fit of the ratings, p", misfit.p_value, f"{fits} (chi-square {misfit.chi_square:.1f}, {misfit.degrees} degrees)")


def _surprise(rated: Ratings) -> _Row:
    met, z = rated.head_to_head, rated.head_to_head.residual_z
    if not z.size:
        return _row("largest surprise, z", None, "nobody met")
    i, j = np.unravel_index(int(z.argmax()), z.shape)
    pair = f"{met.sides[i]} against {met.sides[j]}"
    if z[i, j] <= SURPRISE:
        return _row("largest surprise, z", float(z[i, j]), f"no pair stands out; most does {pair}")
    surprises = [f"{met.sides[a]} beats {met.sides[b]}" for a, b in np.argwhere(z > SURPRISE)]
    return _row("largest surprise, z", float(z[i, j]), f"more often than ratings promise {_listed(surprises)}: who beats whom may go in circles, read head to head")


def _company(found: Favours) -> _Row:
    bots, t = found.bots, found.t
    i, j = np.unravel_index(int(t.argmax()), t.shape)
    if not found.flagged.any():
        return _row("gains in company, t", float(t[i, j]), "nobody does better with some bot at the table than its strength promises")
    told = [f"{bots[b]} when {bots[a]} sits there too (by {found.gain[a, b]:.2f} places)" for a, b in np.argwhere(found.flagged)]
    return _row("gains in company, t", float(t[i, j]), f"ends higher than its strength promises: {_listed(told)}: do they help each other?")


def _ties(matches: pl.DataFrame) -> _Row:
    teams = complete_blocks(matches).group_by("match_id", "team").agg(pl.col("rank").max())
    at_rank = teams.group_by("match_id", "rank").agg(n=pl.len().cast(pl.Int64))
    level = int((at_rank["n"] * (at_rank["n"] - 1)).sum())
    sizes = teams.group_by("match_id").agg(n=pl.len().cast(pl.Int64))["n"]
    results = int((sizes * (sizes - 1)).sum())
    if not results:
        return _row("ties", None, "nobody met")
    often = "; half points then draw ratings together" if level > 0.2 * results else ""
    return _row("ties", level / results, f"of all results between two seats or teams{often}")


def _worth(matches: pl.DataFrame) -> list[_Row]:
    return [
        (f"worth of a block, {name}", worth.efficiency, worth.low, worth.high,
         f"its matches tell as much as {worth.efficiency:.1f} times as many with cards of their own")
        for name, worth in block_worth(matches).items()
    ]  # fmt: skip


def _substituted(matches: pl.DataFrame) -> _Row:
    forfeited = matches.filter("forfeited")
    if forfeited.is_empty():
        return _row("forfeited seats", 0, "no seat was played to the end by the substitute")
    names = forfeited["bot"].unique().sort().to_list()
    text = f"the rest of these matches was played by the substitute, so points of {_listed(names)} are partly its own"
    return _row("forfeited seats", forfeited.height, text)
