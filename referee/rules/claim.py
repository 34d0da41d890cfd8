"""Trick play in which a trick may hold a bonus for its winner."""

from collections.abc import Callable
from dataclasses import dataclass

from referee.rules.deal import Deal
from referee.rules.trick import Trick
from referee.rules.trickplay import TrickPlay

CLAIM, LEAVE = "claim", "leave"


@dataclass(frozen=True)
class TricksWithBonus(TrickPlay):
    """The winner of a trick takes whatever bonus it holds.

    ``bonus``: the points that the cards on the table are worth beyond their values.
    """

    bonus: Callable[[Trick], int]

    def trick_taken(self, deal: Deal, trick: Trick) -> None:
        """Note the bonus, if there is one, and go on."""
        points = self.bonus(trick)
        if points:
            self.found(deal, trick, points)
        else:
            super().trick_taken(deal, trick)

    def found(self, deal: Deal, trick: Trick, points: int) -> None:
        """Give the bonus to the winner of the trick, who is now to act."""
        self.settle(deal, trick, points, True)

    def settle(self, deal: Deal, trick: Trick, points: int, claimed: bool) -> None:
        """Note what became of the bonus, and go on."""
        winner: int = deal.actor  # type: ignore[assignment]  # the winner is to act
        deal.bonuses.append((winner, points, claimed))
        super().trick_taken(deal, trick)

    def describe(self) -> str:
        """What happens in it."""
        return "Tricks are played; the winner of a trick gets its bonus."


@dataclass(frozen=True)
class TricksWithClaims(TricksWithBonus):
    """The winner of a trick that holds a bonus is asked whether he claims it."""

    def found(self, deal: Deal, trick: Trick, points: int) -> None:
        """Ask the winner."""
        deal.kind = "claim"

    def legal(self, deal: Deal) -> int:
        """Claim or leave, or a card."""
        if deal.kind == "claim":
            return deal.game.actions.mask(CLAIM, LEAVE)
        return super().legal(deal)

    def apply(self, deal: Deal, action: int) -> None:
        """Carry out a claim, or play a card."""
        if deal.kind != "claim":
            super().apply(deal, action)
            return
        trick: Trick = deal.trick  # type: ignore[assignment]  # it is what was asked about
        deal.kind = "play"
        self.settle(deal, trick, self.bonus(trick), deal.game.actions.texts[action] == CLAIM)

    def describe(self) -> str:
        """What happens in it."""
        return "Tricks are played; the winner of a trick claims its bonus or leaves it."
