"""What is played next, and what becomes of blocks whose worker broke. It knows nothing of Ray.

A worker plays several chunks at once, so that its death does not say which of them was the cause. All of them are
played again, each alone on a worker: only a death under a chunk that was alone is held against it. After two of these
the chunk is taken apart into single blocks, and a block that was alone under three deaths is set aside.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cluster.schedule import Block

#: Deaths under a chunk that was alone, before it is taken apart; and under a block, before it is set aside.
SPLIT_AFTER, ASIDE_AFTER = 2, 3


@dataclass(frozen=True)
class Task:
    """Blocks for a worker; ``attempt``: how often they are played with this time; ``deaths``: those held against them.

    ``alone``: they are under suspicion, and nothing else is played beside them.
    """

    blocks: tuple[Block, ...]
    attempt: int = 1
    deaths: int = 0
    alone: bool = False


@dataclass(frozen=True)
class SetAside:
    """A block that broke its worker each time that it was played there alone."""

    block: Block
    attempts: int
    why: str


class Requeue:
    """The tasks of a run, taken from ``chunks`` as they are asked for; an empty chunk means: nothing at the moment."""

    def __init__(self, chunks: Iterator[Sequence[Block]]) -> None:
        self._chunks = chunks
        self._void: deque[Task] = deque()
        self._suspects: deque[Task] = deque()
        self._is_exhausted = False

    @property
    def is_empty(self) -> bool:
        """Nothing is left, and nothing will come."""
        return self._is_exhausted and not self._void and not self._suspects

    def next(self, load: int) -> Task | None:
        """The next task of a worker that plays so many others now; None: nothing for it at the moment.

        While somebody is under suspicion workers are let run empty, so that it comes before everything else.
        """
        if self._suspects:
            return self._suspects.popleft() if load == 0 else None
        if self._void:
            return self._void.popleft()
        blocks = None if self._is_exhausted else next(self._chunks, None)
        self._is_exhausted = blocks is None
        return Task(tuple(blocks)) if blocks else None

    def void(self, tasks: Sequence[Task], why: str, *, blame: bool = True) -> list[SetAside]:
        """Take back all that a worker was playing when it broke; return what is not played again.

        ``blame``: the cause may be in what was played; it is not when a whole node went.
        """
        aside: list[SetAside] = []
        for task in tasks:
            again = replace(task, attempt=task.attempt + 1)
            if not blame:
                (self._suspects if task.alone else self._void).append(again)
                continue
            again = replace(again, alone=True, deaths=task.deaths + (len(tasks) == 1))
            if len(again.blocks) > 1 and again.deaths >= SPLIT_AFTER:
                self._suspects += [replace(again, blocks=(block,), deaths=0) for block in again.blocks]
            elif again.deaths >= ASIDE_AFTER:
                aside.append(SetAside(again.blocks[0], task.attempt, why))
            else:
                self._suspects.append(again)
        return aside
