"""Do the line-ups of a list follow from what was known when they were written down?

They are a function of who could play, of all line-ups before, and of the results of these. The first is the organiser's word, which
is written with the line-ups; everything else is in the folder.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

import polars as pl

from cluster.schedule import design_of
from cluster.schedule.ladder import next_lineups
from cluster.statistics.blocks import BlockTable
from cluster.statistics.comparisons import Comparison
from cluster.statistics.ratings import compare
from cluster.statistics.reduced import join_blocks
from cluster.store import Line
from cluster.summaries import anchor_of
from cluster.tournament import Tournament


def compared(table: BlockTable) -> Comparison | None:
    """The ratings that a round is made from; None while there is nothing to compare."""
    return compare(table, anchor=anchor_of(table.bots)) if len(table.bots) > 1 else None


def rounds(written: Sequence[Line]) -> dict[int, int]:
    """The first block of each round, and the one behind its last; without those of which nobody wrote who could play."""
    starts = [place for place, line in enumerate(written) if line.field]
    return dict(pairwise([*starts, len(written)]))


def unfounded(
    tournament: Tournament, written: Sequence[Line], blocks: pl.DataFrame, places: Mapping[str, int], chosen: Collection[int]
) -> Iterator[str]:  # fmt: skip
    """A sentence for each of the chosen rounds whose line-ups do not follow.

    ``blocks``: that table of the results; ``places``: where each block stands in the schedule.
    """
    lineups, design = [line.lineup for line in written], design_of(tournament)
    place = pl.Series("place", [places.get(block, len(written)) for block in blocks["block_id"]], pl.Int64)
    for start, end in rounds(written).items():
        if start not in chosen:
            continue
        before, line = join_blocks(blocks.filter(place < start)), written[start]
        expected = next_lineups(line.field, lineups[:start], compared(before), design, line.round)[: end - start]
        off = [at for at in range(start, end) if at - start >= len(expected) or lineups[at] != expected[at - start]]
        if off:
            yield (f"block {off[0]}: who sits there does not follow from the results before block {start} and from who could play: "
                   f"it is {', '.join(lineups[off[0]])}")  # fmt: skip
