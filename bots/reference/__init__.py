"""The reference bots, by name: ``python -m bots.reference NAME``."""

from importlib import import_module
from inspect import signature

from bots.client import BatchBot, Bot
from referee.rules.errors import nearest

#: Name → module and class; imported when asked for, so that a small bot starts fast.
BOTS = {
    "random": "bots.reference.simple:RandomBot",
    "lowest": "bots.reference.simple:LowestBot",
    "greedy": "bots.reference.greedy:GreedyBot",
    "cautious": "bots.reference.cautious:CautiousBot",
    "planner": "bots.reference.planner:PlannerBot",
    "solver": "bots.reference.solver:SolverBot",
}


def bot(name: str, nodes: int | None = None) -> Bot | BatchBot:
    """A new bot; ``nodes``: how much a bot that searches may simulate for each decision, instead of using its time.

    Raises:
        LookupError: there is none of this name, or it does not search; the text says which there are.
    """
    if name not in BOTS:
        raise LookupError(f"no reference bot {name!r}; {nearest(name, BOTS)}")
    module, _, class_name = BOTS[name].partition(":")
    kind: type[Bot | BatchBot] = getattr(import_module(module), class_name)
    if nodes is None:
        return kind()
    if nodes < 1:
        raise LookupError(f"--nodes is {nodes}; it must be at least 1")
    if "nodes" not in signature(kind).parameters:
        raise LookupError(f"{name} does not search: leave --nodes out")
    return kind(nodes)  # type: ignore[call-arg]  # its signature was looked at
