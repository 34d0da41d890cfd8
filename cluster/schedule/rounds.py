"""Rounds: what can be played before anything has to be known of its results.

A fixed schedule is a single round. Where results decide, a round is a pure function of the tournament file and of the
complete results of all rounds before it: so it is the same after a crash, and with one worker or sixteen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import polars as pl

from cluster.schedule.adaptive import Adaptive
from cluster.schedule.seating import Block
from cluster.schedule.sequence import blocks, written
from cluster.statistics import duel
from cluster.tournament import Tournament

#: Schedules that the file alone decides, in a single round.
FIXED = frozenset({"balanced", "all", "gauntlet", "null"})
#: Blocks of a duel between two looks at its results.
DUEL_ROUND = 10


@dataclass(frozen=True)
class Round:
    """Some blocks, in order; ``size``: how many. They are made as they are asked for."""

    blocks: Iterable[Block]
    size: int


def rounds(
    tournament: Tournament, results: Callable[[], pl.DataFrame], lineups: Callable[[], Sequence[tuple[str, ...]]] = tuple
) -> Iterator[Round]:
    """The rounds of a tournament, up to the last one that its results call for.

    ``results``: gives the `matches` table; it is asked for only when a round has been taken and the next one is wanted,
    and then has to hold all blocks so far. ``lineups``: those that are written down (`cluster.store`), where the schedule
    is of that kind.

    Raises:
        ConfigError: line-ups are missing, or cannot be.
    """
    if tournament.schedule == "duel":
        return _duel(tournament, results)
    if tournament.schedule == "adaptive":
        return _adaptive(tournament, results)
    coming = written(tournament, lineups()) if tournament.schedule == "ladder" else blocks(tournament)
    return iter([Round(coming, tournament.blocks)])


def _duel(tournament: Tournament, results: Callable[[], pl.DataFrame]) -> Iterator[Round]:
    new, old = (bot.name for bot in tournament.bots)
    coming, taken = blocks(tournament), 0
    while chosen := list(islice(coming, DUEL_ROUND)):
        yield Round(chosen, len(chosen))
        taken += len(chosen)
        played = results().filter(pl.col("block") < taken)
        if duel.sequential_test(played, new, old, **tournament.duel.model_dump())[0].decided_at is not None:
            return


def _adaptive(tournament: Tournament, results: Callable[[], pl.DataFrame]) -> Iterator[Round]:
    plan = Adaptive(tournament)
    chosen = plan.base()
    while chosen:
        yield Round(chosen, len(chosen))
        chosen = plan.next(results())
