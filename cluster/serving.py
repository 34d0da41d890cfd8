"""Plays a tournament in this process, as remote bots know one address: that of its gate."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Lock

from cluster.arena import Arena, Chunk
from cluster.requeue import SetAside
from cluster.schedule import Block
from cluster.tournament import Tournament
from referee.gate import Gate, Listen
from referee.host import PlatformError

#: Chunks under way: while one ends, the next keeps the tables full.
IN_FLIGHT = 3
MAX_ATTEMPTS = 3


class Crew:
    """One arena with a gate; it is replaced when it breaks, and remote bots come to the next one.

    ``whose``: whose token it is; ``warn`` is told in a sentence whatever broke.
    """

    def __init__(
        self, tournament: Tournament, listen: Listen, whose: Callable[[str], str], warn: Callable[[str], None]
    ) -> None:
        self._tournament = tournament
        self._listen = listen
        self._whose = whose
        self._warn = warn
        self._lock = Lock()
        self._arena = self._new()

    def play(self, chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk | SetAside]:
        """Play all chunks; blocks that broke the arena three times are set aside."""
        again: deque[tuple[Sequence[Block], int]] = deque()
        running: dict[Future[Chunk], tuple[Arena, Sequence[Block], int]] = {}
        with ThreadPoolExecutor(IN_FLIGHT) as pool:
            while True:
                while len(running) < IN_FLIGHT:
                    blocks, attempt = again.popleft() if again else (next(chunks, None), 1)
                    if not blocks:  # none at the moment, or none at all
                        break
                    running[pool.submit(self._arena.play, blocks, attempt)] = (self._arena, blocks, attempt)
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    arena, blocks, attempt = running.pop(future)
                    try:
                        yield future.result()
                    except PlatformError as error:
                        self._replace(arena, str(error))
                        if attempt < MAX_ATTEMPTS:
                            again.append((blocks, attempt + 1))
                        else:
                            yield from (SetAside(block, attempt, str(error)) for block in blocks)

    def close(self) -> None:
        """Say goodbye to all bots."""
        self._arena.close()

    def _replace(self, broken: Arena, why: str) -> None:
        """Put a new arena in the place of one that broke; several chunks may have broken with it."""
        with self._lock:
            if self._arena is broken:
                self._warn(f"{why}; what was being played is played again")
                broken.close()
                self._arena = self._new()

    def _new(self) -> Arena:
        remote = frozenset(bot.name for bot in self._tournament.bots if bot.remote)
        return Arena(self._tournament, Gate(self._listen, remote, self._whose))
