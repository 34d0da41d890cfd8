"""How likely a card wins its trick, if the unseen cards lie anywhere they can."""

from __future__ import annotations

from math import comb

_MOST = 14


def _nobody_forced_over(holders: int, after: int, higher: int, lower: int) -> float:
    """No one of ``after`` of the ``holders`` of a suit has a higher card and no lower one."""
    total = 0.0
    for some in range(after + 1):
        no_lower = ((holders - some) / holders) ** lower
        all_higher = sum((-1) ** i * comb(some, i) * ((holders - i) / holders) ** higher for i in range(some + 1))
        total += (-1) ** some * comb(after, some) * no_lower * all_higher
    return min(1.0, max(0.0, total))


def _nobody_above(holders: int, after: int, higher: int) -> float:
    """No one of ``after`` of the ``holders`` has a higher card."""
    return ((holders - after) / holders) ** higher


#: By holders (1 to 3), those of them that play after, higher and lower cards unseen: the card wins if they duck.
WINS_IF_DUCKED = tuple(
    tuple(
        tuple(tuple(_nobody_forced_over(holders, after, h, low) for low in range(_MOST)) for h in range(_MOST))
        for after in range(holders + 1)
    )
    for holders in range(1, 4)
)
#: By holders (1 to 3), those of them that play after, and higher cards unseen: the card wins if they go for the trick.
WINS_IF_FOUGHT = tuple(
    tuple(tuple(_nobody_above(holders, after, higher) for higher in range(_MOST)) for after in range(holders + 1))
    for holders in range(1, 4)
)
#: By holders (1 to 3) and cards unseen: a holder has none of them.
HAS_NONE = tuple(tuple((1 - 1 / holders) ** cards for cards in range(_MOST)) for holders in range(1, 4))
