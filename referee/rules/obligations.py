"""Which cards a player must keep to.

An obligation is a function from the situation to the mask of cards that would meet it. They are applied in
turn, and one that would leave nothing is waived::

    legal = legal & keep(situation) or legal

so that a mask of 0 binds nobody. While a trick is being led ``led`` and ``beating`` are 0.
"""

from collections.abc import Callable

from referee.rules.cards import ALL_CARDS, HEARTS, SUIT_MASKS, card
from referee.rules.trick import Trick
from referee.rules.wording import phrase

Obligation = Callable[[Trick], int]
Condition = Callable[[Trick], bool]

_HEARTS = SUIT_MASKS[HEARTS]
_KING_OF_HEARTS = 1 << card("KH")


def follow_suit(trick: Trick) -> int:
    """Cards of the suit that was led."""
    return trick.led


def overtrump(trick: Trick) -> int:
    """Trumps that beat all cards on the table.

    While no trump lies there, any trump does.
    """
    return trick.beating & trick.trumps


def trump(trick: Trick) -> int:
    """Any trump."""
    return trick.trumps


def no_undertrump(trick: Trick) -> int:
    """Anything but a trump below the best card on the table."""
    return ALL_CARDS & ~trick.trumps | trick.beating


def no_hearts(trick: Trick) -> int:
    """Anything but hearts."""
    return ALL_CARDS & ~_HEARTS


def no_king_of_hearts(trick: Trick) -> int:
    """Anything but the king of hearts."""
    return ALL_CARDS & ~_KING_OF_HEARTS


def king_of_hearts(trick: Trick) -> int:
    """The king of hearts."""
    return _KING_OF_HEARTS


def leading(trick: Trick) -> bool:
    """Leading the trick."""
    return not trick.led


def first_trick(trick: Trick) -> bool:
    """On the first trick."""
    return trick.number == 1


def void(trick: Trick) -> bool:
    """Void in the suit that was led."""
    return bool(trick.led) and not trick.hand & trick.led


def trump_led(trick: Trick) -> bool:
    """Trumps led."""
    return trick.led != 0 and trick.led == trick.trumps


def opponents_winning(trick: Trick) -> bool:
    """An opponent's card winning.

    The partner sits opposite.
    """
    return bool(trick.led) and trick.best != (trick.player + 2) % 4


def not_(condition: Condition) -> Condition:
    """The condition does not hold."""

    def holds(trick: Trick) -> bool:
        return not condition(trick)

    holds.__doc__ = f"Not {phrase(condition)}."
    return holds


def when(*conditions_then_keep: Obligation | Condition) -> Obligation:
    """Bind a player to the last argument, an obligation, where all the conditions before it hold."""
    *conditions, keep = conditions_then_keep

    def bound(trick: Trick) -> int:
        for condition in conditions:
            if not condition(trick):
                return 0
        return keep(trick)

    bound.__doc__ = f"{', '.join(map(phrase, conditions))}: {phrase(keep)}.".capitalize()
    return bound
