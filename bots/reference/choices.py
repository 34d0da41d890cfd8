"""Which choices differ: cards that do the same are tried once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from referee.rules.claim import TricksWithBonus
from referee.rules.deal import Deal
from referee.rules.layout import FIRST_MOVE, FIRST_PLACE, SIDES
from referee.rules.trick import Trick


def distinct(deal: Deal, legal: Sequence[int], usual: int) -> list[int]:
    """One of each group of actions that lead to the same, ``usual`` for its own group.

    ``deal``: one that looks to the seat to act as the real one does.
    """
    kinds: dict[Hashable, int] = {}
    for action in (usual, *legal):
        kinds.setdefault(_kind(deal, action), action)
    return list(kinds.values())


def _kind(deal: Deal, action: int) -> Hashable:
    if deal.layout is not None:
        return _place(deal, action)
    if deal.trick is None or action >= 52 or isinstance(deal.phase, TricksWithBonus):
        return action
    return _card(deal, deal.trick, action)


def _place(deal: Deal, action: int) -> Hashable:
    """A card on either of two empty places is the same."""
    if not FIRST_PLACE <= action < FIRST_MOVE:
        return action
    assert deal.layout is not None
    place, card = divmod(action - FIRST_PLACE, 52)
    return action if deal.layout.piles[place] else (card, place < SIDES)


def _card(deal: Deal, trick: Trick, card: int) -> Hashable:
    """Cards are alike that beat the same cards of the others, and count the same."""
    assert deal.contract is not None
    assert deal.actor is not None
    others = sum(hand for seat, hand in enumerate(deal.hands) if seat != deal.actor)
    for other in trick.cards:
        others |= 1 << other
    return card // 13, trick.beaten_by[card] & others, _worth(deal, trick, card)


def _worth(deal: Deal, trick: Trick, card: int) -> int:
    """What a contract counts for a card taken, beside the tricks."""
    assert deal.contract is not None
    taken = Trick(len(deal.hands), trick.size, None, trick.beaten_by)
    taken.taken[0] = 1 << card
    counts = deal.contract.tally(taken)
    return counts[0]
