"""Minimax over the engine's own deals: what a solver has to agree with.

A side is a team, or one seat where each plays for himself; everybody else plays against it. `Minimax` looks at every line
of play. `Check` only finds out whether a value is above, at or below a number that somebody claims, which lets it leave
out what cannot matter: a branch when another is good enough already, and a position between tricks that came before.
"""

from __future__ import annotations

from collections.abc import Hashable
from random import Random

from referee.rules.contract import Contract
from referee.rules.deal import Deal
from referee.rules.dealing import Dealt
from referee.rules.ruleset import Game, Plan


class Minimax:
    """The values for the side of one seat."""

    def __init__(self, game: Game, seat: int) -> None:
        self.seat = seat
        self.side = [team == game.teams[seat] for team in game.teams]
        self.is_duel = len(set(game.teams)) == 2

    def settled(self, deal: Deal) -> int:
        """What the side scores, less what the other one does where there are two."""
        scores = deal.scores()
        return scores[self.seat] - (scores[self.side.index(False)] if self.is_duel else 0)

    def value(self, deal: Deal) -> int:
        """The value of a position."""
        if deal.over:
            return self.settled(deal)
        assert deal.actor is not None
        best = max if self.side[deal.actor] else min
        return best(self.after(deal, action) for action in deal.legal())

    def after(self, deal: Deal, action: int) -> int:
        """The value of an action."""
        deal = deal.copy()
        deal.apply(action)
        return self.value(deal)


class Check(Minimax):
    """Whether values are above (1), at (0) or below (-1) what is claimed."""

    def __init__(self, game: Game, seat: int, claimed: int) -> None:
        super().__init__(game, seat)
        self.claimed = claimed
        self.known: dict[Hashable, int] = {}

    def value(self, deal: Deal) -> int:
        """The sign of a position."""
        if deal.over:
            value = self.settled(deal)
            return (value > self.claimed) - (value < self.claimed)
        trick, contract = deal.trick, deal.contract
        assert trick is not None
        assert contract is not None
        if trick.cards:
            return self._best(deal)
        bonuses = tuple((seat, points) for seat, points, claimed in deal.bonuses if claimed)
        key = (*deal.hands, deal.actor, *contract.tally(trick), *trick.counts, bonuses)
        if key not in self.known:
            self.known[key] = self._best(deal)
        return self.known[key]

    def _best(self, deal: Deal) -> int:
        assert deal.actor is not None
        wanted = 1 if self.side[deal.actor] else -1
        best = -wanted
        for action in deal.legal():
            best = wanted * max(wanted * best, wanted * self.after(deal, action))
            if best == wanted:
                break
        return best


def ending(game: Game, contract: Contract, plan: Plan, cards: int, rng: Random) -> Deal:
    """A random deal of a contract, played at random until there is a choice to make with at most so many cards."""
    while True:
        deal = _begun(game, contract, plan, rng)
        while not deal.over:
            assert deal.actor is not None
            if deal.hands[deal.actor].bit_count() <= cards and len(deal.legal()) > 1:
                return deal
            deal.apply(rng.choice(deal.legal()))


def _begun(game: Game, contract: Contract, plan: Plan, rng: Random) -> Deal:
    """A deal of this contract before the first card, its dealer chosen at random."""
    deck = rng.sample(game.deck, len(game.deck))
    size = game.hand_size
    hands = tuple(sum(1 << card for card in deck[size * seat : size * seat + size]) for seat in range(4))
    deal = Deal(game, plan.phases[-1:], contract, 1, rng.randrange(4), Dealt(hands))
    deal.declarer = deal.dealer
    return deal
