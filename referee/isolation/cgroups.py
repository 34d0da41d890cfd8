"""Control groups: limits of memory, processes and CPU that hold for all that a bot starts, and a kill that misses nothing.

Both forms of the kernel's interface: the unified one (v2), and a hierarchy for each controller (v1), beside which a
unified one may stand that has no controllers but can kill.
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from referee.isolation.limits import MEGABYTE, Limits

CONTROLLERS = ("memory", "pids", "cpu")
#: Names of our groups begin so; nothing else is ever killed or removed.
PREFIX = "kingmaker-"
PERIOD_US = 100_000
#: For so long the end of a group is waited for.
EMPTY_S = 3.0


@dataclass(frozen=True)
class Place:
    """Where groups can be made in one hierarchy, and the controllers that work there."""

    folder: Path
    controllers: tuple[str, ...]
    unified: bool


@cache
def places() -> tuple[Place, ...]:
    """Where this process may make groups; none where the host lets it not."""
    return tuple(_usable(place) for place in _own() if os.access(place.folder, os.W_OK))


def controllers() -> set[str]:
    """The controllers that this process can use."""
    return {name for place in places() for name in place.controllers}


class Group:
    """The control group of one bot process, in every hierarchy that can be used.

    Raises:
        OSError: it could not be made, though `places` says that it can.
    """

    def __init__(self, name: str, limits: Limits) -> None:
        self.parts = [(place, place.folder / f"{PREFIX}{name}") for place in places()]
        for place, folder in self.parts:
            folder.mkdir()
            for file, value in _settings(place, limits):
                if (folder / file).exists():  # an old kernel, or one built without swap, lacks some
                    (folder / file).write_text(value)

    @property
    def folders(self) -> list[Path]:
        """All its folders."""
        return [folder for _, folder in self.parts]

    def join(self) -> None:
        """Put this process into the group; called between fork and exec."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text("0")

    def verdict(self, code: int) -> str:
        """Which limit was run into by what ended with this code; empty where none was."""
        killed = self._count("memory.events", "oom_kill") or self._count("memory.oom_control", "oom_kill")
        most = self._count("memory.max_usage_in_bytes", "")
        full = most and most >= self._count("memory.limit_in_bytes", "")
        if killed or (full and code == -signal.SIGKILL):  # v1 counts in the group of the victim, which may be further in
            return "out of memory"
        crowd = self._count("pids.peak", "")
        if self._count("pids.events", "max") or (crowd and crowd >= self._count("pids.max", "")):
            return "too many processes"
        return ""

    def kill(self) -> None:
        """Kill all that is in the group."""
        kill(self.folders)

    def remove(self) -> bool:
        """Kill all, and take the group away; return whether nothing is left."""
        return remove(self.folders)

    def _count(self, file: str, word: str) -> int:
        for folder in self.folders:
            try:
                text = (folder / file).read_text()
            except OSError:
                continue
            if found := re.search(rf"^{word} ?(\d+)$", text, re.M):
                return int(found[1])
        return 0


def kill(folders: list[Path]) -> None:
    """Kill all processes of a group, given by its folders."""
    for folder in folders:
        try:
            (folder / "cgroup.kill").write_text("1")
        except OSError:
            for pid in _members(folder):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass  # it has ended meanwhile


def remove(folders: list[Path]) -> bool:
    """Kill all processes of a group until it is empty, and take its folders away; return whether nothing is left."""
    folders = [folder for folder in folders if folder.name.startswith(PREFIX)]
    deadline = time.monotonic() + EMPTY_S
    while (left := [folder for folder in folders if not _gone(folder)]) and time.monotonic() < deadline:
        kill(left)
        time.sleep(0.001)
    return not left


def _gone(folder: Path) -> bool:
    try:
        for inner in _groups(folder):
            inner.rmdir()
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False  # somebody is in it
    return True


def _members(folder: Path) -> list[int]:
    found = []
    for group in (*_groups(folder), folder):
        try:
            found += [int(line) for line in (group / "cgroup.procs").read_text().split()]
        except OSError:
            pass  # it is gone
    return found


def _groups(folder: Path) -> list[Path]:
    """All groups below, innermost first."""
    return [Path(path) for path, _, _ in os.walk(folder, topdown=False) if path != str(folder)]


def _settings(place: Place, limits: Limits) -> Iterator[tuple[str, str]]:
    """Files of a group, and what is written into them; in this order."""
    memory, quota = str(limits.memory_mb * MEGABYTE), max(1_000, int(limits.cpu * PERIOD_US))
    if "memory" in place.controllers and place.unified:
        yield from (("memory.max", memory), ("memory.swap.max", "0"), ("memory.oom.group", "1"))
    elif "memory" in place.controllers:
        yield from (("memory.limit_in_bytes", memory), ("memory.memsw.limit_in_bytes", memory))
    if "pids" in place.controllers:
        yield "pids.max", str(limits.processes)
    if "cpu" in place.controllers and place.unified:
        yield "cpu.max", f"{quota} {PERIOD_US}"
    elif "cpu" in place.controllers:
        yield from (("cpu.cfs_period_us", str(PERIOD_US)), ("cpu.cfs_quota_us", str(quota)))


def _own() -> Iterator[Place]:
    """The groups that this process is in, by hierarchy; the top of a hierarchy where the own one cannot be seen."""
    try:
        mounts, own = Path("/proc/self/mounts").read_text(), Path("/proc/self/cgroup").read_text()
    except OSError:
        return
    paths = {names: path.lstrip("/") for _, names, path in (line.split(":", 2) for line in own.splitlines())}
    for _, point, kind, options, *_ in (line.split() for line in mounts.splitlines()):
        words = options.split(",")
        names = [name for name in CONTROLLERS if name in words]
        if kind == "cgroup2":
            path = paths.get("", "")
        elif kind == "cgroup" and names:
            path = next((own for listed, own in paths.items() if names[0] in listed.split(",")), "")
        else:
            continue
        folder = Path(point) / path
        yield _place(folder if folder.is_dir() else Path(point), names, unified=kind == "cgroup2")


def _place(folder: Path, names: list[str], *, unified: bool) -> Place:
    if unified:
        try:
            offered = (folder / "cgroup.controllers").read_text().split()
        except OSError:
            offered = []
        names = [name for name in CONTROLLERS if name in offered]
    return Place(folder, tuple(names), unified)


def _usable(place: Place) -> Place:
    """The place with those controllers that can be switched on for groups in it."""
    if not place.unified or not place.controllers:
        return place
    try:
        given = " ".join(f"+{name}" for name in place.controllers)
        (place.folder / "cgroup.subtree_control").write_text(given)
    except OSError:
        return replace(place, controllers=())  # processes in a group that is not the topmost: see docs/isolation.md
    return place
