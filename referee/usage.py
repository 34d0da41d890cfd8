"""What a bot's processes had of the processors, and how long they had to wait for them (Linux)."""

from __future__ import annotations

import os
import sys
import threading
import time


def below(pid: int) -> list[int]:
    """A process and all below it; those that have ended are left out. Some ten microseconds a thread."""
    found, processes = [], [pid]
    while processes:
        process = processes.pop()
        folder = f"/proc/{process}/task"
        try:
            for thread in os.listdir(folder):
                processes += map(int, _read(f"{folder}/{thread}/children").split())
            found.append(process)
        except OSError:
            continue  # it ended meanwhile, or the kernel does not tell
    return found


def cpu_s(pid: int) -> float | None:
    """Seconds that a process has run, its threads that have ended included; None when it is gone. A microsecond."""
    try:
        return time.clock_gettime(~pid << 3 | 2)  # the id of a process's clock, as clock_getcpuclockid(3) makes it
    except OSError:
        return None


def delay_s(pid: int) -> float:
    """Seconds that the threads of a process could have run and had to wait for a processor, added up.

    0 when it is gone, or the kernel does not tell. What ended threads had to wait is not in it, so that the difference of two reads
    may be too small.
    """
    folder, waited = f"/proc/{pid}/task", 0
    try:
        for thread in os.listdir(folder):
            waited += int(_read(f"{folder}/{thread}/schedstat").split()[1])
    except (OSError, IndexError):
        pass  # it ended meanwhile
    return waited / 1e9


class _Own(threading.local):
    """The account of the thread that asks, kept open: so a read takes two microseconds."""

    def __init__(self) -> None:
        try:
            self.file = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self.file = -1

    def delay_s(self) -> float:
        """Seconds that this thread could have run and had to wait for a processor."""
        return int(os.pread(self.file, 128, 0).split()[1]) / 1e9 if self.file >= 0 else 0.0


_own = _Own()


class Meter:
    """Tells what of a span was not the bot's time: the host was overloaded, or the referee stood still.

    A span begins when the bot gets something to do. In it the bot is taken to have been busy for at least as long as
    it ran, and otherwise for as long as neither it nor we had to wait for a processor. To measure its waiting costs a
    tenth of a millisecond and more, so nobody looks before the span has become long.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.looked = False
        self._since = 0.0
        self._stalled = 0.0
        self._own = 0.0
        self._cpu: dict[int, float] = {}
        self._delay: dict[int, float] = {}
        self._pids: list[int] = []

    def begin(self, now: float) -> None:
        """A span begins."""
        if not self._pids:
            self._pids = below(self.pid)
        self._since, self._stalled, self.looked, self._own = now, 0.0, False, _own.delay_s()
        self._delay = {}
        self._cpu = {pid: ran for pid in self._pids if (ran := cpu_s(pid)) is not None}

    def look(self) -> None:
        """Measure the waiting from now on, and see which processes there are."""
        self._pids = below(self.pid)
        for pid in self._pids:
            self._cpu.setdefault(pid, cpu_s(pid) or 0.0)
        self._delay = {pid: delay_s(pid) for pid in self._pids}
        self.looked = True

    def stall(self, seconds: float) -> None:
        """The referee stood still for so long."""
        self._stalled += seconds

    def settle(self, now: float) -> float:
        """Seconds of the span so far that are not the bot's; the rest of the span is counted from here."""
        if not self.looked and not self._stalled:
            return 0.0
        cpu = {pid: cpu_s(pid) or before for pid, before in self._cpu.items()}
        delay = {pid: max(before, delay_s(pid)) for pid, before in self._delay.items()}
        own = _own.delay_s()
        wall = now - self._since
        ran = sum(cpu.values()) - sum(self._cpu.values())
        waited = sum(delay.values()) - sum(self._delay.values()) + max(self._stalled, own - self._own)
        self._since, self._stalled, self._own, self._cpu, self._delay = now, 0.0, own, cpu, delay
        return max(0.0, wall - max(ran, wall - waited))


def meter(pid: int) -> Meter | None:
    """A meter for a process and all below it, where this system tells what it needs."""
    return Meter(pid) if sys.platform == "linux" and os.path.exists("/proc/self/schedstat") else None


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 1 << 16)
    finally:
        os.close(file)
