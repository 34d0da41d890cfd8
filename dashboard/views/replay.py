"""One match, to be stepped through: deal by deal, trick by trick, action by action."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import streamlit as st

from cluster.replays import BrokenReplay
from cluster.store import DamagedResults, NoResults
from dashboard import cardtable, frame, sheets, stepping, words
from dashboard.reading import Snapshot


def show(results: Snapshot, match_id: str) -> bool:
    """Show a match; False where there is none of that name (which is said)."""
    try:
        told = _told(results, match_id)
    except (NoResults, BrokenReplay, DamagedResults) as error:
        st.error(words.plain(str(error)))
        return False
    if st.button("All matches", icon=":material/arrow_back:", key="back"):
        st.query_params.clear()
        st.session_state.pop("match-list", None)
        st.rerun()
    seats = words.seats(len(told["players"]))
    ends = [f"{words.plain(name)} ({seat}) {words.number(total)}, rank {rank}" for seat, name, total, rank in
            zip(seats, told["players"], told["totals"], told["ranks"], strict=True)]  # fmt: skip
    st.markdown(f"Match {words.plain(match_id)}: " + " · ".join(ends))
    _step_through(told)
    _whole_match(told)
    return True


def _told(results: Snapshot, match_id: str) -> dict[str, Any]:
    """The replay; kept for the session, since it cannot change."""
    kept = st.session_state.get("told")
    if kept is None or kept["match_id"] != match_id:
        kept = st.session_state["told"] = results.replay(match_id)
    return dict(kept)


@st.fragment
def _step_through(told: dict[str, Any]) -> None:
    """The controls, the table, and what happened last."""
    deals, match_id = told["deals"], told["match_id"]
    _restore(told)
    index = st.selectbox(
        "Deal", range(len(deals)), key=_deal_key(match_id), width=340,
        format_func=lambda at: f"{deals[at]['number']} of {len(deals)}: {words.contract_name(deals[at]['contract'])}",
    )  # fmt: skip
    scenes = stepping.scenes(told, index)
    _buttons(told, index, scenes)
    key = _step_key(match_id, index)
    st.session_state.setdefault(key, 0)
    done = st.slider("Step", 0, scenes[-1].done, key=key, help="Decisions taken in this deal") if len(scenes) > 1 else 0
    scene = scenes[done]
    st.query_params.update({"match": match_id, "deal": str(index + 1), "step": str(done)})
    st.markdown(_sentence(told, index, scene))
    if scene.decision is not None and scene.decision["fault"]:
        st.error(_fault(told, scene.decision), icon=":material/error:")
    bids = cardtable.bidding(told, index, done)
    if bids is not None and not any(scene.tricks or ()) and not scene.trick:
        st.html(bids)
    st.html(cardtable.board(scene, told, index))
    if scene.actor is None:
        st.html(cardtable.scores(told, index))
    if bids is not None and (any(scene.tricks or ()) or scene.trick):
        st.html(bids)


def _buttons(told: dict[str, Any], index: int, scenes: list[stepping.Scene]) -> None:
    match_id, last_deal = told["match_id"], len(told["deals"]) - 1
    done = min(st.session_state.get(_step_key(match_id, index), 0), scenes[-1].done)
    part = "turn" if scenes[0].piles is not None else "trick"
    back, on = stepping.jump(scenes, done, -1), stepping.jump(scenes, done, 1)
    steps = [
        ("Deal", ":material/skip_previous:", "deal-back", (index - 1, 0), index > 0, None),
        (part.capitalize(), ":material/fast_rewind:", "part-back", (index, back), done > 0, None),
        ("Back", ":material/chevron_left:", "step-back", (index, done - 1), done > 0, "Left"),
        ("Next", ":material/chevron_right:", "step-on", (index, done + 1), done < scenes[-1].done, "Right"),
        (part.capitalize(), ":material/fast_forward:", "part-on", (index, on), done < scenes[-1].done, None),
        ("Deal", ":material/skip_next:", "deal-on", (index + 1, 0), index < last_deal, None),
    ]
    faults = stepping.faults(told)
    with st.container(horizontal=True, gap="small"):
        for label, icon, key, target, is_possible, shortcut in steps:
            st.button(label, icon=icon, key=key, on_click=_go, args=(match_id, *target), disabled=not is_possible,
                      shortcut=shortcut)  # fmt: skip
        if faults:
            target = next((place for place in faults if place > (index, done)), faults[0])
            st.button("Next fault", icon=":material/error:", key="fault-on", on_click=_go, args=(match_id, *target))


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
        about = f" ({sheets.note(decision)})" if sheets.note(decision) else ""
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


def _whole_match(told: dict[str, Any]) -> None:
    match_id = told["match_id"]
    st.subheader("Score sheet")
    if told["forfeits"]:
        lost = words.listed([told["players"][seat] for seat in told["forfeits"]])
        st.warning(f"Forfeited by too many faults: {words.plain(lost)}. A substitute played the seat to the end.")
    st.caption(
        "Each deal's points by seat, with the total behind them. The cards follow from the seed, so anyone can deal them again."
    )
    frame.table(sheets.score_sheet(told), sheets.score_headings(told), height="content")
    with st.expander("All decisions"):
        everything = pl.concat(
            sheets.decisions(deal, told["players"]).insert_column(
                0, pl.Series("Deal", [deal["number"]] * len(deal["decisions"]), pl.Int64)
            )
            for deal in told["deals"]
        )
        frame.table(everything, [sheets.Heading("Deal", "%d"), *sheets.DECISIONS])
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
