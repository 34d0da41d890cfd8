"""Standings: who is best, how sure that is, and how it came to be so."""

from __future__ import annotations

import streamlit as st

from dashboard import frame, plots, sheets, words
from dashboard.reading import Snapshot


def show(results: Snapshot) -> None:
    """Lay out the page."""
    standings = results.standings
    rated = standings.filter(standings["rating"].is_not_null())
    frame.meaning(_meaning(results))
    if rated.is_empty():
        st.info("There is nobody to compare yet: ratings need two bots at one table.")
    else:
        frame.chart(results, "Ratings with 95 % intervals", lambda: plots.ratings(standings, results.anchor))
    thin = sheets.thin(standings["blocks"])
    chosen = frame.table(
        sheets.standings(standings, results.history), sheets.STANDINGS, thin=thin, height="content", key="standings-list",
        on_select="rerun", selection_mode="single-row",
    )  # fmt: skip
    row = frame.chosen_row(chosen)
    if row is not None:
        frame.go("bot", {"bot": standings["bot"][row]})
    frame.thin_note(thin)
    st.caption(" ".join(["Tick a row to open the bot's own page.", *_notes(results)]))
    frame.download("Standings as CSV", standings, "standings")
    if results.history["blocks"].n_unique() > 1:
        _history(results)


def _history(results: Snapshot) -> None:
    st.subheader("How it came to be so")
    st.caption(
        "The same rating, fitted again to the first so many blocks of the schedule. Lines that have become level say that "
        "more blocks will change little. Bots do not learn: a slope is chance being averaged out, and at the start the prior, "
        "which holds ratings together while there is little to go by."
    )
    bots = results.bots[: plots.LINES]
    colours = frame.colours(results)
    frame.chart(results, "Ratings after the first blocks of the schedule", lambda: plots.history(results.history, bots, colours))
    if len(results.bots) > plots.LINES:
        st.caption(f"The first {plots.LINES} of {len(results.bots)} bots; each has its line on its own page.")
    frame.download("History as CSV", results.history, "history")


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
    missing = standings.filter(standings["rating"].is_null())["bot"].to_list()
    if missing and missing != standings["bot"].to_list():
        notes.append(
            f"Without a rating, because no chain of opponents leads to the anchor: {words.plain(words.listed(missing))}."
        )
    if results.lower_is_better:
        notes.append("Points are penalties in this game: fewer are better.")
    return notes
