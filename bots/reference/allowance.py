"""How much a bot may think about one decision: so much time, or so many simulated actions."""

from __future__ import annotations

from time import perf_counter

from bots.observation import Observation

#: The share of the budget that is used: the rest is for the way of the answer, and for a machine that is busy.
SHARE = 0.7
#: One decision takes at most this share of what is left of the bank.
BANK_SHARE = 0.005


class Allowance:
    """Counts down what one decision may take; made when thinking begins.

    ``nodes``: simulated actions; with it the clock is not looked at, and the same decision is always the same.
    """

    def __init__(self, observation: Observation, nodes: int | None = None) -> None:
        self.nodes = nodes
        self.longest = 0.0
        self.step = perf_counter()
        milliseconds = SHARE * (observation.budget_ms + BANK_SHARE * observation.bank_ms)
        self.end = self.step + milliseconds / 1000

    def spend(self, nodes: int) -> bool:
        """Note a step of so many simulated actions; whether there is room for another one."""
        if self.nodes is not None:
            self.nodes -= nodes
            return self.nodes > 0
        now = perf_counter()
        self.longest = max(self.longest, now - self.step)
        self.step = now
        return now + 1.5 * self.longest < self.end
