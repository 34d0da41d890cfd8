"""Row 50: two entries that help each other are found, and honest ones are left alone."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from cluster.quality import quality
from cluster.schedule import blocks
from cluster.statistics.favours import favours
from tests.cluster import luck
from tests.cluster.fakes import a_tournament

#: 210 pairs.
BOTS = tuple(f"bot {number:02}" for number in range(21))
GIVER, TAKER = "bot 03", "bot 11"
#: Of the mean spread of points at a table, so much is passed when both sit there.
SHARE = 0.05


@pytest.fixture(scope="module")
def honest() -> pl.DataFrame:
    strength = dict(zip(BOTS, np.linspace(0.5, -0.5, len(BOTS)), strict=True))
    return luck.played(np.random.default_rng(1), blocks(a_tournament(BOTS, blocks=20_000)), strength).with_columns(
        forfeited=pl.lit(False)
    )


@pytest.fixture(scope="module")
def colluding(honest: pl.DataFrame) -> pl.DataFrame:
    """The same matches, with two planted ones."""
    spread = honest.group_by("match_id").agg(pl.col("total").max() - pl.col("total").min())["total"].mean()
    bot, passed = pl.col("bot"), SHARE * pl.lit(spread)
    both = bot.is_in([GIVER, TAKER]).sum().over("match_id") == 2
    sign = pl.when(both & (bot == TAKER)).then(1).when(both & (bot == GIVER)).then(-1).otherwise(0)
    total = honest.with_columns(total=pl.col("total") + sign * passed)
    return total.with_columns(rank=pl.col("total").rank("min", descending=True).over("match_id").cast(pl.Int64))


def test_who_passes_points_to_another_is_flagged_and_nobody_else(colluding: pl.DataFrame) -> None:
    found = favours(colluding, BOTS[0])
    assert [(found.bots[a], found.bots[b]) for a, b in np.argwhere(found.flagged)] == [(GIVER, TAKER)]
    giver, taker = BOTS.index(GIVER), BOTS.index(TAKER)
    assert found.gain[giver, taker] > 0.05 > 0 > found.gain[taker, giver]
    assert found.blocks[giver, taker] > 500


def test_of_two_hundred_honest_pairs_at_most_one_in_a_hundred_is(honest: pl.DataFrame) -> None:
    found = favours(honest, BOTS[0])
    assert found.flagged.sum() <= 0.01 * len(BOTS) * (len(BOTS) - 1) / 2
    assert np.isnan(found.gain.diagonal()).all()


@pytest.mark.slow
def test_quality_asks_whether_they_help_each_other(honest: pl.DataFrame, colluding: pl.DataFrame) -> None:
    def answer(matches: pl.DataFrame) -> str:
        return str(quality(matches).filter(question="gains in company, t")["answer"].item())

    assert answer(honest).startswith("nobody does better")
    assert f"{TAKER} when {GIVER} sits there too (by 0." in answer(colluding)


def test_of_bots_that_always_sit_together_nothing_is_said() -> None:
    alone = luck.played(np.random.default_rng(2), blocks(a_tournament(BOTS[:4], blocks=50)), dict.fromkeys(BOTS, 0.0))
    found = favours(alone, BOTS[0])
    assert not found.flagged.any()
    assert np.isfinite(found.t).all()
