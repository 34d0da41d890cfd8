"""A trick in progress as a player with a good memory sees it: what is out, who is out of what, who comes after."""

from __future__ import annotations

from bots.observation import Observation
from referee.rules.cards import ALL_CARDS, DECK_32, SUIT_OF, mask

_SHORT_DECK = mask(DECK_32)
_OTHERS = tuple([(seat + step) % 4 for step in (1, 2, 3)] for seat in range(4))


class Situation:
    """What can be concluded from the cards that were played.

    ``unseen``: the cards in the other hands. ``void``: by seat, all cards of the suits that it cannot follow.
    ``table``: the cards of the trick, in order; ``led``: the suit led, 0 when leading; ``best``, ``best_seat``: the
    winning card so far, -1 when leading; ``after``: the seats that play after this one; ``others``: all but this
    one; ``left``: tricks still to be taken, this one included.
    """

    __slots__ = ("after", "best", "best_seat", "hand", "led", "left", "others", "seat", "table", "unseen", "void")

    def __init__(self, observation: Observation, beats: tuple[int, ...]) -> None:
        cards, seats = observation.actions, observation.seats
        seen, self.void, played = _played(cards, seats)
        seat, hand = observation.seat, observation.hand_mask
        size = played & 3
        self.seat = seat
        self.hand = hand
        self.left = hand.bit_count()
        deck = ALL_CARDS if self.left + (played >> 2) == 13 else _SHORT_DECK
        self.unseen = deck & ~(seen | hand)
        self.others = others = _OTHERS[seat]
        self.after = others[: 3 - size]
        self.table = table = cards[len(cards) - size :]
        self.led, self.best, self.best_seat = 0, -1, -1
        if table:
            self.led = SUIT_OF[table[0]]
            best = 0
            for place in range(1, size):
                if beats[table[best]] >> table[place] & 1:
                    best = place
            self.best = table[best]
            self.best_seat = seats[best - size]


def _played(actions: list[int], seats: list[int]) -> tuple[int, list[int], int]:
    """The set of cards played, by seat the suits in which it did not follow, and how many cards were played."""
    seen = played = led = 0
    void = [0, 0, 0, 0]
    for seat, card in zip(seats, actions, strict=True):
        if card > 51:
            continue
        suit = SUIT_OF[card]
        seen |= 1 << card
        if not played & 3:
            led = suit
        elif suit != led:
            void[seat] |= led
        played += 1
    return seen, void, played
