"""Rules of thumb that take microseconds: how everybody plays in a simulated deal whose cards are all known."""

from __future__ import annotations

from functools import cache

from bots.reference.klaverjas import TRUMPS
from bots.reference.stakes import CONTRACTS
from referee.rules.cards import RANKS, SUIT_MASKS, members
from referee.rules.contract import Contract
from referee.rules.deal import Deal
from referee.rules.trick import Trick


class Thumbs:
    """The rules for one contract.

    ``costly``: what counts is better not taken. ``worth``: by card, the points for taking it; ``counting``: the cards
    that have any. Three orders of all cards, as sets of one: ``rising`` by height, ``low`` by what they are worth and
    then by height, ``shed`` from the one that is got rid of first.
    """

    def __init__(self, contract: Contract, worth: tuple[float, ...], costly: bool) -> None:
        plain, trumps, trump = contract.plain_order, contract.trump_order, contract.trump

        def height(card: int) -> float:
            order = trumps if card // 13 == trump else plain
            return order.index(RANKS[card % 13]) + (20 if card // 13 == trump else 0)

        self.costly = costly
        self.worth = worth
        self.counting = sum(1 << card for card in range(52) if worth[card])
        self.low = [1 << card for card in sorted(range(52), key=lambda card: (abs(worth[card]), height(card)))]
        self.rising = [1 << card for card in sorted(range(52), key=height)]
        self.shed = [1 << card for card in sorted(range(52), key=lambda card: (worth[card], -height(card)))]

    def card(self, deal: Deal, trick: Trick, legal: int) -> int:
        """The card for the seat to act; ``legal``: the set to choose from."""
        if self.costly:
            return self._duck(deal, trick, legal) if trick.led else self._lead_low(deal, trick, legal)
        return self._take(deal, trick, legal) if trick.led else self._lead_high(deal, trick, legal)

    def _duck(self, deal: Deal, trick: Trick, legal: int) -> int:
        losing = legal & ~trick.beating
        if losing:
            if not losing & trick.led:
                return first(self.shed, losing)
            return first(self.shed, losing & self.counting) if losing & self.counting else last(self.rising, losing)
        if len(trick.cards) == len(deal.hands) - 1:
            return last(self.rising, legal & ~self.counting or legal)
        return first(self.rising, legal)

    def _lead_low(self, deal: Deal, trick: Trick, legal: int) -> int:
        """The lowest card that somebody has to beat."""
        others = 0
        for hand in deal.hands:
            others |= hand
        others &= ~deal.hands[deal.actor]  # type: ignore[index]  # somebody is to act
        beaten_by = trick.beaten_by
        rest = legal
        for bit in self.low:
            if rest & bit:
                if beaten_by[bit.bit_length() - 1] & others:
                    return bit.bit_length() - 1
                rest ^= bit
                if not rest:
                    break
        return first(self.rising, legal)

    def _take(self, deal: Deal, trick: Trick, legal: int) -> int:
        winning = legal & trick.beating
        seat: int = deal.actor  # type: ignore[assignment]  # somebody is to act
        after = self._after(deal, trick, seat)
        partner = deal.game.teams[trick.best] == deal.game.teams[seat]
        if partner and not (trick.beating & after & (trick.led | trick.trumps)):
            return self._fatten(legal, trick)
        if winning:
            if not after:
                return first(self.rising, winning)
            beaten_by = trick.beaten_by
            for bit in self.rising:
                if winning & bit and not beaten_by[bit.bit_length() - 1] & after:
                    return bit.bit_length() - 1
        if partner and len(trick.cards) == 2:
            return first(self.low, legal)
        return first(self.low, legal & ~winning or legal)

    def _fatten(self, legal: int, trick: Trick) -> int:
        """Points for the partner, no trumps."""
        plain = legal & ~trick.trumps or legal
        return max(members(plain), key=self.worth.__getitem__)

    def _lead_high(self, deal: Deal, trick: Trick, legal: int) -> int:
        """A card that nobody can beat, of the plain suits where nobody trumps; else the cheapest."""
        seat: int = deal.actor  # type: ignore[assignment]  # somebody is to act
        teams = deal.game.teams
        others = [hand for other, hand in enumerate(deal.hands) if teams[other] != teams[seat]]
        beaten_by, trumps = trick.beaten_by, trick.trumps
        for bit in reversed(self.rising):
            if legal & bit:
                card = bit.bit_length() - 1
                suit = SUIT_MASKS[card // 13]
                beats = beaten_by[card]
                for hand in others:
                    if hand & beats & suit or (not hand & suit and hand & beats & trumps):
                        break
                else:
                    return card
        return first(self.low, legal)

    @staticmethod
    def _after(deal: Deal, trick: Trick, seat: int) -> int:
        """The cards of the opponents who play after this seat."""
        hands, teams = deal.hands, deal.game.teams
        players = len(hands)
        rest = 0
        for step in range(1, players - len(trick.cards)):
            other = (seat + step) % players
            if teams[other] != teams[seat]:
                rest |= hands[other]
        return rest


def first(order: list[int], cards: int) -> int:
    """The first of a set."""
    for bit in order:
        if cards & bit:
            return bit.bit_length() - 1
    raise ValueError("no card")


def last(order: list[int], cards: int) -> int:
    """The last of a set."""
    for bit in reversed(order):
        if cards & bit:
            return bit.bit_length() - 1
    raise ValueError("no card")


@cache
def thumbs(contract: Contract, teams: tuple[int, ...]) -> Thumbs:
    """The rules for a contract, from what the reference bots know of it."""
    if len(set(teams)) < len(teams):
        return Thumbs(contract, tuple(map(float, TRUMPS[contract.id].worth)), False)
    stakes = CONTRACTS[contract.id]
    return Thumbs(contract, stakes.worth, stakes.costly)
