"""Every ruleset as an environment of PettingZoo (AEC): one match an episode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from bots.training.encoding import Encoding
from bots.training.reward import margins
from referee.rules import registry
from referee.rules.dealing import SEED_BYTES
from referee.rules.match import Match
from referee.rules.position import describe
from referee.rules.view import view

#: What an illegal action costs: more than any deal, since it forfeits.
ILLEGAL = -1000.0


def env(ruleset: str, options: Mapping[str, object] | None = None, render_mode: str | None = None) -> Any:
    """The environment of a ruleset with PettingZoo's usual guards; an illegal action ends the match at a cost of 1000.

    Raises:
        UnknownRuleset: there is no such ruleset, option or value.
    """
    guarded = wrappers.TerminateIllegalWrapper(KingmakerEnv(ruleset, options, render_mode), illegal_reward=ILLEGAL)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(guarded))


class KingmakerEnv(AECEnv):  # type: ignore[misc]  # pettingzoo brings no types
    """One match.

    Agents are ``player_0`` and so on, by seat. An observation has ``observation``, a flat array of 32-bit floats
    (`bots.training.encoding`), and ``action_mask``, 1 for each legal action by number; all 0 for who is not to act. Rewards
    come with the end of each deal (`bots.training.reward`). As at a referee's table, a decision with one legal action is not
    asked unless the option ``ask_forced`` says so. ``match``: the match itself.
    """

    metadata = {"render_modes": ["ansi"], "name": "kingmaker_v1", "is_parallelizable": False}  # noqa: RUF012  # PettingZoo's way

    def __init__(
        self, ruleset: str, options: Mapping[str, object] | None = None, render_mode: str | None = None
    ) -> None:
        super().__init__()
        self.game = registry.ruleset(ruleset).game(options)
        self.encoding = Encoding(self.game)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.players)]
        self.agents: list[str] = []
        actions = len(self.game.actions)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(-100, 100, (self.encoding.size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._random = seeding.np_random()[0]

    def observation_space(self, agent: str) -> spaces.Dict:
        """The same object for the same agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The same object for the same agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match; the same seed deals the same cards."""
        if seed is not None:
            self._random = seeding.np_random(seed)[0]
        self.match = Match(self.game, self._random.bytes(SEED_BYTES))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._advance()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent knows now, whether it is to act or not."""
        seat, deal = self.possible_agents.index(agent), self.match.deal
        is_asked = deal.actor == seat and not self.match.over
        return {
            "observation": self.encoding.encode(view(deal, seat), self._totals()),
            "action_mask": self.encoding.mask(deal.legal_mask() if is_asked else 0),
        }

    def step(self, action: int | None) -> None:
        """Carry out an action of the agent that is asked; None of one whose match is over.

        Raises:
            IllegalAction: it is not legal; the match is as it was.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        finished = len(self.match.finished)
        self.match.apply(int(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._advance()
        for deal in self.match.finished[finished:]:
            for paid, margin in zip(self.possible_agents, margins(self.game, deal.scores()), strict=True):
                self.rewards[paid] += margin
        self.terminations = dict.fromkeys(self.agents, self.match.over)
        self._accumulate_rewards()

    def render(self) -> str:
        """The deal in progress as text: the position in the words of docs/position.md, all that is open to its actor."""
        return "\n".join(f"{name}: {value}" for name, value in describe(self.match.deal).items())

    def close(self) -> None:
        """Nothing to let go."""

    def _totals(self) -> list[int]:
        """Points before the deal that `observe` shows, which is the last one once the match is over."""
        if not self.match.over:
            return self.match.totals
        return [total - score for total, score in zip(self.match.totals, self.match.deal.scores(), strict=True)]

    def _advance(self) -> None:
        """Play on as far as nobody has a choice, and select who has one."""
        match, ask_forced = self.match, self.game.options["ask_forced"]
        while not match.over:
            legal = match.deal.legal_mask()
            if ask_forced or legal & (legal - 1):
                seat: int = match.deal.actor  # type: ignore[assignment]  # somebody is to act
                self.agent_selection = self.possible_agents[seat]
                return
            match.apply(legal.bit_length() - 1)
