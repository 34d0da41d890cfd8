"""The launcher starts and ends all bots of a host.

It is a small process of its own, there before gRPC: a process with live gRPC threads can hang when it forks. It
imports neither gRPC nor Ray, starts bots from its only thread, drains their output into bounded buffers, and ends
them and itself when its control pipe closes. It is the subreaper of all that is below it: what a bot leaves behind
comes to the launcher, and is killed.

Requests come as JSON lines on standard input: ``{"start": id, "command": [...], "cwd": ..., "env": {...}}``,
``{"stop": id, "grace_s": 2.0}``, ``{"peek": true}``, ``{"ping": n}``. Events go as JSON lines to standard output:
``{"started": id, "pid": n}``, ``{"failed": id, "why": text}`` (the platform could not start it), ``{"exited": id,
"code": n, "stdout": text, "stderr": text}``; a negative code is a signal. A peek is answered by ``{"printed": id,
"stdout": text, "stderr": text}`` for each living bot that has printed anything since the last one, a ping by
``{"pong": n}``.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from typing import IO, Any

#: Names the folder with a bot's socket and token; and tells whose a process is that has left its bot's tree.
SEAT_VARIABLE = "KINGMAKER_SEAT"
HEAD_BYTES = 16 * 1024
TAIL_BYTES = 48 * 1024
#: For so long the end of a launcher waits for killed processes to be gone.
END_S = 3.0
SWEEP_S = 0.05
#: Errors of a start that say something of this machine; all others say something of the bot's command or folder.
PLATFORM_ERRORS = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EIO}
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LIBC = ctypes.CDLL(None, use_errno=True)


class Capture:
    """The head and the tail of what a bot prints; the middle of a long text is dropped, and counted."""

    def __init__(self) -> None:
        self.head = bytearray()
        self.tail = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        """Keep what fits."""
        self.total += len(data)
        room = HEAD_BYTES - len(self.head)
        self.head += data[:room]
        self.tail += data[room:]
        if len(self.tail) > 2 * TAIL_BYTES:
            del self.tail[:-TAIL_BYTES]

    def take(self) -> str:
        """All that was kept, readable whatever the bytes were; and begin anew."""
        tail = self.tail[-TAIL_BYTES:]
        dropped = self.total - len(self.head) - len(tail)
        middle = f"\n… {dropped} bytes left out …\n".encode() if dropped else b""
        kept = bytes(self.head) + middle + bytes(tail)
        self.head, self.tail, self.total = bytearray(), bytearray(), 0
        return kept.decode("utf-8", "replace").replace("\0", "�")


class Child:
    """One bot process."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], seat: str | None) -> None:
        self.name = name
        self.process = process
        self.seat = seat
        assert process.stdout is not None
        assert process.stderr is not None
        self.files = {"stdout": process.stdout, "stderr": process.stderr}
        self.captures = {"stdout": Capture(), "stderr": Capture()}
        self.kill_at: float | None = None

    def take(self) -> dict[str, str]:
        """What it printed, by stream."""
        return {stream: capture.take() for stream, capture in self.captures.items()}


class Launcher:
    """The loop of the launcher process."""

    def __init__(self) -> None:
        self.children: dict[int, Child] = {}
        self.seats: set[str] = set()
        self.selector = selectors.DefaultSelector()
        self.requests = b""
        self.closing = False
        self.sweep_at: float | None = None
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)
        read, write = os.pipe()
        os.set_blocking(write, False)
        os.set_blocking(read, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGINT, signal.SIGHUP):  # they end the host, which then ends us in order
            signal.signal(number, lambda *_: None)  # not SIG_IGN, which the bots would inherit
        signal.signal(signal.SIGTERM, lambda *_: self._terminate())
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        self.wakeup = read
        self.selector.register(read, selectors.EVENT_READ, None)
        self.selector.register(sys.stdin.buffer, selectors.EVENT_READ, "control")

    def run(self) -> None:
        """Serve until the control pipe closes, then end every bot, and remove the seats' folders."""
        while not self.closing:
            self.turn(self._patience())
        for child in list(self.children.values()):
            self.kill(child)
        deadline = time.monotonic() + END_S
        while (self.children or self._sweep()) and time.monotonic() < deadline:
            self.turn(0.02)
        for seat in self.seats:
            shutil.rmtree(seat, ignore_errors=True)
        for folder in {os.path.dirname(seat) for seat in self.seats}:
            try:
                os.rmdir(folder)
            except OSError:
                pass  # the host has removed it, or keeps something in it

    def turn(self, timeout: float | None) -> None:
        """Handle what has happened, waiting at most so many seconds for it."""
        for key, _ in self.selector.select(timeout):
            if key.data is None:
                self._drain_wakeup()
            elif key.data == "control":
                self._control()
            else:
                self._read(key.fileobj, key.data)  # type: ignore[arg-type]  # registered with a file object
        self._reap()
        now = time.monotonic()
        for child in list(self.children.values()):
            if child.kill_at is not None and child.kill_at <= now:
                self.kill(child)
        if self.sweep_at is not None and self.sweep_at <= now:
            self._sweep()

    def start(self, name: str, command: list[str], cwd: str | None, env: dict[str, str]) -> None:
        """Start a bot in a session of its own."""
        try:
            process = subprocess.Popen(
                command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True, close_fds=True, preexec_fn=_die_with_launcher,
            )  # fmt: skip
        except OSError as error:
            if error.errno in PLATFORM_ERRORS:
                _say(failed=name, why=str(error))
            else:
                where = f" in {cwd!r}" if cwd is not None and error.filename == cwd else ""
                _say(exited=name, code=127, stdout="", stderr=f"cannot start {command[0]!r}{where}: {error.strerror}\n")
            return
        except (ValueError, IndexError) as error:  # no words at all, or a NUL in one of them
            _say(exited=name, code=127, stdout="", stderr=f"cannot start {command!r}: {error}\n")
            return
        except subprocess.SubprocessError as error:
            _say(failed=name, why=str(error))
            return
        child = self.children[process.pid] = Child(name, process, env.get(SEAT_VARIABLE))
        if child.seat is not None:
            self.seats.add(child.seat)
        for stream, file in child.files.items():
            os.set_blocking(file.fileno(), False)
            self.selector.register(file, selectors.EVENT_READ, child.captures[stream])
        _say(started=name, pid=process.pid)

    def kill(self, child: Child) -> None:
        """End the whole process tree of a bot; what has left the tree is swept once the bot has ended."""
        child.kill_at = None
        for pid in [child.process.pid, *_descendants(child.process.pid)]:
            _signal(pid, signal.SIGKILL)
        try:
            os.killpg(child.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass  # the group is gone already, which is what was wanted

    def peek(self) -> None:
        """Tell what every living bot has printed since the last time."""
        for child in self.children.values():
            for stream, file in child.files.items():
                if not file.closed:
                    self._read(file, child.captures[stream])
            if any(capture.total for capture in child.captures.values()):
                _say(printed=child.name, **child.take())

    def _control(self) -> None:
        data = os.read(sys.stdin.fileno(), 65536)
        if not data:
            self.closing = True
            self.selector.unregister(sys.stdin.buffer)
            return
        *lines, self.requests = (self.requests + data).split(b"\n")
        for line in lines:
            self._request(json.loads(line))

    def _request(self, request: dict[str, Any]) -> None:
        if "start" in request:
            self.start(request["start"], request["command"], request["cwd"], request["env"])
        elif "peek" in request:
            self.peek()
        elif "ping" in request:
            _say(pong=request["ping"])
        for child in self.children.values():
            if child.name == request.get("stop"):
                _signal(child.process.pid, signal.SIGTERM)
                child.kill_at = time.monotonic() + request["grace_s"]

    def _terminate(self) -> None:
        """End as if the host had closed the pipe; that it did not, it shall see before its bots are gone."""
        self.closing = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def _read(self, file: IO[bytes], capture: Capture) -> None:
        try:
            data = os.read(file.fileno(), 1 << 20)
        except BlockingIOError:
            return
        if data:
            capture.add(data)
        else:
            self.selector.unregister(file)
            file.close()

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            child = self.children.pop(pid, None)
            if child is not None:  # else an orphan of a bot, which came to us as its subreaper
                self._ended(child, os.waitstatus_to_exitcode(status))

    def _ended(self, child: Child, code: int) -> None:
        child.process.returncode = code
        self.kill(child)
        self._sweep()
        for stream, file in child.files.items():
            if not file.closed:
                self._read(file, child.captures[stream])
                if not file.closed:
                    self.selector.unregister(file)
                    file.close()
        _say(exited=child.name, code=code, **child.take())

    def _sweep(self) -> bool:
        """Kill what ended bots have left behind, now and until nothing is found any more; return if it was."""
        seats = {child.seat for child in self.children.values()} - {None}
        strays = [pid for pid in _descendants(os.getpid(), self.children) if _seat(pid) not in seats]
        for pid in strays:
            _signal(pid, signal.SIGKILL)
        self.sweep_at = time.monotonic() + SWEEP_S if strays else None
        return bool(strays)

    def _patience(self) -> float | None:
        due = [child.kill_at for child in self.children.values() if child.kill_at is not None]
        if self.sweep_at is not None:
            due.append(self.sweep_at)
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _drain_wakeup(self) -> None:
        try:
            while os.read(self.wakeup, 4096):
                pass
        except BlockingIOError:
            pass  # empty again


def kill_seats(folder: str) -> None:
    """Kill all processes that were started for a seat below this folder (for a host whose launcher is gone)."""
    for pid in _pids():
        seat = _seat(pid)
        if seat is not None and os.path.dirname(seat) == folder:
            _signal(pid, signal.SIGKILL)


def _die_with_launcher() -> None:
    """Between fork and exec: be killed when the launcher dies, however it dies."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    if hasattr(_LIBC, "prctl"):  # Linux
        _LIBC.prctl(option, value, 0, 0, 0)


def _pids() -> list[int]:
    """All processes of the machine; none without /proc."""
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _seat(pid: int) -> str | None:
    """The seat that a process was started for."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return None
    start = f"{SEAT_VARIABLE}=".encode()
    return next((os.fsdecode(word.removeprefix(start)) for word in words if word.startswith(start)), None)


def _descendants(root: int, without: Collection[int] = ()) -> list[int]:
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
        below = [pid for pid in children.get(queue.pop(), []) if pid not in without]
        found += below
        queue += below
    return found


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass  # it ended meanwhile, or has become somebody else's


def _say(**event: Any) -> None:
    data = memoryview((json.dumps(event) + "\n").encode())
    try:
        while data:
            data = data[os.write(sys.stdout.fileno(), data) :]
    except BrokenPipeError:
        pass  # the host is gone; our control pipe says so too


if __name__ == "__main__":
    Launcher().run()
