"""Do the intervals and tests keep their promises: whole tournaments with a known truth, simulated.

The luck of the cards is partly the same in all games of a block, as with real duplicate deals.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from cluster.schedule import blocks
from cluster.statistics.blocks import BlockTable, block_table
from cluster.statistics.points import rate_points
from cluster.statistics.ratings import ELO, rate
from cluster.statistics.sequential import confidence_sequence, sprt
from tests.cluster import luck
from tests.cluster.fakes import a_tournament

pytestmark = pytest.mark.slow

TOURNAMENTS = 500
BLOCKS = 70


def tournaments(seed: int, strength: np.ndarray) -> Iterator[BlockTable]:
    """Whole tournaments of the balanced schedule, 70 blocks each; bot ``b10`` has the first strength, and so on."""
    rng = np.random.default_rng(seed)
    truth = {f"b{10 + place}": float(value) for place, value in enumerate(strength)}
    for number in range(TOURNAMENTS):
        settings = a_tournament(tuple(truth), blocks=BLOCKS, seed=f"{seed}/{number}")
        yield block_table(luck.played(rng, blocks(settings), truth))


def test_intervals_of_eight_bots_cover() -> None:
    strength = np.linspace(1.2, -1.2, 8)
    elo_truth, point_truth = (scale * (strength[:, None] - strength[None, :]) for scale in (ELO, 1.0))
    pairs = np.triu_indices(8, 1)
    covered: dict[str, list[float]] = {"elo": [], "elo to anchor": [], "points": []}
    for table in tournaments(1, strength):
        ratings, points = rate(table, anchor="b10"), rate_points(table, anchor="b10")
        for name, comparison, truth in (
            ("elo", ratings.comparison, elo_truth),
            ("points", points.comparison, point_truth),
        ):
            off = np.abs(comparison.values[:, None] - comparison.values[None, :] - truth)
            covered[name].append(float((off <= comparison.quantiles() * comparison.errors())[pairs].mean()))
        true_elo = 1500 + elo_truth[1:, 0]
        covered["elo to anchor"].append(float(((ratings.low[1:] <= true_elo) & (true_elo <= ratings.high[1:])).mean()))
    shares = {name: float(np.mean(values)) for name, values in covered.items()}
    print(f"\n95 % intervals cover, {TOURNAMENTS} tournaments of 8 bots, {BLOCKS} blocks: {shares}")
    assert all(0.93 <= share <= 0.97 for share in shares.values())


def test_ten_equal_bots_are_not_told_apart() -> None:
    claims, superiority = 0, []
    for table in tournaments(2, np.zeros(10)):
        ratings = rate(table, anchor="b10")
        claims += bool(ratings.ranking.separated.any())
        superiority.append(ratings.difference("b11", "b12").superiority)
    uniform = float(stats.kstest(superiority, "uniform").pvalue)
    print(
        f"\nten equal bots: {claims / TOURNAMENTS:.1%} lists with a false claim;"
        f" superiority of one over another uniform: p = {uniform:.3f}"
    )
    assert claims / TOURNAMENTS <= 0.07
    assert uniform > 0.01


def block_contrasts(rng: np.random.Generator, t: float, blocks: int) -> np.ndarray:
    """Contrasts in quarters as mirrored pairs have them, with mean over standard deviation t."""
    x = np.linspace(-0.5, 0.5, 5)
    p = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    for _ in range(50):  # tilt until the ratio is t
        p = p * np.exp((t - p @ x / np.sqrt(p @ x**2 - (p @ x) ** 2)) * x)
        p /= p.sum()
    assert p @ x / np.sqrt(p @ x**2 - (p @ x) ** 2) == pytest.approx(t, abs=1e-6)
    return rng.choice(x, size=blocks, p=p)


@pytest.mark.parametrize(("t", "wrong"), [(0.0, "H1"), (0.15, "H0")])
def test_sequential_test_keeps_its_errors(t: float, wrong: str) -> None:
    rng = np.random.default_rng(3)
    tests = [sprt(block_contrasts(rng, t, 3000)) for _ in range(1000)]
    errors = float(np.mean([test.decision == wrong for test in tests]))
    length = float(np.mean([test.decided_at for test in tests if test.decided_at]))
    print(f"\nduel at t = {t}: {errors:.1%} wrong (nominal 5.0 %), {length:.0f} blocks on average (481 of a fixed length)")
    assert errors <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1000)  # nominal, and what 1,000 tests may be off by chance
    assert all(test.decided_at for test in tests)
    assert length < 350


def test_confidence_sequence_keeps_its_error_at_a_thousand_looks() -> None:
    rng = np.random.default_rng(4)
    wrong = float(np.mean([confidence_sequence(block_contrasts(rng, 0.0, 1000)).separated.any() for _ in range(1000)]))
    print(f"\nconfidence sequence watched over 1,000 blocks: {wrong:.1%} false separations")
    assert wrong <= 0.05


def test_confidence_sequence_finds_a_difference() -> None:
    rng = np.random.default_rng(5)
    found = [confidence_sequence(block_contrasts(rng, 0.2, 1000)).separated.argmax() + 20 for _ in range(200)]
    print(f"\nconfidence sequence separates t = 0.2 after {np.mean(found):.0f} blocks on average")
    assert 150 < np.mean(found) < 320
