"""The pages on a results folder: ``streamlit run dashboard/app.py -- DIR``, as `kingmaker dashboard DIR` does it."""

from __future__ import annotations

import sys
from pathlib import Path

import streamlit as st

from dashboard import frame, reading
from dashboard.views import contracts, matches, rules, standings


def main(arguments: list[str]) -> None:
    """Show the pages on the folder that the command line names."""
    st.set_page_config(page_title="Kingmaker", page_icon="👑", layout="wide")
    if len(arguments) != 1:
        st.title("Kingmaker")
        st.error("These pages need one results folder. Start them with `kingmaker dashboard DIR`.")
        return
    folder = Path(arguments[0]).expanduser().resolve()

    def show_standings() -> None:
        frame.page(folder, "Standings", standings.show)

    def show_contracts() -> None:
        frame.page(folder, "Contracts", contracts.show)

    def show_matches() -> None:
        frame.page(folder, "Matches", matches.show)

    def show_rules() -> None:
        rules.show(reading.ruleset_of(folder))

    pages = [
        st.Page(show_standings, title="Standings", icon=":material/leaderboard:", url_path="standings", default=True),
        st.Page(show_contracts, title="Contracts", icon=":material/style:", url_path="contracts"),
        st.Page(show_matches, title="Matches", icon=":material/playing_cards:", url_path="matches"),
        st.Page(show_rules, title="Rules", icon=":material/menu_book:", url_path="rules"),
    ]
    st.navigation(pages, position="top").run()


if __name__ == "__main__":
    main(sys.argv[1:])
