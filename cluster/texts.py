"""How things are told to people: contracts, numbers, and strangers' texts such as names and logs."""

from __future__ import annotations

SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_CONTRACTS = {"433": "4-3-3-3"}


def contract_name(contract: str) -> str:
    """A contract in words: ``no_king_of_hearts`` is "No king of hearts", ``trump:S`` "Trump ♠"."""
    if contract in _CONTRACTS:
        return _CONTRACTS[contract]
    first, _, rest = contract.partition(":")
    text = first.replace("_", " ")
    suit = f" {SUITS.get(rest, rest)}" if rest else ""
    return text[:1].upper() + text[1:] + suit


def number(value: float, form: str) -> str:
    """A number in a form such as ``.1f`` or ``+.2f``, with a real minus; none before what is rounded to zero."""
    sign = form[:1] if form[:1] == "+" else ""
    return format(value, f"{sign}z{form.removeprefix('+')}").replace("-", "−")


def plain(text: str) -> str:
    """The text with whatever would move the cursor or turn the line around shown as its code."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else f"\\x{ord(letter):02x}" for letter in text
    )
