"""Verifiable deals: every card follows from the match's secret seed (rules/README, "Verifiable deals").

This module must never import a random number generator: whoever knows the recipe can deal again.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from functools import cache
from struct import unpack
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
    for block in range(1 << 32):
        yield from unpack(">8I", hmac.digest(seed, head + block.to_bytes(4, "big"), "sha256"))


def shuffled(seed: bytes, number: int, deck: Sequence[int]) -> list[int]:
    """The deck of deal ``number`` in the order in which it is dealt."""
    cards = sorted(deck)
    below = len(cards)
    for word in words(seed, number):
        if below <= 1:
            break
        if word < (1 << 32) - (1 << 32) % below:
            j = word % below
            below -= 1
            cards[below], cards[j] = cards[j], cards[below]
    return cards


def deal_out(cards: Sequence[int], players: int, dealer: int, packets: tuple[int, ...], turned: int) -> Dealt:
    """Deal a shuffled deck in packets, clockwise from the seat after the dealer.

    ``packets``: cards in each round of dealing; ``turned``: cards turned up after it.
    """
    hands = [0] * players
    seats = _seats(players, dealer, packets)
    for seat, card in zip(seats, cards, strict=False):  # cards that are not dealt are left
        hands[seat] |= 1 << card
    if not turned:
        return Dealt(tuple(hands))
    rest = cards[len(seats) :]
    return Dealt(tuple(hands), tuple(rest[:turned]), tuple(rest[turned:]))


@cache
def _seats(players: int, dealer: int, packets: tuple[int, ...]) -> list[int]:
    """Who gets each card of the deck, as long as cards are dealt."""
    order = [(dealer + step) % players for step in range(1, players + 1)]
    return [seat for packet in packets for seat in order for _ in range(packet)]
