"""The phases in which a deal is sold: the bids, and the owner's answer to the best one.

The owner of such a deal is its dealer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from referee.rules.bidding import Bidding, Ladder, bidding_of
from referee.rules.contract import Contract
from referee.rules.deal import Deal
from referee.rules.wording import phrase

PASS = "pass"


@dataclass(frozen=True)
class Auction:
    """Everybody but the owner bids, clockwise, until all but the standing bidder have passed.

    A player may exceed the standing bid, or match it if he sits nearer to the owner's left than its bidder.
    """

    ladder: Ladder

    def begin(self, deal: Deal) -> None:
        """Ask the seat after the owner."""
        deal.bidding = Bidding()
        deal.kind = "bid"
        deal.actor = (deal.dealer + 1) % deal.game.players

    def legal(self, deal: Deal) -> int:
        """Pass, higher bids, and the standing bid itself from a nearer seat."""
        bidding = bidding_of(deal)
        number = deal.game.actions.number
        mask = 1 << number(PASS) | self.ladder.higher(bidding.bid)
        if bidding.bid is not None and _distance(deal, deal.actor) < _distance(deal, bidding.bidder):
            mask |= 1 << number(bidding.bid.text)
        return mask

    def apply(self, deal: Deal, action: int) -> None:
        """Pass for good, or make the standing bid."""
        bidding = bidding_of(deal)
        seat: int = deal.actor  # type: ignore[assignment]  # somebody is to act
        bid = self.ladder.bids.get(action)
        if bid is None:
            bidding.passed |= 1 << seat
        else:
            bidding.stand(bid, seat)
        players = deal.game.players
        out = bidding.passed | 1 << deal.dealer | (1 << bidding.bidder if bidding.bid else 0)
        for step in range(1, players + 1):
            candidate = (seat + step) % players
            if not out >> candidate & 1:
                deal.actor = candidate
                return
        deal.next_phase()

    def describe(self) -> str:
        """What happens in it."""
        return (
            f"All but the owner, who is the dealer, bid or pass: {self.ladder.describe()}. "
            "A seat nearer to the owner's left may match the standing bid."
        )


@dataclass(frozen=True)
class Answers:
    """The owner answers the standing bid, and the bidder replies, until it is clear who plays the deal.

    ``owner``: the answers a page knows, and when each is possible. ``no_higher``: the reply of a bidder who will
    not go higher; ``after_no_higher``: what it leads to. ``ultimatum``: the bid that the ultimatum demands;
    ``declined``: the contract that the owner plays after `decline`.
    """

    ladder: Ladder
    owner: Mapping[str, Callable[[Bidding], bool]]
    no_higher: str
    after_no_higher: Callable[[Deal], None]
    ultimatum: str
    declined: Contract

    def begin(self, deal: Deal) -> None:
        """Ask the owner, if a bid stands."""
        if bidding_of(deal).bid is None:
            deal.next_phase()
        else:
            ask_owner(deal)

    def legal(self, deal: Deal) -> int:
        """The owner's answers, or the replies to what he asked for."""
        bidding = bidding_of(deal)
        actions = deal.game.actions
        if bidding.asked is None:
            return actions.mask(*(text for text, possible in self.owner.items() if possible(bidding)))
        if bidding.asked == "raise":
            return actions.mask(self.no_higher) | self.ladder.higher(bidding.bid)
        return actions.mask(self.ultimatum, "decline")

    def apply(self, deal: Deal, action: int) -> None:
        """Carry out an answer or a reply."""
        bidding = bidding_of(deal)
        text = deal.game.actions.texts[action]
        if bidding.asked is None:
            self._answer(deal, bidding, text)
        elif text == self.no_higher:
            bidding.asked = None
            self.after_no_higher(deal)
        elif text == "decline":
            bidding.bid = None
            bidding.named = self.declined
            deal.next_phase()
        else:
            bidding.stand(self.ladder.bids[action], bidding.bidder)
            if bidding.asked == "raise":
                ask_owner(deal)
            else:
                _sell(deal)

    def describe(self) -> str:
        """What happens in it."""
        answers = ", ".join(f"{text} ({phrase(possible)})" for text, possible in self.owner.items())
        return (
            f"The owner answers: {answers}. The bidder replies to raise with a higher bid or {self.no_higher}, "
            f"to eight_or_nulls with {self.ultimatum} or decline."
        )

    def _answer(self, deal: Deal, bidding: Bidding, text: str) -> None:
        if text == "accept":
            _sell(deal)
        elif text == "refuse":
            no_sale(deal)
        else:
            bidding.asked = text
            deal.actor = bidding.bidder
            deal.kind = "reply"


def ask_owner(deal: Deal) -> None:
    """Ask the owner for an answer to the standing bid."""
    bidding_of(deal).asked = None
    deal.kind = "answer"
    deal.actor = deal.dealer


def no_sale(deal: Deal) -> None:
    """Leave the deal with its owner: no bid is retained."""
    bidding_of(deal).bid = None
    deal.next_phase()


def stand(deal: Deal) -> None:
    """Leave the bid as it is; the owner answers again, and cannot ask for more."""
    bidding_of(deal).stood = True
    ask_owner(deal)


def _sell(deal: Deal) -> None:
    bidding = bidding_of(deal)
    assert bidding.bid is not None
    bidding.sold = True
    bidding.named = bidding.bid.contract
    deal.next_phase()


def _distance(deal: Deal, seat: int | None) -> int:
    """Seats between the owner's left neighbour and this seat."""
    assert seat is not None
    return (seat - deal.dealer - 1) % deal.game.players
