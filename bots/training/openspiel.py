"""Every ruleset as a game of OpenSpiel, registered when this module is imported: one deal of a match.

``pyspiel.load_game("kingmaker_king_simple(last_two=8)")``; see docs/training.md. Chance draws which deal of the match it is,
then the cards one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import Any

import pyspiel

from bots.training.encoding import Encoding, Tensor
from bots.training.onedeal import OneDeal, game_of
from bots.training.reward import margins
from referee.rules import registry
from referee.rules.ruleset import Option, Ruleset, Value
from referee.rules.view import view

#: More than a seat can be ahead or behind in one deal, and than there are actions in one.
_MOST_POINTS, _MOST_ACTIONS = 2000, 1000
_CHANCE = 52


def short_name(ruleset: str) -> str:
    """What OpenSpiel calls a ruleset: ``kingmaker_king_simple``."""
    return f"kingmaker_{ruleset.replace('.', '_')}"


@cache
def load(ruleset: str, options: tuple[tuple[str, Any], ...]) -> DealGame:
    """The game of OpenSpiel for a ruleset with these options."""
    loaded: DealGame = pyspiel.load_game(short_name(ruleset), {name: _parameter(value) for name, value in options})
    return loaded


class DealGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel brings no types
    """One deal; each ruleset has a class of its own below this one.

    ``rules``: the game of which it is a deal; ``encoding``: what the tensors hold.
    """

    kind: Any
    ruleset: Ruleset

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        options = ((option.name, _value(option, given[option.name])) for option in self.ruleset.options if option.name in given)
        self.rules = game_of(self.ruleset.id, tuple(options))
        self.encoding = Encoding(self.rules)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.rules.actions),
            max_chance_outcomes=_CHANCE,
            num_players=self.rules.players,
            min_utility=-_MOST_POINTS,
            max_utility=_MOST_POINTS,
            utility_sum=0.0,
            max_game_length=_MOST_ACTIONS,
        )
        super().__init__(self.kind, info, given)

    def new_initial_state(self) -> DealState:
        """A deal before its cards are dealt."""
        return DealState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The number of the deal, and its cards."""
        return 1 + len(self.rules.deck)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SeatObserver:
        """What a seat sees; it forgets nothing of a deal, so the observation is the information state."""
        return SeatObserver(self.encoding)


class DealState(pyspiel.State):  # type: ignore[misc]  # pyspiel brings no types
    """A deal in progress. ``held``: the deal itself."""

    def __init__(self, game: DealGame) -> None:
        super().__init__(game)
        self.held = OneDeal(game.rules)

    def current_player(self) -> int:
        """The seat to act, chance or the end."""
        deal = self.held.deal
        if deal is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if deal.actor is None else deal.actor

    def _legal_actions(self, player: int) -> list[int]:
        assert self.held.deal is not None
        return self.held.deal.legal()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The number of the deal, then the next card."""
        outcomes = self.held.chances()
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def _apply_action(self, action: int) -> None:
        if self.held.deal is None:
            self.held.draw(action)
        else:
            self.held.deal.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE and not self.held.drawn:
            return f"deal {action + 1}"
        return self.held.game.actions.text(action)

    def is_terminal(self) -> bool:
        """The deal is over."""
        return self.held.deal is not None and self.held.deal.over

    def returns(self) -> list[float]:
        """Points ahead of the other teams, by seat; 0 before the end."""
        deal, game = self.held.deal, self.held.game
        return margins(game, deal.scores()) if deal is not None and deal.over else [0.0] * game.players

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> DealState:
        """Another state that looks the same to this seat, each as likely as any other; ``sampler``: numbers from 0 to 1."""
        rng = Random(int(sampler() * 2**53))
        return started(self.get_game(), self.held.resampled(player, rng))

    def __str__(self) -> str:
        names = self.held.game.actions.texts
        number, *cards = self.held.drawn or [-1]
        actions = self.held.deal.actions if self.held.deal else []
        return f"deal {number + 1}: {' '.join(names[card] for card in cards)} / {' '.join(names[each] for each in actions)}"


def started(game: DealGame, course: list[int]) -> DealState:
    """A state after these draws and actions."""
    state = game.new_initial_state()
    for step in course:
        state.apply_action(step)
    return state


class SeatObserver:
    """What a seat sees, as a tensor and as a text; zeros and nothing while cards are dealt."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.tensor: Tensor = encoding.blank()
        self.dict = encoding.parts(self.tensor)

    def set_from(self, state: DealState, player: int) -> None:
        """Fill the tensor."""
        deal = state.held.deal
        if deal is None:
            self.tensor.fill(0)
        else:
            self.tensor[:] = self.encoding.encode(view(deal, player), [0] * self.encoding.game.players)

    def string_from(self, state: DealState, player: int) -> str:
        """The view in words."""
        deal = state.held.deal
        return "" if deal is None else str(view(deal, player))


def _parameter(value: Value) -> int | bool | str:
    """An option's value as OpenSpiel can hold it: 0 for null."""
    return 0 if value is None else value


def _value(option: Option, parameter: int | bool | str) -> Value:
    """The value of an option that a parameter stands for."""
    return None if parameter == 0 and 0 not in option.values and None in option.values else parameter


def _registered(ruleset: Ruleset) -> type[DealGame]:
    """Make a ruleset known to OpenSpiel."""
    players = [ruleset.game({option.name: value}).players for option in ruleset.options for value in option.values[:8]]
    kind = pyspiel.GameType(
        short_name=short_name(ruleset.id),
        long_name=f"Kingmaker: {ruleset.title}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max(players),
        min_num_players=min(players),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={option.name: _parameter(option.default) for option in ruleset.options},
    )
    made = type(short_name(ruleset.id), (DealGame,), {"kind": kind, "ruleset": ruleset, "__module__": __name__})
    pyspiel.register_game(kind, made)
    return made


#: By the name of the class, which is where pickle looks for it.
globals().update({short_name(name): _registered(each) for name, each in registry.RULESETS.items()})
