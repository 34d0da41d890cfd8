"""Head to head: who takes how much from whom, whether the ratings tell it all, and one pair in full."""

from __future__ import annotations

import polars as pl
import streamlit as st

from cluster.statistics.cycles import cycles
from dashboard import figures, frame, plots, words
from dashboard.reading import Snapshot

_SHOWN = {"share": "Share of results", "surprise": "Surprise"}
_MEANING = {
    "share": (
        "The share of results, in %, that the bot of the row took from the bot of the column; a draw is half. 50 is level, "
        "blue is above it, amber below, grey rests on too few blocks. Point at a cell for the Elo difference with its "
        "interval, which also counts results against others."
    ),
    "surprise": (
        "How far the results between two bots are from what their ratings promise, in standard errors: within −2 and 2 is "
        "chance, beyond 3 is not. A row of strong colours is a bot that suits some opponents and not others."
    ),
}


def show(results: Snapshot) -> None:
    """Lay out the page."""
    pairs = results.pairs
    if pairs.is_empty():
        st.info("Nobody has met anybody else yet: head to head needs two bots at one table.")
        return
    met = set(pairs["bot"])
    order = [bot for bot in results.bots if bot in met]
    order += sorted(met.difference(order))  # with mixed partners, pairs of bots
    shown = st.segmented_control(
        "Show", list(_SHOWN), default="share", required=True, format_func=_SHOWN.__getitem__, key="show", bind="query-params"
    )
    frame.meaning(_MEANING[shown or "share"])
    draw = plots.surprises if shown == "surprise" else plots.head_to_head
    frame.chart(results, f"{_SHOWN[shown or 'share']} of all pairs of bots", lambda: draw(pairs, order))
    frame.download("Head to head as CSV", pairs, "pairs")
    _pair(results, order)
    _cycles(pairs)


def _pair(results: Snapshot, order: list[str]) -> None:
    st.subheader("One pair")
    with st.container(horizontal=True):
        first = st.selectbox("Bot", order, key="bot", bind="query-params", width=300)
        others = [bot for bot in order if bot != first]
        if st.session_state.get("against") == first:
            del st.session_state["against"]
        second = st.selectbox("Against", others, key="against", bind="query-params", width=300)
    row = results.pairs.filter(bot=first, opponent=second)
    if row.is_empty():
        st.info("These two have not sat at one table.")
        return
    frame.facts(figures.of_pair(row.row(0, named=True)))
    both = results.contracts.filter(pl.col("bot").is_in([first, second]))
    if both["bot"].n_unique() == 2:
        st.caption("Where the two differ: points a deal against the table, with 95 % intervals over blocks.")
        pair, colours = [str(first), str(second)], frame.colours(results)
        frame.chart(
            results, "Points against the table of both, contract by contract", lambda: plots.compared(both, pair, colours), *pair
        )
    frame.link("matches", "Their matches", ":material/playing_cards:", {"bots": [str(first), str(second)]})


def _cycles(pairs: pl.DataFrame) -> None:
    st.subheader("Cycles")
    found = cycles(pairs)
    if found.is_empty():
        st.markdown("None: no three bots of which each takes more from the next than the ratings promise.")
        return
    st.caption(
        "Three bots of which each takes more from the next than the ratings promise, so that one number a bot is too little. "
        "The surprise is that of the weakest of the three links, in standard errors; between 1 and 2 it may well be chance."
    )
    lines = [
        f"- {words.plain(one)} → {words.plain(two)} → {words.plain(three)} → {words.plain(one)} ({z:.1f})"
        for one, two, three, z in found.head(10).iter_rows()
    ]
    st.markdown("\n".join(lines))
    frame.download("Cycles as CSV", found, "cycles")
