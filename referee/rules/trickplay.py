"""The phase in which tricks are played."""

from dataclasses import dataclass

from referee.rules.deal import Deal
from referee.rules.trick import Trick, beaten_by


@dataclass(frozen=True)
class TrickPlay:
    """Play tricks under the deal's contract until it stops or the cards are gone."""

    def begin(self, deal: Deal) -> None:
        """Let the leader lead, unless the contract is played without tricks."""
        contract = deal.contract
        assert contract is not None
        table = beaten_by(contract.plain_order, contract.trump_order, contract.trump)
        game = deal.game
        deal.trick = Trick(game.players, game.hand_size, contract.trump, table)
        deal.kind = "play"
        deal.actor = deal.leader
        if contract.stop(deal.trick):
            self.end(deal, deal.trick)

    def legal(self, deal: Deal) -> int:
        """The hand, less what each obligation in turn forbids."""
        trick: Trick = deal.trick  # type: ignore[assignment]  # `begin` has made it
        trick.player = deal.actor  # type: ignore[assignment]  # somebody is to act
        cards = trick.hand = deal.hands[trick.player]
        for keep in deal.contract.obligations:  # type: ignore[union-attr]  # tricks have a contract
            cards = cards & keep(trick) or cards
        return cards

    def apply(self, deal: Deal, action: int) -> None:
        """Play a card."""
        trick: Trick = deal.trick  # type: ignore[assignment]  # `begin` has made it
        seat: int = deal.actor  # type: ignore[assignment]  # somebody is to act
        deal.hands[seat] ^= 1 << action
        trick.play(seat, action)
        players = len(deal.hands)
        if len(trick.cards) < players:
            deal.actor = (seat + 1) % players
        else:
            deal.actor = trick.take()
            self.trick_taken(deal, trick)

    def trick_taken(self, deal: Deal, trick: Trick) -> None:
        """Go on after a trick was taken by the seat that is now to act."""
        trick.clear()
        if trick.number > trick.size or deal.contract.stop(trick):  # type: ignore[union-attr]  # tricks have a contract
            self.end(deal, trick)

    def end(self, deal: Deal, trick: Trick) -> None:
        """Count and settle."""
        contract = deal.contract
        assert contract is not None
        deal.finish(contract.settlement(deal, contract.tally(trick)))

    def describe(self) -> str:
        """What happens in it."""
        return "Tricks are played."
