"""What is bid for a deal, and what an auction has come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.rules.actions import ActionTable
from referee.rules.contract import Contract

if TYPE_CHECKING:
    from referee.rules.deal import Deal


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

    def describe(self) -> str:
        """The bids from the lowest to the highest."""
        by_strength: dict[int, list[str]] = {}
        for bid in sorted(self.bids.values(), key=lambda bid: bid.strength):
            by_strength.setdefault(bid.strength, []).append(bid.text)
        return " < ".join(" = ".join(texts) for texts in by_strength.values())


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


def bidding_of(deal: Deal) -> Bidding:
    """What the auction of this deal has come to; only for deals that have one."""
    assert deal.bidding is not None
    return deal.bidding
