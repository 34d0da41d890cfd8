"""A round of Kings in the Corner played on in microseconds, for simulations: every player takes greedy's steps.

The rules stand in `referee.rules`; this is the part of them that a round between its first turn and its end needs, held to
them, and to greedy, by tests.
"""

from __future__ import annotations

from collections.abc import Sequence

from bots.reference.corner import FITS, chain
from referee.rules.cards import ALL_CARDS, mask, of_rank
from referee.rules.deal import Deal
from referee.rules.layout import END, FIRST_MOVE, FIRST_PLACE, MOVES, SIDES

_KINGS = of_rank("K")
#: What an empty side place accepts.
ANY_BUT_KINGS = ALL_CARDS ^ _KINGS
#: By card: greedy's points off for its rank on an empty place, in units of 0.04 as all points here.
_HEIGHT = tuple(2 * ((number + 1) % 13) for number in range(52))
_FLAT = (0,) * 52
_CHAIN, _CLOSED = 75, 50


class Round:
    """A round in progress.

    ``accepts``: by place, the set of cards that may be laid on it; ``bottoms``: by side, the set of the card that lies
    lowest, 0 for an empty one; ``seen``: the cards that lie in the piles. ``stock``: from the top, ``drawn`` of them
    are gone. ``actor``: None when it is over. ``steps``: actions so far.
    """

    __slots__ = ("accepts", "actor", "bottoms", "drawn", "hands", "idle_turns", "is_idle", "seen", "steps", "stock")

    def __init__(self, turned: Sequence[int], hands: Sequence[int], stock: Sequence[int], leader: int) -> None:
        self.accepts = [ANY_BUT_KINGS] * SIDES + [_KINGS] * SIDES
        self.bottoms = [0] * SIDES
        self.hands = list(hands)
        self.stock = stock
        self.drawn = 0
        self.seen = 0
        self.idle_turns = 0
        self.is_idle = True
        self.steps = 0
        self.actor: int | None = leader
        for side, card in enumerate(turned):
            self.place(card, side + SIDES if _KINGS >> card & 1 else side)
        self._draw(leader)

    @classmethod
    def of(cls, deal: Deal) -> Round:
        """The round as it stands in a deal."""
        layout = deal.layout
        assert layout is not None
        assert deal.actor is not None
        now = cls.__new__(cls)
        now.accepts = layout.accepts[:]
        now.bottoms = [1 << pile[0] if pile else 0 for pile in layout.piles[:SIDES]]
        now.seen = mask(card for pile in layout.piles for card in pile)
        now.hands = deal.hands[:]
        now.stock, now.drawn = layout.stock, layout.drawn
        now.idle_turns, now.is_idle = layout.idle_turns, layout.is_idle
        now.steps, now.actor = len(deal.actions), deal.actor
        return now

    def copy(self) -> Round:
        """An independent copy."""
        other = Round.__new__(Round)
        other.accepts = self.accepts[:]
        other.bottoms = self.bottoms[:]
        other.hands = self.hands[:]
        other.stock, other.drawn, other.seen = self.stock, self.drawn, self.seen
        other.idle_turns, other.is_idle = self.idle_turns, self.is_idle
        other.steps, other.actor = self.steps, self.actor
        return other

    def place(self, card: int, place: int) -> None:
        """Lay a card that came from somewhere else than a hand."""
        if place < SIDES and not self.bottoms[place]:
            self.bottoms[place] = 1 << card
        self.accepts[place] = FITS[card]
        self.seen |= 1 << card
        self.is_idle = False

    def move(self, start: int, end: int) -> None:
        """Lay a whole pile onto another."""
        self.accepts[end] = self.accepts[start]
        self.accepts[start] = ANY_BUT_KINGS
        self.bottoms[start] = 0
        self.is_idle = False

    def apply(self, action: int) -> None:
        """Carry out a legal action of the seat to act."""
        assert self.actor is not None
        if action == END:
            self._end_turn(self.actor)
            return
        self.steps += 1
        if action >= FIRST_MOVE:
            self.move(*MOVES[action - FIRST_MOVE])
        else:
            place, card = divmod(action - FIRST_PLACE, 52)
            self.place(card, place)
            self.hands[self.actor] &= ~(1 << card)
            if not self.hands[self.actor]:
                self.actor = None

    def play_out(self) -> None:
        """Let everybody play on as greedy does, to the end."""
        while self.actor is not None:
            if self._lay_down(self.actor):
                self._end_turn(self.actor)
            else:
                self.actor = None

    def scores(self) -> list[int]:
        """By seat: 10 for each king left in the hand and 1 for any other card, nothing for the lowest hands."""
        counts = [hand.bit_count() + 9 * (hand & _KINGS).bit_count() for hand in self.hands]
        lowest = min(counts)
        return [0 if count == lowest else count for count in counts]

    def _draw(self, seat: int) -> None:
        self.is_idle = self.drawn == len(self.stock)
        if not self.is_idle:
            self.hands[seat] |= 1 << self.stock[self.drawn]
            self.drawn += 1

    def _end_turn(self, seat: int) -> None:
        self.steps += 1
        self.idle_turns = self.idle_turns + 1 if self.is_idle else 0
        if self.idle_turns == len(self.hands):
            self.actor = None
            return
        self.actor = seat + 1 if seat + 1 < len(self.hands) else 0
        self._draw(self.actor)

    def _lay_down(self, seat: int) -> int:
        """All that greedy does in the rest of a turn; the hand that is left."""
        hand = self.hands[seat]
        accepts, bottoms = self.accepts, self.bottoms
        while hand:
            kings = hand & _KINGS
            if kings:
                card, place = (kings & -kings).bit_length() - 1, accepts.index(_KINGS, SIDES)
            else:
                if self._moved():
                    continue
                north, east, south, west, *corners = accepts
                open_to = north | east | south | west | corners[0] | corners[1] | corners[2] | corners[3]
                fitting = hand & open_to
                if not fitting:
                    break
                card, place = self._choice(hand, fitting)
            hand ^= 1 << card
            if place < SIDES and not bottoms[place]:
                bottoms[place] = 1 << card
            accepts[place] = FITS[card]
            self.seen |= 1 << card
            self.is_idle = False
            self.steps += 1
        self.hands[seat] = hand
        return hand

    def _moved(self) -> bool:
        """Make the first move of a pile that is possible."""
        accepts = self.accepts
        for start, bottom in enumerate(self.bottoms):
            if not bottom:
                continue
            for end, accepted in enumerate(accepts):
                if accepted & bottom and accepted != ANY_BUT_KINGS:
                    self.move(start, end)
                    self.steps += 1
                    return True
        return False

    def _choice(self, hand: int, fitting: int) -> tuple[int, int]:
        """Greedy's next card, no king, and its place; ``fitting``: the cards of the hand that go anywhere."""
        accepts = self.accepts
        on_piles = 0
        for accepted in accepts:
            if accepted != ANY_BUT_KINGS:
                on_piles |= accepted
        on_piles &= hand
        if not on_piles:
            best = self._best(hand, fitting, _HEIGHT)
            return (best & -best).bit_length() - 1, accepts.index(ANY_BUT_KINGS)
        best = self._best(hand, on_piles, _FLAT) if on_piles & on_piles - 1 else on_piles
        for place, accepted in enumerate(accepts):
            if accepted & best and accepted != ANY_BUT_KINGS:
                found = accepted & best
                return (found & -found).bit_length() - 1, place
        raise AssertionError("a card that fits a pile fits one of the places")

    def _best(self, hand: int, cards: int, off: Sequence[int]) -> int:
        """Those of the cards that greedy thinks most of, equals together; ``off``: by card, points off."""
        unseen = ALL_CARDS & ~hand & ~self.seen
        best, most = 0, -1000
        while cards:
            bit = cards & -cards
            cards ^= bit
            card = bit.bit_length() - 1
            fits = FITS[card]
            score = -_CLOSED * (fits & unseen).bit_count() - off[card]
            if hand & fits:
                score += _CHAIN * chain(hand, card)
            if score > most:
                best, most = bit, score
            elif score == most:
                best |= bit
        return best
