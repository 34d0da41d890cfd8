"""What a bot's processes have had of the processors, and how long they had to wait for them (Linux)."""

from __future__ import annotations

import os
from typing import NamedTuple


class Usage(NamedTuple):
    """Seconds since the start of a process, added up over all threads of it and of the processes below it.

    ``cpu``: in which they ran. ``delay``: in which they could have run, and had to wait for a processor.
    """

    cpu: float = 0.0
    delay: float = 0.0


def usage(pid: int) -> Usage | None:
    """The usage of a process and all below it; None where it has ended, or this system does not tell.

    A read takes some ten microseconds a thread. What threads and processes have used that have ended meanwhile is
    not in it, so that the difference of two reads can be too small, and even negative.
    """
    cpu = delay = 0
    processes, seen = [pid], False
    while processes:
        folder = f"/proc/{processes.pop()}/task"
        try:
            threads = os.listdir(folder)
        except OSError:
            continue  # it ended meanwhile
        for thread in threads:
            try:
                ran, waited, _ = _read(f"{folder}/{thread}/schedstat").split()
                processes += map(int, _read(f"{folder}/{thread}/children").split())
            except (OSError, ValueError):
                continue  # it ended meanwhile, or the kernel keeps no such account
            cpu, delay, seen = cpu + int(ran), delay + int(waited), True
    return Usage(cpu / 1e9, delay / 1e9) if seen else None


def busy_s(wall: float, before: Usage, after: Usage) -> float:
    """How long a bot was busy in a span of so many seconds, the host's load left out: at least what it computed.

    Waiting is added up over threads, so that it can be more than the span; hence the floor and the ceiling.
    """
    cpu, delay = after.cpu - before.cpu, after.delay - before.delay
    return min(max(0.0, cpu, wall - max(0.0, delay)), wall)


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 1 << 16)
    finally:
        os.close(file)
