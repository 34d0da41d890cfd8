"""Tournament: how far it is, how fast it goes, who plays it, and what went wrong."""

from __future__ import annotations

import polars as pl
import streamlit as st

from cluster.pace import Pace, pace
from dashboard import figures, frame, plots, sheets, words
from dashboard.reading import Snapshot


def show(results: Snapshot) -> None:
    """Lay out the page."""
    now, progress = pace(results.folder), results.progress
    frame.meaning(
        "A block counts when all of its matches are played and written down. The speed is that of the last five minutes of "
        "play; a failure of a machine costs no bot anything: its blocks are played again."
    )
    frame.facts(_facts(results, now))
    if now.batches.height > 1:
        st.subheader("Blocks over time")
        frame.chart(results, "Blocks done over time", lambda: plots.pace(plots.thinned(now.batches)))
        frame.download("Batches as CSV", now.batches, "batches")
    _aside(now)
    if not results.conduct.is_empty():
        st.subheader("Faults and thinking time")
        st.caption(
            f"{words.count(progress.faults, 'fault')} so far. A fault is a decision in which the referee had to play in the "
            "bot's place; a bot with too many of them in a match forfeits it. They harm nobody but the bot."
        )
        frame.table(sheets.conduct(results.conduct), sheets.CONDUCT, height="content")
        frame.download("Faults and times as CSV", results.conduct, "conduct")
    _field(results)


def _facts(results: Snapshot, now: Pace) -> list[figures.Fact]:
    progress = results.progress
    done = "all are there" if progress.is_over else f"{progress.scheduled - progress.done:,} are missing"
    facts = [("Blocks", f"{progress.done:,} of {progress.scheduled:,}" if not progress.is_over else f"{progress.done:,}", done)]
    facts.append(("Matches", f"{progress.matches:,}", "in complete blocks"))
    # A list of a competition goes on: what is planned of it is a round, and then the other lists have their turn.
    over = "between rounds" if results.goes_on else "over"
    state = {True: "running", False: "not running" if not progress.is_over else over, None: over if progress.is_over else "–"}
    facts.append(("State", state[now.is_running], "on this machine"))
    if now.workers is not None:
        facts.append(("Workers", f"{now.workers:,}", f"of the last run{f', on {now.host}' if now.host else ''}"))
    if now.blocks_a_minute is not None:
        facts.append(("Blocks a minute", words.number(now.blocks_a_minute, 1), "last five minutes of play"))
        matches = now.blocks_a_minute * progress.matches / max(progress.done, 1)
        facts.append(("Matches a minute", words.number(matches), "last five minutes of play"))
    left = now.seconds_left(progress.scheduled - progress.done)
    if now.is_running and left is not None and not progress.is_over:
        facts.append(("Time left", words.duration(left), "at this speed"))
    facts.append(("Faults", f"{progress.faults:,}", "of all bots"))
    return facts


def _aside(now: Pace) -> None:
    if not now.set_aside:
        return
    st.subheader("Set aside")
    st.caption("Blocks that broke worker after worker in the last run; the next one tries them again.")
    rows = [
        (int(one.get("block", 0)), ", ".join(map(str, one.get("lineup", ()))), int(one.get("attempts", 0)), str(one.get("why", "")))
        for one in now.set_aside
    ]
    heads = [sheets.Heading("Block", "%d"), sheets.Heading("Bots"), sheets.Heading("Attempts", "%d"), sheets.Heading("Why")]
    schema = {"Block": pl.Int64, "Bots": pl.String, "Attempts": pl.Int64, "Why": pl.String}
    frame.table(pl.DataFrame(rows, schema=schema, orient="row"), heads, height="content")


def _field(results: Snapshot) -> None:
    plan = results.plan
    st.subheader("What is played")
    facts = [f"**Game**: {words.plain(results.title)}", f"**Schedule**: {words.plain(str(plan.get('schedule', '–')))}"]
    options = plan.get("options")
    if isinstance(options, dict) and options:
        facts.append("**Options**: " + words.plain(", ".join(f"{name} = {value}" for name, value in options.items())))
    bots = plan.get("bots")
    if isinstance(bots, list):
        facts.append(f"**{words.count(len(bots), 'bot')}**: " + words.plain(", ".join(str(one.get("name")) for one in bots)))
    st.markdown("\n".join(f"- {fact}" for fact in facts))
