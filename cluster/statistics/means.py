"""Means and shares over blocks, and the shrinkage of small cells."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from cluster.statistics.blocks import Floats
from cluster.statistics.comparisons import CONFIDENCE, student

Z = float(ndtri((1 + CONFIDENCE) / 2))  # 1.96


@dataclass(frozen=True)
class ClusterMean:
    """A mean of which only whole blocks are independent."""

    mean: float
    se: float | None  # None for a single block
    low: float | None  # 95 % interval, Student's t with a degree a block, less one
    high: float | None
    blocks: int


@dataclass(frozen=True)
class ClusterShare:
    """A share, 0 to 1, of which only whole blocks are independent."""

    share: float
    se: float | None  # None for a single block
    low: float  # 95 % Wilson interval at the effective number, within 0 to 1
    high: float
    blocks: int
    design_effect: float  # variance relative to as many independent events
    effective: float  # independent events that would tell as much


def cluster_mean(sums: npt.ArrayLike, counts: npt.ArrayLike) -> ClusterMean:
    """Divide the blocks' sums (B,) by their counts (B,), all added up.

    Raises:
        ValueError: nothing was counted.
    Source: ratio estimator; statistics.md §5.
    """
    s, n = np.asarray(sums, dtype=float), np.asarray(counts, dtype=float)
    if not n.sum() > 0:
        raise ValueError("a mean of nothing: the counts add up to 0")
    mean = float(s.sum() / n.sum())
    return _cluster_mean(mean, float(np.sum((s - mean * n) ** 2)), float(n.sum()), s.size)


def cluster_mean_of_sums(blocks: int, n: int, nn: int, s: int, ss: int, sn: int) -> ClusterMean:
    """The same from sums over blocks: of counts and their squares, of sums and their squares, of both multiplied.

    Exact, because all are whole numbers: N² Σ(s - mean n)² = N² Σss - 2 N S Σsn + S² Σnn.
    """
    return _cluster_mean(s / n, (n * n * ss - 2 * n * s * sn + s * s * nn) / (n * n), n, blocks)


def _cluster_mean(mean: float, squares: float, n: float, blocks: int) -> ClusterMean:
    if blocks < 2:
        return ClusterMean(mean, None, None, None, blocks)
    se = sqrt(blocks / (blocks - 1) * squares) / n
    half = float(student(np.array([blocks]))[0]) * se
    return ClusterMean(mean, se, mean - half, mean + half, blocks)


def cluster_share(hits: npt.ArrayLike, counts: npt.ArrayLike) -> ClusterShare:
    """Divide the blocks' hits (B,) by their counts (B,), with an interval that is right near 0 and 1.

    At exactly 0 or 1 the blocks count as one event each, because no spread between them is seen.

    Raises:
        ValueError: nothing was counted.
    Source: Wilson 1927 with Kish's effective number; statistics.md §5.
    """
    mean = cluster_mean(hits, counts)
    n, m = float(np.sum(counts)), mean.mean
    spread = m * (1 - m) / n
    effective = float(mean.blocks)
    if mean.se and spread > 0:
        effective = n / (mean.se**2 / spread)
    low, high = wilson(m, effective)
    return ClusterShare(m, mean.se, low, high, mean.blocks, n / effective, effective)


def wilson(share: float, number: float) -> tuple[float, float]:
    """Bound a share seen in so many independent events, at 95 %; within 0 to 1."""
    squared = Z * Z
    centre = share + squared / (2 * number)
    half = Z * sqrt(share * (1 - share) / number + squared / (4 * number**2))
    return max(0.0, (centre - half) / (1 + squared / number)), min(1.0, (centre + half) / (1 + squared / number))


@dataclass(frozen=True, eq=False)
class Shrunk:
    """Estimates of K cells drawn towards what they have in common."""

    values: Floats  # (K,)
    mean: float  # what they have in common
    variance: float  # between the cells, 0 when their errors explain all of it
    heterogeneity: float  # Q, to be held against K - 1


def shrink(estimates: npt.ArrayLike, variances: npt.ArrayLike) -> Shrunk:
    """Draw estimates (K,) towards their mean, the more the greater their variances (K,) are.

    An infinite variance takes the mean; a single estimate stays what it is.

    Raises:
        ValueError: no finite variance, or one that is not positive.
    Source: DerSimonian and Laird 1986; statistics.md §5.
    """
    x, v = np.asarray(estimates, dtype=float), np.asarray(variances, dtype=float)
    if not (v > 0).all() or not np.isfinite(v).any():
        raise ValueError("shrinkage needs positive variances, one of them finite")
    w = 1 / v
    q = float(np.sum(w * (x - np.sum(w * x) / w.sum()) ** 2))
    scale = float(np.sum(w * (1 - w / w.sum())))  # Σw - Σw²/Σw, never rounded to 0
    known = int(np.count_nonzero(w))
    tau2 = max(0.0, (q - (known - 1)) / scale) if known > 1 else 0.0
    mean = float(np.sum(x / (v + tau2)) / np.sum(1 / (v + tau2)))
    values = (x * w + mean / tau2) / (w + 1 / tau2) if tau2 else np.full(x.size, mean)
    return Shrunk(values, mean, tau2, q)
