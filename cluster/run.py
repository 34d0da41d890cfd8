"""Plays a tournament into a results folder: what is scheduled, less what is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

from cluster import plan, schedule
from cluster.arena import Chunk
from cluster.schedule import Block
from cluster.schedule.rounds import FIXED, Round, rounds
from cluster.store import PLAN, Store, Writer, writer
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
        tournament = settled(tournament, store, extend=extend)
        store.create(plan_of(tournament), extend=extend)
        for problem in store.sweep():
            progress.warn(problem)
        games = len(schedule.design_of(tournament).seatings)
        found = store.done()
        done = len(_scheduled(tournament, found))
        progress.begin(blocks=tournament.blocks, done=done, games=games)
        size = chunk_size(tournament, games, done, workers)
        scheduled = before = played = 0
        for coming in rounds(tournament, lambda: store.table("matches")):
            there, more = _play(coming, store, found, play, progress, size)
            scheduled, before, played = scheduled + coming.size, before + there, played + more
            if before + played < scheduled:
                break  # what comes next may depend on what is missing
        return Outcome(scheduled, before, played)


def settled(tournament: Tournament, store: Store, *, extend: bool) -> Tournament:
    """The tournament as it goes on in a folder: with the bots that joined it and left it on the way.

    Raises:
        ConfigError: somebody would join or leave among blocks that were played already.
    """
    if not (store.folder / PLAN).exists():
        return tournament
    return plan.settled(tournament, store.plan, store.begun, extend=extend)


def plan_of(tournament: Tournament) -> dict[str, object]:
    """What is written down in a results folder: all that decides what is played and under which conditions."""
    written = {"tournament_id": tournament.id, **tournament.model_dump(mode="json", exclude={"tables"})}
    written["bots"] = [
        bot.model_dump(mode="json", exclude={"cwd"} if bot.is_reference else None) for bot in tournament.bots
    ]  # a reference bot is the same in every folder
    return written


def chunk_size(tournament: Tournament, games: int, done: int, workers: int) -> int:
    """Blocks that go to a worker, and into a batch of files, at once: enough to fill its tables, but never so many
    that a short tournament comes in two or three steps."""
    fill = max(1, tournament.tables // games // 2)
    steps = max(1, (tournament.blocks - done) // (8 * workers))
    return min(fill, steps, MAX_CHUNK)


def _scheduled(tournament: Tournament, found: set[str]) -> set[str]:
    """Those of these blocks that are scheduled, as far as the file alone can say: there may be others too."""
    if not found or tournament.schedule not in FIXED:
        return found
    done: set[str] = set()
    for block in schedule.blocks(tournament):
        if block.id in found:
            done.add(block.id)
            if len(done) == len(found):
                break
    return done


def _play(coming: Round, store: Writer, found: set[str], play: Play, progress: Progress, size: int) -> tuple[int, int]:
    """Play what is missing of a round; how many of its blocks were there, and how many were played now."""
    there = played = 0

    def missing() -> Iterator[Block]:
        nonlocal there
        for block in coming.blocks:
            if block.id in found:
                there += 1
            else:
                yield block

    wanted = missing()
    for chunk in play(iter(lambda: list(islice(wanted, size)), [])):
        if store.write(chunk.name, chunk.files):
            played += len(chunk.block_ids)
            progress.played(chunk)
        else:
            progress.warn(f"batch {chunk.name} was there already; the first stands, the second is under conflicts/")
    return there, played
