"""Mounts that a bot's process makes for itself before it starts, as root, in a file tree of its own.

They need nothing to be cleared away: the kernel takes them down with the last process that sees them.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

_CLONE_NEWNS = 0x20000
_NOSUID, _NODEV, _BIND, _REC, _SLAVE = 2, 4, 0x1000, 0x4000, 0x80000
_MNT_DETACH = 2
_LIBC = ctypes.CDLL(None, use_errno=True)


def own_tree() -> None:
    """From now on, what this process mounts nobody outside sees.

    Raises:
        OSError: it may not.
    """
    _called(_LIBC.unshare(_CLONE_NEWNS), "a file tree of its own")
    _mount(None, "/", None, _REC | _SLAVE)


def can_mount() -> bool:
    """Whether a process like this one may have a file tree of its own; tried in a child."""
    if (child := os.fork()) == 0:
        status = 1
        try:
            own_tree()
            status = 0
        except OSError:
            pass  # that is the answer
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def scratch(folder: str, size: int, uid: int) -> None:
    """Mount a small file system in memory on a folder, for this user alone."""
    _mount("tmpfs", folder, "tmpfs", _NOSUID | _NODEV, f"size={size},nr_inodes=16384,mode=700,uid={uid},gid={uid}")


def is_full(folder: str) -> bool:
    """Whether the file system of a folder has no room or no names left; one that was swept away meanwhile was not full."""
    try:
        left = os.statvfs(folder)
    except FileNotFoundError:
        return False
    return left.f_bavail == 0 or left.f_favail == 0


def unmount(folder: str) -> None:
    """Take down what is mounted on a folder."""
    _LIBC.umount2(os.fsencode(folder), _MNT_DETACH)


def hidden(paths: Iterable[str]) -> list[str]:
    """The outermost folders on the way to these paths that other users may not pass through."""
    found: set[str] = set()
    for path in paths:
        for folder in list(Path(path).parents)[::-1]:
            if folder.exists() and not folder.stat().st_mode & 0o001:
                found.add(str(folder))
                break
    return sorted(found)


def uncover(covers: Sequence[str], paths: Iterable[str]) -> None:
    """Put an empty folder in the place of each of ``covers``, with nothing in it but those ``paths`` that lie there.

    So another user gets at them, and at nothing beside them; only in a file tree of one's own.
    """
    inside = {path: os.open(path, os.O_PATH) for path in paths if any(Path(path).is_relative_to(top) for top in covers)}
    for top in covers:
        _mount("tmpfs", top, "tmpfs", _NOSUID | _NODEV, "size=1m,mode=755")
    for path, fd in sorted(inside.items()):
        source = f"/proc/self/fd/{fd}"
        if os.path.isdir(source):
            os.makedirs(path, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
        _mount(source, path, None, _BIND | _REC)
        os.close(fd)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind)]
    _called(_LIBC.mount(*words, ctypes.c_ulong(flags), data.encode() or None), f"mount on {target}")


def _called(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
