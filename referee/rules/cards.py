"""Cards and sets of cards as plain integers; texts only at the edges.

A card is ``13 * suit + rank`` (rules/README), a set of cards the mask with those bits. The same holds for
actions: a set of actions is the mask with the bits of their numbers.
"""

from collections.abc import Iterable

from referee.rules.errors import BadNotation

SUITS = "CDHS"
RANKS = "23456789TJQKA"
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)

CARD_TEXTS = tuple(rank + suit for suit in SUITS for rank in RANKS)
_NUMBERS = {text: number for number, text in enumerate(CARD_TEXTS)}

ALL_CARDS = (1 << 52) - 1
SUIT_MASKS = tuple(0x1FFF << 13 * suit for suit in range(4))
#: The mask of the whole suit of each card, by card.
SUIT_OF = tuple(SUIT_MASKS[card // 13] for card in range(52))

DECK_52 = tuple(range(52))
DECK_32 = tuple(card for card in range(52) if card % 13 >= 5)


def card(text: str) -> int:
    """Read a card such as ``KH``.

    Raises:
        BadNotation: the text names no card.
    """
    try:
        return _NUMBERS[text]
    except (KeyError, TypeError):
        raise BadNotation(f"{text!r} is no card; a card is a rank of {RANKS} and a suit of {SUITS}, as KH") from None


def mask(cards: Iterable[int]) -> int:
    """The set of these numbers."""
    result = 0
    for number in cards:
        result |= 1 << number
    return result


def members(mask: int) -> list[int]:
    """The numbers in a set, ascending."""
    known = _ONE_SUIT.get(mask)
    if known is not None:
        return known[:]
    if mask > ALL_CARDS:
        return _bits(mask)
    suits = _ONE_SUIT
    return suits[mask & 0x1FFF] + suits[mask & _DIAMONDS] + suits[mask & _HEARTS] + suits[mask & _SPADES]


def _bits(mask: int) -> list[int]:
    result = []
    while mask:
        lowest = mask & -mask
        result.append(lowest.bit_length() - 1)
        mask ^= lowest
    return result


class _Known(dict[int, list[int]]):
    """The members of sets within one suit, each worked out when it is first met: four times 8,192 at most."""

    def __missing__(self, mask: int) -> list[int]:
        self[mask] = _bits(mask)
        return self[mask]


_ONE_SUIT = _Known({0: []})
_, _DIAMONDS, _HEARTS, _SPADES = SUIT_MASKS


def of_rank(rank: str) -> int:
    """The four cards of one rank, as a set."""
    return mask(13 * suit + RANKS.index(rank) for suit in range(4))


def texts(mask: int) -> list[str]:
    """The cards of a set as texts, ascending."""
    return [CARD_TEXTS[number] for number in members(mask)]
