"""What was learnt, as bots of the SDK: ``bots.play(TensorBot(network))``, ``bots.play(OpenSpielBot(make))``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from bots.training.encoding import Encoding, Mask, Tensor
from bots.training.onedeal import course, game_of

if TYPE_CHECKING:
    from bots.observation import Observation


class TensorBot:
    """Plays what a function of tensor and mask chooses: an action's number, such as the largest output of a network.

    The tensor is that of the environment (`bots.training.encoding`).
    """

    def __init__(self, choose: Callable[[Tensor, Mask], int]) -> None:
        self.choose = choose

    def decide(self, observation: Observation, legal: list[int]) -> int:
        """The chosen action."""
        encoding = _encoding(observation.ruleset, tuple(observation.options.items()))
        mask = encoding.mask(sum(1 << action for action in legal))
        return int(self.choose(encoding.encode(observation.view, observation.totals), mask))


class OpenSpielBot:
    """Plays what a bot of OpenSpiel does: ``make(game, seat, random_state)`` makes one, which is asked by ``step(state)``.

    The state holds what the seat knows, and a guess for the rest, so that nothing is lost if a bot looks where it may not. A
    bot is made for each decision, with random numbers from the decision's own seed: then the same match is played the same
    again. What takes long to load is loaded before, and kept by ``make``.
    """

    def __init__(self, make: Callable[[Any, int, Any], Any]) -> None:
        self.make = make

    def decide(self, observation: Observation, legal: list[int]) -> int:
        """What the bot does in a state that looks like this."""
        from numpy.random import RandomState  # what OpenSpiel's bots take

        from bots.training import openspiel  # who brings tensors only needs no OpenSpiel

        game = openspiel.load(observation.ruleset, tuple(observation.options.items()))
        state = openspiel.started(game, course(observation.game, observation.view, observation.random))
        return int(self.make(game, observation.seat, RandomState(observation.seed % 2**32)).step(state))


@cache
def _encoding(ruleset: str, options: tuple[tuple[str, Any], ...]) -> Encoding:
    return Encoding(game_of(ruleset, options))
