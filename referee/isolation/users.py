"""A user of its own for each bot process: no bot can signal, trace or read another one, and its limits are its own."""

from __future__ import annotations

import fcntl
import os
import signal
from pathlib import Path

from referee.isolation.errors import IsolationError

FIRST, LAST = 60_001, 62_000
#: A user is taken while its file here is locked; the kernel unlocks it however its owner ends.
LOCKS = Path("/run/kingmaker/users")


def can_switch() -> bool:
    """Whether processes can be given users of their own: for root alone, and where the numbers exist."""
    if os.geteuid() != 0:
        return False
    try:
        with open("/proc/self/uid_map") as file:
            ranges = [tuple(map(int, line.split())) for line in file]
    except OSError:
        return False
    return any(start <= FIRST and start + count > LAST for start, _, count in ranges)


class User:
    """A user that nobody else has, with what it had left behind killed; ``release`` it after the bot."""

    def __init__(self) -> None:
        LOCKS.mkdir(parents=True, exist_ok=True, mode=0o700)
        for uid in range(FIRST, LAST + 1):
            held = os.open(LOCKS / str(uid), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(held)
                continue
            self.uid, self._held = uid, held
            kill_all(uid)
            return
        raise IsolationError(f"all users from {FIRST} to {LAST} are taken")

    def become(self) -> None:
        """Be this user, without any right of root; called between fork and exec."""
        become(self.uid)

    def release(self) -> None:
        """Kill what still runs as this user, and give it back."""
        kill_all(self.uid)
        os.close(self._held)


def become(uid: int) -> None:
    """Drop from root to a user and the group of the same number, for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def kill_all(uid: int) -> None:
    """Kill every process of a user: a child becomes that user, and signals all that it may, which is all there are."""
    if (child := os.fork()) == 0:
        try:
            become(uid)
            os.kill(-1, signal.SIGKILL)
        except OSError:
            pass  # there was nobody, or we are not root: then nobody can run as this user
        finally:
            os._exit(0)
    os.waitpid(child, 0)
