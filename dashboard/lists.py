"""The lists of a competition: which of them a page shows. The address names it, as `?list=king.fetes&season=1`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

import streamlit as st

from cluster.competition.database import NoDatabase
from cluster.competition.queries import Board
from cluster.competition.seasons import Ladder
from dashboard import frame, words
from dashboard.frame import View

T = TypeVar("T", str, int)


@cache
def board(folder: Path) -> Board:
    """The one board of a competition, shared by everybody who looks at the pages."""
    return Board(folder)


def page(folder: Path, title: str, view: View, *, waits: bool = True) -> None:
    """Lay out a page on a list that the viewer may choose."""
    frame.style()
    try:
        results = _chosen(board(folder))
    except NoDatabase as error:
        st.title(title)
        st.error(f"{words.plain(str(error))}. This page looks again every few seconds.", icon=":material/cloud_off:")
        frame.again()
        return
    if results is not None:
        st.session_state[frame.EVERYBODY] = board(folder).bots()
        frame.page(results, title, view, waits=waits)
        return
    st.title(title)
    st.info(
        "Nothing has been played in this list yet. A list begins with the first bot that is submitted to it, on the page "
        "Submit or by `kingmaker submit`; this page shows its matches as soon as they are there.",
        icon=":material/hourglass_empty:",
    )
    frame.again()


def ruleset(folder: Path) -> str | None:
    """The ruleset of the list that was looked at last."""
    slug = st.session_state.get(frame.LIST, {}).get("list")
    try:
        return next((ladder.ruleset for ladder in board(folder).ladders() if ladder.slug == slug), None)
    except NoDatabase:
        return None


def _chosen(of: Board) -> Path | None:
    """Let the viewer choose a list and a season; return its results folder, None before its first match."""
    ladders, seasons = {ladder.slug: ladder for ladder in of.ladders()}, [season.number for season in of.seasons()]
    if not ladders:
        return None
    usual = _first(of, list(ladders.values()), seasons[-1])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        slug = _choice("list", "List", list(ladders), usual, lambda name: ladders[name].title, 460)
        season = _choice("season", "Season", seasons, seasons[-1], str, 110) if len(seasons) > 1 else seasons[0]
    st.session_state[frame.LIST] = {"list": slug, "season": str(season)}
    st.query_params.update(st.session_state[frame.LIST])
    return of.results(ladders[slug], season)


def _first(of: Board, ladders: Sequence[Ladder], season: int) -> str:
    """The list that is shown to whoever named none: the first one with a match."""
    return next((ladder for ladder in ladders if of.results(ladder, season)), ladders[0]).slug


def _choice(name: str, label: str, options: Sequence[T], usual: T, shown: Callable[[T], str], width: int) -> T:
    """One choice: what the viewer has just chosen, else what the address names, else that of the page before."""
    known = {str(option): option for option in options}
    given, before = st.query_params.get(name), st.session_state.get(frame.LIST, {}).get(name)
    value = st.session_state.get(name, usual)
    if given in known and given != before:
        value = known[given]
    st.session_state[name] = value if value in options else usual  # said anew, as a page does not see the widget of the one before
    if given is not None and given not in known:
        st.info(f"There is no {name} {words.plain(given)}, which the address names; this is {words.plain(shown(st.session_state[name]))}.")
    return st.selectbox(label, options, format_func=shown, key=name, width=width)
