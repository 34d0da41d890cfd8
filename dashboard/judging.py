"""What perfect play of the same cards would have given, for people: marks of a match, a table of a bot. Imports no Streamlit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from cluster.analysis import losses
from dashboard import words
from dashboard.sheets import Heading

LOSSES = (
    Heading("Contract"),
    Heading("Points lost a match", "%.1f", "Against perfect play of the same cards with all hands known."),
    Heading(
        "Free choices",
        "%d",
        "Decisions that were judged: cards and claims with more than one legal action, late in the deal.",
    ),
    Heading("Lost by one", "%.2f", "Points lost by a judged decision, a mean."),
    Heading("Others lose by one", "%.2f", "The same of all other bots in this contract."),
    Heading("Share that lost", "%.0f %%", "Of the judged decisions."),
)
LOST = Heading(
    "Lost", "%d", "Points lost against perfect play of the same cards; none where the decision was not judged."
)


@dataclass(frozen=True)
class Mark:
    """One judged decision: points lost, and what would have lost none."""

    lost: int
    best: str


#: By the number of the deal and of the decision in it, from 1.
Marks = Mapping[tuple[int, int], Mark]


def marks(judged: pl.DataFrame, match_id: str) -> Marks:
    """The marks of one match; ``judged``: see `cluster.analysis.SCHEMA`."""
    rows = judged.filter(match_id=match_id).select("deal", "step", "lost", "best")
    return {(deal, step): Mark(lost, best) for deal, step, lost, best in rows.iter_rows()}


def sentence(mark: Mark, name: str, action: str) -> str:
    """What came of a decision; ``action``: what was done."""
    if not mark.lost:
        return f"Perfect play of the same cards gives no more than {words.action_name(action)}."
    points = words.count(mark.lost, "point")
    return f"{words.plain(name)} lost {points} here: perfect play of the same cards was {words.action_name(mark.best)}."


def lossy(told: Mapping[str, Any], marked: Marks) -> list[tuple[int, int]]:
    """Where points were lost: the index of the deal, and how many decisions lead to the scene behind the one that lost them."""
    return [
        (index, step)
        for index, deal in enumerate(told["deals"])
        for step in range(1, len(deal["decisions"]) + 1)
        if (mark := marked.get((deal["number"], step))) is not None and mark.lost
    ]


def of_the_match(told: Mapping[str, Any], marked: Marks) -> str:
    """Who lost how many points in all, seat by seat."""
    lost, judged = [0] * len(told["players"]), [0] * len(told["players"])
    for deal in told["deals"]:
        for step, decision in enumerate(deal["decisions"], 1):
            if (mark := marked.get((deal["number"], step))) is not None:
                lost[decision["seat"]] += mark.lost
                judged[decision["seat"]] += 1
    sides = words.seats(len(lost))
    return " · ".join(
        f"{words.plain(name)} ({side}) {words.number(points)} by {words.count(choices, 'choice')}"
        for name, side, points, choices in zip(told["players"], sides, lost, judged, strict=True)
    )


def column(told: Mapping[str, Any], marked: Marks) -> pl.Series:
    """Points lost by every decision of a match, in order; null where it was not judged."""
    found = [
        marked.get((deal["number"], step)) for deal in told["deals"] for step in range(1, len(deal["decisions"]) + 1)
    ]
    return pl.Series(LOST.title, [None if mark is None else mark.lost for mark in found], pl.Int64)


def table(judged: pl.DataFrame, bot: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What one bot loses by contract, most first: under the headings of `LOSSES`, and as `cluster.analysis.losses` has it."""
    mine = losses(judged).filter(bot=bot)
    shown = mine.select(
        pl.col("contract").map_elements(words.contract_name, return_dtype=pl.String),
        "lost_a_match", "decisions", "lost_a_decision", "others_a_decision", pl.col("share") * 100,
    )  # fmt: skip
    return shown.rename(dict(zip(shown.columns, (heading.title for heading in LOSSES), strict=True))), mine


def verdict(mine: pl.DataFrame) -> str:
    """The contract that costs a bot most; ``mine``: its rows of `cluster.analysis.losses`, most points first."""
    worst = mine.row(0, named=True)
    matches = words.count(worst["matches"], "seat of a match", "seats of matches")
    if not worst["lost"]:
        return f"No judged decision lost a point, in {matches}."
    points = words.number(worst["lost_a_match"], 1)
    return f"It loses {points} points a match in **{words.contract_name(worst['contract'])}**, more than in any other contract ({matches} analysed)."
