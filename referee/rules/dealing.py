"""Verifiable deals: every card follows from the match's secret seed (rules/README, "Verifiable deals").

This module must never import a random number generator: whoever knows the recipe can deal again.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from struct import Struct
from typing import NamedTuple

SEED_BYTES = 32
_DOMAIN = b"kingmaker/deal/1"
_BLOCK_BYTES = 64  # of SHA-256, for HMAC (RFC 2104)
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
_EIGHT_WORDS = Struct(">8I").unpack
_BIT = [1 << card for card in range(52)]
#: Words from here on are not taken for a choice of one out of so many: else the first few would come too often.
_LIMITS = [0, 0, *((1 << 32) - (1 << 32) % below for below in range(2, 53))]


class Dealt(NamedTuple):
    """The cards of one deal before anybody has acted.

    ``hands``: one set of cards a seat; ``turned``: the cards turned up, in order; ``stock``: the rest, top first.
    The last two are empty in trick games.
    """

    hands: tuple[int, ...]
    turned: tuple[int, ...] = ()
    stock: tuple[int, ...] = ()


def commitment(seed: bytes) -> bytes:
    """The 32 bytes that are published before the first card."""
    return hashlib.sha256(seed).digest()


def words(seed: bytes, number: int) -> Iterator[int]:
    """The endless 32-bit words of deal ``number``; a seed has `SEED_BYTES`, and so is no longer than a block of the hash."""
    key = seed.ljust(_BLOCK_BYTES, b"\0")  # HMAC written out: its two hashes begin alike for all blocks of words
    inner = hashlib.sha256(key.translate(_INNER) + _DOMAIN + number.to_bytes(4, "big"))
    outer = hashlib.sha256(key.translate(_OUTER))
    for block in count():
        within, around = inner.copy(), outer.copy()
        within.update(block.to_bytes(4, "big"))
        around.update(within.digest())
        yield from _EIGHT_WORDS(around.digest())


def shuffled(seed: bytes, number: int, deck: Sequence[int]) -> list[int]:
    """The deck of deal ``number`` in the order in which it is dealt."""
    cards = sorted(deck)
    below = len(cards)
    limit = _LIMITS[below]
    for word in words(seed, number):
        if below <= 1:
            break
        if word < limit:
            j = word % below
            below -= 1
            cards[below], cards[j] = cards[j], cards[below]
            limit = _LIMITS[below]
    return cards


def deal_out(cards: Sequence[int], players: int, dealer: int, packets: tuple[int, ...], turned: int) -> Dealt:
    """Deal a shuffled deck in packets, clockwise from the seat after the dealer.

    ``packets``: cards in each round of dealing; ``turned``: cards turned up after it.
    """
    hands = tuple([sum([_BIT[cards[place]] for place in places]) for places in _places(players, dealer, packets)])
    dealt = players * sum(packets)
    if not turned:
        return Dealt(hands)
    return Dealt(hands, tuple(cards[dealt : dealt + turned]), tuple(cards[dealt + turned :]))


@cache
def _places(players: int, dealer: int, packets: tuple[int, ...]) -> list[list[int]]:
    """Which places of the deck each seat gets."""
    order = [(dealer + step) % players for step in range(1, players + 1)]
    given = [seat for packet in packets for seat in order for _ in range(packet)]
    return [[place for place, to in enumerate(given) if to == seat] for seat in range(players)]
