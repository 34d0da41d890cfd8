"""Matches: find one, and step through it."""

from __future__ import annotations

import polars as pl
import streamlit as st

from cluster import matchlist
from dashboard import frame, sheets, words
from dashboard.reading import Snapshot

_SHOWN = 500  # rows that a page can show at once without becoming slow
_SAVED = 200_000  # rows of the list that a browser can take at once
_ORDERS: dict[str, matchlist.Order] = {"Schedule": "schedule", "Worst first": "worst", "Best first": "best"}


def show(results: Snapshot) -> None:
    """Lay out the page."""
    frame.meaning(
        "A block is the same cards played in several seatings, one match each: compare the games of one block to see who "
        "made more of the same cards. Totals and ranks stand in the order of the seats. Tick a row to step through the match."
    )
    rows = _found(results)
    amount = int(rows.select(pl.len()).collect().item())
    if not amount:
        st.info("No match is like that; widen the filter.")
        return
    shown = rows.head(_SHOWN).collect()
    st.markdown(
        words.count(amount, "match", "matches") + (f", the first {_SHOWN:,} shown" if amount > _SHOWN else "")
    )
    chosen = frame.table(
        sheets.matches(shown), sheets.MATCHES, on_select="rerun", selection_mode="single-row", key="match-list", height=460
    )
    row = frame.chosen_row(chosen)
    if row is not None:
        frame.go("replay", {"match": shown["match_id"][row]})
    label = "Matches as CSV" + (f" (the first {_SAVED:,})" if amount > _SAVED else "")
    frame.download(label, lambda: rows.head(_SAVED).collect(), "matches")


def _found(results: Snapshot) -> pl.LazyFrame:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        bots = st.multiselect("Bots (all of them at the table)", results.bots, key="bots", bind="query-params", placeholder="Any", width=320)
        contract = st.selectbox(
            "Contract", results.contract_ids, index=None, placeholder="Any", format_func=words.contract_name, key="contract",
            bind="query-params", width=200,
        )  # fmt: skip
        whose = "Total of the first bot" if bots else "A total"
        low = st.number_input(f"{whose}, from", value=None, step=10, placeholder="any", key="from", bind="query-params", width=170)
        high = st.number_input("to", value=None, step=10, placeholder="any", key="to", bind="query-params", width=120)
        order = st.selectbox(
            "Order", list(_ORDERS), key="order", bind="query-params", width=190, disabled=not bots,
            help="For the first of the bots: by its points beyond what others made of the same cards in the same seat.",
        )  # fmt: skip
        faulty = st.toggle("Only with faults", key="faults", bind="query-params")
    rows = matchlist.find(
        results.matches, results.players, bots=bots, contract=contract, faulty=faulty, low=low, high=high
    )
    first = bots[0] if bots else None
    return matchlist.ordered(rows, results.players, first, _ORDERS[order or "Schedule"], lower_is_better=results.lower_is_better)
