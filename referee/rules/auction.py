"""The phases in which a deal is sold: bids, the owner's answer, the choice of the contract.

The owner of such a deal is its dealer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from referee.rules.actions import ActionTable
from referee.rules.contract import Contract
from referee.rules.deal import Deal

PASS = "pass"


@dataclass(frozen=True, kw_only=True)
class Bid:
    """One bid of a ladder.

    ``strength``: a bid exceeds those of less strength. ``price``: points due to the owner after play.
    ``contract``: what the bid itself names; None where the bidder chooses. ``is_plus``: tricks to take, not to avoid.
    """

    text: str
    strength: int
    is_plus: bool
    price: Callable[[Deal], int]
    contract: Contract | None = None


class Ladder:
    """The bids of a page by their action numbers, and for each the set of those that exceed it.

    ``anything``: the set of all bids.
    """

    def __init__(self, bids: Sequence[Bid], actions: ActionTable) -> None:
        self.bids = {actions.number(bid.text): bid for bid in bids}
        self.anything = actions.mask(*(bid.text for bid in bids))
        self._higher = {
            low.strength: actions.mask(*(bid.text for bid in bids if bid.strength > low.strength)) for low in bids
        }

    def higher(self, standing: Bid | None) -> int:
        """The set of bids that exceed the standing one."""
        return self.anything if standing is None else self._higher[standing.strength]


class Bidding:
    """What an auction has come to.

    ``bid`` by ``bidder`` stands (None: no bid); ``passed``: seats that are out; ``made``: bids made;
    ``asked``: the request that the bidder has to reply to; ``stood``: the bidder has refused to go higher;
    ``sold``: the bidder plays the deal and pays; ``named``: the contract, where the auction itself has named it.
    """

    __slots__ = ("asked", "bid", "bidder", "made", "named", "passed", "sold", "stood")

    def __init__(self) -> None:
        self.bid: Bid | None = None
        self.bidder = -1
        self.passed = 0
        self.made = 0
        self.asked: str | None = None
        self.stood = False
        self.sold = False
        self.named: Contract | None = None

    def stand(self, bid: Bid, seat: int) -> None:
        """Make this the standing bid."""
        self.bid = bid
        self.bidder = seat
        self.made += 1

    def price(self, deal: Deal) -> int:
        """Points that the bidder pays to the owner."""
        assert self.bid is not None
        return self.bid.price(deal)

    def copy(self) -> Bidding:
        """An independent copy."""
        other = Bidding.__new__(Bidding)
        for name in Bidding.__slots__:
            setattr(other, name, getattr(self, name))
        return other


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
        bidding = _bidding(deal)
        number = deal.game.actions.number
        mask = 1 << number(PASS) | self.ladder.higher(bidding.bid)
        if bidding.bid is not None and _distance(deal, deal.actor) < _distance(deal, bidding.bidder):
            mask |= 1 << number(bidding.bid.text)
        return mask

    def apply(self, deal: Deal, action: int) -> None:
        """Pass for good, or make the standing bid."""
        bidding = _bidding(deal)
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
        if _bidding(deal).bid is None:
            deal.next_phase()
        else:
            ask_owner(deal)

    def legal(self, deal: Deal) -> int:
        """The owner's answers, or the replies to what he asked for."""
        bidding = _bidding(deal)
        actions = deal.game.actions
        if bidding.asked is None:
            return actions.mask(*(text for text, possible in self.owner.items() if possible(bidding)))
        if bidding.asked == "raise":
            return actions.mask(self.no_higher) | self.ladder.higher(bidding.bid)
        return actions.mask(self.ultimatum, "decline")

    def apply(self, deal: Deal, action: int) -> None:
        """Carry out an answer or a reply."""
        bidding = _bidding(deal)
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

    def _answer(self, deal: Deal, bidding: Bidding, text: str) -> None:
        if text == "accept":
            _sell(deal)
        elif text == "refuse":
            no_sale(deal)
        else:
            bidding.asked = text
            deal.actor = bidding.bidder
            deal.kind = "reply"


@dataclass(frozen=True)
class Choice:
    """One way to name the deal.

    ``allowed``: who may name it so, and when. ``declarer_leads``: he leads himself, not the next seat of the page.
    """

    text: str
    contract: Contract
    allowed: Callable[[Deal], bool]
    leader: Callable[[Deal], int]


@dataclass(frozen=True)
class Choose:
    """Whoever plays the deal names it, unless the auction has named it."""

    choices: tuple[Choice, ...]

    def begin(self, deal: Deal) -> None:
        """Ask the one who plays the deal."""
        bidding = deal.bidding
        deal.declarer = bidding.bidder if bidding is not None and bidding.sold else deal.dealer
        if bidding is not None and bidding.named is not None:
            deal.contract = bidding.named
            deal.next_phase()
            return
        deal.kind = "choose"
        deal.actor = deal.declarer

    def legal(self, deal: Deal) -> int:
        """The choices that are allowed now."""
        return deal.game.actions.mask(*(choice.text for choice in self.choices if choice.allowed(deal)))

    def apply(self, deal: Deal, action: int) -> None:
        """Set contract and leader."""
        text = deal.game.actions.texts[action]
        choice = next(choice for choice in self.choices if choice.text == text)
        deal.contract = choice.contract
        deal.leader = choice.leader(deal)
        deal.next_phase()


def ask_owner(deal: Deal) -> None:
    """Ask the owner for an answer to the standing bid."""
    _bidding(deal).asked = None
    deal.kind = "answer"
    deal.actor = deal.dealer


def no_sale(deal: Deal) -> None:
    """Leave the deal with its owner: no bid is retained."""
    _bidding(deal).bid = None
    deal.next_phase()


def stand(deal: Deal) -> None:
    """Leave the bid as it is; the owner answers again, and cannot ask for more."""
    _bidding(deal).stood = True
    ask_owner(deal)


# Conditions for a choice.


def by_anyone(deal: Deal) -> bool:
    """Whoever plays the deal."""
    return True


def by_owner(deal: Deal) -> bool:
    """The owner, who has not sold the deal."""
    return not _bidding(deal).sold


def by_plus_bidder(deal: Deal) -> bool:
    """A bidder who won with a plus bid."""
    bidding = _bidding(deal)
    return bidding.sold and bidding.bid is not None and bidding.bid.is_plus


def by_minus_bidder(deal: Deal) -> bool:
    """A bidder who won with a minus bid."""
    bidding = _bidding(deal)
    return bidding.sold and bidding.bid is not None and not bidding.bid.is_plus


def either(*conditions: Callable[[Deal], bool]) -> Callable[[Deal], bool]:
    """Any of these conditions holds."""

    def holds(deal: Deal) -> bool:
        return any(condition(deal) for condition in conditions)

    holds.__doc__ = " Or: ".join((condition.__doc__ or "").strip() for condition in conditions)
    return holds


# Who leads.


def declarer_leads(deal: Deal) -> int:
    """The declarer."""
    assert deal.declarer is not None
    return deal.declarer


def next_to_declarer_leads(deal: Deal) -> int:
    """The seat after the declarer."""
    return (declarer_leads(deal) + 1) % deal.game.players


def next_to_dealer_leads(deal: Deal) -> int:
    """The seat after the dealer."""
    return (deal.dealer + 1) % deal.game.players


def _bidding(deal: Deal) -> Bidding:
    assert deal.bidding is not None
    return deal.bidding


def _sell(deal: Deal) -> None:
    bidding = _bidding(deal)
    assert bidding.bid is not None
    bidding.sold = True
    bidding.named = bidding.bid.contract
    deal.next_phase()


def _distance(deal: Deal, seat: int | None) -> int:
    """Seats between the owner's left neighbour and this seat."""
    assert seat is not None
    return (seat - deal.dealer - 1) % deal.game.players
