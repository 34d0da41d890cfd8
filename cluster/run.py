"""Plays a tournament into a results folder: what is scheduled, less what is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

from cluster import schedule
from cluster.arena import Chunk
from cluster.schedule import Block
from cluster.store import Writer, writer
from cluster.tournament import Tournament

MAX_CHUNK = 64


class Progress(Protocol):
    """Is told how far a run is."""

    def begin(self, *, blocks: int, done: int, games: int) -> None:
        """So many blocks of so many games are scheduled, so many of them done before."""

    def warn(self, text: str) -> None:
        """Something was set aside."""

    def played(self, chunk: Chunk) -> None:
        """Some blocks more are in the results."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended: blocks scheduled, those of them that were there before, and played now."""

    scheduled: int
    before: int
    played: int

    @property
    def complete(self) -> bool:
        """Every scheduled block is in the results."""
        return self.before + self.played >= self.scheduled


Play = Callable[[Iterator[Sequence[Block]]], Iterator[Chunk]]


def run(tournament: Tournament, folder: Path, play: Play, progress: Progress, *, workers: int = 1,
        extend: bool = False) -> Outcome:  # fmt: skip
    """Play what is missing; ``play`` plays chunks of blocks, ``workers``: how many it has.

    Raises:
        ConfigError: the folder holds something else, or cannot be written.
        NotWritten: the disk refused a batch; what the folder holds is whole.
    """
    with writer(folder) as store:
        store.create(plan_of(tournament), extend=extend)
        for problem in store.sweep():
            progress.warn(problem)
        done = _scheduled(tournament, store.done())
        games = len(schedule.design(tournament.game(), tournament.partners).seatings)
        progress.begin(blocks=tournament.blocks, done=len(done), games=games)
        played = _play(tournament, store, done, play, progress, chunk_size(tournament, games, len(done), workers))
        return Outcome(tournament.blocks, len(done), played)


def plan_of(tournament: Tournament) -> dict[str, object]:
    """What is written down in a results folder: all that decides what is played and under which conditions."""
    plan = {"tournament_id": tournament.id, **tournament.model_dump(mode="json", exclude={"tables"})}
    plan["bots"] = [
        bot.model_dump(mode="json", exclude={"cwd"} if bot.is_reference else None) for bot in tournament.bots
    ]  # a reference bot is the same in every folder
    return plan


def chunk_size(tournament: Tournament, games: int, done: int, workers: int) -> int:
    """Blocks that go to a worker, and into a batch of files, at once: enough to fill its tables, but never so many
    that a short tournament comes in two or three steps."""
    fill = max(1, tournament.tables // games // 2)
    steps = max(1, (tournament.blocks - done) // (8 * workers))
    return min(fill, steps, MAX_CHUNK)


def _scheduled(tournament: Tournament, found: set[str]) -> set[str]:
    """Those of these blocks that are scheduled: after `extend` by bots others may be there too."""
    done: set[str] = set()
    for block in schedule.blocks(tournament) if found else ():
        if block.id in found:
            done.add(block.id)
            if len(done) == len(found):
                break
    return done


def _play(tournament: Tournament, store: Writer, done: set[str], play: Play, progress: Progress, size: int) -> int:
    missing = (block for block in schedule.blocks(tournament) if block.id not in done)
    played = 0
    for chunk in play(iter(lambda: list(islice(missing, size)), [])):
        if store.write(chunk.name, chunk.files):
            played += len(chunk.block_ids)
            progress.played(chunk)
        else:
            progress.warn(f"batch {chunk.name} was there already; the first stands, the second is under conflicts/")
    return played
