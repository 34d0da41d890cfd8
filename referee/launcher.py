"""The launcher starts and ends all bots of a host.

It is a small process of its own, there before gRPC: a process with live gRPC threads can hang when it forks. It
imports neither gRPC nor Ray, starts bots from its only thread, drains their output into bounded buffers, and ends
them and itself when its control pipe closes. It is the subreaper of all that is below it: what a bot leaves behind
comes to the launcher, and is killed.

Requests come as JSON lines on standard input: ``{"start": id, "command": [...], "cwd": ..., "env": {...}}`` (for a
confined bot also ``tier``, ``reads``, ``writes`` and ``limits``, see `referee.isolation.cells`), ``{"stop": id,
"grace_s": 2.0}``, ``{"peek": true}``, ``{"ping": n}``. Events go as JSON lines to standard output: ``{"started": id,
"pid": n}``, ``{"failed": id, "why": text}`` (the platform could not start it), ``{"exited": id, "code": n, "limit": text,
"stdout": text, "stderr": text}``; a negative code is a signal, the limit one that the bot ran into. A peek is answered by ``{"printed": id,
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
from functools import partial
from typing import IO, Any

from referee.isolation.cells import SEAT_VARIABLE, Cell, Order
from referee.isolation.errors import IsolationError
from referee.isolation.limits import MEGABYTE, Limits
from referee.isolation.tiers import open_cell
from referee.trees import below, descendants, seat_of, send

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

    def __init__(self, name: str, process: subprocess.Popen[bytes], cell: Cell) -> None:
        self.name = name
        self.process = process
        self.cell = cell
        self.seat = cell.order.env.get(SEAT_VARIABLE)
        self.room = cell.order.limits.output_mb * MEGABYTE
        self.limit = ""
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
        self.complaints = os.memfd_create("complaints")
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
                self._read(key.fileobj, *key.data)  # type: ignore[arg-type]  # registered with a file object
        self._reap()
        now = time.monotonic()
        for child in list(self.children.values()):
            if child.kill_at is not None and child.kill_at <= now:
                self.kill(child)
        if self.sweep_at is not None and self.sweep_at <= now:
            self._sweep()

    def start(self, name: str, order: Order, tier: str) -> None:
        """Start a bot in a session of its own, in a cell of its tier."""
        cell: Cell | None = None
        try:
            cell = open_cell(tier, order)
            process = subprocess.Popen(
                cell.words, cwd=cell.cwd, env=cell.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, start_new_session=True, close_fds=True, pass_fds=cell.fds,
                preexec_fn=partial(self._enter, cell),
            )  # fmt: skip
        except (OSError, ValueError, IndexError, subprocess.SubprocessError, IsolationError) as error:
            if cell is not None:
                cell.close()
            _say(**_not_started(name, order, error, self._why_not_entered()))
            return
        cell.started()
        child = self.children[process.pid] = Child(name, process, cell)
        if child.seat is not None:
            self.seats.add(child.seat)
        for stream, file in child.files.items():
            os.set_blocking(file.fileno(), False)
            self.selector.register(file, selectors.EVENT_READ, (child, stream))
        _say(started=name, pid=process.pid)

    def kill(self, child: Child) -> None:
        """End the whole process tree of a bot; what has left the tree is swept once the bot has ended."""
        child.kill_at = None
        child.cell.kill()
        for pid in [child.process.pid, *descendants(child.process.pid)]:
            send(pid, signal.SIGKILL)
        try:
            os.killpg(child.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass  # the group is gone already, which is what was wanted

    def peek(self) -> None:
        """Tell what every living bot has printed since the last time."""
        for child in self.children.values():
            for stream, file in child.files.items():
                if not file.closed:
                    self._read(file, child, stream)
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
            self.start(request["start"], _order(request), request.get("tier", "trusted"))
        elif "peek" in request:
            self.peek()
        elif "ping" in request:
            _say(pong=request["ping"])
        for child in self.children.values():
            if child.name == request.get("stop"):
                send(below(child.process.pid, child.cell.above), signal.SIGTERM)
                child.kill_at = time.monotonic() + request["grace_s"]

    def _terminate(self) -> None:
        """End as if the host had closed the pipe; that it did not, it shall see before its bots are gone."""
        self.closing = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def _read(self, file: IO[bytes], child: Child, stream: str) -> None:
        try:
            data = os.read(file.fileno(), 1 << 20)
        except BlockingIOError:
            return
        if not data:
            self.selector.unregister(file)
            file.close()
            return
        child.captures[stream].add(data)
        child.room -= len(data)
        if child.room < 0 and not child.limit:
            child.limit = "too much output"
            self.kill(child)

    def _enter(self, cell: Cell) -> None:
        """Between fork and exec: be confined, and be killed when the launcher dies, however it dies."""
        try:
            cell.enter()
            _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # which a change of user would undo
        except BaseException as error:
            os.write(self.complaints, str(error).encode())
            raise

    def _why_not_entered(self) -> str:
        """What the last process that could not be confined said of it."""
        os.lseek(self.complaints, 0, os.SEEK_SET)
        text = os.read(self.complaints, 4096).decode("utf-8", "replace")
        os.lseek(self.complaints, 0, os.SEEK_SET)
        os.ftruncate(self.complaints, 0)
        return text

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
                self._read(file, child, stream)
                if not file.closed:
                    self.selector.unregister(file)
                    file.close()
        code = child.cell.code(code)
        limit = child.cell.close(code)
        _say(exited=child.name, code=code, limit=child.limit or limit, **child.take())

    def _sweep(self) -> bool:
        """Kill what ended bots have left behind, now and until nothing is found any more; return if it was."""
        seats = {child.seat for child in self.children.values()} - {None}
        strays = [pid for pid in descendants(os.getpid(), self.children) if seat_of(pid) not in seats]
        for pid in strays:
            send(pid, signal.SIGKILL)
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


def _order(request: dict[str, Any]) -> Order:
    return Order(
        name=request["start"], words=tuple(request["command"]), cwd=request["cwd"], env=request["env"],
        reads=tuple(request.get("reads", ())), writes=tuple(request.get("writes", ())),
        limits=Limits(**request.get("limits", {})),
    )  # fmt: skip


def _not_started(name: str, order: Order, error: Exception, complaint: str) -> dict[str, Any]:
    """The event that tells why a bot was not started: its command's fault, or the platform's."""
    if isinstance(error, OSError) and error.errno not in PLATFORM_ERRORS:
        told = error.filename if error.filename not in (None, order.words[0]) else None
        where = f" in {told!r}" if told is not None else ""
        text = f"cannot start {order.words[0]!r}{where}: {error.strerror}\n"
    elif isinstance(error, ValueError | IndexError):  # no words at all, or a NUL in one of them
        text = f"cannot start {list(order.words)!r}: {error}\n"
    else:
        return {"failed": name, "why": complaint or str(error)}
    return {"exited": name, "code": 127, "limit": "", "stdout": "", "stderr": text}


def _prctl(option: int, value: int) -> None:
    if hasattr(_LIBC, "prctl"):  # Linux
        _LIBC.prctl(option, value, 0, 0, 0)


def _say(**event: Any) -> None:
    data = memoryview((json.dumps(event) + "\n").encode())
    try:
        while data:
            data = data[os.write(sys.stdout.fileno(), data) :]
    except BrokenPipeError:
        pass  # the host is gone; our control pipe says so too


if __name__ == "__main__":
    Launcher().run()
