"""The landlock tier: the kernel's own sandbox for whoever asks for it; needs Linux 5.13, and nothing installed.

It says which files a process may reach. It hides no processes, and has no say over memory; a named socket can be
connected to wherever the user may.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable

from referee.isolation.errors import IsolationError

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same on all machines
_PR_SET_NO_NEW_PRIVS = 38
#: Rights over files by the ABI that brought them; all are handled, so that what no rule allows is denied.
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_BITS = {1: 13, 2: 14, 3: 15, 5: 16}
READ = _EXECUTE | _READ_FILE | _READ_DIR
DEVICE = _READ_FILE | _WRITE_FILE
#: Of a file, as opposed to a folder, only these can be allowed.
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15
_NET_ABI, _NET = 4, 3
#: Abstract sockets and signals stay among the processes of one sandbox.
SCOPE_ABI, _SCOPED = 6, 3
_LIBC = ctypes.CDLL(None, use_errno=True)


class _Attributes(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def abi() -> int:
    """What the kernel's Landlock can do, as a number; 0 where it is missing or switched off."""
    return max(0, int(_LIBC.syscall(_CREATE, None, ctypes.c_size_t(0), 1)))


def why_not() -> str:
    """Why there is no Landlock here; empty where there is."""
    if abi():
        return ""
    return "this kernel has no Landlock (Linux 5.13 and newer, with landlock among the modules of its lsm= list)"


class Ruleset:
    """What a process may reach: built before the fork, enforced after it. ``close`` it in the parent."""

    def __init__(self, reads: Iterable[str], writes: Iterable[str], devices: Iterable[str]) -> None:
        version = abi()
        if not version:
            raise IsolationError(why_not())
        all_rights = (1 << max(bits for since, bits in _BITS.items() if since <= version)) - 1
        self._all = all_rights
        given = _Attributes(all_rights, _NET if version >= _NET_ABI else 0, _SCOPED if version >= SCOPE_ABI else 0)
        size = 24 if version >= SCOPE_ABI else 16 if version >= _NET_ABI else 8
        self.fd = _called(_LIBC.syscall(_CREATE, ctypes.byref(given), ctypes.c_size_t(size), 0))
        for rights, paths in ((READ, reads), (all_rights & ~_EXECUTE | READ, writes), (DEVICE, devices)):
            for path in paths:
                self.allow(path, rights)

    def allow(self, path: str, rights: int = READ) -> None:
        """Let a file, or all below a folder, be reached; one that is not there needs no rule."""
        try:
            parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            if not stat.S_ISDIR(os.fstat(parent).st_mode):
                rights &= _OF_A_FILE
            rule = _Beneath(rights & self._all, parent)
            _called(_LIBC.syscall(_ADD_RULE, self.fd, 1, ctypes.byref(rule), 0))
        finally:
            os.close(parent)

    def enforce(self) -> None:
        """Put this process and all that it starts under the rules, for ever."""
        no_new_privileges()
        _called(_LIBC.syscall(_RESTRICT, self.fd, 0))

    def close(self) -> None:
        """The parent needs it no more."""
        os.close(self.fd)


def no_new_privileges() -> None:
    """No program that this process starts gains rights by a setuid bit."""
    _called(_LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def _called(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"landlock: {os.strerror(ctypes.get_errno())}")
    return result
