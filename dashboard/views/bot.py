"""A bot: where it stands, where it wins and loses, against whom, its worst matches, its faults and its thinking."""

from __future__ import annotations

import polars as pl
import streamlit as st

from cluster.store import DamagedResults
from dashboard import figures, frame, judging, plots, reading, sheets, words
from dashboard.reading import Snapshot


def show(results: Snapshot) -> None:
    """Lay out the page."""
    bot = st.selectbox("Bot", results.bots, key="bot", bind="query-params", width=340)
    standing = results.standings.filter(bot=bot).row(0, named=True)
    conduct = results.conduct.filter(bot=bot).row(0, named=True)
    frame.facts(figures.of_bot(standing))
    frame.meaning(
        "Rating and points with their 95 % intervals over whole blocks; the rank is the range that the results allow. "
        "A fault is a decision in which the referee had to play in the bot's place."
    )
    own = frame.colours(results).of(str(bot))
    history = results.history.filter(bot=bot)
    if history.height > 1:
        st.subheader("Rating over the blocks")
        st.caption("Fitted again to the first so many blocks; the band is the 95 % interval of then.")
        frame.chart(results, "The bot's rating after the first blocks", lambda: plots.one_history(history, own), bot)
    _contracts(results, str(bot), own)
    _losses(results, str(bot))
    _opponents(results, str(bot))
    _worst(results, str(bot))
    _conduct(results, conduct, own)


def _contracts(results: Snapshot, bot: str, own: str) -> None:
    mine = results.contracts.filter(bot=bot)
    if mine.is_empty():
        return
    st.subheader("Contracts against the field")
    better = "to the left of 0, since points are penalties," if results.lower_is_better else "to the right of 0"
    st.caption(
        f"Points a deal beyond the mean of the table, with 95 % intervals; {better} is better. The grey ticks are the other "
        "bots: a bar that ends beyond all of them is a contract in which nobody does better or worse."
    )
    others = results.contracts.filter(pl.col("bot") != bot)
    frame.chart(results, "Points against the table by contract", lambda: plots.contract_edges(mine, others, own), bot)
    thin = sheets.thin(mine["blocks"])
    frame.table(sheets.contracts(mine), sheets.CONTRACTS, thin=thin, height="content")
    frame.thin_note(thin)
    frame.download("Contracts as CSV", mine, "bot-contracts")
    declared = mine.filter(pl.col("points_declaring").is_not_null() & pl.col("points_defending").is_not_null())
    if not declared.is_empty():
        st.subheader("Declaring and defending")
        st.caption(
            "Points a deal where this bot played the contract itself, and where somebody else did, with what was paid; pale "
            "below 10 blocks."
        )
        frame.chart(results, "Points declaring and defending", lambda: plots.declaring(declared), bot)


def _losses(results: Snapshot, bot: str) -> None:
    """Points lost against perfect play of the same cards, as far as matches were analysed."""
    try:
        judged = reading.judged(results.folder)
    except DamagedResults as error:
        st.warning(words.plain(str(error)))
        return
    if judged.filter(bot=bot).is_empty():
        return
    st.subheader("Points lost against perfect play")
    shown, mine = judging.table(judged, bot)
    st.markdown(judging.verdict(mine))
    st.caption(
        "What perfect play of the same cards, all hands known, would have given more, for each free choice late in a deal. "
        "Nobody sees the hands, so everybody loses something: compare with the others. `kingmaker analyse` adds matches."
    )
    frame.table(shown, judging.LOSSES, height="content", key="losses")
    frame.download("Points lost as CSV", mine, "points-lost")


def _opponents(results: Snapshot, bot: str) -> None:
    met = results.pairs.filter(bot=bot)
    if met.is_empty():
        return
    st.subheader("Opponents")
    st.caption(
        "The share of results that this bot took from each; what the ratings promise; and the difference of the two ratings. "
        "Tick a row for the pair's page."
    )
    chosen = frame.table(
        sheets.opponents(met), sheets.OPPONENTS, thin=sheets.thin(met["blocks"].fill_null(0)), height="content", key="opponents",
        on_select="rerun", selection_mode="single-row",
    )  # fmt: skip
    row = frame.chosen_row(chosen)
    if row is not None:
        frame.go("pairs", {"bot": bot, "against": met["opponent"][row]})
    frame.download("Opponents as CSV", met, "opponents")


def _worst(results: Snapshot, bot: str) -> None:
    st.subheader("Worst matches")
    st.caption(
        "Where this bot lost most against what the others made of the very same cards in the same seat, mean over the block: "
        "play, not luck. Tick a row to step through the match."
    )
    worst = results.worst(bot)
    chosen = frame.table(sheets.worst(worst, bot), sheets.WORST, height="content", key="worst", on_select="rerun",
                         selection_mode="single-row")  # fmt: skip
    row = frame.chosen_row(chosen)
    if row is not None:
        frame.go("replay", {"match": worst["match_id"][row]})
    frame.link("matches", "All its matches", ":material/playing_cards:", {"bots": [bot]})
    frame.download("Worst matches as CSV", worst, "worst")


def _conduct(results: Snapshot, conduct: dict[str, object], own: str) -> None:
    st.subheader("Faults and thinking time")
    st.caption(
        "Thinking time is what the referee's clock charged: from the moment a decision was sent to its answer, shared among "
        "answers that came together."
    )
    frame.facts(figures.of_conduct(conduct))
    bot = str(conduct["bot"])
    frame.chart(results, "Mean thinking time of all bots", lambda: plots.thinking(results.conduct, bot, own), bot)
    frame.download("Faults and times as CSV (all bots)", results.conduct, "conduct")
