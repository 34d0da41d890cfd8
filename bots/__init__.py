"""What a bot author sees: the Python SDK and the reference bots.

::

    import bots

    class First:
        def decide(self, observation, legal):
            return legal[0]

    bots.play(First())

`play` connects and plays; `Observation` is what `decide` is given. Cards have helpers in `bots.cards`, the
reference bots are in `bots.reference`.
"""

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
