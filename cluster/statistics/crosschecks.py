"""Other models for the same results, to hold the headline against: diagnostics, never a rating.

Plackett–Luce, Davidson's ties and Davidson–Luce are one model: somebody (or a tie of two) is chosen from what is
there, with a chance that is log-linear in the strengths. Only the lists of alternatives differ.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from cluster.statistics.blocks import Floats
from cluster.statistics.bradley_terry import LONGEST_STEP, ROUNDS, TOLERANCE, WIDEST
from cluster.statistics.errors import NoConvergence


@dataclass(frozen=True, eq=False)
class Choice:
    """One of m alternatives was chosen, ``weight`` times."""

    alternatives: Floats  # (m, n) row: how much each of the n parameters adds to the alternative's log-worth
    chosen: int  # row
    weight: float = 1.0


def fit_choices(choices: Sequence[Choice]) -> Floats:
    """Find the most likely parameters, (n,); what the choices leave free stays as near to 0 as it can.

    Raises:
        NoConvergence: no maximum, as when somebody won everything.
    Source: conditional logit; Luce 1959, Plackett 1975.
    """
    parameters = np.zeros(choices[0].alternatives.shape[1])
    for _ in range(ROUNDS):
        gradient, information = _derivatives(choices, parameters)
        step = np.linalg.pinv(information, rcond=1e-12, hermitian=True) @ gradient
        longest = float(np.abs(step).max())
        parameters = parameters + step * min(1.0, LONGEST_STEP / max(longest, LONGEST_STEP))
        if np.ptp(parameters) > WIDEST:
            break
        if longest < TOLERANCE:
            return parameters
    raise NoConvergence("no maximum: somebody won or lost everything; give a prior")


def choice_information(choices: Iterable[Choice], parameters: Floats) -> Floats:
    """What the choices tell about the parameters, (n, n); errors are the roots of its inverse's diagonal."""
    return _derivatives(choices, parameters)[1]


def _derivatives(choices: Iterable[Choice], parameters: Floats) -> tuple[Floats, Floats]:
    gradient, information = np.zeros(parameters.size), np.zeros((parameters.size, parameters.size))
    for choice in choices:
        x = choice.alternatives
        chance = softmax(x @ parameters)
        mean = chance @ x
        gradient += choice.weight * (x[choice.chosen] - mean)
        information += choice.weight * ((x.T * chance) @ x - np.outer(mean, mean))
    return gradient, information


def ranking_choices(ranking: Sequence[Sequence[int]], bots: int, *, ties: bool = False) -> list[Choice]:
    """Read a ranking as choices of the best among those left: Plackett–Luce, or Davidson–Luce with ``ties`` of two.

    ``ranking``: bots by place, best first, one or two at a place. Parameters: the bots' log-worths, and with ``ties``
    the log of how readily two tie.
    """
    left = [bot for place in ranking for bot in place]
    choices = []
    for place in ranking:
        options = [(bot,) for bot in left] + ([*combinations(left, 2)] if ties else [])
        chosen = next(k for k, option in enumerate(options) if set(option) == set(place))
        if len(left) > 1:
            choices.append(Choice(np.array([_log_worth(option, bots, ties=ties) for option in options]), chosen))
        left = [bot for bot in left if bot not in place]
    return choices


def ghost_choices(bots: int, *, ties: bool = False, games: float = 1.0) -> list[Choice]:
    """Let every bot win half and lose half of so many games against a ghost of log-worth 0."""
    choices = []
    for bot in range(bots):
        alone = _log_worth((bot,), bots, ties=ties)
        tie = [alone / 2 + np.eye(bots + 1)[bots]] if ties else []
        alternatives = np.array([alone, 0 * alone, *tie])
        choices += [Choice(alternatives, chosen, games / 2) for chosen in (0, 1)]
    return choices


def _log_worth(option: tuple[int, ...], bots: int, *, ties: bool) -> Floats:
    """An alternative's row: a bot alone, or the geometric mean of two and the tie parameter."""
    row = np.zeros(bots + ties)
    row[list(option)] = 1 / len(option)
    if len(option) == 2:
        row[bots] = 1.0
    return row


def alpha_rank(payoffs: npt.ArrayLike, *, population: int = 50, selection: float = 0.1) -> Floats:
    """The share of time that each of n bots rules a population in which better ones replace worse ones, (n,).

    ``payoffs``: of row against column, (n, n), such as pair scores. In a cycle all its members have a share.
    Source: Omidshafiei et al. 2019, statistics.md §3.
    """
    a, m = np.asarray(payoffs, dtype=float), population
    n, k = len(a), np.arange(1, population)
    chain = np.zeros((n, n))
    for s, r in ((s, r) for s in range(n) for r in range(n) if r != s):
        invader = ((k - 1) * a[r, r] + (m - k) * a[r, s]) / (m - 1)
        native = (k * a[s, r] + (m - k - 1) * a[s, s]) / (m - 1)
        with np.errstate(over="ignore"):
            chain[s, r] = 1 / (1 + np.exp(np.cumsum(selection * (native - invader))).sum()) / max(n - 1, 1)
    chain += np.diag(1 - chain.sum(axis=1))
    # The stationary vector v = v C with Σ v = 1; least squares takes both conditions at once.
    conditions = np.vstack([chain.T - np.eye(n), np.ones(n)])
    share: Floats = np.linalg.lstsq(conditions, np.append(np.zeros(n), 1.0), rcond=None)[0]
    return share
