"""What a seat sees in a simulated deal: so a bot can be asked within a search, as if the referee asked it."""

from __future__ import annotations

from bots.observation import PLACES, Layout, Observation
from referee.rules.deal import Deal


class Inside(Observation):
    """An observation of the seat to act in ``deal``; match and totals are those of ``outside``.

    It looks at the deal itself: read it before the deal goes on.
    """

    def __init__(self, deal: Deal, outside: Observation) -> None:
        assert deal.actor is not None
        self._decision = outside._decision
        self._match = outside._match
        trick = deal.trick
        size = 0 if trick is None else len(trick.cards)
        self.__dict__.update(
            kind=deal.kind,
            seat=deal.actor,
            hand_mask=deal.hands[deal.actor],
            contract=None if deal.contract is None else deal.contract.id,
            declarer=deal.declarer,
            actions=deal.actions,
            seats=deal.seats,
            trick=list(zip(deal.seats[-size:], deal.actions[-size:], strict=True)) if size else [],
        )
        if deal.layout is not None:
            self.__dict__["layout"] = self._open(deal)

    @staticmethod
    def _open(deal: Deal) -> Layout:
        assert deal.layout is not None
        piles = {place: list(pile) for place, pile in zip(PLACES, deal.layout.piles, strict=True)}
        stock = len(deal.layout.stock) - deal.layout.drawn
        return Layout(piles, stock, [hand.bit_count() for hand in deal.hands], list(deal.dealt.turned))
