"""Contracts: where each bot wins and loses its points."""

from __future__ import annotations

import polars as pl
import streamlit as st

from cluster.statistics.comparisons import MIN_BLOCKS
from dashboard import frame, plots, sheets
from dashboard.reading import Snapshot

_METRICS = {"edge": "Against the table", "points": "Points a deal"}


def show(results: Snapshot) -> None:
    """Lay out the page."""
    contracts, lower = results.contracts, bool(results.game and results.game.lower_is_better)
    if contracts.is_empty():
        st.info("No block is complete yet, so there is nothing to compare.")
        return
    bots = results.standings["bot"].to_list()
    st.caption(_meaning(lower))
    metric = st.segmented_control(
        "Show", list(_METRICS), default="edge", required=True, format_func=_METRICS.__getitem__, key="metric"
    )
    chart = plots.contract_map(contracts, metric or "edge", bots, lower_is_better=lower)
    st.altair_chart(chart, width="stretch", alt="Points of every bot in every contract")
    frame.download("Contracts as CSV", contracts, "contracts")
    bot = st.selectbox("Bot", bots, key="bot")
    _one_bot(results, contracts.filter(pl.col("bot") == bot))
    _choices(results)


def _one_bot(results: Snapshot, mine: pl.DataFrame) -> None:
    st.altair_chart(plots.contract_edges(mine), width="stretch", alt="Points against the table in every contract")
    frame.table(sheets.contracts(mine), sheets.CONTRACTS, thin=sheets.thin(mine["blocks"]), height="content")
    if any(sheets.thin(mine["blocks"])):
        st.caption(f"Grey: fewer than {MIN_BLOCKS} blocks, too few to say anything.")
    declared = mine.filter(pl.col("points_declaring").is_not_null() | pl.col("points_defending").is_not_null())
    if not declared.is_empty():
        st.subheader("Declaring and defending")
        st.caption(
            "Points a deal where this bot played the contract itself, and where somebody else did, with what was paid; pale below 10 blocks."
        )
        st.altair_chart(plots.declaring(declared), width="stretch", alt="Points declaring and defending")
    ended = results.outcomes.filter(pl.col("bot") == mine["bot"].first())
    if not ended.is_empty():
        st.subheader("How deals ended")
        frame.table(sheets.outcomes(ended).drop("Bot"), sheets.OUTCOMES, thin=sheets.thin(ended["blocks"]))
        frame.download("Outcomes as CSV (all bots)", results.outcomes, "outcomes")


def _choices(results: Snapshot) -> None:
    choices = results.choices
    if choices.is_empty():
        return
    ordered = choices.sort("value", descending=True)
    st.subheader("Who chooses well")
    st.caption(
        "The value of a choice: what a bot scored as the declarer beyond what the same cards in the same seat brought on "
        "average in the other games of the block. Bots that choose differently are not comparable by contract alone."
    )
    frame.table(sheets.choices(choices), sheets.CHOICES, thin=sheets.thin(ordered["blocks"]), height="content")
    frame.download("Choices as CSV", choices, "choices")


def _meaning(lower_is_better: bool) -> str:
    better = "Points are penalties here: fewer are better, and blue is fewer." if lower_is_better else "Blue is better."
    return (
        "Against the table: the points that a bot makes in a deal beyond the mean of all seats of the same deal, so that a "
        f"contract in which everybody loses still tells who loses least. {better} Intervals are at 95 %, over whole blocks; "
        f"grey cells rest on fewer than {MIN_BLOCKS} blocks."
    )
