"""Tries from inside a sandbox what a bot must not be able to do, and prints what came of each as JSON.

A script of its own for a bare interpreter: it imports nothing of the project. Run by mistake outside a sandbox it does
no harm: it mounts only onto its scratch, and takes it down again. Argument: the targets, see `selftest`.
"""

import ctypes
import errno
import fcntl
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

Action = Callable[[], object]

LIBC = ctypes.CDLL(None, use_errno=True)
SEAT = os.environ.get("KINGMAKER_SEAT", "/ref")
HOME = os.environ.get("HOME", "/")
NEW_USER, NEW_NET = 0x10000000, 0x40000000
TIOCSTI = 0x5412
SCHED_IDLE = 5
VSOCK = 40


def outcome(action: Action) -> str:
    """``done``, or the name of the error."""
    try:
        action()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return "done"


def call(number: int, *arguments: int) -> int:
    """A raw system call."""
    result: int = LIBC.syscall(ctypes.c_long(number), *(ctypes.c_ulong(each & (1 << 64) - 1) for each in arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def in_child(action: Action) -> str:
    """The outcome of something that would change this process."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        os.write(write, outcome(action).encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    text = os.read(read, 100).decode()
    os.close(read)
    return text or "killed"


def descriptors() -> str:
    """The open ones."""
    found = []
    for fd in range(1024):
        try:
            os.fstat(fd)
        except OSError:
            continue
        found.append(str(fd))
    return " ".join(found)


def connect(family: int, address: Any, kind: int = socket.SOCK_STREAM) -> str:
    """The outcome of a connection."""

    def action() -> None:
        with socket.socket(family, kind) as peer:
            peer.settimeout(2)
            peer.connect(address)

    return outcome(action)


def write(folder: str) -> str:
    """The outcome of making a file, which is removed again."""
    path = os.path.join(folder, "probe")

    def action() -> None:
        with open(path, "w") as file:
            file.write("x")
        os.remove(path)

    return outcome(action)


def fill(folder: str, most: int) -> str:
    """The outcome of writing so many bytes into a folder, in files of a megabyte."""
    made: list[str] = []

    def action() -> None:
        for number in range(most >> 20):
            made.append(os.path.join(folder, f"fill-{number}"))
            with open(made[-1], "wb", buffering=0) as file:
                left = 1 << 20
                while left:
                    left -= file.write(bytes(left))

    try:
        return outcome(action)
    finally:
        for path in made:
            if os.path.exists(path):
                os.remove(path)


def huge() -> str:
    """The outcome of writing one file of a gigabyte, where there is that much room at all."""
    path = os.path.join(HOME, "huge")

    def action() -> None:
        with open(path, "wb", buffering=0) as file:
            for _ in range(1 << 10):
                if file.write(bytes(1 << 20)) < 1 << 20:
                    file.write(bytes(1 << 20))

    try:
        return outcome(action)
    finally:
        if os.path.exists(path):
            os.remove(path)


def status(word: str) -> str:
    """A line of /proc/self/status."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(word + ":"):
            return line.partition(":")[2].strip()
    return "?"


def others() -> tuple[int, list[str]]:
    """The other processes that can be seen: how many, and the variables of those whose environment can be read."""
    told = 0
    names: set[str] = set()
    try:
        entries = os.listdir("/proc")
    except OSError:
        entries = []
    for entry in entries:
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            told += bool(Path(f"/proc/{entry}/cmdline").read_bytes())
            words = Path(f"/proc/{entry}/environ").read_bytes().split(b"\0")
            names |= {word.partition(b"=")[0].decode("utf-8", "replace") for word in words if word}
        except OSError:
            continue
    return told, sorted(names)


def holds_token() -> str:
    """Where our token can be read, other than in its file."""
    token = Path(SEAT, "token").read_bytes()
    places = [f"/proc/{each}/{file}" for each in ("self", "1") for file in ("environ", "cmdline")]
    found = []
    for place in places:
        try:
            found += [place] if token in Path(place).read_bytes() else []
        except OSError:
            continue
    return " ".join(found) or "nowhere"


def home(paths: list[str]) -> str:
    """The outcome of reading some of the home folder's files and folders: done, if any could be."""
    answers = [outcome(partial(os.listdir, path) if os.path.isdir(path) else partial(open, path)) for path in paths]
    return "done" if "done" in answers else (answers or ["ENOENT"])[-1]


def lock(kind: str) -> str:
    """The outcome of locking a file that other seats may read too."""
    with open(sys.executable, "rb") as file:
        return outcome(lambda: fcntl.flock(file, fcntl.LOCK_SH) if kind == "flock" else fcntl.lockf(file, fcntl.LOCK_SH))


def clone(number: int) -> str:
    """The outcome of a clone into a new user namespace."""

    def action() -> None:
        if call(number, NEW_USER | signal.SIGCHLD, 0, 0, 0, 0) == 0:
            os._exit(0)

    return in_child(action)


def mount() -> str:
    """The outcome of a mount onto our scratch."""
    target = os.path.join(HOME, "mount")
    os.makedirs(target, exist_ok=True)

    def action() -> None:
        if LIBC.mount(b"tmpfs", target.encode(), b"tmpfs", ctypes.c_ulong(0), None) < 0:
            raise OSError(ctypes.get_errno(), "")
        LIBC.umount2(target.encode(), 2)

    return outcome(action)


def idle() -> None:
    """Run only when nobody else wants to."""
    os.sched_setscheduler(0, SCHED_IDLE, os.sched_param(0))


def lower_session() -> None:
    """Lower the priority of a session of our own; where there are no such, the file is not there."""
    os.setsid()
    with open("/proc/self/autogroup", "w") as file:
        file.write("19")


def look(target: dict[str, Any]) -> dict[str, str]:
    """All answers but those that may end this process."""
    fds = descriptors()
    calls, told = target["calls"], others()
    keyring, traceme = (0, -3, 0), (0, 0, 0, 0)
    return {
        "descriptors": fds,
        "environment": " ".join(sorted(set(os.environ) - {"LC_CTYPE"})),
        "environments of others": " ".join(told[1]) or "none",
        "token outside its file": holds_token(),
        "user": str(os.getuid()),
        "capabilities": f"{int(status('CapEff'), 16)} {int(status('CapPrm'), 16)}",
        "no new privileges": status("NoNewPrivs"),
        "seccomp": status("Seccomp"),
        "TCP to the host": connect(socket.AF_INET, ("127.0.0.1", target["tcp"])),
        "UDP": connect(socket.AF_INET, ("192.0.2.1", 9), socket.SOCK_DGRAM),
        "abstract socket of the host": connect(socket.AF_UNIX, "\0" + target["abstract"]),
        "vsock": outcome(lambda: socket.socket(VSOCK, socket.SOCK_STREAM)),
        "own socket": connect(socket.AF_UNIX, os.path.join(SEAT, "ref.sock")),
        "socket of another seat": connect(socket.AF_UNIX, os.path.join(target["other"], "ref.sock")),
        "token of another seat": outcome(lambda: open(os.path.join(target["other"], "token")).close()),
        "folder of another bot": outcome(lambda: os.listdir(target["bot"])),
        "/etc/shadow": outcome(lambda: open("/etc/shadow").close()),
        "home folder": home(target["home"]),
        "write to /": write("/"),
        "write to /usr": write("/usr"),
        "write to the seat": write(SEAT),
        "write to its own folder": write(target["own"]),
        "write to /dev": write("/dev"),
        "scratch": write(HOME),
        "more than the scratch holds": fill(HOME, target["scratch"] << 21),
        "one huge file": huge(),
        "more than shared memory holds": fill("/dev/shm", 1 << 22),
        "other processes": str(told[0]),
        "signal to the host": outcome(lambda: os.kill(target["pid"], 0)),
        "unshare": in_child(lambda: call(calls["unshare"], NEW_USER)),
        "clone of a user namespace": clone(calls["clone"]),
        "clone3": outcome(lambda: call(calls["clone3"], 0, 0)),
        "mount": mount(),
        "io_uring": outcome(lambda: call(calls["io_uring_setup"], 1, 0)),
        "keyctl": outcome(lambda: call(calls["keyctl"], *keyring)),
        "ptrace": in_child(lambda: call(calls["ptrace"], *traceme)),
        "bpf": outcome(lambda: call(calls["bpf"], 0, 0, 0)),
        "perf": outcome(lambda: call(calls["perf_event_open"], 0, 0, -1, -1, 0)),
        "userfaultfd": outcome(lambda: call(calls["userfaultfd"], 1)),
        "flock": lock("flock"),
        "fcntl lock": lock("fcntl"),
        "TIOCSTI": outcome(lambda: call(calls["ioctl"], 0, TIOCSTI, 0)),
        "idle scheduling": in_child(idle),
        "sched_setattr": outcome(lambda: call(calls["sched_setattr"], 0, 0, 0)),
        "a lower priority": in_child(lambda: os.setpriority(os.PRIO_PROCESS, 0, 19)),
        "a lower priority of the session": in_child(lower_session),
        "TIOCSTI + 2³²": outcome(lambda: call(calls["ioctl"], 0, TIOCSTI + (1 << 32), 0)),
    }


def main() -> None:
    """Answer, or run into the limit that is named."""
    target = json.loads(sys.argv[1])
    if target.get("exceed") == "memory":
        kept = [bytearray(b"x") * (1 << 20) for _ in range(4 * target["memory"])]
        print(f"{len(kept)} MB")
    elif target.get("exceed") == "processes":
        print(outcome(partial(_sleepers, 4 * target["processes"])), flush=True)
    else:
        print(json.dumps(look(target)), flush=True)


def _sleepers(count: int) -> None:
    for _ in range(count):
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)


if __name__ == "__main__":
    main()
