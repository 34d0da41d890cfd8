"""Matches: find one, and step through it."""

from __future__ import annotations

import polars as pl
import streamlit as st

from dashboard import frame, sheets, words
from dashboard.reading import Snapshot
from dashboard.views import replay

_SHOWN = 1000  # rows that a page can show at once without becoming slow
_ANY = "Any"


def show(results: Snapshot) -> None:
    """Lay out the page: one match where the address names it, else the list."""
    match_id = st.query_params.get("match")
    if match_id and replay.show(results, match_id):
        return
    st.caption(
        "A block is the same cards played in several seatings, one match each: compare the games of one block to see who "
        "made more of the same cards. Totals and ranks stand in the order of the seats. Tick a row to step through the match."
    )
    found = _filtered(results)
    if found.is_empty():
        st.info("No match is like that; widen the filter.")
        return
    shown = found.head(_SHOWN)
    st.markdown(
        words.count(found.height, "match", "matches")
        + (f", the first {_SHOWN:,} shown" if found.height > _SHOWN else "")
    )
    chosen = frame.table(
        sheets.matches(shown),
        sheets.MATCHES,
        on_select="rerun",
        selection_mode="single-row",
        key="match-list",
        height=460,
    )
    if chosen.selection.rows:
        st.query_params["match"] = shown["match_id"][chosen.selection.rows[0]]
        st.rerun()
    frame.download("Matches as CSV", found, "matches")


def _filtered(results: Snapshot) -> pl.DataFrame:
    listed = results.match_list
    bots = results.standings["bot"].to_list()
    order = results.game.contract_ids if results.game else ()
    played = set(results.deals["contract"])
    contracts = [name for name in order if name in played] + sorted(played - set(order))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = st.multiselect("Bots (all of them at the table)", bots, key="filter-bots", width=360)
        contract = st.selectbox(
            "Contract", [_ANY, *contracts], format_func=lambda name: name if name == _ANY else words.contract_name(name),
            key="filter-contract", width=220,
        )  # fmt: skip
        faulty = st.toggle("Only with faults", key="filter-faults")
    for bot in wanted:
        listed = listed.filter(pl.col("bots").list.contains(bot))
    if contract != _ANY:
        listed = listed.filter(pl.col("contracts").list.contains(contract))
    return listed.filter(pl.col("faults") > 0) if faulty else listed
