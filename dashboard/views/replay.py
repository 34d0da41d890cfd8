"""One match, to be stepped through: deal by deal, trick by trick, action by action."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import streamlit as st

from cluster import matchlist
from cluster.replays import BrokenReplay
from cluster.store import DamagedResults, NoResults
from dashboard import cardtable, chartparts, frame, judging, plots, reading, sheets, stepping, words
from dashboard.colours import Colours
from dashboard.judging import Marks
from dashboard.reading import Snapshot


def show(results: Snapshot) -> None:
    """Show the match that the address names; what is wrong with it, where it cannot be shown."""
    match_id = st.query_params.get("match")
    if not match_id:
        _ask(results)
        return
    try:
        told = _told(results, match_id)
    except (NoResults, BrokenReplay, DamagedResults) as error:
        st.error(words.plain(str(error)))
        _ask(results)
        return
    block, _, game = match_id.rpartition("-")
    st.markdown(f"**{words.plain(match_id)}**: seating {words.plain(game)} of block {words.plain(block)}")
    ends = [f"{words.plain(name)} ({seat}) {words.number(total)}, rank {rank}" for seat, name, total, rank in
            zip(words.seats(len(told["players"])), told["players"], told["totals"], told["ranks"], strict=True)]  # fmt: skip
    st.markdown(" · ".join(ends))
    marked = _marks(results, match_id)
    _step_through(told, marked, frame.colours(results))
    _whole_match(told, marked)
    with st.container(horizontal=True):
        frame.link("matches", "All matches", ":material/arrow_back:", {})
        for other in _same_cards(results, told, match_id):
            frame.link("replay", f"The same cards, seating {other.rpartition('-')[2]}", ":material/swap_calls:", {"match": other})


def _ask(results: Snapshot) -> None:
    """Which match is it to be?"""
    first = matchlist.ordered(results.matches, results.players, None, "schedule", lower_is_better=False).head(1).collect()
    frame.meaning(
        "A match, card by card, as the referee plays it again from its seed and the stored actions. Choose one in the list of "
        "matches, among a bot's worst, or give its name."
    )
    with st.form("which", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        named = st.text_input("Match", placeholder=first["match_id"][0], width=300)
        if st.form_submit_button("Open") and named:
            st.query_params.clear()
            st.query_params["match"] = named.strip()
            st.rerun()
    with st.container(horizontal=True):
        frame.link("replay", "The first match", ":material/play_circle:", {"match": first["match_id"][0]})
        frame.link("matches", "The list of matches", ":material/playing_cards:", {})


def _same_cards(results: Snapshot, told: dict[str, Any], match_id: str) -> list[str]:
    """The other matches of the block."""
    block = results.matches.filter(match_id=match_id).select("block").collect().item()
    ids: list[str] = results.matches.filter(block=block).sort("game").select("match_id").collect()["match_id"].to_list()
    return [other for other in ids if other != match_id]


def _told(results: Snapshot, match_id: str) -> dict[str, Any]:
    """The replay; kept for the session, since it cannot change."""
    kept = st.session_state.get("told")
    if kept is None or kept["match_id"] != match_id:
        kept = st.session_state["told"] = results.replay(match_id)
    return dict(kept)


def _marks(results: Snapshot, match_id: str) -> Marks:
    """What `kingmaker analyse` said of its decisions; nothing where it was not asked."""
    try:
        return judging.marks(reading.judged(results.folder), match_id)
    except DamagedResults as error:
        st.warning(words.plain(str(error)))
        return {}


@st.fragment
def _step_through(told: dict[str, Any], marked: Marks, colours: Colours) -> None:
    """The controls, the table, and what happened last."""
    deals, match_id = told["deals"], told["match_id"]
    _restore(told)
    with st.container(horizontal=True):
        index = st.selectbox(
            "Deal", range(len(deals)), key=_deal_key(match_id), width=340,
            format_func=lambda at: f"{deals[at]['number']} of {len(deals)}: {words.contract_name(deals[at]['contract'])}",
        )  # fmt: skip
        viewer = _viewer(told)
    scenes = stepping.scenes(told, index)
    _buttons(told, index, scenes, marked)
    key = _step_key(match_id, index)
    st.session_state.setdefault(key, 0)
    done = st.slider("Step", 0, scenes[-1].done, key=key, help="Decisions taken in this deal") if len(scenes) > 1 else 0
    scene = scenes[done]
    st.query_params.update({"match": match_id, "deal": str(index + 1), "step": str(done)})
    st.markdown(_sentence(told, index, scene))
    if scene.decision is not None and scene.decision["fault"]:
        st.error(_fault(told, scene.decision), icon=":material/error:")
    if scene.decision is not None and viewer in (None, scene.decision["seat"]):
        _judge(told, index, scene.done, scene.decision, marked)
    bids = cardtable.bidding(told, index, done)
    if bids is not None and not any(scene.tricks or ()) and not scene.trick:
        st.html(bids)
    st.html(cardtable.board(scene, told, index, viewer))
    if scene.actor is None:
        st.html(cardtable.scores(told, index))
    if bids is not None and (any(scene.tricks or ()) or scene.trick):
        st.html(bids)
    part = "trick" if scene.piles is None else "turn"
    st.caption(
        f"Keys: ← and → a decision, Shift with ← and → a {part}, Shift with ↑ and ↓ a deal. The address of this page leads back to this very step."
    )
    _times(told, index, colours)


def _judge(told: dict[str, Any], index: int, done: int, decision: dict[str, Any], marked: Marks) -> None:
    """What perfect play of the same cards would have given, where a decision was judged."""
    mark = marked.get((told["deals"][index]["number"], done))
    if mark is None:
        return
    place = words.seats(len(told["players"]))[decision["seat"]].lower()
    said = judging.sentence(mark, f"{told['players'][decision['seat']]} ({place})", decision["action"])
    if mark.lost:
        st.warning(said, icon=":material/trending_down:")
    else:
        st.success(said, icon=":material/check:")


def _viewer(told: dict[str, Any]) -> int | None:
    """The seat whose eyes we look through; None: all hands lie open."""
    sides = words.seats(len(told["players"]))
    seen = st.selectbox(
        "Cards that are seen by", ["everybody", *sides], key="seen", bind="query-params", width=220,
        help="A seat sees its own hand, what lies on the table, the bidding and the scores; nothing else is sent to its bot.",
    )  # fmt: skip
    return sides.index(seen) if seen in sides else None


def _times(told: dict[str, Any], index: int, colours: Colours) -> None:
    names = [f"{name} ({side})" for name, side in zip(told["players"], words.seats(len(told["players"])), strict=True)]
    rows = [
        (names[one["seat"]], step, words.action_name(one["action"]), one["ms"])
        for step, one in enumerate(told["deals"][index]["decisions"], 1)
        if one["ms"] is not None
    ]
    if not rows:
        return
    with st.expander("Thinking time in this deal"):
        table = pl.DataFrame(rows, schema=["seat", "step", "action", "ms"], orient="row")
        players = {name: colours.of(bot) for name, bot in zip(names, told["players"], strict=True)}
        about = "Thinking time of each decision of this deal"
        st.vega_lite_chart(chartparts.spec(plots.times(table, players)), width="stretch", alt=about)


def _buttons(told: dict[str, Any], index: int, scenes: list[stepping.Scene], marked: Marks) -> None:
    match_id, last_deal = told["match_id"], len(told["deals"]) - 1
    done = min(st.session_state.get(_step_key(match_id, index), 0), scenes[-1].done)
    part = "turn" if scenes[0].piles is not None else "trick"
    back, on = stepping.jump(scenes, done, -1), stepping.jump(scenes, done, 1)
    steps = [
        ("Deal", ":material/skip_previous:", "deal-back", (index - 1, 0), index > 0, "Shift+Up"),
        (part.capitalize(), ":material/fast_rewind:", "part-back", (index, back), done > 0, "Shift+Left"),
        ("Back", ":material/chevron_left:", "step-back", (index, done - 1), done > 0, "Left"),
        ("Next", ":material/chevron_right:", "step-on", (index, done + 1), done < scenes[-1].done, "Right"),
        (part.capitalize(), ":material/fast_forward:", "part-on", (index, on), done < scenes[-1].done, "Shift+Right"),
        ("Deal", ":material/skip_next:", "deal-on", (index + 1, 0), index < last_deal, "Shift+Down"),
    ]
    finds = [
        ("Next fault", ":material/error:", "fault-on", stepping.faults(told)),
        ("Next loss", ":material/trending_down:", "loss-on", judging.lossy(told, marked)),
    ]
    with st.container(horizontal=True, gap="small"):
        for label, icon, key, target, is_possible, shortcut in steps:
            st.button(label, icon=icon, key=key, on_click=_go, args=(match_id, *target), disabled=not is_possible,
                      shortcut=shortcut)  # fmt: skip
        for label, icon, key, places in finds:
            if places:
                target = next((place for place in places if place > (index, done)), places[0])
                st.button(label, icon=icon, key=key, on_click=_go, args=(match_id, *target))


def _go(match_id: str, index: int, done: int) -> None:
    st.session_state[_deal_key(match_id)] = index
    st.session_state[_step_key(match_id, index)] = done


def _restore(told: dict[str, Any]) -> None:
    """Begin where the address says, the first time."""
    match_id = told["match_id"]
    if _deal_key(match_id) in st.session_state:
        return
    deal, step = (st.query_params.get(name, "") for name in ("deal", "step"))
    index = min(int(deal) - 1 if deal.isdecimal() and int(deal) > 0 else 0, len(told["deals"]) - 1)
    steps = len(told["deals"][index]["decisions"])
    _go(match_id, index, min(int(step) if step.isdecimal() else 0, steps))


def _sentence(told: dict[str, Any], index: int, scene: stepping.Scene) -> str:
    """What happened last, and what is next."""
    names, decision = told["players"], scene.decision
    if decision is None:
        text = "The cards are dealt."
    else:
        notes = [sheets.note(decision)] if sheets.note(decision) else []
        notes += [f"{words.number(decision['ms'], 2)} ms"] if decision["ms"] is not None else []
        about = f" ({', '.join(notes)})" if notes else ""
        text = (
            f"**{words.plain(names[decision['seat']])}**: {words.plain(words.action_name(decision['action']))}{about}."
        )
    if scene.winner is not None:
        text += f" {words.plain(names[scene.winner])} takes the trick."
    if scene.actor is None:
        return text + " The deal is over."
    if scene.piles is not None:
        return f"{text} {words.plain(names[scene.actor])} is next."
    contract = (
        "The contract is not chosen yet."
        if scene.contract is None
        else f"Played: {words.contract_name(scene.contract)}."
    )
    return f"{text} {words.plain(names[scene.actor])} is next. {contract}"


def _fault(told: dict[str, Any], decision: dict[str, Any]) -> str:
    name, action = words.plain(told["players"][decision["seat"]]), words.plain(words.action_name(decision["action"]))
    return f"Fault of {name}: {decision['fault']}. The referee played the first legal action instead: {action}."


def _whole_match(told: dict[str, Any], marked: Marks) -> None:
    match_id = told["match_id"]
    st.subheader("Score sheet")
    if told["forfeits"]:
        lost = words.listed([told["players"][seat] for seat in told["forfeits"]])
        st.warning(f"Forfeited by too many faults: {words.plain(lost)}. A substitute played the seat to the end.")
    st.caption(
        "Each deal's points by seat, with the total behind them. The cards follow from the seed, so anyone can deal them again."
    )
    frame.table(sheets.score_sheet(told), sheets.score_headings(told), height="content")
    if marked:
        st.markdown(f"Points lost against perfect play of the same cards: {judging.of_the_match(told, marked)}")
    with st.expander("All decisions"):
        everything = pl.concat(
            sheets.decisions(deal, told["players"]).insert_column(
                0, pl.Series("Deal", [deal["number"]] * len(deal["decisions"]), pl.Int64)
            )
            for deal in told["deals"]
        )
        if marked:
            everything = everything.with_columns(judging.column(told, marked))
        frame.table(everything, [sheets.Heading("Deal", "%d"), *sheets.DECISIONS, judging.LOST])
    with st.container(horizontal=True):
        frame.download("Decisions as CSV", everything, f"decisions-{match_id}")
        st.download_button(
            "Replay as JSON", json.dumps(told, ensure_ascii=False), f"{match_id}.json", "application/json",
            on_click="ignore", icon=":material/download:",
        )  # fmt: skip
    st.caption(f"Commitment {told['commitment']} · seed {told['seed']}")


def _deal_key(match_id: str) -> str:
    return f"deal-{match_id}"


def _step_key(match_id: str, index: int) -> str:
    return f"step-{match_id}-{index}"
