"""How things are called on the pages. Imports no Streamlit."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from cluster.texts import SUITS as SUITS
from cluster.texts import contract_name as contract_name

PLACES = {
    "N": "north", "E": "east", "S": "south", "W": "west",
    "NE": "north-east corner", "SE": "south-east corner", "SW": "south-west corner", "NW": "north-west corner",
}  # fmt: skip
LONG = 24  # letters of a name that a phone has room for
_SIDES = {2: "SN", 3: "SWE", 4: "SWNE"}  # the sides of the table by seat, clockwise
_LEADS = {"self": "leads himself", "next": "next seat leads"}
_KNOWN = {
    "eight_or_nulls": "Eight or nulls",
    "end": "Ends the turn",
    "claim": "Claims the roem",
    "leave": "Leaves the roem",
    "raise": "Too little, raise",
}
_KINDS = {
    "play": "Card", "bid": "Bid", "answer": "Answer", "reply": "Reply", "choose": "Choice", "claim": "Roem", "turn": "Turn",
}  # fmt: skip
_OUTCOMES = {"nat": "Nat (fell short)", "pit": "Pit (all tricks)"}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~:$&])")
_WORD = re.compile(r"\b[a-z0-9]\w*(:\w+)*")
_MINUS = re.compile(r"(?<!\w)-(?=\d)")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def outcome_name(outcome: str) -> str:
    """How a deal ended, in words: ``lost blocked`` is "Lost blocked"."""
    return _OUTCOMES.get(outcome, outcome[:1].upper() + outcome[1:])


def card_name(card: str) -> str:
    """A card for people: ``TH`` is "10♥"."""
    return rank_name(card) + SUITS[card[1]]


def rank_name(card: str) -> str:
    """The rank of a card for people: 10, not T."""
    return "10" if card[0] == "T" else card[0]


def action_name(action: str) -> str:
    """An action in words: ``trump:S:self`` is "Trump ♠, leads himself", ``+3`` "+3", ``place:QH:NE`` a sentence."""
    if action in _KNOWN:
        return _KNOWN[action]
    if len(action) == 2 and action[1] in SUITS:
        return card_name(action)
    if action[0] in "+-":
        return action.replace("-", "−") + (" nulls" if action[0] == "-" else "")
    match action.split(":"):
        case ["place", card, pile]:
            return f"{card_name(card)} on {PLACES[pile]}"
        case ["move", start, end]:
            return f"Pile {PLACES[start]} onto {PLACES[end]}"
        case [*contract, leader] if leader in _LEADS:
            return f"{contract_name(':'.join(contract))}, {_LEADS[leader]}"
    return contract_name(action)


def sentence(text: str, actions: Collection[str]) -> str:
    """A sentence of the rules with its actions in words: ``trump:S:self`` becomes “Trump ♠, leads himself”."""

    def told(found: re.Match[str]) -> str:
        name = found[0]
        is_code = ":" in name or "_" in name or name.isdigit()
        return f"“{action_name(name)}”" if name in actions and is_code else name

    return with_minus(_WORD.sub(told, text.replace("`", "")))


def with_minus(text: str) -> str:
    """A sentence with a real minus before its negative numbers."""
    return _MINUS.sub("−", text)


def kind_name(kind: str) -> str:
    """What sort of decision it was."""
    return _KINDS.get(kind, kind.capitalize())


def number(value: float | None, decimals: int = 0) -> str:
    """A number with a real minus; a dash where there is none."""
    if value is None:
        return "–"
    text = f"{value:,.{decimals}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")


def signed(value: int) -> str:
    """A number with its sign."""
    return f"+{value:,}" if value > 0 else number(value)


def interval(low: float | None, high: float | None, decimals: int = 0) -> str:
    """An interval; a dash where there is none."""
    return "–" if low is None or high is None else f"{number(low, decimals)} to {number(high, decimals)}"


def elo(low: float | None, high: float | None) -> str:
    """An interval of ratings; the anchor has none."""
    return "–" if low is None or high is None or low == high else f"{low:.0f} to {high:.0f}"


def relation(name: str) -> str:
    """What is known of two bots whose difference has no number."""
    known = {"above": "above, no number", "below": "below, no number", "partners": "partners"}
    return known.get(name, "not comparable")


def duration(seconds: float) -> str:
    """A time span in its two greatest units."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole < 600 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min" if whole < 86400 else f"{whole // 86400} d {whole % 86400 // 3600} h"


def seats(players: int) -> list[str]:
    """Where each seat sits on the table."""
    return [PLACES[side].capitalize() for side in _SIDES[players]]


def ranks(low: float | None, high: float | None) -> str:
    """The ranks that the results allow."""
    if low is None or high is None:
        return "–"
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def count(amount: int, one: str, many: str | None = None) -> str:
    """An amount with its noun."""
    return f"{amount:,} {one if amount == 1 else many or one + 's'}"


def listed(parts: Sequence[str]) -> str:
    """Some words as people list them."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def plain(text: str) -> str:
    """A stranger's text as Markdown that shows just that text."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def short(name: str) -> str:
    """A name as long as a column may be wide; its end, which says which version it is, stays."""
    return name if len(name) <= LONG else f"{name[: LONG - 9]}…{name[-8:]}"


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text
