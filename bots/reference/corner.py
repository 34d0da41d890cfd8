"""Kings in the Corner: lay down what can be laid down, in an order that leaves room for the rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from bots.observation import Observation
from referee.rules.cards import ALL_CARDS, card, mask, members, of_rank

_KINGS = of_rank("K")
_RED = mask(range(13, 39))
_LOW_TO_HIGH = "A23456789TJQK"


def _below(number: int) -> int:
    """The cards that may lie on this one."""
    height = (number % 13 + 1) % 13
    if not height:
        return 0
    colour = ALL_CARDS & ~_RED if _RED >> number & 1 else _RED
    return of_rank(_LOW_TO_HIGH[height - 1]) & colour


#: For each card, the cards that may lie on it.
FITS = tuple(_below(number) for number in range(52))


@cache
def words(text: str) -> tuple[str, int, str]:
    """An action's verb, its card (-1 without) and its target."""
    verb, *rest = text.split(":")
    if verb == "place":
        return verb, card(rest[0]), rest[1]
    return verb, -1, rest[-1] if rest else ""


def chain(hand: int, top: int) -> int:
    """How many cards of a hand can follow on a card, one on the other."""
    best = 0
    for number in members(hand & FITS[top]):
        best = max(best, 1 + chain(hand, number))
    return best


@dataclass(frozen=True)
class Taste:
    """How a player orders the steps of a turn.

    ``move``: points for moving a pile while there is something to lay on the place that it leaves; ``chain``: for each
    card of the hand that can follow on a card; ``closed``: for each unseen card that others could lay on it, off;
    ``height``: for the rank of a card that is laid on an empty place, off.
    """

    move: float = 80.0
    chain: float = 3.0
    closed: float = 2.0
    height: float = 0.08


def decide(observation: Observation, legal: list[int], taste: Taste) -> int:
    """The best next step of a turn: kings, then moves, then cards onto piles, then onto empty places, then the end."""
    if len(legal) == 1:
        return legal[0]
    hand = observation.hand_mask
    layout = observation.layout
    assert layout is not None
    empty = {place for place, pile in layout.piles.items() if not pile}
    unseen = ALL_CARDS & ~hand
    for pile in layout.piles.values():
        for number in pile:
            unseen &= ~(1 << number)
    best, best_score = legal[0], float("-inf")
    for action in legal:
        verb, number, target = words(observation.text(action))
        if verb == "end":
            score = 0.0
        elif verb == "move":
            score = taste.move if hand & ~_KINGS else -1.0
        elif _KINGS >> number & 1:
            score = 100.0
        else:
            score = 20.0 + taste.chain * chain(hand, number) - taste.closed * (FITS[number] & unseen).bit_count()
            score += -taste.height * ((number + 1) % 13) if target in empty else 30.0
        if score > best_score:
            best, best_score = action, score
    return best
