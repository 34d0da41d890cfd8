"""Results without matches: points are strength and luck, and the luck of the cards is partly the same over a block."""

from collections.abc import Iterable, Mapping

import numpy as np
import polars as pl

from cluster.schedule import Block


def played(rng: np.random.Generator, blocks: Iterable[Block], strength: Mapping[str, float]) -> pl.DataFrame:
    """The matches of these blocks: pairs follow Bradley–Terry with these strengths, on the natural scale.

    A seat's luck is the cards' in half of all cases, the same over the block, and fresh in the others.
    """
    all_blocks = list(blocks)
    seated = np.array([[block.players(game) for game in range(len(block.seatings))] for block in all_blocks])
    count, games, seats = seated.shape
    cards, fresh = rng.gumbel(size=(count, 1, seats)), rng.gumbel(size=seated.shape)
    skill = np.vectorize(strength.__getitem__)(seated)
    total = skill + np.where(rng.random(seated.shape) < 0.5, cards, fresh)
    block, game, seat = (axis.ravel() for axis in np.indices(seated.shape))
    rank = 1 + (total[..., :, None] < total[..., None, :]).sum(axis=-1)
    ids = np.array([block.id for block in all_blocks])
    numbers = np.array([block.index for block in all_blocks])
    return pl.DataFrame({
        "block": numbers[block], "block_id": ids[block], "game": game, "seat": seat, "team": seat,
        "bot": seated.ravel(), "total": total.ravel(), "rank": rank.ravel(),
    }).with_columns(games=pl.lit(games), match_id=pl.format("{}-{}", "block_id", "game"))  # fmt: skip
