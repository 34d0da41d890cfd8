"""Contracts: who gains in which, what is chosen and paid, and how deals end."""

from __future__ import annotations

import streamlit as st

from cluster.statistics.comparisons import MIN_BLOCKS
from dashboard import frame, plots, sheets, words
from dashboard.reading import Snapshot

_METRICS = {"edge": "Against the table", "points": "Points a deal"}


def show(results: Snapshot) -> None:
    """Lay out the page."""
    contracts = results.contracts
    if contracts.is_empty():
        st.info("No block is complete yet, so there is nothing to compare.")
        return
    frame.meaning(_meaning(results.lower_is_better))
    metric = st.segmented_control(
        "Show", list(_METRICS), default="edge", required=True, format_func=_METRICS.__getitem__, key="show", bind="query-params"
    )
    frame.chart(
        results, "Points of every bot in every contract",
        lambda: plots.contract_map(contracts, metric or "edge", results.bots, lower_is_better=results.lower_is_better), metric,
    )  # fmt: skip
    frame.download("Contracts as CSV", contracts, "contracts")
    _one(results)
    _trades(results)
    _choices(results)


def _one(results: Snapshot) -> None:
    names = results.contract_ids
    st.subheader("One contract")
    contract = st.selectbox(
        "Contract", names, format_func=words.contract_name, key="contract", bind="query-params", width=340
    )
    mine = results.contracts.filter(contract=contract)
    mine = mine.sort("edge", "bot", descending=[not results.lower_is_better, False])
    st.caption("Points a deal beyond the mean of the table, with 95 % intervals over blocks; the best stands first.")
    frame.chart(results, "All bots in this contract", lambda: plots.bots_in_contract(mine, mine["bot"].to_list()), contract)
    thin = sheets.thin(mine["blocks"])
    frame.table(sheets.in_contract(mine), sheets.IN_CONTRACT, thin=thin, height="content")
    frame.thin_note(thin)
    ended = results.outcomes.filter(contract=contract)
    if not ended.is_empty():
        st.markdown("**How its deals ended**")
        st.caption("For those whom the outcome concerns: shares of their deals of this contract, with 95 % intervals.")
        frame.chart(results, "Outcomes of all bots", lambda: plots.outcomes(ended, results.bots), contract)
        frame.table(sheets.outcomes(ended).drop("Contract"), sheets.OUTCOMES, thin=sheets.thin(ended["blocks"]))
        frame.download("Outcomes as CSV (all contracts)", results.outcomes, "outcomes")


def _trades(results: Snapshot) -> None:
    trades = results.trades
    if trades.is_empty():
        return
    st.subheader("What is chosen, and what it costs")
    was_sold = trades["bought"].sum() > 0
    st.caption(
        "How often each bot, when it declared a deal, took which contract."
        + (" A choice may be bought: the price is what the buyer paid, the income what the seller got, in points." if was_sold else "")
    )
    frame.chart(results, "Contracts that each bot declared", lambda: plots.choices(trades, results.bots))
    with st.expander("The numbers"):
        frame.table(sheets.trades(trades), sheets.TRADES)
    frame.download("Choices and prices as CSV", trades, "trades")


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
    frame.download("Values of choices as CSV", choices, "choices")


def _meaning(lower_is_better: bool) -> str:
    better = "Points are penalties here: fewer are better, and blue is fewer." if lower_is_better else "Blue is better."
    return (
        "Against the table: the points that a bot makes in a deal beyond the mean of all seats of the same deal, so that a "
        f"contract in which everybody loses still tells who loses least. {better} Intervals are at 95 %, over whole blocks; "
        f"grey cells rest on fewer than {MIN_BLOCKS} blocks."
    )
