"""Is A better than B: a test that may stop at any block, and bounds that may be watched all the time."""

from dataclasses import dataclass
from math import log, log10, sqrt
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtr

from cluster.statistics.blocks import Bools, Floats, Ints
from cluster.statistics.means import Z

MIN_BLOCKS = 20
NORMALIZED_ELO = 800 / log(10)  # normalized Elo in a standard deviation of one game
EMPTY_CELL = 0.001  # games in an outcome that was never seen

Decision = Literal["continue", "H0", "H1"]
Model = Literal["logistic", "normalized"]


@dataclass(frozen=True)
class Bounds:
    """Where a log-likelihood ratio decides."""

    lower: float  # accept H0 at or below
    upper: float  # accept H1 at or above


@dataclass(frozen=True, eq=False)
class Sprt:
    """The state of a sequential test after n blocks."""

    n: int
    mean: float  # of all block contrasts
    sd: float  # with 1/n
    t: float  # mean / sd, within about ±1.1, where the ratio has its extremes
    llr: float  # after the last block; 0 before the first
    bounds: Bounds
    decision: Decision  # of the first crossing; later blocks do not change it
    decided_at: int | None  # blocks at the first crossing; None before
    path: Floats  # (n,) log-likelihood ratio after each block; it counts from block 20


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """Bounds of a mean that hold at every look; row k is after block ``n[k]``, empty before 20 blocks."""

    n: Ints
    mean: Floats
    half_width: Floats

    @property
    def separated(self) -> Bools:
        """Whether 0 is outside, after each block."""
        outside: Bools = np.abs(self.mean) > self.half_width
        return outside


@dataclass(frozen=True)
class EloEstimate:
    """One opponent against another, from counts of outcomes; errors are half 95 % intervals."""

    elo: float
    error: float
    normalized: float  # mean over standard deviation, in normalized Elo: comparable between games of any draw rate
    normalized_error: float
    superiority: float  # chance that the first is better
    score: float  # points a game, 0 to 1


def sprt_bounds(alpha: float = 0.05, beta: float = 0.05) -> Bounds:
    """Wald's bounds for errors of the first and of the second kind; ±2.944 at 5 %."""
    return Bounds(log(beta / (1 - alpha)), log((1 - beta) / alpha))


def llr_t(n: npt.ArrayLike, t: npt.ArrayLike, t0: float = 0.0, t1: float = 0.15) -> Floats:
    """The log-likelihood ratio of mean/sd = t1 against t0 after n blocks with mean/sd = t.

    Source: statistics.md §6; fishtest's normalized Elo.
    """
    held = _held(np.asarray(t, dtype=float), t0, t1)
    ratio: Floats = np.asarray(n) / 2 * np.log((1 + (held - t0) ** 2) / (1 + (held - t1) ** 2))
    return ratio


def _held(t: Floats, t0: float, t1: float) -> Floats:
    """Hold t where the ratio has its extremes: beyond, it falls again, and who wins every block is never accepted."""
    middle, reach = (t0 + t1) / 2, sqrt(1 + (t1 - t0) ** 2 / 4)
    return np.clip(t, middle - reach, middle + reach)


def sprt(
    contrasts: npt.ArrayLike, *, t0: float = 0.0, t1: float = 0.15, alpha: float = 0.05, beta: float = 0.05
) -> Sprt:
    """Test block contrasts (n,), in the order of the schedule, after every block from the 20th on.

    Source: generalised sequential probability ratio test on the t-value of blocks, statistics.md §6.
    """
    n, mean, sd = _running(contrasts)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = _held(np.where(mean == 0, 0.0, mean / sd), t0, t1)
    path, bounds = llr_t(n, t, t0, t1), sprt_bounds(alpha, beta)
    crossed = np.flatnonzero((n >= MIN_BLOCKS) & ((path >= bounds.upper) | (path <= bounds.lower)))
    decided_at = int(crossed[0]) + 1 if crossed.size else None
    decision: Decision = "continue"
    if decided_at:
        decision = "H1" if path[decided_at - 1] > 0 else "H0"
    now = [float(values[-1]) if n.size else 0.0 for values in (mean, sd, t, path)]
    return Sprt(n.size, now[0], now[1], now[2], now[3], bounds, decision, decided_at, path)


def confidence_half_width(n: npt.ArrayLike, sd: npt.ArrayLike, *, r: float = 0.02, alpha: float = 0.05) -> Floats:
    """How far the mean of n block contrasts may be off, at every n at once; n >= 1.

    ``r`` sets the n at which the bounds are tightest: about 2 ln(1/alpha) / r.
    Source: Gaussian mixture, Robbins 1970; statistics.md §7.
    """
    blocks = np.asarray(n, dtype=float)
    grown = blocks * r + 1
    half: Floats = np.asarray(sd) * np.sqrt(2 * grown / (blocks**2 * r) * np.log(np.sqrt(grown) / alpha))
    return half


def watched_critical(n: npt.ArrayLike, *, comparisons: int = 1, r: float = 0.02, alpha: float = 0.05) -> Floats:
    """How many standard errors from 0 an estimate over n blocks has to be, where somebody looks after every block.

    ``comparisons``: of so many estimates, which are all looked at, none is beyond by chance in 1 - alpha of all cases.
    """
    blocks = np.asarray(n, dtype=float)
    return confidence_half_width(blocks, np.sqrt(blocks), r=r, alpha=alpha / max(comparisons, 1))


def confidence_sequence(contrasts: npt.ArrayLike, *, r: float = 0.02, alpha: float = 0.05) -> ConfidenceSequence:
    """Bound the mean of block contrasts (n,), in the order of the schedule, at every look from the 20th block on."""
    n, mean, sd = _running(contrasts)
    n, mean, sd = n[MIN_BLOCKS - 1 :], mean[MIN_BLOCKS - 1 :], sd[MIN_BLOCKS - 1 :]
    return ConfidenceSequence(n, mean, confidence_half_width(n, sd * np.sqrt(n / (n - 1)), r=r, alpha=alpha))


def _running(contrasts: npt.ArrayLike) -> tuple[Ints, Floats, Floats]:
    """Numbers, means and standard deviations (with 1/n) of the first 1, 2, … n contrasts, (n,) each."""
    x = np.asarray(contrasts, dtype=float)
    n = np.arange(1, x.size + 1)
    mean = np.cumsum(x) / n
    return n, mean, np.sqrt(np.maximum(np.cumsum(x**2) / n - mean**2, 0.0))


def llr_multinomial(counts: npt.ArrayLike, elo0: float, elo1: float, *, model: Model = "logistic") -> float:
    """The log-likelihood ratio of elo1 against elo0 from counts of outcomes, worst first.

    ``counts``: lost, drawn, won games (3,), or the five outcomes of two mirrored games (5,).

    Raises:
        ValueError: another number of outcomes.
    Source: fishtest, LLRcalc.py; statistics.md §6.
    """
    a, p, games = _outcomes(counts)
    tilted = [_at_logistic(a, p, e) if model == "logistic" else _at_normalized(a, p, e) for e in (elo0, elo1)]
    return games * float(np.sum(p * np.log(tilted[1] / tilted[0])))


def elo_estimate(counts: npt.ArrayLike) -> EloEstimate:
    """Estimate Elo and normalized Elo from counts of outcomes, worst first: (3,) games or (5,) pairs of games.

    Raises:
        ValueError: another number of outcomes.
    Source: fastchess; statistics.md §6.
    """
    a, p, number = _outcomes(counts)
    mean = float(p @ a)
    sd = sqrt(float(p @ (a - mean) ** 2))
    off, pair = Z * sd / sqrt(number), a.size == 5
    return EloEstimate(
        elo=_elo(mean),
        error=(_elo(mean + off) - _elo(mean - off)) / 2,
        normalized=(mean - 0.5) / (sd * (sqrt(2) if pair else 1)) * NORMALIZED_ELO,
        normalized_error=Z * NORMALIZED_ELO / sqrt(number * (2 if pair else 1)),
        superiority=float(ndtr((mean - 0.5) * sqrt(number) / sd)),
        score=mean,
    )


def _elo(score: float) -> float:
    inside = min(max(score, 1e-9), 1 - 1e-9)  # a bound beyond 0 or 1 is 3,600 Elo, not infinite
    return -400 * log10(1 / inside - 1)


def _outcomes(counts: npt.ArrayLike) -> tuple[Floats, Floats, float]:
    """Points of each outcome, 0 to 1, their frequencies and their number; empty cells hold a thousandth."""
    cells = np.asarray(counts, dtype=float)
    if cells.shape not in ((3,), (5,)):
        raise ValueError(f"counts of {cells.size} outcomes; known are 3 (games) and 5 (pairs of games)")
    cells = np.where(cells == 0, EMPTY_CELL, cells)
    return np.linspace(0, 1, cells.size), cells / cells.sum(), float(cells.sum())


def _at_logistic(a: Floats, p: Floats, elo: float) -> Floats:
    return _tilted(p, a - 1 / (1 + 10 ** (-elo / 400)))


def _at_normalized(a: Floats, p: Floats, elo: float) -> Floats:
    """The likeliest frequencies whose mean is t standard deviations above 1/2: the condition is made linear, anew."""
    t = elo / NORMALIZED_ELO * (sqrt(2) if a.size == 5 else 1)
    q = np.full(a.size, 1 / a.size)
    for _ in range(100):
        mean = q @ a
        sd = np.sqrt(q @ (a - mean) ** 2)
        before, q = q, _tilted(p, a - 0.5 - t * sd * (1 + ((mean - a) / sd) ** 2) / 2)
        if np.abs(q - before).max() < 1e-12:
            break
    return q


def _tilted(p: Floats, b: Floats) -> Floats:
    """The frequencies nearest to p, by likelihood, under which the mean of b is 0."""
    edge = 1 - 1e-12  # at the edges a frequency would be infinite
    x: float = brentq(lambda x: float(np.sum(p * b / (1 + x * b))), -edge / b.max(), -edge / b.min(), xtol=1e-15)
    return p / (1 + x * b)
