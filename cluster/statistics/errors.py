"""What can be wrong with what is asked of the statistics.

::

    KingmakerError
    ├── UnknownBot (ValueError)           a name that is not on the list
    └── NoConvergence (ArithmeticError)   a likelihood without a maximum, such as a perfect winner without prior
"""

from collections.abc import Iterable
from typing import Self

from referee.rules.errors import KingmakerError, nearest


class UnknownBot(KingmakerError, ValueError):
    """A name that no rated block knows."""

    @classmethod
    def named(cls, bot: str, known: Iterable[str]) -> Self:
        """Say which name is missing and which one may have been meant."""
        return cls(f"no rated block has a bot {bot!r}; {nearest(bot, known)}")


class NoConvergence(KingmakerError, ArithmeticError):
    """A fit that has no finite maximum."""
