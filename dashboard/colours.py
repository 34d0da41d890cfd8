"""What colour a bot has: the same on every page, and in every list of a competition. Imports no Streamlit."""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

#: Colours that can be told apart in light and dark, also by most who see few colours.
MANY = ("#2f7de1", "#d9822b", "#2a9d6f", "#b8509b", "#7a6ff0", "#c9a227", "#3aa6b9", "#d1495b", "#6b8e23", "#a0694b")
#: More bots than colours: the next ones have lines of dashes, and of dots.
_DASHES = ((1, 0), (7, 3), (2, 2))


class Colours:
    """The colours of some bots, in an order that only grows: who was there before keeps his own."""

    def __init__(self, bots: Iterable[str]) -> None:
        self._places = {bot: place for place, bot in enumerate(dict.fromkeys(bots))}

    def of(self, bot: str) -> str:
        """As ``#rrggbb``."""
        return MANY[self._place(bot) % len(MANY)]

    def dashes(self, bot: str) -> list[int]:
        """Px of line and of gap."""
        return list(_DASHES[self._place(bot) // len(MANY) % len(_DASHES)])

    def _place(self, bot: str) -> int:
        return self._places.get(bot, crc32(bot.encode()))  # partners, who are two bots, have no place
