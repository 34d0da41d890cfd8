"""Cycles: where the first beats the second, the second the third, and the third the first, more than their ratings allow."""

from __future__ import annotations

from itertools import combinations

import polars as pl

#: A link counts from so many standard errors on.
LINK_Z = 1.0
_SCHEMA = {"first": pl.String, "second": pl.String, "third": pl.String, "weakest_z": pl.Float64}


def cycles(pairs: pl.DataFrame) -> pl.DataFrame:
    """Three bots of which each took more from the next than the ratings promise, the surest first.

    ``pairs``: see `cluster.summaries.pairs`. Columns: first, second, third, weakest_z (the least surprise of the three, in
    standard errors). One number a bot cannot tell such a cycle. Among many bots some cycles of 1 to 2 are chance.
    """
    surprise = {(row["bot"], row["opponent"]): row["residual_z"] for row in pairs.filter(relation="measured").iter_rows(named=True)}
    bots = sorted({bot for bot, _ in surprise})
    rows = []
    for a, b, c in combinations(bots, 3):
        for first, second, third in ((a, b, c), (a, c, b)):
            links = [surprise.get(link) for link in ((first, second), (second, third), (third, first))]
            found = [link for link in links if link is not None]
            if len(found) == 3 and min(found) >= LINK_Z:
                rows.append((first, second, third, min(found)))
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    return frame.sort("weakest_z", "first", "second", "third", descending=[True, False, False, False])
