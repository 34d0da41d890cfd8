"""The reference bots, by name: ``python -m bots.reference NAME``."""

from importlib import import_module

from bots.client import BatchBot, Bot
from referee.rules.errors import nearest

#: Name → module and class; imported when asked for, so that a small bot starts fast.
BOTS = {
    "random": "bots.reference.simple:RandomBot",
    "lowest": "bots.reference.simple:LowestBot",
    "greedy": "bots.reference.greedy:GreedyBot",
    "cautious": "bots.reference.cautious:CautiousBot",
}


def bot(name: str) -> Bot | BatchBot:
    """A new bot.

    Raises:
        LookupError: there is none of this name; the text says which there are.
    """
    if name not in BOTS:
        raise LookupError(f"no reference bot {name!r}; {nearest(name, BOTS)}")
    module, _, class_name = BOTS[name].partition(":")
    made: Bot | BatchBot = getattr(import_module(module), class_name)()
    return made
