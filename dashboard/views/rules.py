"""Rules: the spec sheet of each ruleset, made from the data that the referee plays by."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

import polars as pl
import streamlit as st

from dashboard import frame, words
from referee.rules import registry
from referee.rules.sheet import ContractRow, Sheet, sheet


def show(played: str | None) -> None:
    """Lay out the page; ``played``: the ruleset of the results folder, which is shown first."""
    frame.style()
    st.title("Rules")
    ids = list(registry.RULESETS)
    wanted = st.query_params.get("ruleset", played)
    chosen = st.selectbox(
        "Ruleset", ids, index=ids.index(wanted) if wanted in ids else 0, format_func=lambda name: registry.RULESETS[name].title, width=460,
    )  # fmt: skip
    st.query_params["ruleset"] = chosen
    spec = sheet(registry.ruleset(chosen))
    st.caption(
        f"Made from the rules that the referee itself enforces for `{spec.id}` (version {spec.version}), with default options: "
        "what stands here is what is played."
    )
    _facts(spec)
    _deals(spec)
    _contracts(spec)
    _options(spec)
    _actions(spec)


def _facts(spec: Sheet) -> None:
    teams = len(set(spec.teams))
    sides = "each for self" if teams == spec.players else f"{teams} teams"
    better = "lowest" if spec.lower_is_better else "highest"
    total = "" if spec.match_total is None else f" Totals add up to {spec.match_total}."
    st.markdown(
        f"**{spec.players} players**, {sides}. **{len(spec.deck)} cards**, dealt {_packets(spec.packets)}"
        + (f", then {spec.turned} turned up" if spec.turned else "")
        + f". **A match**: {words.plain(spec.match)}; the {better} total wins.{total}"
    )


def _packets(packets: tuple[int, ...]) -> str:
    if set(packets) == {1}:
        return f"one at a time, {len(packets)} each"
    return "in packets of " + ", ".join(map(str, packets))


def _deals(spec: Sheet) -> None:
    st.subheader("The deals")
    lines: list[str] = []
    for deal in spec.deals:
        deals = f"Deal {deal.first}" if deal.last == deal.first else f"Deals {deal.first} to {deal.last or 'the end'}"
        contract = "chosen" if deal.contract is None else words.contract_name(deal.contract)
        phases = [words.plain(words.sentence(text, spec.actions)) for text in deal.phases]
        lines.append(f"- **{deals}**: {words.plain(contract)}" + (f". {phases[0]}" if len(phases) == 1 else ""))
        lines += [f"    {number}. {text}" for number, text in enumerate(phases, 1) if len(phases) > 1]
    st.markdown("\n".join(lines))


def _contracts(spec: Sheet) -> None:
    st.subheader("The contracts")
    alike = [list(rows) for _, rows in groupby(spec.contracts, key=lambda row: replace(row, id="", trump=None))]
    columns = st.columns(2)
    for number, rows in enumerate(alike):
        with columns[number % 2].container(border=True):
            st.markdown(f"**{', '.join(words.plain(words.contract_name(row.id)) for row in rows)}**")
            st.markdown("\n".join(f"- {line}" for line in _contract_lines(rows[0])))


def _contract_lines(row: ContractRow) -> Iterator[str]:
    if row.points:
        yield words.plain(words.with_minus(row.points))
    if row.scoring:
        yield words.plain(words.with_minus(row.scoring))
    yield words.plain(row.ends)
    yield f"Cards from the highest: {_order(row)}"
    duties = [f"\n    {number}. {words.plain(text)}" for number, text in enumerate(row.obligations, 1)]
    if duties:
        yield "A player must keep to, each in turn as far as the hand allows:" + "".join(duties)


def _order(row: ContractRow) -> str:
    trumps = f"; trumps {' '.join(row.trump_order)}" if row.trump_order else ""
    return (" ".join(row.order) + trumps).replace("T", "10")


def _options(spec: Sheet) -> None:
    st.subheader("Options")
    rows = [
        {"Option": row.name, "Default": json.dumps(row.default), "May be": row.values, "Meaning": row.help}
        for row in spec.options
    ]
    _table(rows)


def _actions(spec: Sheet) -> None:
    st.subheader("Actions")
    st.caption("The numbers that bots answer with. 0 to 51 are the cards: 13 × suit + rank, suits ♣ ♦ ♥ ♠, ranks 2 to ace.")
    others = [{"Number": number, "Text": text} for number, text in enumerate(spec.actions) if number >= 52]
    with st.expander(f"{len(others)} actions that are no cards", expanded=len(others) <= 40):
        st.dataframe(pl.DataFrame(others), hide_index=True, width="content")


def _table(rows: list[dict[str, str]]) -> None:
    """A table whose cells wrap, so that sentences can be read on a phone."""
    headings = list(rows[0])
    shown = [heading for heading in headings if any(row[heading] for row in rows)]
    lines = ["| " + " | ".join(shown) + " |", "|" + "---|" * len(shown)]
    lines += ["| " + " | ".join(words.plain(row[heading]) or "–" for heading in shown) + " |" for row in rows]
    st.markdown("\n".join(lines))
