"""Standings: who is best, how sure that is, and who beats whom."""

from __future__ import annotations

import streamlit as st

from cluster.statistics.comparisons import MIN_BLOCKS
from dashboard import frame, plots, sheets, words
from dashboard.reading import Snapshot


def show(results: Snapshot) -> None:
    """Lay out the page."""
    standings = results.standings
    rated = standings.filter(standings["rating"].is_not_null())
    st.caption(_meaning(results))
    if rated.is_empty():
        st.info("There is nobody to compare yet: ratings need two bots at one table.")
    else:
        st.altair_chart(plots.ratings(standings, results.anchor), width="stretch", alt="Ratings with 95 % intervals")
    frame.table(sheets.standings(standings), sheets.STANDINGS, thin=sheets.thin(standings["blocks"]), height="content")
    notes = _notes(results)
    if notes:
        st.caption(" ".join(notes))
    frame.download("Standings as CSV", standings, "standings")
    pairs = results.pairs
    if not pairs.is_empty():
        _head_to_head(results)


def _head_to_head(results: Snapshot) -> None:
    met = set(results.pairs["bot"])
    bots = [bot for bot in results.standings["bot"] if bot in met]
    order = bots + sorted(met.difference(bots))  # with mixed partners, pairs of bots
    st.subheader("Head to head")
    st.caption(
        "The share of results, in %, that the bot of the row took from the bot of the column; a draw is half. 50 is level, "
        "blue is above it, amber below, grey rests on too few blocks. Point at a cell for the Elo difference with its interval, which also counts "
        "results against others."
    )
    st.altair_chart(plots.head_to_head(results.pairs, order), width="stretch", alt="Score shares of all pairs of bots")
    frame.download("Head to head as CSV", results.pairs, "pairs")


def _meaning(results: Snapshot) -> str:
    anchor = words.plain(results.anchor or "")
    return (
        "Ratings are on the Elo scale, fitted to all complete blocks at once: 100 points more mean a share of 64 % of the "
        f"results against one another, 200 points 76 %. They are measured from the anchor {anchor} (the diamond), which "
        "stands at 1500 by definition and so has no interval of its own; everybody else's is where the distance to it lies, "
        "at 95 %. Two bots with overlapping intervals may still differ: the rank says which places the results allow."
    )


def _notes(results: Snapshot) -> list[str]:
    standings, notes = results.standings, []
    if any(sheets.thin(standings["blocks"])):
        notes.append(f"Grey: fewer than {MIN_BLOCKS} blocks, too few to say anything.")
    missing = standings.filter(standings["rating"].is_null())["bot"].to_list()
    if missing and missing != standings["bot"].to_list():
        notes.append(
            f"Without a rating, because no chain of opponents leads to the anchor: {words.plain(words.listed(missing))}."
        )
    if results.game is not None and results.game.lower_is_better:
        notes.append("Points are penalties in this game: fewer are better.")
    return notes
