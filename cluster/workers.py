"""The one module that imports Ray: workers that play chunks of blocks, on this machine or on many.

The token has to be in the environment before this module is imported (see `cluster.ray_token`).
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

os.environ.setdefault("RAY_ENABLE_WORKER_PRESTART", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # what a worker that is ended still had to say

import ray  # the lines above have to come first

from cluster import baggage, hosting, node
from cluster.arena import Arena, Chunk
from cluster.requeue import Requeue, SetAside, Task
from cluster.schedule import Block
from cluster.tournament import BotEntry, Tournament
from referee.host import PlatformError
from referee.isolation.errors import IsolationError
from referee.processes import Overloaded
from referee.rules.errors import ConfigError

#: Chunks under way at each worker: while one ends, the next keeps its tables full.
IN_FLIGHT = 3
#: So many workers in a row may fail to start.
MAX_FAILED_STARTS = 3
#: So often in a row a machine may give a bot no processor; then it gets no new worker in the place of the one that broke.
MAX_OVERLOADS = 3
#: How often the driver looks up while nothing comes, how often it asks a worker for a sign of life, and how long it waits.
LOOK_S, PULSE_S, SILENT_S = 1.0, 20.0, 60.0
#: A worker that has grown beyond this is replaced once it has played what it has: gRPC's memory grows in some patterns.
MAX_WORKER_BYTES = 2 << 30
_WORKER_ENV = {"GRPC_ENABLE_FORK_SUPPORT": "0", "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
#: A cluster of our own is found at this address only, where the system has it: Ray takes 127.0.0.1 for "any".
_LOOPBACK = {"_node_ip_address": "127.0.0.2"} if sys.platform == "linux" else {}

#: The files of bots by name: what they are called, and a list with the one reference to their bytes.
Bags = Mapping[str, tuple[str, list[Any]]]


class _Worker:
    """A Ray actor: an arena in a process of its own. Ray never retries it; the requeue is ours."""

    def __init__(self, tournament: str, bags: Bags | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver, which ends us in order
        self._tournament = Tournament.model_validate_json(tournament)
        self._bags = bags
        self._arena: Arena | None = None

    def start(self, facts: dict[str, str]) -> tuple[str, list[str]]:
        """Compare this node with the driver's, and start the arena; return the node's id, and what is wrong with it."""
        here = ray.get_runtime_context().get_node_id()
        problems = node.differences(node.facts(), facts)
        if not problems:
            bots = tuple(self._unpacked(bot) for bot in self._tournament.bots)
            tournament = self._tournament.model_copy(update={"bots": bots})
            problems = hosting.obstacles(tournament)
        if not problems:
            try:
                self._arena = Arena(tournament)
            except IsolationError as error:
                problems = [str(error)]
        return here, problems

    def play(self, blocks: Sequence[Block], attempt: int) -> tuple[Chunk, int]:
        """Play them; return the memory of this process too."""
        assert self._arena is not None
        return self._arena.play(blocks, attempt), _resident()

    def pulse(self) -> None:
        """Answer while the arena's loop turns."""
        if self._arena is not None:
            self._arena.pulse()

    def close(self) -> None:
        if self._arena is not None:
            self._arena.close()

    def _unpacked(self, bot: BotEntry) -> BotEntry:
        """The bot as it is started here: among its own files, where nodes share none."""
        if self._bags is None:
            return bot
        if bot.name not in self._bags:
            return bot.model_copy(update={"cwd": None})
        name, reference = self._bags[bot.name]
        if not baggage.place(name).exists():
            bag: Any = ray.get(reference[0])
            baggage.unpack(name, bag)
        return bot.model_copy(update={"cwd": str(baggage.place(name))})


@dataclass(eq=False)
class _Member:
    """A worker as the driver sees it. ``node``: empty until it has started; ``retires``: it gets nothing more."""

    actor: Any
    node: str = ""
    tasks: dict[Any, Task] = field(default_factory=dict)
    retires: bool = False
    pulse: Any = None
    seen: float = field(default_factory=time.monotonic)

    @property
    def is_full(self) -> bool:
        return self.retires or len(self.tasks) >= IN_FLIGHT or any(task.alone for task in self.tasks.values())


class Workers:
    """Plays chunks on so many workers, and hands the results on as they come, in any order.

    ``warn`` is told in a sentence whatever broke; ``bags``: the files of bots by name, where nodes share no folders.
    """

    def __init__(self, tournament: Tournament, workers: int, warn: Callable[[str], None],
                 bags: Mapping[str, bytes] | None = None) -> None:  # fmt: skip
        self._text = tournament.model_dump_json()
        self._warn = warn
        self._facts = node.facts()
        self._bags = None if bags is None else _put(bags)
        self._failed_starts = 0
        self._overloads: Counter[str] = Counter()
        self._is_told = False
        self._members: list[_Member] = []
        #: Whose start, chunk or pulse a reference stands for.
        self._awaited: dict[Any, _Member] = {}
        for _ in range(workers):
            self._enlist()

    def play(self, chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk | SetAside]:
        """Play all chunks; only a few are ever taken from the iterator ahead of time.

        Raises:
            PlatformError: no worker is left.
            ConfigError: no node is fit for this tournament.
        """
        queue = Requeue(chunks)
        while True:
            self._hand_out(queue)
            if queue.is_empty and not any(member.tasks for member in self._members):
                return
            if not self._awaited:
                time.sleep(LOOK_S)  # everybody is idle, because there is nothing to play at the moment
                continue
            ready, _ = ray.wait(list(self._awaited), num_returns=1, timeout=LOOK_S)
            for reference in ready:
                yield from self._hear(reference, queue)
            yield from self._watch(queue)

    def close(self) -> None:
        """End the workers and their bots in order."""
        closing = [member.actor.close.remote() for member in self._members if member.node]
        ray.wait(closing, num_returns=len(closing), timeout=10) if closing else None
        for member in self._members:
            ray.kill(member.actor)

    def _hand_out(self, queue: Requeue) -> None:
        for member in sorted(self._members, key=lambda member: len(member.tasks)):
            while member.node and not member.is_full:
                task = queue.next(len(member.tasks))
                if task is None:
                    break
                reference = member.actor.play.remote(task.blocks, task.attempt)
                member.tasks[reference] = task
                self._awaited[reference] = member

    def _hear(self, reference: Any, queue: Requeue) -> Iterator[Chunk | SetAside]:
        member = self._awaited.pop(reference)
        try:
            answer = ray.get(reference)
        except ray.exceptions.RayError as error:
            overloaded = isinstance(getattr(error, "cause", None), Overloaded)
            yield from self._broken(member, queue, _reason(error), overloaded=overloaded)
            return
        member.seen = time.monotonic()
        if reference == member.pulse:
            member.pulse = None
        elif reference in member.tasks:
            del member.tasks[reference]
            chunk, size = answer
            self._overloads[member.node] = 0
            member.retires = member.retires or size > MAX_WORKER_BYTES
            yield chunk
            if member.retires and not member.tasks:
                self._discharge(member)
                self._enlist()
        else:
            self._started(member, *answer)

    def _started(self, member: _Member, where: str, problems: list[str]) -> None:
        if not problems:
            member.node, self._failed_starts = where, 0
            return
        self._discharge(member)
        text = f"node {_address(where)} is not fit: {'; '.join(problems)}"
        if not self._members:
            raise ConfigError(text)
        self._warn(f"{text}; it plays nothing")

    def _broken(self, member: _Member, queue: Requeue, why: str, *, overloaded: bool = False) -> Iterator[SetAside]:
        """Put all that a worker was playing back into the queue, and a new one in its place, unless its machine is shut out."""
        tasks = list(member.tasks.values())
        self._discharge(member)
        if member.node:
            self._warn(f"a worker broke ({why}); {sum(len(task.blocks) for task in tasks)} blocks are played again")
        else:
            self._failed_starts += 1
        self._overloads[member.node] += overloaded
        if overloaded and self._overloads[member.node] >= MAX_OVERLOADS:
            self._warn(f"node {_address(member.node)} was overloaded {self._overloads[member.node]} times in a row; the worker is shut out")
        elif self._failed_starts < MAX_FAILED_STARTS:
            self._enlist()
        if not self._members:
            raise PlatformError(f"no worker is left: {why}" if member.node else f"no worker starts: {why}")
        yield from queue.void(tasks, why, blame=not overloaded and _is_alive(member.node))

    def _watch(self, queue: Requeue) -> Iterator[SetAside]:
        """Ask those who have long said nothing for a sign of life; one that does not answer is broken."""
        now = time.monotonic()
        if not self._is_told and all(not member.node and now - member.seen > SILENT_S for member in self._members):
            self._is_told = True
            self._warn("no worker has started for a minute: the cluster has no free processor, or this machine is overloaded")
        for member in [member for member in self._members if member.node]:
            if member.pulse is None and now - member.seen > PULSE_S:
                member.pulse = member.actor.pulse.remote()
                self._awaited[member.pulse] = member
            elif now - member.seen > SILENT_S:
                yield from self._broken(member, queue, f"no sign of life for {SILENT_S:.0f} seconds")

    def _enlist(self) -> None:
        """One worker more; it may wait for a free processor of the cluster."""
        options = {"max_restarts": 0, "max_task_retries": 0, "max_concurrency": IN_FLIGHT + 2, "num_cpus": 1}
        actor: Any = ray.remote(_Worker).options(scheduling_strategy="SPREAD", **options).remote(self._text, self._bags)
        member = _Member(actor)
        self._members.append(member)
        self._awaited[actor.start.remote(self._facts)] = member

    def _discharge(self, member: _Member) -> None:
        self._members.remove(member)
        self._awaited = {reference: other for reference, other in self._awaited.items() if other is not member}
        ray.kill(member.actor)


@contextmanager
def cluster(address: str | None, workers: int) -> Iterator[None]:
    """A Ray cluster: in this process's own, or the running one at ``address``.

    Raises:
        ConfigError: there is no cluster, or it does not let us in.
    """
    own: dict[str, Any] = {"address": "local", "num_cpus": workers, "object_store_memory": 256 << 20, "include_dashboard": False} | _LOOPBACK
    options = {"address": address} if address else own
    try:
        if address and ":" in address:  # Ray itself would try for minutes
            socket.create_connection(address.rsplit(":", 1), timeout=10).close()  # type: ignore[arg-type]  # a port may be a text
        ray.init(
            log_to_driver=False, logging_level=logging.CRITICAL, runtime_env={"env_vars": _WORKER_ENV}, **options,
        )  # fmt: skip
    except Exception as error:  # Ray has many kinds for it
        if address is None:
            raise PlatformError(f"Ray does not start: {_last_line(error)}") from error
        raise ConfigError(f"--address {address}: {_last_line(error)}") from None
    try:
        yield
    finally:
        ray.shutdown()


def default_workers(address: str | None = None) -> int:
    """One worker for each two processors, of this machine or of the cluster that was joined: its bots need the other."""
    processors = sum(one["Resources"].get("CPU", 0) for one in _nodes()) if address else os.cpu_count() or 1
    return max(1, int(processors) // 2)


def _nodes() -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]  # Ray's own lack of a type
    return [one for one in nodes if one["Alive"]]


def _put(bags: Mapping[str, bytes]) -> Bags:
    """Put the files of bots where all nodes can fetch them, each only once."""
    names = {bot: baggage.digest(bag) for bot, bag in bags.items()}
    references = {names[bot]: ray.put(bag) for bot, bag in bags.items()}
    return {bot: (name, [references[name]]) for bot, name in names.items()}


def _is_alive(node_id: str) -> bool:
    return any(one["NodeID"] == node_id for one in _nodes())


def _address(node_id: str) -> str:
    return next((str(one["NodeManagerAddress"]) for one in _nodes() if one["NodeID"] == node_id), node_id)


def _reason(error: Exception) -> str:
    """What broke, in few words; Ray's own account of it is a page long."""
    cause = getattr(error, "cause", None)
    if isinstance(error, ray.exceptions.RayTaskError) and cause is not None:
        return str(cause) if isinstance(cause, PlatformError) else f"{type(cause).__name__}: {cause}"
    return _last_line(error)


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1][:300] if lines else ''}"


def _resident() -> int:
    """The memory of this process, in bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
