"""Plays a tournament into a results folder: what is scheduled, less what is there."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Protocol

from cluster import plan, schedule
from cluster.arena import Chunk
from cluster.requeue import SetAside
from cluster.schedule import Block
from cluster.schedule.rounds import FIXED, Round, rounds
from cluster.store import PLAN, NotWritten, Put, Store, Swept, Writer, writer
from cluster.tournament import Tournament

MAX_CHUNK, MANY_BATCHES = 256, 512
#: While the disk refuses, it is tried again so often, and given up after so long.
RETRY_S, PATIENCE_S = 5.0, 3600.0


class Progress(Protocol):
    """Is told how far a run is."""

    def begin(self, *, blocks: int, done: int, games: int) -> None:
        """So many blocks of so many games are scheduled, so many of them done before."""

    def warn(self, text: str) -> None:
        """Something was set aside."""

    def played(self, chunk: Chunk) -> None:
        """Some blocks more are in the results."""


@dataclass
class Outcome:
    """How a run ended: blocks scheduled, those of them that were there before, and played now.

    ``faults``: of bots, in the blocks played now. ``set_aside``: blocks that broke worker after worker.
    ``conflicts``: batches that were there already, with other results.
    """

    scheduled: int
    before: int
    played: int = 0
    faults: int = 0
    set_aside: int = 0
    conflicts: int = 0

    @property
    def complete(self) -> bool:
        """Every scheduled block is in the results."""
        return self.before + self.played >= self.scheduled


#: Plays chunks of blocks; an empty chunk means that nothing more is to be played at the moment.
Play = Callable[[Iterator[Sequence[Block]]], Iterator[Chunk | SetAside]]


def run(tournament: Tournament, folder: Path, play: Play, progress: Progress, *, workers: int = 1,
        extend: bool = False, swept: Swept | None = None) -> Outcome:  # fmt: skip
    """Play what is missing; ``play`` plays chunks of blocks, ``workers``: how many it has.

    ``swept``: what this process knows of the folder from an earlier run; it knows more when this returns.

    Raises:
        ConfigError: the folder holds something else, or cannot be written.
        NotWritten: the disk refused a batch; what the folder holds is whole.
    """
    with writer(folder) as store:
        tournament = scheduled(tournament, store, extend=extend)
        store.status({"workers": workers, "host": socket.gethostname(), "began": time.time()})
        swept = {} if swept is None else swept
        for problem in store.sweep(swept):
            progress.warn(problem)
        games = len(schedule.design_of(tournament).seatings)
        found = {block for blocks in swept.values() for block in blocks}
        done = len(_scheduled(tournament, found))
        progress.begin(blocks=tournament.blocks, done=done, games=games)
        size = chunk_size(tournament, games, done, workers)
        outcome = Outcome(scheduled=0, before=0)
        for coming in rounds(tournament, lambda: store.table("matches"), store.lineups):
            share = min(size, max(1, coming.size // workers))  # of a short round every worker has a part
            outcome.scheduled += coming.size
            _play(_Run(coming, store, progress, outcome), found, play, share)
            if not outcome.complete:
                break  # what comes next may depend on what is missing
        return outcome


def scheduled(tournament: Tournament, store: Writer, *, extend: bool) -> Tournament:
    """Write down what is to be played; return it, with the bots that joined and left on the way.

    Raises:
        ConfigError: the folder holds something else, or what changes was played already.
        NotWritten: the disk refused.
    """
    tournament = settled(tournament, store, extend=extend)
    store.create(plan_of(tournament), extend=extend)
    return tournament


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
    written = {"tournament_id": tournament.id, **tournament.model_dump(mode="json", exclude={"tables", "isolation"})}
    left_out = {"files", "isolation", "reads"}  # how bots travel changes no result; how they are kept, every row says
    written["bots"] = [
        bot.model_dump(mode="json", exclude=left_out | {"cwd"} if bot.is_reference else left_out) for bot in tournament.bots
    ]  # a reference bot is the same in every folder
    return written


def chunk_size(tournament: Tournament, games: int, done: int, workers: int) -> int:
    """Blocks that go to a worker, and into a batch of files, at once: enough to fill its tables, and more in a long
    tournament, whose files would be too many; but never so many that a short one comes in two or three steps."""
    missing = tournament.blocks - done
    fill = max(1, tournament.tables // games // 2, missing // MANY_BATCHES)
    steps = max(1, missing // (8 * workers))
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


@dataclass(frozen=True)
class _Run:
    """What the parts of a round share."""

    coming: Round
    store: Writer
    progress: Progress
    outcome: Outcome
    aside: list[SetAside] = field(default_factory=list)


def _play(run: _Run, found: set[str], play: Play, size: int) -> None:
    """Play what is missing of a round."""
    for result in play(_missing(run, found, size)):
        if isinstance(result, SetAside):
            run.aside.append(result)
            run.outcome.set_aside += 1
            run.store.quarantine([_told(one) for one in run.aside])
            run.progress.warn(f"block {result.block.id} is set aside after {result.attempts} attempts: {result.why}")
        else:
            _keep(run, result)


def _told(one: SetAside) -> dict[str, object]:
    block = one.block
    return {"block": block.index, "block_id": block.id, "lineup": block.lineup, "attempts": one.attempts, "why": one.why}


def _missing(run: _Run, found: set[str], size: int) -> Iterator[Sequence[Block]]:
    """What is not there yet, in chunks; empty ones while there is little room on the disk."""
    missing = _less(run, found)
    is_told = False
    while True:
        if shortage := run.store.shortage():
            if not is_told:
                run.progress.warn(f"{shortage}; nothing new is played until there is more room")
            is_told = True
            yield []
            continue
        is_told = False
        chunk = list(islice(missing, size))
        if not chunk:
            return
        yield chunk


def _less(run: _Run, found: set[str]) -> Iterator[Block]:
    for block in run.coming.blocks:
        if block.id in found:
            run.outcome.before += 1
        else:
            yield block


def _keep(run: _Run, chunk: Chunk) -> None:
    """Write a chunk down; while the disk refuses nothing new is played, and it is tried again."""
    put = _patiently(run, chunk)
    if put is Put.WRITTEN:
        run.outcome.played += len(chunk.block_ids)
        run.outcome.faults += chunk.faults
        run.progress.played(chunk)
    elif put is Put.CONFLICT:
        run.outcome.conflicts += 1
        run.progress.warn(
            f"batch {chunk.name} was there already, with other results: the first stands, the second is under conflicts/; "
            "a bot that is not deterministic, or a fault of this program"
        )


def _patiently(run: _Run, chunk: Chunk) -> Put:
    began, told = time.monotonic(), ""
    while True:
        try:
            return run.store.write(chunk.name, chunk.files)
        except NotWritten as error:
            if time.monotonic() - began >= PATIENCE_S:
                raise
            if error.why != told:
                run.progress.warn(f"{error.why}; nothing new is played until it can be")
                told = error.why
            time.sleep(RETRY_S)
