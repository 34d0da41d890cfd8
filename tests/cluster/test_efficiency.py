"""What blocks are worth: 1 where their matches are independent, more where the cards' luck cancels."""

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

from cluster.schedule import KLEIN
from cluster.statistics.efficiency import block_worth


def results(rng: np.random.Generator, shared: float, blocks: int = 300, bots: str = "abcd", skill: float = 0.0) -> pl.DataFrame:
    """Klein blocks in which a share of the luck is the seat's cards, the same in all four matches."""

    def rows() -> Iterator[dict[str, object]]:
        for block in range(blocks):
            lineup = rng.permutation(list(bots))[:4]
            cards = rng.normal(size=4) * np.sqrt(shared)
            for game, seating in enumerate(KLEIN):
                total = cards + rng.normal(size=4) * np.sqrt(1 - shared)
                total = 100 * (total + skill * np.array([bots.index(lineup[place]) for place in seating]))
                for seat, place in enumerate(seating):
                    yield {
                        "block_id": f"b{block:04}", "game": game, "games": 4, "match_id": f"{block}-{game}", "seat": seat,
                        "team": seat, "bot": str(lineup[place]), "total": int(total[seat]), "rank": 1 + int((total > total[seat]).sum()),
                    }  # fmt: skip

    return pl.DataFrame(list(rows()))


def test_independent_matches_are_worth_what_they_are() -> None:
    worth = block_worth(results(np.random.default_rng(1), shared=0.0))
    for name in ("points", "results"):
        assert worth[name].low < 1 < worth[name].high
        assert worth[name].efficiency == pytest.approx(1, abs=0.15)


def test_the_luck_of_cards_cancels() -> None:
    """With three quarters of the variance in the cards a block of four is worth four times as much: the rest is left."""
    found = [block_worth(results(np.random.default_rng(100 + seed), shared=0.75, skill=0.4, blocks=150)) for seed in range(10)]
    points = [worth["points"] for worth in found]
    assert np.mean([worth.efficiency for worth in points]) == pytest.approx(4, rel=0.1)
    assert sum(worth.low < 4 < worth.high for worth in points) >= 8
    assert all(worth["results"].efficiency > 1.5 for worth in found)
    assert points[0].blocks == 150


def test_differences_between_line_ups_are_no_luck() -> None:
    """Strong and weak tables are expected by the ratings, and cost a block nothing."""
    worth = block_worth(results(np.random.default_rng(3), shared=0.0, bots="abcdefgh", skill=0.8))
    assert worth["points"].efficiency == pytest.approx(1, abs=0.15)


def test_nothing_to_measure() -> None:
    some = results(np.random.default_rng(4), shared=0.5, blocks=3)
    assert block_worth(some.head(0)) == {}
    assert block_worth(some.filter(pl.col("block_id") == "b0000")) == {}
    assert block_worth(some.with_columns(total=pl.lit(5), rank=pl.lit(1))) == {}
    assert block_worth(some.with_columns(bot=pl.lit("a"))) == {}
