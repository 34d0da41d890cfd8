"""What every page has: its head, the progress, what it says of an empty or a wrong folder, tables and downloads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import streamlit as st

from cluster.store import NoResults
from dashboard import reading, sheets, words
from dashboard.reading import Reader, Snapshot, Version
from dashboard.sheets import Heading

#: How often a page looks whether there is something new, in seconds.
EVERY_S = 4.0

#: A bot's name of more letters than this gets a column of so many px, lest it push the numbers off a phone.
_LONG_NAME, _NAME_PX = 24, 170

View = Callable[[Snapshot], None]


def page(folder: Path, title: str, view: View) -> None:
    """Lay out a page: what is wrong, or what there is."""
    source = reading.reader(folder)
    version = source.version()
    _show(source, title, view)
    follow(folder, version)


def _show(source: Reader, title: str, view: View) -> None:
    try:
        results = source.snapshot()
    except NoResults as error:
        st.title(title)
        st.error(words.plain(str(error)), icon=":material/folder_off:")
        st.markdown(
            "Start the pages with a results folder: `kingmaker dashboard DIR`. Such a folder is made by "
            "`kingmaker play … --results DIR`; this page looks again every few seconds."
        )
        return
    head(results, title)
    if results.matches.is_empty():
        st.info(
            "No block is finished yet. A block counts when all of its matches are played; this page shows it as soon as "
            "it is there.",
            icon=":material/hourglass_empty:",
        )
    else:
        view(results)
    if results.source.unreadable:
        names = words.listed(sorted(results.source.unreadable))
        st.warning(
            f"Left out because it cannot be read: {words.plain(names)}. The next `kingmaker play` into this folder sets "
            "it aside and plays its blocks again."
        )


@st.fragment(run_every=EVERY_S)
def follow(folder: Path, shown: Version) -> None:
    """Look whether the folder holds something else than is shown, and show that."""
    if reading.reader(folder).version() != shown:
        st.rerun()


def head(results: Snapshot, title: str) -> None:
    """Title, tournament and progress."""
    st.title(title)
    progress = results.progress
    blocks = words.count(progress.scheduled, "block")
    if progress.done <= progress.scheduled:  # a folder that was extended by more bots holds blocks of before, too
        blocks = f"{progress.done:,} of {blocks}"
    facts = [
        f"**{words.plain(results.name)}**",
        words.plain(results.title),
        blocks,
        words.count(progress.matches, "match", "matches"),
    ]
    st.markdown(" · ".join(facts))
    if not progress.is_over:
        st.progress(progress.share, text=f"{progress.share:.0%} of the tournament is played")


def table(frame: pl.DataFrame, headings: Sequence[Heading], *, thin: Sequence[bool] = (), **options: Any) -> Any:
    """A table with headings and units; the rows that are ``thin`` stand in grey."""
    known = {heading.title: heading for heading in headings}
    config = {name: _column(known[name], frame[name]) for name in frame.columns if name in known}
    data: Any = frame
    if any(thin):
        grey = ["color: #8a8f98" if is_thin else "" for is_thin in thin]
        data = frame.to_pandas().style.apply(lambda column: grey, axis=0)
    return st.dataframe(data, hide_index=True, column_config=config, placeholder="–", **options)


def download(label: str, frame: pl.DataFrame, name: str) -> None:
    """A button that saves a table as CSV, in full precision."""
    st.download_button(
        label, sheets.csv(frame), file_name=f"{name}.csv", mime="text/csv", on_click="ignore",
        icon=":material/download:", key=f"download-{name}",
    )  # fmt: skip


def _column(heading: Heading, values: pl.Series) -> Any:
    help_text = heading.help or None
    if heading.form is None:
        is_long = heading.title == "Bot" and max(map(len, values), default=0) > _LONG_NAME
        width = _NAME_PX if is_long else None
        return st.column_config.TextColumn(heading.title, help=help_text, width=width)
    form = heading.form if heading.form != "%d" else "localized"
    return st.column_config.NumberColumn(heading.title, help=help_text, format=form)
