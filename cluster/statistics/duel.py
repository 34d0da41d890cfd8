"""A duel: is the new bot better than the old one, by block scores in the order of the schedule."""

from dataclasses import dataclass
from math import ceil

import polars as pl
from scipy.special import ndtri

from cluster.statistics.blocks import block_scores, block_table
from cluster.statistics.means import cluster_mean
from cluster.statistics.ratings import rate
from cluster.statistics.sequential import MIN_BLOCKS, Sprt, sprt


@dataclass(frozen=True, eq=False)
class Duel:
    """What so many blocks say; scores are shares of the points of all pairs of a new and an old seat."""

    new: str
    old: str
    sprt: Sprt
    blocks: int  # played; the test may have been decided before
    score: float | None  # of the new bot, 0 to 1; None before the first block
    score_low: float | None  # 95 % interval over blocks; None for a single block
    score_high: float | None
    elo: float | None  # new minus old, as in the standings
    elo_low: float | None
    elo_high: float | None
    superiority: float | None  # chance that the new bot is better, as if the number of blocks had been fixed
    fixed_length: int  # blocks of a test of fixed length with the same errors

    @property
    def verdict(self) -> str:
        """``better``, ``not better`` or ``undecided``."""
        return {"H1": "better", "H0": "not better", "continue": "undecided"}[self.sprt.decision]

    @property
    def stopped_early(self) -> bool:
        """The test decided when to stop: estimates lean away from 0, and intervals cover less than they say."""
        return self.sprt.decided_at is not None


def sequential_test(
    matches: pl.DataFrame, new: str, old: str, *, t0: float = 0.0, t1: float = 0.15, alpha: float = 0.05, beta: float = 0.05
) -> tuple[Sprt, dict[str, float]]:
    """The sequential test alone, and the new bot's score in each block that counted, by id.

    ``matches``: as `blocks.block_table` takes them, with ``block``. Complete blocks count in the order of the schedule,
    and only as far as none is missing, so that the order in which they came in changes nothing.
    Source: generalised sequential probability ratio test, `cluster.statistics.sequential`.
    """
    order = dict(matches.select("block_id", "block").unique().iter_rows())
    table = block_table(matches)
    scores = block_scores(table, new, old) if {new, old} <= set(table.bots) else {}
    in_order = sorted(scores, key=lambda block: int(order[block]))
    whole = {block: scores[block] for place, block in enumerate(in_order) if order[block] == place}
    return sprt([score - 0.5 for score in whole.values()], t0=t0, t1=t1, alpha=alpha, beta=beta), whole


def state(
    matches: pl.DataFrame, new: str, old: str, *, t0: float = 0.0, t1: float = 0.15, alpha: float = 0.05, beta: float = 0.05
) -> Duel:
    """Judge a duel by all that may be said of it; see `sequential_test`."""
    ended, whole = sequential_test(matches, new, old, t0=t0, t1=t1, alpha=alpha, beta=beta)
    fixed = fixed_length(t0, t1, alpha, beta)
    if not whole:
        return Duel(new, old, ended, 0, None, None, None, None, None, None, None, fixed)
    mean = cluster_mean(list(whole.values()), [1] * len(whole))
    rated = rate(block_table(matches.filter(pl.col("block_id").is_in(list(whole)))), anchor=old).difference(new, old)
    return Duel(
        new=new, old=old, sprt=ended, blocks=len(whole), score=mean.mean, score_low=mean.low, score_high=mean.high,
        elo=rated.estimate, elo_low=rated.low, elo_high=rated.high, superiority=rated.superiority, fixed_length=fixed,
    )  # fmt: skip


def fixed_length(t0: float, t1: float, alpha: float, beta: float) -> int:
    """Blocks that tell mean/sd = t1 from t0 with these errors when their number is fixed beforehand; 481 by default."""
    normal = float(ndtri(1 - alpha) + ndtri(1 - beta))
    return max(MIN_BLOCKS, ceil((normal / (t1 - t0)) ** 2))
