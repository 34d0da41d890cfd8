"""Cards for bot authors: numbers and sets of the rules, with the helpers that bots keep asking for.

A card is ``13 * suit + rank`` (``2C`` = 0, ``AS`` = 51); a set of cards is a mask: bit ``c`` is card ``c``.

>>> suit_of(card("KH")), rank_of(card("KH")), card_text(37)
(2, 11, 'KH')
>>> texts(mask([0, 51])), members(0b101)
(['2C', 'AS'], [0, 2])
"""

from referee.rules.cards import (
    CARD_TEXTS,
    CLUBS,
    DIAMONDS,
    HEARTS,
    RANKS,
    SPADES,
    SUIT_MASKS,
    SUITS,
    card,
    mask,
    members,
    of_rank,
    texts,
)

__all__ = [
    "CARD_TEXTS", "CLUBS", "DIAMONDS", "HEARTS", "RANKS", "SPADES", "SUITS", "SUIT_MASKS",
    "card", "card_text", "mask", "members", "of_rank", "rank_of", "suit_of", "texts",
]  # fmt: skip


def suit_of(card: int) -> int:
    """The suit of a card: C=0 D=1 H=2 S=3."""
    return card // 13


def rank_of(card: int) -> int:
    """The rank of a card: 2=0 to A=12."""
    return card % 13


def card_text(card: int) -> str:
    """The text of a card, such as ``KH``."""
    return CARD_TEXTS[card]
