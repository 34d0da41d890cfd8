"""The pages on a results folder, or on the lists of a competition: ``streamlit run dashboard/app.py -- DIR``, as
`kingmaker dashboard DIR` does it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import streamlit as st

from cluster.competition.place import Place
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
    st.set_page_config(page_title="Kingmaker", page_icon="👑", layout="wide")  # here too, lest a page be narrow for a moment
    if len(arguments) != 1:
        st.title("Kingmaker")
        st.error("These pages need one results folder. Start them with `kingmaker dashboard DIR`.")
        return
    folder = Path(arguments[0]).expanduser().resolve()
    pages = _of_competition(folder) if Place(folder).is_there else _of_results(folder)
    st.session_state[frame.PAGES] = pages
    page = st.navigation(list(pages.values()), position="top")
    st.set_page_config(page_title=f"{page.title} · Kingmaker")
    page.run()
    _forget_the_beginning()


@cache
def _forget_the_beginning() -> None:
    """Streamlit looks for garbage among all objects whenever any viewer's page has looked for news, which costs ten times what looking
    does: what is there since the first page was laid out, above all the libraries, is no garbage.
    """
    gc.collect()
    gc.freeze()


def _of_results(folder: Path) -> dict[str, Any]:
    pages = _pages(partial(frame.page, folder), lambda: reading.ruleset_of(folder))
    pages["submit"] = st.Page(_no_competition, title="Submit", url_path="submit", visibility="hidden")
    return pages


def _of_competition(folder: Path) -> dict[str, Any]:
    from dashboard import lists  # needs what a competition needs, which is not installed everywhere
    from dashboard.views import submit, versions

    def with_versions(title: str, view: frame.View, *, waits: bool) -> None:
        def both(results: reading.Snapshot) -> None:
            view(results)
            if view is bot.show:
                versions.show(results, lists.board(folder).players())

        lists.page(folder, title, both, waits=waits)

    pages = _pages(with_versions, lambda: lists.ruleset(folder))
    show = _named("submit", lambda: submit.show(lists.board(folder)))
    pages["submit"] = st.Page(show, title="Submit", icon=":material/upload_file:", url_path="submit")
    return pages


def _pages(page: Callable[..., None], ruleset: Callable[[], str | None]) -> dict[str, Any]:
    """``page`` lays out one of them; ``ruleset`` tells which rules come first."""
    pages = {
        name: st.Page(_named(name, partial(page, title, view, waits=name != "tournament")), title=title, icon=icon,
                      url_path=name, default=name == "standings")
        for name, (title, icon, view) in _VIEWS.items()
    }  # fmt: skip
    pages["rules"] = st.Page(lambda: rules.show(ruleset()), title="Rules", icon=":material/menu_book:", url_path="rules")
    return pages


def _no_competition() -> None:
    """What stands at the address of the page Submit where nothing can be submitted."""
    st.title("Submit")
    st.info(
        "These pages show a results folder, to which nothing can be submitted. `kingmaker serve` starts a competition, and its "
        "pages take bots here; `kingmaker dashboard DIR` shows those of a competition in DIR.",
        icon=":material/info:",
    )


def _named(name: str, show: Callable[[], None]) -> Callable[[], None]:
    """The same under a name, which Streamlit wants of a page."""

    def named() -> None:
        show()

    named.__name__ = name
    return named


if __name__ == "__main__":
    main(sys.argv[1:])
