"""The bubblewrap tier: a container without an image. Own namespaces, no network, the host's programs read-only."""

from __future__ import annotations

import os
import shutil

from referee.isolation import seccomp, sight
from referee.isolation.cells import ENVIRONMENT, SEAT_VARIABLE, Confined, Order
from referee.isolation.errors import IsolationError
from referee.isolation.limits import MEGABYTE

PROGRAM = "bwrap"
#: Where a bot finds its seat and its scratch inside.
SEAT, HOME = "/ref", "/tmp"
UID = "1000"
SHARED_MEMORY = 1 * MEGABYTE
#: bwrap tells of a signal as a shell does.
_BY_SIGNAL = 128


class Bubblewrapped(Confined):
    """A bot under bwrap, which starts as the seat's own user: so it is nobody on the host even behind its mask."""

    above = 2  # the one that waits outside, and the first process inside

    def __init__(self, order: Order) -> None:
        self._program = shutil.which(PROGRAM)
        if self._program is None:
            raise IsolationError("bubblewrap is not installed: there is no program bwrap on the path")
        self._filter = -1
        super().__init__(order)
        self._filter = os.memfd_create("filter", 0)  # read to its end by bwrap, so each start needs a fresh one
        os.write(self._filter, seccomp.program())
        os.lseek(self._filter, 0, os.SEEK_SET)
        self.fds = (self._filter,)
        self.words = [self._program, *self._arguments(), "--", *self.words]
        self.cwd = "/"
        self.env = {"PATH": ENVIRONMENT["PATH"]}  # a bot can read that of the first process inside, which is bwrap

    def enter(self) -> None:
        """Become the seat's user; bwrap does the rest."""
        self._drop()

    def started(self) -> None:
        """The filter has been handed over."""
        if self._filter >= 0:
            os.close(self._filter)
            self._filter = -1

    def code(self, code: int) -> int:
        """As the bot ended, not bwrap."""
        return _BY_SIGNAL - code if code > _BY_SIGNAL else code

    def close(self, code: int = 0) -> str:
        """Leave nothing, the filter included."""
        self.started()
        return super().close(code)

    def _arguments(self) -> list[str]:
        order = self.order
        inside = {**ENVIRONMENT, "HOME": HOME, SEAT_VARIABLE: SEAT}
        given = [
            "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session", "--clearenv",
            "--cap-drop", "ALL", "--hostname", "bot", "--uid", UID, "--gid", UID, *_system(),
            "--proc", "/proc", "--dev", "/dev", *self._home(),
            "--size", str(SHARED_MEMORY), "--perms", "1777", "--tmpfs", "/dev/shm",
        ]  # fmt: skip
        for path in (*sight.etc(), *self.reads):
            given += ["--ro-bind", path, path]
        for path in order.writes:
            given += ["--bind", path, path]
        given += ["--ro-bind", order.seat, SEAT, "--remount-ro", "/dev", "--remount-ro", "/proc", "--remount-ro", "/"]
        for name, value in inside.items():
            given += ["--setenv", name, value]
        return [*given, "--chdir", order.cwd or SEAT, "--seccomp", str(self._filter)]

    def _home(self) -> list[str]:
        if self._is_mounted:
            return ["--bind", self.scratch, HOME]
        return ["--size", str(self.order.limits.scratch_mb * MEGABYTE), "--perms", "1777", "--tmpfs", HOME]


def _system() -> list[str]:
    """The system's folders as they are: a link stays one."""
    given: list[str] = []
    for path in sight.SYSTEM:
        if os.path.islink(path):
            given += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            given += ["--ro-bind", path, path]
    return given
