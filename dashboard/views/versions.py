"""Versions: what became of a bot from one to the next, and whose it is; a part of a bot's page in a competition."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import streamlit as st

from cluster.competition.queries import Player
from cluster.texts import plain
from dashboard import frame, words
from dashboard.reading import Snapshot
from dashboard.sheets import Heading
from referee.rules.registry import RULESETS

_HEADINGS = (
    Heading("Version", "%d"), Heading("Plays as"), Heading("State"), Heading("Rating", "%.0f", "In this list."),
    Heading("Rating, 95 %"), Heading("Blocks", "%d"), Heading("Language"),
)  # fmt: skip


def show(results: Snapshot, players: Sequence[Player]) -> None:
    """Lay out the part for the bot that the page shows; nothing for one that was not submitted."""
    mine = next((player for player in players if player.player == st.session_state.get("bot")), None)
    if mine is None:
        return
    family = [player for player in players if player.bot == mine.bot]
    st.subheader("Versions")
    st.caption(
        f"{words.plain(plain(mine.bot))} is by {words.plain(plain(mine.owner))}. A new version takes the place of the one before, whose results "
        f"and rating stay. Tick a row for the version's page. This one plays {words.listed([_title(name) for name in mine.rulesets])}."
    )
    rated = {row["bot"]: row for row in results.standings.iter_rows(named=True)}
    chosen = frame.table(_table(family, rated), _HEADINGS, height="content", key="versions", on_select="rerun", selection_mode="single-row")
    row = frame.chosen_row(chosen)
    if row is not None and family[row].player in rated:
        frame.go("bot", {"bot": family[row].player})
    frame.download("Versions as CSV", _table(family, rated), "versions")


def _table(family: Sequence[Player], rated: dict[str, dict[str, object]]) -> pl.DataFrame:
    rows = []
    for each in family:
        here = rated.get(each.player, {})
        low, high = here.get("low"), here.get("high")
        assert low is None or isinstance(low, float)
        assert high is None or isinstance(high, float)
        rows.append((
            each.number, plain(each.player), "plays" if each.active else "does not play", here.get("rating"), words.elo(low, high),
            here.get("blocks"), each.language,
        ))  # fmt: skip
    kinds = [pl.Int64, pl.String, pl.String, pl.Float64, pl.String, pl.Int64, pl.String]
    return pl.DataFrame(rows, schema=dict(zip([heading.title for heading in _HEADINGS], kinds, strict=True)), orient="row")


def _title(ruleset: str) -> str:
    """What a ruleset is called; one that this version does not know by its id."""
    return RULESETS[ruleset].title if ruleset in RULESETS else words.plain(ruleset)
