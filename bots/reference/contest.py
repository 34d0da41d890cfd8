"""Comparing choices by simulated outcomes on the same cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

#: A choice is given up when it is so many standard errors behind; not before so many rounds.
BEHIND, FIRST_ROUNDS = 2.0, 4
#: Another choice must be so many standard errors ahead of the usual one, where nothing else is said.
AHEAD = 0.7
MOST_ROUNDS = 400


class Contest:
    """The choices by how far each came out ahead of the usual one.

    ``open``: those that are still in the running, the usual one first. ``ahead``: so many standard errors another choice
    must be ahead of it.
    """

    def __init__(self, usual: int, choices: Sequence[int], ahead: float = AHEAD) -> None:
        self.usual = usual
        self.ahead = ahead
        self.open = list(choices)
        self.rounds = 0
        self.sums = dict.fromkeys(choices, 0.0)
        self.squares = dict.fromkeys(choices, 0.0)

    def enter(self, values: Mapping[int, float]) -> None:
        """Take the outcomes of one round, a value for each open choice; give up those that are clearly worse."""
        base = values[self.usual]
        self.rounds += 1
        for choice in self.open:
            difference = values[choice] - base
            self.sums[choice] += difference
            self.squares[choice] += difference * difference
        if self.rounds >= MOST_ROUNDS:
            self.open = [self.best()]
        elif self.rounds >= FIRST_ROUNDS:
            self._give_up()

    def best(self) -> int:
        """The choice that came out best, the usual one unless another is ahead by more than chance."""
        rivals = [choice for choice in self.open if self._mean(choice) > self.ahead * self._error(choice)]
        return max(rivals, key=self._mean, default=self.usual)

    def _give_up(self) -> None:
        leader = max(self.open, key=self._mean)
        most = self._mean(leader)
        self.open = [
            choice
            for choice in self.open
            if choice == self.usual or self._mean(choice) + BEHIND * self._error(choice) >= most
        ]
        if leader != self.usual and most > 2 * BEHIND * self._error(leader) and len(self.open) == 2:
            self.open = [leader]

    def _mean(self, choice: int) -> float:
        return self.sums[choice] / self.rounds if self.rounds else 0.0

    def _error(self, choice: int) -> float:
        """The standard error of a mean; held up by the choices together, as few rounds say little of one alone."""
        if not self.rounds:
            return float("inf")
        pooled = sum(self.squares[other] for other in self.open) / max(1, len(self.open) - 1)
        spread = (self.squares[choice] + 0.5 * pooled + 1.0) / (1.5 * self.rounds)
        return sqrt(spread / self.rounds)
