"""What every page has: its head, the progress, what it says of an empty or a wrong folder, tables, downloads and ways on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import count
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import streamlit as st

from cluster.statistics.comparisons import MIN_BLOCKS
from cluster.store import NoResults
from dashboard import chartparts, figures, reading, sheets, words
from dashboard.colours import Colours
from dashboard.look import PAGE
from dashboard.reading import Reader, Snapshot, Working
from dashboard.sheets import Heading

#: How often a page looks whether there is something new, in seconds; more often while the first numbers are being made.
EVERY_S, SOON_S = 4.0, 1.0
#: Where the pages are kept, for whoever leads from one to another.
PAGES = "pages"
#: And the list of a competition that is looked at, as the addresses name it; nothing where the pages show one folder.
LIST = "the list"

#: And all bots of a competition, in the order in which they came.
EVERYBODY = "everybody"

#: A column of names has so many px, where one of them has more letters than the heading.
_SIDES_PX, _LETTER_PX, _LONG = 20, 7, 8
#: A table of more columns than this is wider than a phone.
_FEW = 3

View = Callable[[Snapshot], None]


def page(folder: Path, title: str, view: View, *, waits: bool = True) -> None:
    """Lay out a page: what is wrong, or what there is. ``waits``: it has nothing to show before the first block."""
    style()
    source = reading.reader(folder)
    shown = _show(source, title, view, waits=waits)
    st.fragment(run_every=SOON_S if isinstance(shown, Working) else EVERY_S)(follow)(folder, shown)


def style() -> None:
    """What all pages look like beyond what Streamlit makes of them."""
    st.html(f"<style>{PAGE}</style>")


def _show(source: Reader, title: str, view: View, *, waits: bool) -> Snapshot | Working | None:
    try:
        results = source.snapshot()
    except NoResults as error:
        st.title(title)
        st.error(words.plain(str(error)), icon=":material/folder_off:")
        st.markdown(
            "Start the pages with a results folder: `kingmaker dashboard DIR`. Such a folder is made by "
            "`kingmaker play … --results DIR`; this page looks again every few seconds."
        )
        return None
    if isinstance(results, Working):
        st.title(title)
        st.info(
            "Summing up the results, which takes some minutes for a million matches. It is done once; afterwards only new "
            "matches are read.",
            icon=":material/hourglass_top:",
        )
        st.progress(results.share, text=f"{results.share:.0%} of the batches are read")
        return results
    head(results, title)
    if results.is_empty and waits:
        st.info(
            "No block is finished yet. A block counts when all of its matches are played; this page shows it as soon as "
            "it is there.",
            icon=":material/hourglass_empty:",
        )
    else:
        view(results)
    if results.unreadable:
        names = words.listed(sorted(results.unreadable))
        st.warning(
            f"Left out because it cannot be read: {words.plain(names)}. The next `kingmaker play` into this folder sets "
            "it aside and plays its blocks again."
        )
    return results


def follow(folder: Path, shown: Snapshot | Working | None) -> None:
    """Look whether there is something else than is shown, and show that."""
    try:
        now = reading.reader(folder).snapshot(patience=0.0)
    except NoResults:
        now = None
    if now is not shown and not (isinstance(now, Working) and isinstance(shown, Working) and now == shown):
        st.rerun()


def again() -> None:
    """Lay the page out anew in a few seconds."""
    looks = count()

    @st.fragment(run_every=EVERY_S)
    def look() -> None:
        if next(looks):  # the first time is now
            st.rerun()

    look()


def head(results: Snapshot, title: str) -> None:
    """Title, tournament and progress."""
    st.title(title)
    progress = results.progress
    blocks = words.count(progress.scheduled, "block")
    if results.goes_on:
        blocks = words.count(progress.done, "block")
    elif progress.done <= progress.scheduled:  # a folder that was extended by more bots holds blocks of before, too
        blocks = f"{progress.done:,} of {blocks}"
    facts = [
        f"**{words.plain(results.name)}**",
        words.plain(results.title),
        blocks,
        words.count(progress.matches, "match", "matches"),
    ]
    st.markdown(" · ".join(facts))
    if not (progress.is_over or results.goes_on):
        st.progress(progress.share, text=f"{progress.share:.0%} of the tournament is played")


def facts(told: Sequence[figures.Fact]) -> None:
    """Numbers side by side, each with its name above and what it means below."""
    parts = "".join(
        f"<div><dt>{escape(label)}</dt><dd>{escape(value)}<small>{escape(about)}</small></dd></div>" for label, value, about in told
    )
    st.html(f'<dl class="kf">{parts}</dl>')


def meaning(text: str) -> None:
    """What the numbers of a page mean, in a sentence or two."""
    st.caption(text)


def colours(results: Snapshot) -> Colours:
    """The colours of the bots, the same in all lists of a competition."""
    planned = [str(one.get("name")) for one in results.plan.get("bots", ()) if isinstance(one, dict)]
    return Colours([*st.session_state.get(EVERYBODY, ()), *planned, *results.bots])


def chart(results: Snapshot, about: str, draw: Callable[[], alt.TopLevelMixin], *which: str | None) -> None:
    """A chart, drawn once however many look at it; ``about``: what it is, for who cannot see it; ``which``: what of it was chosen."""
    spec = results.once((about, *which), lambda: chartparts.spec(draw()))
    st.vega_lite_chart(spec, width="stretch", alt=about)


def table(frame: pl.DataFrame, headings: Sequence[Heading], *, thin: Sequence[bool] = (), **options: Any) -> Any:
    """A table with headings and units; the rows that are ``thin`` stand in grey."""
    known = {heading.title: heading for heading in headings if heading.title in frame.columns}
    written = sheets.written(frame, list(known.values()))
    config = {name: _column(heading, frame[name], is_written=name in written) for name, heading in known.items()}
    data: Any = frame
    if any(thin) or written:
        data = frame.to_pandas().style.format(written, na_rep="–")  # Streamlit shows what a style writes, and sorts by the number
    if any(thin):
        grey = ["color: #8a8f98" if is_thin else "" for is_thin in thin]
        data = data.apply(lambda column: grey, axis=0)
    if len(frame.columns) > _FEW:
        st.html('<p class="km-swipe">↔ Swipe the table sideways: it has more columns.</p>')
    return st.dataframe(data, hide_index=True, column_config=config, placeholder="–", **options)


def thin_note(thin: Sequence[bool]) -> None:
    """Say what grey rows are, where there are some."""
    if any(thin):
        st.caption(f"Grey: fewer than {MIN_BLOCKS} blocks, too few to say anything.")


def download(label: str, frame: pl.DataFrame | Callable[[], pl.DataFrame], name: str) -> None:
    """A button that saves a table as CSV, in full precision; it is written, and read, when somebody asks for it."""
    st.download_button(
        label, lambda: sheets.csv(frame if isinstance(frame, pl.DataFrame) else frame()), file_name=f"{name}.csv", mime="text/csv", on_click="ignore",
        icon=":material/download:", key=f"download-{name}",
    )  # fmt: skip


def go(name: str, query: Mapping[str, str | list[str]]) -> None:
    """Open another page at an address of its own."""
    pages = st.session_state.get(PAGES, {})
    if name in pages:
        st.switch_page(pages[name], query_params=st.session_state.get(LIST, {}) | query)


def link(name: str, label: str, icon: str, query: Mapping[str, str | list[str]]) -> None:
    """A link to another page, where the pages are there."""
    pages = st.session_state.get(PAGES, {})
    if name in pages:
        st.page_link(pages[name], label=label, icon=icon, query_params=st.session_state.get(LIST, {}) | query)


def chosen_row(chosen: Any) -> int | None:
    """The row of a table that somebody has ticked."""
    rows = chosen.selection.rows
    return int(rows[0]) if rows else None


def _column(heading: Heading, values: pl.Series, *, is_written: bool) -> Any:
    help_text = heading.help or None
    if heading.form == "trend":
        low, high = sheets.span(values)
        return st.column_config.LineChartColumn(heading.title, help=help_text, width=110, y_min=low, y_max=high)
    if heading.form is None:
        letters = min(words.LONG, max(map(len, values), default=0)) if heading.title in ("Bot", "Opponent") else 0
        width = _SIDES_PX + _LETTER_PX * letters if letters > _LONG else None  # Streamlit measures most names, not the longest
        return st.column_config.TextColumn(heading.title, help=help_text, width=width)
    form = heading.form if heading.form != "%d" else "localized"
    return st.column_config.NumberColumn(heading.title, help=help_text, format=None if is_written else form)
