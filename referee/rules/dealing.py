"""Verifiable deals: every card follows from the match's secret seed (rules/README, "Verifiable deals").

This module must never import a random number generator: whoever knows the recipe can deal again.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import NamedTuple

SEED_BYTES = 32
_DOMAIN = b"kingmaker/deal/1"


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
    """The endless 32-bit words of deal ``number``."""
    head = _DOMAIN + number.to_bytes(4, "big")
    block = 0
    while True:
        chunk = hmac.digest(seed, head + block.to_bytes(4, "big"), "sha256")
        for start in range(0, 32, 4):
            yield int.from_bytes(chunk[start : start + 4], "big")
        block += 1


def shuffled(seed: bytes, number: int, deck: Sequence[int]) -> list[int]:
    """The deck of deal ``number`` in the order in which it is dealt."""
    cards = sorted(deck)
    source = words(seed, number)
    for i in range(len(cards) - 1, 0, -1):
        below = i + 1
        limit = (1 << 32) - (1 << 32) % below
        word = next(source)
        while word >= limit:
            word = next(source)
        j = word % below
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def deal_out(cards: Sequence[int], players: int, dealer: int, packets: Sequence[int], turned: int) -> Dealt:
    """Deal a shuffled deck in packets, clockwise from the seat after the dealer.

    ``packets``: cards in each round of dealing; ``turned``: cards turned up after it.
    """
    hands = [0] * players
    position = 0
    for packet in packets:
        for offset in range(players):
            seat = (dealer + 1 + offset) % players
            for card in cards[position : position + packet]:
                hands[seat] |= 1 << card
            position += packet
    if not turned:
        return Dealt(tuple(hands))
    return Dealt(tuple(hands), tuple(cards[position : position + turned]), tuple(cards[position + turned :]))
