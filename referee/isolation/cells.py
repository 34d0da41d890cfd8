"""A cell holds one bot process: what the launcher runs for it, what happens between fork and exec, and what is left after.

The launcher knows nothing of tiers: it opens a cell, starts ``words`` with ``enter``, and closes the cell when the process
has ended. `referee.isolation.tiers.open_cell` picks the tier's own.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from referee.isolation import cgroups, landlock, limits, mounts, seccomp, sight, users
from referee.isolation.limits import MEGABYTE, Limits

SEAT_VARIABLE = "KINGMAKER_SEAT"
#: Beside the folder of its socket and token lie its scratch, and a note of its control groups.
SCRATCH, GROUPS = "-scratch", "-groups"
#: All the environment that a confined bot gets, but for where it finds seat and scratch.
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is to be started: a bot's command, its seat's folder, and what it may read, write and use."""

    name: str
    words: tuple[str, ...]
    cwd: str | None
    env: Mapping[str, str]
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)

    @property
    def seat(self) -> str:
        """The folder with socket and token."""
        return self.env[SEAT_VARIABLE]


class Cell:
    """The trusted tier: a plain process; the others build on it.

    ``words``, ``cwd``, ``env``, ``fds``: what is run, where, with what environment and descriptors above 2.
    """

    def __init__(self, order: Order) -> None:
        self.order = order
        self.words = list(order.words)
        self.cwd = order.cwd
        self.env = dict(order.env)
        self.fds: tuple[int, ...] = ()

    def enter(self) -> None:
        """Confine this process; called between fork and exec."""

    #: So many processes of the tier's own stand above the bot's.
    above = 0

    def started(self) -> None:
        """It runs, or could not be: what only the start needed may go."""

    def kill(self) -> None:
        """Kill all of it, as far as this tier knows what belongs to it."""

    def code(self, code: int) -> int:
        """The bot's own exit status, given that of the process that was started."""
        return code

    def close(self, code: int = 0) -> str:
        """Leave nothing of it, which ended with this code; return which limit it ran into, or nothing."""
        return ""


class Confined(Cell):
    """What all tiers for strangers have in common: as far as the host lets us, a user, a control group and a scratch of
    its own.
    """

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        self.reads = sight.reads(order.words, order.env.get("PATH"), order.cwd, order.reads)
        self._user = users.User() if users.can_switch() else None
        self._group: cgroups.Group | None = None
        self._is_mounted = False
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    @property
    def scratch(self) -> str:
        """The folder that it may write."""
        return self.order.seat + SCRATCH

    def close(self, code: int = 0) -> str:
        """Leave nothing of it; return which limit it ran into."""
        group, user = self._group, self._user
        self._group = self._user = None
        verdict = group.verdict(code) if group is not None else ""
        if self._is_mounted:
            self._is_mounted = False
            verdict = verdict or ("out of disk" if mounts.is_full(self.scratch) else "")
        if group is not None and group.remove():  # else the note stays, and the sweep tries again
            _note(self.order.seat, [])
        if user is not None:
            user.release()
            mounts.unmount(self.scratch)
        shutil.rmtree(self.scratch, ignore_errors=True)
        return verdict

    def kill(self) -> None:
        """Kill all of its group."""
        if self._group is not None:
            self._group.kill()

    def _prepare(self) -> None:
        order = self.order
        for path in (*([order.cwd] if order.cwd else []), *order.reads, *order.writes):
            _check(path)
        self.words[0] = sight.program(order.words[0], order.env.get("PATH"), order.cwd)
        os.makedirs(self.scratch, mode=0o700, exist_ok=True)
        self._group = cgroups.Group(f"{Path(order.seat).parent.name}-{order.name}", order.limits)
        _note(order.seat, self._group.folders)
        if self._user is not None:
            _own(order.seat, self._user.uid)
            for folder in order.writes:
                _give(folder, self._user.uid)
            if hides_mounts():
                mounts.scratch(self.scratch, order.limits.scratch_mb * MEGABYTE, self._user.uid)
                self._is_mounted = True
            else:
                os.chown(self.scratch, self._user.uid, self._user.uid)

    def _drop(self) -> None:
        """Join the group, set the limits, and become the user: the first steps of `enter`."""
        if self._group is not None:
            self._group.join()
        if self._user is not None and has_mounts():
            shown = [*self.reads, *self.order.writes, self.order.seat, self.scratch]
            if covers := mounts.hidden(shown):
                mounts.own_tree()
                mounts.uncover(covers, shown)
        is_counted = self._user is not None and "pids" not in cgroups.controllers()  # else that names the fault
        limits.restrict(self.order.limits, count_processes=is_counted)
        if self._user is not None:
            self._user.become()


class Landlocked(Confined):
    """The landlock tier; needs nothing installed."""

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        home = self.scratch
        self.cwd = "/"  # the bot's own is entered as its own user, after it has been uncovered
        self.env = {**ENVIRONMENT, "HOME": home, "TMPDIR": home, SEAT_VARIABLE: order.seat}
        self._filter = seccomp.program(namespaces=False)

    def enter(self) -> None:
        """Become the seat's user, and give up all but what is needed."""
        self._drop()
        os.chdir(self.order.cwd or self.order.seat)
        reads = [*sight.SYSTEM, *sight.etc(), *self.reads, self.order.seat, *_PROC]
        rules = landlock.Ruleset(reads, [self.scratch, *self.order.writes], DEVICES)
        rules.enforce()
        rules.close()
        seccomp.enforce(self._filter)


#: Of /proc only what a process may know of itself and of the machine; not the other processes.
_PROC = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/filesystems", "/proc/sys/vm/overcommit_memory")


@cache
def has_mounts() -> bool:
    """Whether processes here may have mounts of their own, as root has unless a container forbids it."""
    return users.can_switch() and mounts.can_mount()


def sweep(folder: Path) -> None:
    """Leave nothing of the bots of a host's folder but the folder, when the launcher is gone that had started them."""
    for note in folder.glob(f"*{GROUPS}"):
        cgroups.remove([Path(line) for line in note.read_text(encoding="utf-8").splitlines()])


@cache
def hides_mounts() -> bool:
    """As `has_mounts`; what this process mounts from now on, only it and its children see."""
    if has_mounts():
        mounts.own_tree()
    return has_mounts()


def _note(seat: str, folders: Sequence[Path]) -> None:
    """Write down beside the seat which groups it has, for a sweep after a crash; none takes the note away."""
    path = Path(seat + GROUPS)
    if folders:
        path.write_text("".join(f"{folder}\n" for folder in folders), encoding="utf-8")
    else:
        path.unlink(missing_ok=True)


def _own(seat: str, uid: int) -> None:
    """Give a seat's folder, socket and token to the bot's user, and to nobody else."""
    os.chmod(os.path.dirname(seat), 0o711)
    for name in os.listdir(seat):
        path = os.path.join(seat, name)
        os.chown(path, uid, uid, follow_symlinks=False)
        os.chmod(path, 0o600 if stat.S_ISSOCK(os.lstat(path).st_mode) else 0o400)
    os.chown(seat, uid, uid)
    os.chmod(seat, 0o500)


def _give(folder: str, uid: int) -> None:
    """Let a user have a folder and all that is in it."""
    for inner, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(os.path.join(inner, name), uid, uid, follow_symlinks=False)
    os.chown(folder, uid, uid)


def _check(path: str) -> None:
    """A folder that is to be shown has to be there, and open to other users where we change ours."""
    mode = os.stat(path).st_mode
    needed = 0o005 if stat.S_ISDIR(mode) else 0o004
    if users.can_switch() and mode & needed != needed:
        raise PermissionError(13, "other users may not read it (chmod o+rX)", path)
