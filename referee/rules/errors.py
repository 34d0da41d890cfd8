"""What can be wrong with what somebody asks of Kingmaker.

::

    KingmakerError
    ├── RulesError (ValueError)
    │   ├── BadNotation          a text that names no card or action
    │   ├── IllegalAction        an action that is not allowed now
    │   ├── UnknownRuleset       a ruleset, option or option value that does not exist
    │   └── ImpossiblePosition   hands, dealer or deal number that cannot be
    ├── ProtocolError            a peer broke the conversation
    └── ConfigError (ValueError) a tournament file or a command line that cannot be
"""

from collections.abc import Iterable
from difflib import get_close_matches


class KingmakerError(Exception):
    """Anything that a person can put right; its text says what, where and how."""


class RulesError(KingmakerError, ValueError):
    """Something that the rules do not know or do not allow."""


class BadNotation(RulesError):
    """A text that names no card or action."""


class IllegalAction(RulesError):
    """An action that is not allowed now."""


class UnknownRuleset(RulesError):
    """A ruleset, option or option value that does not exist."""


class ImpossiblePosition(RulesError):
    """Hands, a dealer or a deal number that cannot be."""


class ProtocolError(KingmakerError):
    """A peer broke the conversation."""


class ConfigError(KingmakerError, ValueError):
    """A tournament file or a command line that cannot be."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Say which known word was probably meant, and all of them when none is near."""
    words = list(known)
    close = get_close_matches(word, words, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(words) or 'none'}"
