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


def is_queued(pid: int, but: int = 0) -> bool:
    """Whether a thread of a process, ``but`` one, runs or waits for a processor at this moment."""
    folder = f"/proc/{pid}/task"
    try:
        threads = [thread for thread in os.listdir(folder) if int(thread) != but]
        return any(_read(f"{folder}/{thread}/stat").rpartition(b") ")[2].startswith(b"R") for thread in threads)
    except OSError:
        return False  # it ended meanwhile


class _Own(threading.local):
    """The account of the thread that asks, kept open: so a read takes two microseconds.

    Its loop tells when it comes round; whatever had arrived when it did so before has been dealt with. ``thread_s`` and,
    every now and then while anybody looks, ``process_s``: what this thread and all of the process had waited at that moment.
    """

    SAMPLE_S, LOOKED_FOR_S = 0.05, 60.0  # else all waits of a long thought would be taken for the answer's

    def __init__(self) -> None:
        self.thread_s = self.process_s = self.sampled = self.looked = 0.0
        self._next = 0.0, 0.0
        try:
            self.file = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self.file = -1

    def delay_s(self) -> float:
        """Seconds that this thread could have run and had to wait for a processor."""
        return int(os.pread(self.file, 128, 0).split()[1]) / 1e9 if self.file >= 0 else 0.0


    def come_round(self, now: float) -> None:
        """The loop of this thread is where it looks for what has arrived."""
        thread_s, process_s = self._next
        self.thread_s, self._next = thread_s, (self.delay_s(), process_s)
        if now - self.looked < self.LOOKED_FOR_S and now - self.sampled > self.SAMPLE_S:
            waited = delay_s(os.getpid())
            if not is_queued(os.getpid(), threading.get_native_id()):  # else an answer may be on its way through us
                self.process_s, self._next, self.sampled = process_s, (self._next[0], waited), now


_own = _Own()
come_round = _own.come_round


class Meter:
    """Tells what of a span was not the bot's time: the host was overloaded, or the referee stood still.

    A span begins when the bot gets something to do. In it the bot is taken to have been busy for at least as long as
    it ran, and otherwise for as long as neither it had to wait for a processor nor we, on the last stretch of the answer's
    way. To measure that costs a tenth of a millisecond and more, so nobody looks before the span has become long.
    """

    #: So often the answer may be on its way when its time is up.
    MOST_DOUBTS = 10
    #: What is not worth a closer look.
    SHORT_S = 0.005

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.looked = False
        self._since = 0.0
        self._stalled = 0.0
        self._own = 0.0
        self._ours = 0.0
        self._unseen = 0.0
        self._doubts = 0
        self._cpu: dict[int, float] = {}
        self._delay: dict[int, float] = {}
        self._pids: list[int] = []

    def begin(self, now: float) -> None:
        """A span begins."""
        if not self._pids:
            self._pids = below(self.pid)
        self._since, self._stalled, self.looked, self._own = now, 0.0, False, _own.delay_s()
        self._delay, self._unseen, self._doubts = {}, 0.0, 0
        self._cpu = {pid: ran for pid in self._pids if (ran := cpu_s(pid)) is not None}

    def look(self) -> None:
        """Measure the waiting from now on, and see which processes there are."""
        self._pids = below(self.pid)
        for pid in self._pids:
            self._cpu.setdefault(pid, cpu_s(pid) or 0.0)
        self._delay = {pid: delay_s(pid) for pid in self._pids}
        self._ours, _own.looked = delay_s(os.getpid()), time.monotonic()
        self._unseen = max(self._unseen, _own.delay_s() - self._own)  # that long nobody could look
        self.looked = True

    def in_doubt(self, deadline: float) -> bool:
        """Whether it cannot be told yet how long the bot had to wait: the kernel books a wait when it is over.

        That is so while the bot, or what of us an answer passes, wants a processor; not if the bot ran long enough to be late.
        """
        ran = sum(cpu_s(pid) or before for pid, before in self._cpu.items()) - sum(self._cpu.values())
        if ran >= deadline - self._since:
            return False
        if any(is_queued(pid) for pid in self._pids):
            return True
        self._doubts += 1  # a bot could keep us busy by what it sends
        return self._doubts <= self.MOST_DOUBTS and is_queued(os.getpid(), threading.get_native_id())

    def sent(self, now: float) -> None:
        """We hear that the bot has got it, and begin to watch."""
        self._unseen = now - self._since

    def stall(self, seconds: float) -> None:
        """The referee stood still for so long."""
        self._stalled += seconds

    def settle(self, now: float) -> float:
        """Seconds of the span so far that are not the bot's; the rest of the span is counted from here."""
        if not self.looked and not self._stalled and now - self._since < self.SHORT_S:
            return 0.0
        cpu = {pid: cpu_s(pid) or before for pid, before in self._cpu.items()}
        delay = {pid: max(before, delay_s(pid)) for pid, before in self._delay.items()}
        own, ours = _own.delay_s(), delay_s(os.getpid()) if self.looked else 0.0
        wall = now - self._since
        ran = sum(cpu.values()) - sum(self._cpu.values())
        late = max(own - max(self._own, _own.thread_s), ours - max(self._ours, _own.process_s))
        waited = sum(delay.values()) - sum(self._delay.values()) + self._unseen + max(self._stalled, late)
        self._unseen = 0.0
        self._since, self._stalled, self._own, self._ours, self._cpu, self._delay = now, 0.0, own, ours, cpu, delay
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
