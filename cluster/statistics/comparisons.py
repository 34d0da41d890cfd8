"""Estimates of many bots at once, and what may be said about two of them or about all.

Shared by the ratings and the points: both end in values, their covariance and the blocks behind them.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr, stdtr, stdtrit

from cluster.statistics.blocks import Bools, Floats, Ints
from cluster.statistics.errors import UnknownBot

MIN_BLOCKS = 10  # below it an interval is too narrow to claim anything, and is shown grey
CONFIDENCE = 0.95
DRAWS = 20_000
SEED = 20_250_101  # fixed: the same results give the same page

# "measured" has an interval; "above" and "below": a chain of wins joins the two in one direction only; "unknown": none.
Relation = Literal["measured", "above", "below", "unknown"]


@dataclass(frozen=True)
class Difference:
    """What is known about the first bot minus the second, in the unit of the estimates."""

    first: str
    second: str
    estimate: float
    se: float
    low: float  # 95 % interval
    high: float
    superiority: float  # chance that the first is better, 0 to 1
    blocks: int  # blocks in which either sat
    relation: Relation = "measured"  # anything else: show the order at most, never the interval


@dataclass(frozen=True, eq=False)
class Comparison:
    """Values of n bots with their joint uncertainty; only their differences mean something."""

    bots: tuple[str, ...]  # sorted
    values: Floats  # (n,)
    covariance: Floats  # (n, n), unit squared, clustered by block
    shared: Ints  # (n, n) blocks in which both sat; the diagonal: own blocks

    @property
    def blocks(self) -> Ints:
        """Blocks of each bot, (n,)."""
        return self.shared.diagonal()

    @property
    def is_thin(self) -> Bools:
        """Whether a bot has fewer than 10 blocks, (n,): show it grey."""
        return self.blocks < MIN_BLOCKS

    def either_blocks(self) -> Ints:
        """Blocks in which one of two bots sat, or both, (n, n)."""
        return self.blocks[:, None] + self.blocks[None, :] - self.shared

    def index(self, bot: str) -> int:
        """Find a bot's row.

        Raises:
            UnknownBot: it is not on this list.
        """
        if bot not in self.bots:
            raise UnknownBot.named(bot, self.bots)
        return self.bots.index(bot)

    def errors(self) -> Floats:
        """Standard errors of all differences, (n, n); the diagonal is 0."""
        variances = self.covariance.diagonal()
        squares = variances[:, None] + variances[None, :] - 2 * self.covariance
        np.fill_diagonal(squares, 0.0)
        errors: Floats = np.sqrt(np.maximum(squares, 0.0))
        return errors

    def quantiles(self) -> Floats:
        """Half-widths of 95 % intervals in standard errors, (n, n): Student's t with a degree a block, less one."""
        return student(self.either_blocks())

    def superiority(self) -> Floats:
        """The chance that the row's bot is better than the column's, (n, n); 1/2 on the diagonal."""
        chance: Floats = ndtr(self.scores())
        return chance

    def scores(self) -> Floats:
        """All differences in standard errors, (n, n): z of row minus column; 0 where both are 0."""
        differences, errors = self.values[:, None] - self.values[None, :], self.errors()
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(differences == 0, 0.0, differences / errors)

    def interval(self, anchor: str) -> tuple[Floats, Floats, Floats]:
        """Standard error and 95 % bounds of every value relative to one bot, (n,) each; its own interval is a point.

        Raises:
            UnknownBot: it is not on this list.
        """
        at = self.index(anchor)
        se = self.errors()[at]
        half = self.quantiles()[at] * se
        return se, self.values - half, self.values + half

    def difference(self, first: str, second: str) -> Difference:
        """Compare two bots by the full covariance; never combine two intervals of the list instead.

        Raises:
            UnknownBot: one of them is not on this list.
        """
        i, j = self.index(first), self.index(second)
        estimate, se = float(self.values[i] - self.values[j]), float(self.errors()[i, j])
        half = float(self.quantiles()[i, j]) * se
        blocks = int(self.either_blocks()[i, j])
        chance = float(self.superiority()[i, j])
        return Difference(first, second, estimate, se, estimate - half, estimate + half, chance, blocks)


def student(blocks: Ints) -> Floats:
    """The .975 quantile of Student's t for intervals over so many blocks; one degree of freedom at the least."""
    quantile: Floats = stdtrit(np.maximum(blocks - 1.0, 1.0), (1 + CONFIDENCE) / 2)
    return quantile


@dataclass(frozen=True, eq=False)
class Ranking:
    """Which places n bots may claim, all at once; arrays in the order of the comparison's bots."""

    critical: float  # standard errors apart that separate two bots of this list, had they blocks without end
    separated: Bools  # (n, n) the row's bot is better than the column's beyond doubt
    low: Ints  # (n,) the best rank that the results allow, 1 the best
    high: Ints  # (n,) the worst rank that they allow
    expected: Floats  # (n,) mean rank
    chance_best: Floats  # (n,) chance to be the best of the list, summing to 1


def ranking(comparison: Comparison) -> Ranking:
    """Rank all bots so that 95 % of lists of equals show no difference at all.

    A bot with fewer than 10 blocks is never separated: its standard error is not to be trusted yet.
    Source: statistics.md §3, with Student's tail in place of the normal one beyond the critical value.
    """
    critical, known = critical_value(comparison), ~comparison.is_thin
    # The errors are estimates too: by the normal tail ten equals with 28 blocks each were told apart in 9 % of lists.
    doubt = stdtr(np.maximum(comparison.either_blocks() - 1.0, 1.0), -comparison.scores())
    separated = (doubt < ndtr(-critical)) & known[:, None] & known[None, :]
    best = (comparison.values + _draws(comparison.covariance)).argmax(axis=1)
    return Ranking(
        critical=critical,
        separated=separated,
        low=1 + separated.sum(axis=0),
        high=len(known) - separated.sum(axis=1),
        expected=comparison.superiority().sum(axis=0) + 0.5,  # 1 and the chances of all others to be better
        chance_best=np.bincount(best, minlength=len(known)) / DRAWS,
    )


def critical_value(comparison: Comparison) -> float:
    """How many standard errors apart the furthest two of n equals are at most, in 95 % of draws around 0.

    0 where nothing varies. Tukey's studentised range over √2 where all errors are equal.
    """
    draws, errors = _draws(comparison.covariance), comparison.errors()
    varies = errors > 1e-9 * max(1e-300, float(errors.max(initial=0.0)))
    greatest = np.zeros(DRAWS)
    for i in range(len(comparison.bots)):  # a row of pairs at a time keeps the memory small
        others = np.flatnonzero(varies[i, i + 1 :]) + i + 1
        apart = np.abs(draws[:, [i]] - draws[:, others]) / errors[i, others]
        np.maximum(greatest, apart.max(axis=1, initial=0.0), out=greatest)
    return float(np.quantile(greatest, CONFIDENCE))


def _draws(covariance: Floats) -> Floats:
    """Draws around 0 with the covariance, (20,000, n), always the same ones."""
    spread, axes = np.linalg.eigh(covariance)
    normal = np.random.default_rng(SEED).standard_normal((DRAWS, len(covariance)))
    draws: Floats = normal @ (axes * np.sqrt(np.maximum(spread, 0.0))).T
    return draws
