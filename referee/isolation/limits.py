"""What one bot process may use."""

from __future__ import annotations

import resource
from dataclasses import dataclass

MEGABYTE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Limits:
    """``memory_mb``, ``scratch_mb``: megabytes (2²⁰ bytes) of memory, and of files below its home. ``processes``: with their
    threads. ``cpu``: processors, 0.5 being half of one's time. ``output_mb``: what it may print in all.
    """

    memory_mb: int = 512
    processes: int = 128
    cpu: float = 1.0
    scratch_mb: int = 64
    output_mb: int = 4096


def restrict(limits: Limits, *, count_processes: bool) -> None:
    """Set the limits that a process carries itself; called between fork and exec.

    Not the address space, as a JVM reserves far more than it uses. The number of processes counts for a whole user, and
    so is a limit of one bot only where it has a user of its own.
    """
    size = limits.scratch_mb * MEGABYTE
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (64 * 1024, 64 * 1024))
    resource.setrlimit(resource.RLIMIT_MSGQUEUE, (0, 0))
    if count_processes:
        resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes, limits.processes))
