"""Kings in the Corner for a bot that simulates: guesses at what others hold, and rounds played out on them."""

from __future__ import annotations

from functools import reduce
from operator import or_
from random import Random

from bots.reference.quick import ANY_BUT_KINGS, Round
from referee.rules.cards import ALL_CARDS, members
from referee.rules.deal import Deal
from referee.rules.layout import END, FIRST_MOVE, FIRST_PLACE, MOVES


class PileTrials:
    """What the choices of a seat come to when the round is played on by everybody as greedy plays.

    ``deal``: one that looks to the seat to act as the real one does; what it guesses at the others' cards is not used.
    """

    #: Rounds cost little here, so the outcomes are many, and what differs a little can be told.
    ahead = 0.3

    def __init__(self, deal: Deal) -> None:
        assert deal.actor is not None
        assert deal.layout is not None
        self.seat = deal.actor
        self.now = Round.of(deal)
        self.hidden = members(ALL_CARDS & ~self.now.seen & ~self.now.hands[self.seat])
        cannot = holds_none_of(deal)
        others = [seat for seat in range(len(deal.hands)) if seat != self.seat]
        self.others = [(seat, deal.hands[seat].bit_count(), cannot[seat]) for seat in others]

    def deal_anew(self, rng: Random) -> None:
        """Guess again at what is hidden."""
        cards = rng.sample(self.hidden, len(self.hidden))
        hands = self.now.hands
        for seat, size, cannot in rng.sample(self.others, len(self.others)):
            held = [card for card in cards if not cannot >> card & 1][:size]
            held += [card for card in cards if cannot >> card & 1][: size - len(held)]
            hands[seat] = sum(1 << card for card in held)
            cards = [card for card in cards if not hands[seat] >> card & 1]
        self.now.stock, self.now.drawn = cards, 0

    def outcome(self, action: int) -> tuple[list[int], int]:
        """The scores after an action, on the cards of this guess, and how many actions that took."""
        after = self.now.copy()
        after.apply(action)
        after.play_out()
        return after.scores(), after.steps - self.now.steps


def holds_none_of(deal: Deal) -> list[int]:
    """By seat, the cards that it had laid in its last turn, had it held them: most players lay all that they can.

    A player who left a side place empty does not, and nothing is said of him.
    """
    assert deal.layout is not None
    table = Round(deal.dealt.turned, [0] * len(deal.hands), (), deal.leader)
    result = [0] * len(deal.hands)
    for seat, action in zip(deal.seats, deal.actions, strict=True):
        if action == END:
            fitting = reduce(or_, table.accepts)
            result[seat] = 0 if fitting & ANY_BUT_KINGS == ANY_BUT_KINGS else fitting
        elif action >= FIRST_MOVE:
            table.move(*MOVES[action - FIRST_MOVE])
        else:
            place, card = divmod(action - FIRST_PLACE, 52)
            table.place(card, place)
    return result
