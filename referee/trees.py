"""Processes as /proc shows them: what is below one, and which seat one was started for."""

from __future__ import annotations

import os
import signal
from collections.abc import Collection

from referee.isolation.cells import SEAT_VARIABLE


def kill_seats(folder: str) -> None:
    """Kill all processes that were started for a seat below this folder (for a host whose launcher is gone)."""
    for pid in _pids():
        seat = seat_of(pid)
        if seat is not None and os.path.dirname(seat) == folder:
            send(pid, signal.SIGKILL)


def descendants(root: int, without: Collection[int] = ()) -> list[int]:
    """All processes below one, but for the trees of those ``without``."""
    children: dict[int, list[int]] = {}
    for pid in _pids():
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue  # it ended meanwhile
        children.setdefault(parent, []).append(pid)
    found, queue = [], [root]
    while queue:
        inner = [pid for pid in children.get(queue.pop(), []) if pid not in without]
        found += inner
        queue += inner
    return found


def below(pid: int, generations: int) -> int:
    """The only descendant so many generations below, or the last one on the way there."""
    for _ in range(generations):
        try:
            with open(f"/proc/{pid}/task/{pid}/children") as file:
                pid = int(file.read().split()[0])
        except (OSError, IndexError):
            break
    return pid


def seat_of(pid: int) -> str | None:
    """The seat that a process was started for."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return None
    start = f"{SEAT_VARIABLE}=".encode()
    return next((os.fsdecode(word.removeprefix(start)) for word in words if word.startswith(start)), None)


def send(pid: int, number: int) -> None:
    """Send a signal to a process that may be gone."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass  # it ended meanwhile, or has become somebody else's


def _pids() -> list[int]:
    """All processes of the machine; none without /proc."""
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
