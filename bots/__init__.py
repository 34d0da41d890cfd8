"""What a bot author sees: the Python SDK and the reference bots.

::

    import bots

    class First:
        def decide(self, observation, legal):
            return legal[0]

    bots.play(First())

`play` connects and plays; `Observation` is what `decide` is given. Cards have helpers in `bots.cards`, the
reference bots are in `bots.reference`. For people who train there is `bots.training`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bots import cards
    from bots.client import BadAnswer, BatchBot, Bot, NoReferee, play
    from bots.observation import Layout, Match, Observation, Result, Ruleset

__all__ = [
    "BadAnswer",
    "BatchBot",
    "Bot",
    "Layout",
    "Match",
    "NoReferee",
    "Observation",
    "Result",
    "Ruleset",
    "cards",
    "play",
]

_CLIENT = ("BadAnswer", "BatchBot", "Bot", "NoReferee", "play")


def __getattr__(name: str) -> object:
    """Import what is asked for when it is asked for: who trains needs no gRPC (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module 'bots' has no attribute {name!r}")
    if name == "cards":
        return import_module("bots.cards")
    return getattr(import_module("bots.client" if name in _CLIENT else "bots.observation"), name)
