"""What does not matter changes no rating: the order of arrival, the names, the seats, who worked."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cluster import run, summaries
from cluster.schedule import blocks
from cluster.statistics.blocks import block_table
from cluster.statistics.points import rate_points
from cluster.statistics.ratings import rate
from cluster.store import Store
from tests.cluster import luck
from tests.cluster.fakes import FakePlay, Quiet, a_tournament

BOTS = tuple("abcdefghi")


@pytest.fixture(scope="module")
def matches() -> pl.DataFrame:
    strength = dict(zip(BOTS, np.linspace(1, -1, 9), strict=True))
    return luck.played(np.random.default_rng(1), blocks(a_tournament(BOTS, blocks=60)), strength)


def figures(matches: pl.DataFrame, names: dict[str, str] | None = None) -> np.ndarray:
    """Ratings, intervals and adjusted points, in the order of the old names."""
    table, named = block_table(matches), names or {bot: bot for bot in BOTS}
    rated, points = rate(table, anchor=named["a"]), rate_points(table, anchor=named["a"])
    order = [rated.bots.index(named[bot]) for bot in BOTS]
    return np.stack([rated.elo, rated.low, rated.high, points.points, points.low, points.high])[:, order]


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_arrival(seed: int, matches: pl.DataFrame) -> None:
    shuffled = matches.sample(fraction=1.0, shuffle=True, seed=seed)
    np.testing.assert_array_equal(figures(shuffled), figures(matches))


@pytest.mark.parametrize("seed", range(5))
def test_the_names(seed: int, matches: pl.DataFrame) -> None:
    names = dict(zip(BOTS, np.random.default_rng(seed).permutation(list("zyxwvutsr")).tolist(), strict=True))
    renamed = matches.with_columns(pl.col("bot").replace_strict(names))
    np.testing.assert_allclose(figures(renamed, names), figures(matches), rtol=0, atol=1e-9)


def test_the_seats(matches: pl.DataFrame) -> None:
    """Every match with its seats numbered otherwise."""
    turn = (pl.col("seat") * 3 + pl.col("block") + pl.col("game")) % 4
    turned = matches.with_columns(seat=turn, team=turn)
    assert not turned["seat"].equals(matches["seat"])
    np.testing.assert_allclose(figures(turned), figures(matches), rtol=0, atol=1e-9)


def test_the_names_of_blocks(matches: pl.DataFrame) -> None:
    """Ids are hashes: another order of ids is another order of sums."""
    hashed = matches.with_columns(block_id=pl.col("block_id").str.reverse())
    np.testing.assert_allclose(figures(hashed), figures(matches), rtol=0, atol=1e-9)


@pytest.mark.parametrize("workers", [2, 5])
def test_the_workers(workers: int, tmp_path: Path) -> None:
    """Other chunks, batches and orders of writing; the standings are equal to the last digit, but for the time."""
    settings = a_tournament(BOTS[:6], blocks=16)
    frames = []
    for number in (1, workers):
        folder = tmp_path / str(number)
        run.run(settings, folder, FakePlay(settings), Quiet(), workers=number)
        frames.append(summaries.standings(summaries.Evidence.of(Store(folder).table("matches"))))
    assert frames[0].equals(frames[1])
