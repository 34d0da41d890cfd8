"""A scene of a replay as HTML. Everything that a stranger could have written is escaped. Imports no Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from dashboard import stepping, words
from dashboard.look import CSS
from dashboard.stepping import Scene

_GLYPHS = {suit: f"{glyph}\N{VARIATION SELECTOR-15}" for suit, glyph in words.SUITS.items()}

_HIDDEN = '<span class="km-card km-back" role="img" aria-label="a card that this seat does not see"></span>'


def board(scene: Scene, told: dict[str, Any], index: int, viewer: int | None = None) -> str:
    """The table: hands at its sides, the trick or the piles in the middle; ``viewer``: the one seat whose hand is open."""
    sides = [side[0].lower() for side in words.seats(len(scene.hands))]
    seats = "".join(_seat(scene, told, index, seat, side, viewer in (None, seat)) for seat, side in enumerate(sides))
    middle = _trick(scene, sides) if scene.piles is None else _piles(scene, scene.piles)
    return f'<style>{CSS}</style><div class="km"><div class="km-table">{seats}{middle}</div></div>'


def bidding(told: dict[str, Any], index: int, done: int) -> str | None:
    """The bidding so far as a table, a column a seat; None where there was none."""
    deal, players = told["deals"][index], len(told["players"])
    rows = stepping.bid_rows(deal, done, players)
    if not rows:
        return None
    sides = words.seats(players)
    order = [(deal["dealer"] + 1 + place) % players for place in range(players)]
    head = "".join(
        f"<th>{_name(told['players'][seat])}<small>{sides[seat]}{' · dealer' * (seat == deal['dealer'])}</small></th>"
        for seat in order
    )
    body = "".join("<tr>" + "".join(_bid(cell, done) for cell in row) + "</tr>" for row in rows)
    table = f'<table class="km-bids"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'<style>{CSS}</style><div class="km">{table}</div>'


def scores(told: dict[str, Any], index: int) -> str:
    """The scores of a deal that is over, and the totals behind it."""
    deal = told["deals"][index]
    head = "".join(f"<th>{_name(name)}</th>" for name in told["players"])
    own = "".join(f"<td>{words.signed(score)}</td>" for score in deal["scores"])
    totals = "".join(f"<td><strong>{words.number(total)}</strong></td>" for total in deal["totals"])
    rows = f"<tr><td>This deal</td>{own}</tr><tr><td>Total</td>{totals}</tr>"
    if index == len(told["deals"]) - 1:
        rows += "<tr><td>Rank</td>" + "".join(f"<td>{rank}</td>" for rank in told["ranks"]) + "</tr>"
    table = f'<table class="km-scores"><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>'
    return f'<style>{CSS}</style><div class="km">{table}</div>'


def card(text: str, classes: str = "") -> str:
    """One card, face up."""
    glyph, rank = _GLYPHS[text[1]], words.rank_name(text)
    corner = f"<i>{rank}<small>{glyph}</small></i>"
    red = " km-red" if text[1] in "DH" else ""
    label = words.card_name(text)
    return f'<span class="km-card{red}{classes}" role="img" aria-label="{label}">{corner}{corner}<b>{glyph}</b></span>'


def _seat(scene: Scene, told: dict[str, Any], index: int, seat: int, side: str, is_open: bool) -> str:
    hand = scene.hands[seat]
    cards = "".join(f"<span>{card(text) if is_open else _HIDDEN}</span>" for text in hand)
    upright = " km-side" if side in "we" else ""
    fan = f'<div class="km-fan{upright}" style="--n:{max(1, len(hand))}">{cards}</div>'
    label = _label(scene, told, index, seat)
    return f'<div class="km-seat km-{side}">{label}{fan}</div>'


def _label(scene: Scene, told: dict[str, Any], index: int, seat: int) -> str:
    deal = told["deals"][index]
    before = told["deals"][index - 1]["totals"][seat] if index else 0
    facts = [] if scene.tricks is None else [words.count(scene.tricks[seat], "trick")]
    facts.append(f"total {words.number(before if scene.actor is not None else deal['totals'][seat])}")
    tags = ["dealer"] * (seat == deal["dealer"]) + ["declarer"] * (seat == scene.declarer)
    marks = "".join(f'<span class="km-tag">{tag}</span>' for tag in tags)
    if scene.decision and scene.decision["fault"] and scene.decision["seat"] == seat:
        marks += f'<span class="km-tag km-bad">fault: {escape(scene.decision["fault"])}</span>'
    turn = " km-turn" if seat == scene.actor else ""
    return (
        f'<div class="km-label{turn}"><span class="km-name">{_name(told["players"][seat])}</span>'
        f'<span class="km-facts">{" · ".join(facts)}</span>{marks}</div>'
    )


def _trick(scene: Scene, sides: Sequence[str]) -> str:
    if not scene.trick:
        waiting = {"bid": "The bidding", "answer": "The bidding", "reply": "The bidding", "choose": "The choice"}
        return f'<div class="km-centre"><div class="km-note">{waiting.get(scene.kind or "", "")}</div></div>'
    parts = []
    for place, (seat, text) in enumerate(scene.trick):
        newest = place == len(scene.trick) - 1 and scene.decision is not None and scene.decision["kind"] == "play"
        classes = " km-best" * (seat == scene.winner) + " km-new" * newest
        classes += " km-fault" * bool(newest and scene.decision and scene.decision["fault"])
        parts.append(f'<div class="km-{sides[seat]}">{card(text, classes)}</div>')
    return f'<div class="km-centre km-trick">{"".join(parts)}</div>'


def _piles(scene: Scene, piles: dict[str, list[str]]) -> str:
    moved = (scene.decision or {}).get("action", "").rpartition(":")[2]
    parts = [_pile(place, cards, place == moved) for place, cards in piles.items()]
    back = f'<span class="km-card km-back" role="img" aria-label="stock"><b>{scene.stock}</b></span>'
    stock = back if scene.stock else '<span class="km-empty"></span>'
    parts.append(f'<div class="km-pile" style="grid-area:k">{stock}<span>stock</span></div>')
    return f'<div class="km-centre km-piles">{"".join(parts)}</div>'


def _pile(place: str, cards: list[str], is_new: bool) -> str:
    shown = cards if len(cards) < 3 else [cards[0], cards[-1]]
    stack = "".join(
        f"<span>{card(text, ' km-new' * (is_new and at == len(shown) - 1))}</span>" for at, text in enumerate(shown)
    )
    held = f'<div class="km-stack">{stack}</div>' if cards else '<span class="km-empty"></span>'
    about = f"<span>{words.count(len(cards), 'card')}</span>" if cards else f"<span>{place}</span>"
    return f'<div class="km-pile" style="grid-area:{place.lower()}">{held}{about}</div>'


def _bid(cell: tuple[int, dict[str, Any]] | None, done: int) -> str:
    if cell is None:
        return "<td></td>"
    step, decision = cell
    fault = f'<small class="km-bad">fault: {escape(decision["fault"])}</small>' if decision["fault"] else ""
    last = ' class="km-last"' if step == done else ""
    return f"<td{last}>{escape(words.action_name(decision['action']))}{fault}</td>"


def _name(name: str) -> str:
    safe = escape(name)
    return f'<bdi title="{safe}">{safe}</bdi>'
