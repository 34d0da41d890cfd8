"""Strangers' texts, such as names and logs, for people to read."""

from __future__ import annotations


def plain(text: str) -> str:
    """The text with whatever would move the cursor or turn the line around shown as its code."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else f"\\x{ord(letter):02x}" for letter in text
    )
