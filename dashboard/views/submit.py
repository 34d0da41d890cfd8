"""Submit: send a bot's archive to the competition, and see what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import streamlit as st

from cluster.competition import uploads
from cluster.competition.database import NoDatabase
from cluster.competition.owners import Owner, Refused
from cluster.competition.queries import Board
from cluster.competition.registry import NotTaken, Submission
from cluster.competition.schema import OPEN, State
from cluster.texts import plain
from dashboard import frame, words
from dashboard.sheets import Heading

#: How often it is looked how far a submission is, in seconds.
EVERY_S = 2.0
_KINDS = ["zip", "tar", "gz", "tgz", "bz2", "xz"]
_MANY = 12  # rows that stand one below the other
_HEADINGS = (
    Heading("Submission"), Heading("Bot"), Heading("State"),
    Heading("Plays as", help="Its name in the standings: the bot's, and its version."),
    Heading("Received, UTC"), Heading("Bytes", "%d"),
)  # fmt: skip
#: What the author has to know of a state.
_MEANS = {
    State.RECEIVED: "it waits for its turn",
    State.BUILDING: "it is unpacked and built, without a network",
    State.VALIDATING: "it plays against itself and the reference bots, from every seat",
    State.ACTIVE: "it plays in the ladder",
    State.RETIRED: "it plays no more; its results are kept",
    State.REJECTED: "it does not play; the log says why",
}


def show(board: Board) -> None:
    """Lay out the page."""
    frame.style()
    st.title("Submit")
    frame.meaning(
        "A bot comes as a zip or tar of its folder, with its `bot.toml` at the top: `tar czf my-bot.tar.gz -C my-bot .` makes one. It is built in a sandbox and tried at every seat, as by "
        "`kingmaker submit`; then it plays. The same bytes twice are one submission; a new content of the same name is the next "
        "version, which takes the place of the one before."
    )
    token = st.text_input(
        "Your token", type="password", key="token", persist_state="session", autocomplete="off", max_chars=200,
        help="The organiser makes it: `kingmaker admin owner add NAME`. It is kept for this visit only.", width=480,
    )  # fmt: skip
    if not token or not token.strip():
        st.info("Give the token that the organiser gave you, to send a bot and to see what became of yours.", icon=":material/key:")
        return
    try:
        owner = board.owner(token.strip())
        _send(board, owner, token.strip())
        _mine(board, token.strip())
    except (Refused, NoDatabase) as error:
        st.error(words.plain(str(error)), icon=":material/block:")


def _send(board: Board, owner: Owner, token: str) -> None:
    limits = owner.limits
    with st.form("archive", clear_on_submit=True, enter_to_submit=False):
        file = st.file_uploader(
            f"Archive of {words.plain(owner.name)}", type=_KINDS, max_upload_size=max(1, limits.max_archive_bytes >> 20),
            help=f"At most {limits.max_archive_bytes:,} bytes, {words.count(limits.max_submissions_a_day, 'submission')} within "
            f"24 hours, {words.count(limits.max_bots, 'bot')}.",
        )  # fmt: skip
        if not st.form_submit_button("Submit", type="primary", icon=":material/upload:"):
            return
    if file is None:
        st.warning("Choose an archive first.")
        return
    try:
        sent = uploads.submit(board.place, board.database, token, file.getvalue())
    except NotTaken as refusal:
        st.error(words.plain(str(refusal)), icon=":material/block:")
    except OSError:
        st.error("The competition's disk takes nothing at the moment; send it again in a while.", icon=":material/block:")
    else:
        st.query_params["submission"] = sent.id
        st.success(f"Submission `{sent.id}` has arrived.", icon=":material/check:")


def _mine(board: Board, token: str) -> None:
    found = board.submissions(token)
    if found:
        is_open = any(each.state in OPEN for each in found)
        st.fragment(run_every=EVERY_S if is_open else None)(_list)(board, token, is_open)


def _list(board: Board, token: str, was_open: bool) -> None:
    """What became of the owner's submissions, and the log of one; looks again while one is under way."""
    found = board.submissions(token)
    if was_open and not any(each.state in OPEN for each in found):
        st.rerun()
    st.subheader("What became of yours")
    table = _table(found)
    chosen = frame.table(
        table.rename(dict(zip(table.columns, [heading.title for heading in _HEADINGS], strict=True))), _HEADINGS,
        height="content" if len(found) <= _MANY else 460, key="submissions", on_select="rerun", selection_mode="single-row",
    )  # fmt: skip
    row = frame.chosen_row(chosen)
    if row is not None:
        st.query_params["submission"] = found[row].id
    st.caption("Tick a row to read its log.")
    frame.download("Submissions as CSV", table, "submissions")
    _log(next((each for each in found if each.id == st.query_params.get("submission")), found[0]))


def _log(one: Submission) -> None:
    st.subheader("Its log")
    name = words.plain(plain(one.player or one.bot or one.id))
    st.markdown(f"**{name}** is **{one.state}**: {_MEANS[one.state]}.")
    st.code(plain(one.log), language=None, wrap_lines=True)


def _table(found: Sequence[Submission]) -> pl.DataFrame:
    """In the order of the headings."""
    rows = [
        {
            "submission": each.id, "bot": plain(each.bot or "–"), "state": str(each.state), "player": plain(each.player or "–"),
            "received": f"{each.received:%Y-%m-%d %H:%M:%S}", "bytes": each.size,
        }
        for each in found
    ]  # fmt: skip
    return pl.DataFrame(rows)
