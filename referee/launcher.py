"""The launcher starts and ends all bots of a host.

It is a small process of its own, there before gRPC: a process with live gRPC threads can hang when it forks. It
imports neither gRPC nor Ray, starts bots from its only thread, drains their output into bounded buffers, and ends
them and itself when its control pipe closes.

Requests come as JSON lines on standard input: ``{"start": id, "command": [...], "cwd": ..., "env": {...}}``,
``{"stop": id, "grace_s": 2.0}``, ``{"peek": n}``. Events go as JSON lines to standard output: ``{"started": id,
"pid": n}``, ``{"failed": id, "why": text}`` (the platform could not start it), ``{"exited": id, "code": n, "stdout":
text, "stderr": text}``; a negative code is a signal. A peek is answered by ``{"printed": id, "stdout": text, "stderr":
text}`` for each living bot that has printed anything since the last one, and ``{"peeked": n}`` after them.
"""

from __future__ import annotations

import ctypes
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from typing import Any, BinaryIO

HEAD_BYTES = 16 * 1024
TAIL_BYTES = 48 * 1024
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
        self.tail += data[room:] if room > 0 else data
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

    def __init__(self, name: str, process: subprocess.Popen[bytes]) -> None:
        self.name = name
        self.process = process
        self.captures = {"stdout": Capture(), "stderr": Capture()}
        self.kill_at: float | None = None


class Launcher:
    """The loop of the launcher process."""

    def __init__(self) -> None:
        self.children: dict[int, Child] = {}
        self.selector = selectors.DefaultSelector()
        self.requests = b""
        self.closing = False
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        read, write = os.pipe()
        os.set_blocking(write, False)
        os.set_blocking(read, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the host, which then ends us in order
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        self.wakeup = read
        self.selector.register(read, selectors.EVENT_READ, None)
        self.selector.register(sys.stdin.buffer, selectors.EVENT_READ, "control")

    def run(self) -> None:
        """Serve until the control pipe closes, then end every bot."""
        while not self.closing:
            self.turn(self._patience())
        for child in list(self.children.values()):
            self.kill(child)
        deadline = time.monotonic() + 5
        while (self.children or self._strays()) and time.monotonic() < deadline:
            self.turn(0.02)

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

    def start(self, name: str, command: list[str], cwd: str | None, env: dict[str, str]) -> None:
        """Start a bot in a session of its own."""
        try:
            process = subprocess.Popen(
                command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True, close_fds=True, preexec_fn=_die_with_launcher,
            )  # fmt: skip
        except (FileNotFoundError, PermissionError, NotADirectoryError) as error:
            _say(exited=name, code=127, stdout="", stderr=f"cannot start {command[0]!r}: {error.strerror}")
            return
        except OSError as error:
            _say(failed=name, why=str(error))
            return
        child = self.children[process.pid] = Child(name, process)
        for stream, file in (("stdout", process.stdout), ("stderr", process.stderr)):
            assert file is not None
            os.set_blocking(file.fileno(), False)
            self.selector.register(file, selectors.EVENT_READ, child.captures[stream])
        _say(started=name, pid=process.pid)

    def kill(self, child: Child) -> None:
        """End the whole process tree of a bot, which may have left its session."""
        child.kill_at = None
        for pid in [child.process.pid, *_descendants(child.process.pid)]:
            _signal(pid, signal.SIGKILL)
        try:
            os.killpg(child.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass  # the group is gone already, which is what was wanted

    def peek(self, number: int) -> None:
        """Tell what every living bot has printed since the last time."""
        for child in self.children.values():
            for stream, file in (("stdout", child.process.stdout), ("stderr", child.process.stderr)):
                if file is not None and not file.closed:
                    self._read(file, child.captures[stream])
            if any(capture.total for capture in child.captures.values()):
                _say(printed=child.name, **{stream: capture.take() for stream, capture in child.captures.items()})
        _say(peeked=number)

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
            return
        if "peek" in request:
            self.peek(request["peek"])
            return
        for child in self.children.values():
            if child.name == request["stop"]:
                _signal(child.process.pid, signal.SIGTERM)
                child.kill_at = time.monotonic() + request["grace_s"]

    def _read(self, file: BinaryIO, capture: Capture) -> None:
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
        for file, capture in ((child.process.stdout, "stdout"), (child.process.stderr, "stderr")):
            if file is not None and not file.closed:
                self._read(file, child.captures[capture])
                if not file.closed:
                    self.selector.unregister(file)
                    file.close()
        if not self.children:
            for pid in self._strays():
                _signal(pid, signal.SIGKILL)
        _say(exited=child.name, code=code, **{name: capture.take() for name, capture in child.captures.items()})

    def _strays(self) -> list[int]:
        """Processes below us that belong to no living bot."""
        return [pid for pid in _descendants(os.getpid()) if pid not in self.children]

    def _patience(self) -> float | None:
        due = [child.kill_at for child in self.children.values() if child.kill_at is not None]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _drain_wakeup(self) -> None:
        try:
            while os.read(self.wakeup, 4096):
                pass
        except BlockingIOError:
            pass  # empty again


def _die_with_launcher() -> None:
    """Between fork and exec: be killed when the launcher dies, however it dies."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _descendants(root: int) -> list[int]:
    """All processes below one, found in /proc; without /proc none."""
    children: dict[int, list[int]] = {}
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue  # it ended meanwhile
        children.setdefault(parent, []).append(pid)
    found, queue = [], [root]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass  # it ended meanwhile


def _say(**event: Any) -> None:
    try:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        pass  # the host is gone; our control pipe says so too


if __name__ == "__main__":
    Launcher().run()
