"""A match in progress: deal after deal of a game, from one secret seed."""

from __future__ import annotations

from collections.abc import Iterable

from referee.rules.deal import Deal
from referee.rules.ruleset import Game


class Match:
    """One play of a game.

    ``deal``: the deal in progress, or the last one once the match is ``over``. ``finished``: the deals that are
    over. ``totals``: points by seat after them.
    """

    __slots__ = ("deal", "finished", "game", "over", "seed", "totals")

    def __init__(self, game: Game, seed: bytes) -> None:
        self.game = game
        self.seed = seed
        self.totals = [0] * game.players
        self.finished: list[Deal] = []
        self.over = False
        self.deal = game.deal(seed, 1)

    def apply(self, action: int) -> None:
        """Carry out an action of the seat to act, and go on to the next deal where this one is over.

        Raises:
            IllegalAction: it is not legal; the match is as it was.
        """
        self.deal.apply(action)
        if self.deal.actor is None:
            self._finish_deal()

    def ranks(self, forfeits: Iterable[int] = ()) -> list[int]:
        """The rank of each seat, 1 first; ``forfeits``: seats that forfeited, which rank last with their teams."""
        teams = self.game.teams
        lost = {teams[seat] for seat in forfeits}
        return self.game.ranking(self.totals, [team in lost for team in teams])

    def _finish_deal(self) -> None:
        deal = self.deal
        self.finished.append(deal)
        self.totals = [total + score for total, score in zip(self.totals, deal.scores(), strict=True)]
        if self.game.programme.is_over(len(self.finished), self.totals):
            self.over = True
        else:
            self.deal = self.game.deal(self.seed, len(self.finished) + 1)
