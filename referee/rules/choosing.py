"""The phase in which whoever plays a deal names it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from referee.rules.bidding import bidding_of
from referee.rules.contract import Contract
from referee.rules.deal import Deal
from referee.rules.wording import phrase


@dataclass(frozen=True)
class Choice:
    """One way to name the deal.

    ``allowed``: who may name it so, and when; ``leader``: who then leads.
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

    def describe(self) -> str:
        """What happens in it."""
        by_condition: dict[str, list[str]] = {}
        for choice in self.choices:
            by_condition.setdefault(phrase(choice.allowed), []).append(choice.text)
        choices = "; ".join(f"{', '.join(texts)}: {condition}" for condition, texts in by_condition.items())
        return f"Whoever plays the deal names it. {choices}."


# Conditions for a choice.


def by_anyone(deal: Deal) -> bool:
    """Whoever plays the deal."""
    return True


def by_owner(deal: Deal) -> bool:
    """The owner, who has not sold the deal."""
    return not bidding_of(deal).sold


def by_plus_bidder(deal: Deal) -> bool:
    """A bidder who won with a plus bid."""
    bidding = bidding_of(deal)
    return bidding.sold and bidding.bid is not None and bidding.bid.is_plus


def by_minus_bidder(deal: Deal) -> bool:
    """A bidder who won with a minus bid."""
    bidding = bidding_of(deal)
    return bidding.sold and bidding.bid is not None and not bidding.bid.is_plus


def either(*conditions: Callable[[Deal], bool]) -> Callable[[Deal], bool]:
    """Any of these conditions holds."""

    def holds(deal: Deal) -> bool:
        return any(condition(deal) for condition in conditions)

    holds.__doc__ = ", or ".join(map(phrase, conditions)).capitalize() + "."
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
