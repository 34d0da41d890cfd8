"""The one module that imports Ray: workers that play chunks of blocks, on this machine or on many."""

from __future__ import annotations

import logging
import os
import secrets
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# Without a token anybody who reaches Ray's ports could run code here; it has to be set before Ray is imported.
os.environ.setdefault("RAY_AUTH_MODE", "token")
os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
os.environ.setdefault("RAY_ENABLE_WORKER_PRESTART", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray  # the lines above have to come first

from cluster.arena import Arena, Chunk
from cluster.schedule import Block
from cluster.tournament import Tournament
from referee.host import PlatformError

#: Chunks under way at each worker: while one ends, the next keeps its tables full.
IN_FLIGHT = 3
MAX_ATTEMPTS = 3
_WORKER_ENV = {"GRPC_ENABLE_FORK_SUPPORT": "0", "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}




class _Worker:
    """A Ray actor: an arena in a process of its own. Ray never retries it; the requeue is ours."""

    def __init__(self, tournament: str) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver, which ends us in order
        self._arena = Arena(Tournament.model_validate_json(tournament))

    def play(self, blocks: Sequence[Block], attempt: int) -> Chunk:
        return self._arena.play(blocks, attempt)

    def close(self) -> None:
        self._arena.close()


class Workers:
    """Plays chunks on so many workers, and hands the results on as they come, in any order."""

    def __init__(self, tournament: Tournament, workers: int) -> None:
        self._text = tournament.model_dump_json()
        self._actors: list[Any] = [self._actor() for _ in range(workers)]
        self._running: dict[Any, tuple[Any, Sequence[Block], int]] = {}

    def play(self, chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        """Play all chunks; only a few are ever taken from the iterator ahead of time.

        Raises:
            PlatformError: blocks whose workers died three times.
        """
        again: deque[tuple[Sequence[Block], int]] = deque()
        while True:
            self._submit(chunks, again)
            if not self._running:
                return
            ready, _ = ray.wait(list(self._running), num_returns=1)
            actor, blocks, attempt = self._running.pop(ready[0])
            try:
                yield ray.get(ready[0])
            except (ray.exceptions.RayActorError, ray.exceptions.RayTaskError) as error:
                if isinstance(error, ray.exceptions.RayTaskError) and not isinstance(error.cause, PlatformError):
                    raise
                if attempt >= MAX_ATTEMPTS:
                    names = ", ".join(block.id for block in blocks)
                    raise PlatformError(f"workers died {attempt} times under blocks {names}: {error}") from error
                again.append((blocks, attempt + 1))
                self._replace(actor)

    def close(self) -> None:
        """End the workers and their bots in order."""
        closing = [actor.close.remote() for actor in self._actors]
        ray.wait(closing, num_returns=len(closing), timeout=10)
        for actor in self._actors:
            ray.kill(actor)

    def _submit(self, chunks: Iterator[Sequence[Block]], again: deque[tuple[Sequence[Block], int]]) -> None:
        while True:
            load = {id(actor): 0 for actor in self._actors}
            for actor, _, _ in self._running.values():
                load[id(actor)] = load.get(id(actor), 0) + 1
            free = min(self._actors, key=lambda actor: load[id(actor)])
            if load[id(free)] >= IN_FLIGHT:
                return
            blocks, attempt = again.popleft() if again else (next(chunks, None), 1)
            if blocks is None:
                return
            self._running[free.play.remote(blocks, attempt)] = (free, blocks, attempt)

    def _replace(self, actor: Any) -> None:
        """Put a new worker in the place of one that failed; its other chunks fail by themselves and come back."""
        if actor in self._actors:
            ray.kill(actor)
            self._actors[self._actors.index(actor)] = self._actor()

    def _actor(self) -> Any:
        options = {"max_restarts": 0, "max_task_retries": 0, "max_concurrency": IN_FLIGHT + 1, "num_cpus": 1}
        return ray.remote(_Worker).options(**options).remote(self._text)


@contextmanager
def cluster(address: str | None, workers: int) -> Iterator[None]:
    """A Ray cluster: in this process's own, or the running one at ``address``."""
    options: dict[str, Any] = {"address": address} if address else {"num_cpus": workers, "object_store_memory": 256 << 20}
    ray.init(
        include_dashboard=False,
        log_to_driver=True,
        logging_level=logging.ERROR,
        runtime_env={"env_vars": _WORKER_ENV},
        **options,
    )
    try:
        yield
    finally:
        ray.shutdown()


def default_workers() -> int:
    """One worker for each two processors: its bots need the other."""
    return max(1, (os.cpu_count() or 1) // 2)
