"""The pages on a results folder: ``streamlit run dashboard/app.py -- DIR``, as `kingmaker dashboard DIR` does it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard import frame, reading
from dashboard.views import bot, contracts, matches, pairs, replay, rules, standings, tournament

#: By the last part of the address: title, icon, and how it is laid out.
_VIEWS: dict[str, tuple[str, str, Callable[..., None]]] = {
    "standings": ("Standings", ":material/leaderboard:", standings.show),
    "bot": ("Bot", ":material/smart_toy:", bot.show),
    "pairs": ("Head to head", ":material/swap_horiz:", pairs.show),
    "contracts": ("Contracts", ":material/style:", contracts.show),
    "matches": ("Matches", ":material/playing_cards:", matches.show),
    "replay": ("Replay", ":material/play_circle:", replay.show),
    "tournament": ("Tournament", ":material/speed:", tournament.show),
}


def main(arguments: list[str]) -> None:
    """Show the pages on the folder that the command line names."""
    st.set_page_config(page_title="Kingmaker", page_icon="👑", layout="wide")
    if len(arguments) != 1:
        st.title("Kingmaker")
        st.error("These pages need one results folder. Start them with `kingmaker dashboard DIR`.")
        return
    pages = _pages(Path(arguments[0]).expanduser().resolve())
    st.session_state[frame.PAGES] = pages
    st.navigation(list(pages.values()), position="top").run()


def _pages(folder: Path) -> dict[str, Any]:
    pages = {
        name: st.Page(_named(name, partial(frame.page, folder, title, view, waits=name != "tournament")), title=title, icon=icon,
                      url_path=name, default=name == "standings")
        for name, (title, icon, view) in _VIEWS.items()
    }  # fmt: skip
    pages["rules"] = st.Page(
        lambda: rules.show(reading.ruleset_of(folder)), title="Rules", icon=":material/menu_book:", url_path="rules"
    )
    return pages


def _named(name: str, show: Callable[[], None]) -> Callable[[], None]:
    """The same under a name, which Streamlit wants of a page."""

    def named() -> None:
        show()

    named.__name__ = name
    return named


if __name__ == "__main__":
    main(sys.argv[1:])
