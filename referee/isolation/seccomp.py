"""The filter of system calls, assembled here, because the landlock tier may need nothing installed.

Which calls, and why: each has let a sandboxed process out of somebody's sandbox, or two of them talk to each other.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct

from referee.isolation.errors import IsolationError

#: By name: the number on x86_64 and on aarch64; None where there is no such call.
DENIED: dict[str, tuple[int | None, int | None]] = {
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "pidfd_getfd": (438, 438), "kcmp": (312, 272), "userfaultfd": (323, 282),
    "bpf": (321, 280), "perf_event_open": (298, 241), "mount": (165, 40), "umount2": (166, 39),
    "move_mount": (429, 429), "open_tree": (428, 428), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442), "pivot_root": (155, 41),
    "chroot": (161, 51), "unshare": (272, 97), "setns": (308, 268), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
    "acct": (163, 89), "quotactl": (179, 60), "quotactl_fd": (443, 443), "syslog": (103, 116), "iopl": (172, None),
    "ioperm": (173, None), "personality": (135, 92), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "vmsplice": (278, 75), "lookup_dcookie": (212, 18), "nfsservctl": (180, 42), "clock_settime": (227, 112),
    "clock_adjtime": (305, 266), "settimeofday": (164, 170), "adjtimex": (159, 171), "sethostname": (170, 161),
    "setdomainname": (171, 162), "fanotify_init": (300, 262), "move_pages": (279, 239), "mbind": (237, 235),
    "set_mempolicy": (238, 237), "set_mempolicy_home_node": (450, 450), "migrate_pages": (256, 238),
    "memfd_secret": (447, 447), "modify_ldt": (154, None), "uselib": (134, None), "ustat": (136, None),
    "sysfs": (139, None), "_sysctl": (156, None), "vhangup": (153, 58),
    "flock": (73, 32),  # a lock on a file that two seats may read is a channel between them, as is watching it
    "inotify_init": (253, None), "inotify_init1": (294, 26),
    # who lowers its own priority waits for a processor as long as it likes, and waiting is not charged
    "setpriority": (141, 140), "sched_setscheduler": (144, 119), "sched_setattr": (314, 274),
}  # fmt: skip
#: Where bots have no namespaces of their own these would be seen by all.
DENIED_WITHOUT_NAMESPACES: dict[str, tuple[int | None, int | None]] = {
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180),
}  # fmt: skip
#: Those whose arguments are looked at.
LOOKED_AT = {"fcntl": (72, 25), "clone3": (435, 435), "clone": (56, 220), "socket": (41, 198), "ioctl": (16, 29)}
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
#: F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY.
LOCKS = (6, 7, 37, 38, 1024, 1026)
#: TIOCSTI and TIOCLINUX type into the terminal of whoever started us.
TYPING = (0x5412, 0x541C)
#: Every CLONE_NEW* but NEWTIME, whose bit means something else to clone.
NAMESPACE_FLAGS = (0x20000, *(1 << bit for bit in range(25, 31)))
_X32 = 0x40000000
UNIX, FAMILIES = (1,), (1, 2, 10, 16)
_LOAD, _EQUALS, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH = 0, 4
_Program = list[tuple[int, int, int, int]]


def program(*, namespaces: bool = True, machine: str = "") -> bytes:
    """The filter as the kernel takes it, 8 bytes an instruction.

    ``namespaces``: the bot has its own; without them it may open unix sockets only, and nothing else that all share.

    Raises:
        IsolationError: the calls of this kind of machine are not known here.
    """
    machine = machine or platform.machine()
    if machine not in MACHINES:
        raise IsolationError(f"the system calls of a {machine} are not known; known are {', '.join(MACHINES)}")
    column, arch = MACHINES[machine]
    lines: _Program = [(_LOAD, 0, 0, _ARCH), (_EQUALS, 1, 0, arch), _give(_KILL), (_LOAD, 0, 0, _NUMBER)]
    if column == 0:
        lines += [(_AT_LEAST, 0, 1, _X32), _give(_ERRNO | _ENOSYS)]
    denied = DENIED if namespaces else DENIED | DENIED_WITHOUT_NAMESPACES
    for numbers in denied.values():
        if (number := numbers[column]) is not None:
            lines += _when(number, [_give(_ERRNO | _EPERM)])
    calls = {name: numbers[column] for name, numbers in LOOKED_AT.items()}
    lines += _when(calls["clone3"], [_give(_ERRNO | _ENOSYS)])  # libc then calls clone, whose flags can be seen
    lines += _when(calls["clone"], [_argument(0), (_ANY_BIT, 0, 1, sum(NAMESPACE_FLAGS)), _give(_ERRNO | _EPERM)])
    lines += _when(calls["fcntl"], _unless_in(1, LOCKS))
    lines += _when(calls["ioctl"], _unless_in(1, TYPING))
    lines += _when(calls["socket"], _only_in(0, FAMILIES if namespaces else UNIX))
    lines.append(_give(_ALLOW))
    return b"".join(struct.pack("<HBBI", *line) for line in lines)


def numbers() -> dict[str, int]:
    """The calls that are denied or looked at, as this machine numbers them."""
    column, _ = MACHINES[platform.machine()]
    return {name: each[column] for name, each in (DENIED | LOOKED_AT).items() if each[column] is not None}  # type: ignore[misc]  # the condition


def enforce(code: bytes) -> None:
    """Put this process, and all that it starts, under a filter for ever; it must have no_new_privs.

    Raises:
        OSError: the kernel refused.
    """

    class _Filter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))

    libc = ctypes.CDLL(None, use_errno=True)
    given = _Filter(len(code) // 8, code)
    pr_set_seccomp, mode_filter = 22, 2
    if libc.prctl(pr_set_seccomp, mode_filter, ctypes.byref(given), 0, 0):
        raise OSError(ctypes.get_errno(), f"seccomp: {os.strerror(ctypes.get_errno())}")


def _when(number: int, then: _Program) -> _Program:
    """These instructions for this call, which end it; what they leave open is allowed."""
    last = [] if then[-1][0] == _RETURN and len(then) == 1 else [_give(_ALLOW)]
    return [(_EQUALS, 0, len(then) + len(last), number), *then, *last]


def _unless_in(argument: int, values: tuple[int, ...]) -> _Program:
    """EPERM for these values of an argument."""
    tests = [(_EQUALS, len(values) - 1 - k, int(k == len(values) - 1), value) for k, value in enumerate(values)]
    return [_argument(argument), *tests, _give(_ERRNO | _EPERM)]


def _only_in(argument: int, values: tuple[int, ...]) -> _Program:
    """EAFNOSUPPORT for all but these values of an argument."""
    tests = [(_EQUALS, len(values) - k, 0, value) for k, value in enumerate(values)]
    return [_argument(argument), *tests, _give(_ERRNO | _EAFNOSUPPORT)]


def _argument(index: int) -> tuple[int, int, int, int]:
    """Load the low 32 bits of an argument: the kernel looks at no more of these, so a filter must not either."""
    return (_LOAD, 0, 0, 16 + 8 * index)


def _give(verdict: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, verdict)
