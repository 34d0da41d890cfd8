"""The launcher process alone, spoken to as the host does."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.launcher import HEAD_BYTES, TAIL_BYTES, Capture
from tests.referee.hosting import ROOT, gone_within, marked, new_mark

PATIENCE_S = 30.0
PYTHON = [sys.executable, "-S", "-c"]
SLEEP = "import time; time.sleep(1000)"


class Spoken:
    """A launcher, and the events that it has told."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "referee.launcher"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        os.set_blocking(self.stdout.fileno(), False)
        self.rest = b""
        self.events: list[dict[str, Any]] = []

    def say(self, **request: Any) -> None:
        self.stdin.write(json.dumps(request).encode() + b"\n")
        self.stdin.flush()

    def start(self, name: str, command: list[str], cwd: str | None = None, **env: str) -> None:
        self.say(start=name, command=command, cwd=cwd, env={"PATH": os.environ["PATH"]} | env)

    def hear(self, word: str, name: Any) -> dict[str, Any]:
        """The event of this kind, waited for; events before it are kept."""
        deadline = time.monotonic() + PATIENCE_S
        with selectors.DefaultSelector() as selector:
            selector.register(self.stdout, selectors.EVENT_READ)
            while not (found := [event for event in self.events if event.get(word) == name]):
                assert selector.select(deadline - time.monotonic()), f"no {word} {name} but {self.events}"
                data = self.stdout.read() or b""
                assert data, f"the launcher has ended; no {word} {name} but {self.events}"
                *lines, self.rest = (self.rest + data).split(b"\n")
                self.events += map(json.loads, lines)
        return found[0]

    def close(self) -> None:
        if not self.stdin.closed:
            self.stdin.close()
        assert self.process.wait(PATIENCE_S) == 0
        self.stdout.close()


@pytest.fixture
def launcher() -> Iterator[Spoken]:
    spoken = Spoken()
    yield spoken
    spoken.close()


def test_a_process_is_started_and_its_end_is_told_with_what_it_printed(launcher):
    code = "import os, sys; print(os.environ['WORD'], os.getcwd()); print('oh', file=sys.stderr); sys.exit(5)"
    launcher.start("a", [*PYTHON, code], "/", WORD="well")
    assert launcher.hear("started", "a")["pid"]
    assert launcher.hear("exited", "a") == {"exited": "a", "code": 5, "limit": "", "stdout": "well /\n", "stderr": "oh\n"}


def test_a_bot_inherits_nothing_but_its_streams_and_what_it_is_given(launcher):
    code = (
        "import os, signal; print(sorted(os.environ), [fd for fd in range(100) if os.path.exists(f'/proc/self/fd/{fd}')],"
        " [n.name for n in signal.valid_signals() if hasattr(n, 'name') and signal.getsignal(n) == signal.SIG_IGN],"
        " os.getsid(0) == os.getpid(), os.read(0, 1))"
    )
    launcher.start("a", [*PYTHON, code])
    printed = launcher.hear("exited", "a")["stdout"].split("] ", 2)
    assert eval(printed[0] + "]") in (["PATH"], ["LC_CTYPE", "PATH"])  # Python adds LC_CTYPE itself
    assert printed[1] == "[0, 1, 2"
    assert printed[2] == "['SIGPIPE', 'SIGXFSZ'] True b''\n"  # as every Python process has them


@pytest.mark.parametrize(
    ("command", "cwd", "text"),
    [
        (["/no/such"], None, "cannot start '/no/such': No such file or directory\n"),
        (["/etc/passwd"], None, "cannot start '/etc/passwd': Permission denied\n"),
        (["/etc/passwd/x"], None, "cannot start '/etc/passwd/x': Not a directory\n"),
        (["true"], "/no/such", "cannot start 'true' in '/no/such': No such file or directory\n"),
        (["true", "x" * 300_000], None, "cannot start 'true': Argument list too long\n"),
        (["tr\0ue"], None, "cannot start ['tr\\x00ue']: embedded null byte\n"),
        ([], None, "cannot start []: "),
    ],
    ids=["missing", "no right", "no folder", "cwd", "long", "nul", "empty"],
)
def test_what_cannot_be_started_has_ended_with_the_reason(launcher, command, cwd, text):
    launcher.start("a", command, cwd)
    event = launcher.hear("exited", "a")
    assert event["code"] == 127
    assert event["stderr"].startswith(text)
    launcher.start("b", ["true"])
    assert launcher.hear("exited", "b")["code"] == 0


def test_peek_tells_of_the_living_and_forgets(launcher):
    launcher.start("a", [*PYTHON, f"print('one', flush=True); {SLEEP}"])
    launcher.start("b", [*PYTHON, SLEEP])
    for number in range(1000):
        launcher.say(peek=True)
        launcher.say(ping=number)
        assert launcher.hear("pong", number) == {"pong": number}
        if any("printed" in event for event in launcher.events):
            break
        time.sleep(0.01)
    launcher.say(peek=True)
    launcher.say(ping=-1)
    launcher.hear("pong", -1)
    printed = [event for event in launcher.events if "printed" in event]
    assert printed == [{"printed": "a", "stdout": "one\n", "stderr": ""}]
    launcher.say(stop="a", grace_s=10)
    assert launcher.hear("exited", "a") == {"exited": "a", "code": -signal.SIGTERM, "limit": "", "stdout": "", "stderr": ""}


def test_stop_leaves_a_grace_and_then_kills_the_whole_tree(launcher):
    mark = new_mark()
    stubborn = (
        "import signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        f"subprocess.Popen([sys.executable, '-S', '-c', {SLEEP!r}, {mark!r}]); print('ready', flush=True); time.sleep(1000)"
    )
    launcher.start("a", [*PYTHON, stubborn, mark])
    launcher.hear("started", "a")
    assert wait_for(lambda: len(marked(mark)) == 2)
    launcher.say(stop="a", grace_s=0.2)
    assert launcher.hear("exited", "a")["code"] == -signal.SIGKILL
    assert gone_within(1, lambda: marked(mark))


def test_what_a_bot_leaves_behind_is_killed_and_a_living_bot_s_own_is_not(launcher):
    mark, kept = new_mark(), new_mark()
    daemon = (
        "import os, sys\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n"
        f"  os.execv(sys.executable, [sys.executable, '-S', '-c', {SLEEP!r}, sys.argv[1]])\n os._exit(0)\nos.wait()\n"
    )
    launcher.start("lives", [*PYTHON, daemon + SLEEP, kept], KINGMAKER_SEAT="/nowhere/1")
    assert wait_for(lambda: len(marked(kept)) == 2)
    launcher.start("ends", [*PYTHON, daemon, mark], KINGMAKER_SEAT="/nowhere/2")
    assert launcher.hear("exited", "ends")["code"] == 0
    assert gone_within(1, lambda: marked(mark))
    assert len(marked(kept)) == 2
    launcher.close()
    assert gone_within(1, lambda: marked(kept))


def test_the_end_of_the_host_is_the_end_of_all_and_the_seats_are_removed(launcher, tmp_path):
    mark = new_mark()
    seat = tmp_path / "km-test" / "1"
    seat.mkdir(parents=True)
    (seat / "token").touch()
    ignoring = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"
    launcher.start("a", [*PYTHON, ignoring, mark], KINGMAKER_SEAT=str(seat))
    launcher.start("b", [*PYTHON, SLEEP, mark])
    launcher.hear("started", "b")
    start = time.monotonic()
    launcher.close()
    assert time.monotonic() - start < 10
    assert not marked(mark)
    assert list(tmp_path.iterdir()) == []


def test_sigterm_is_the_end_too_and_the_pipe_closes_without_a_word_of_the_bots(launcher):
    mark = new_mark()
    launcher.start("a", [*PYTHON, SLEEP, mark])
    launcher.hear("started", "a")
    launcher.process.terminate()
    launcher.process.wait(PATIENCE_S)
    assert launcher.stdout.read() == b""
    assert not marked(mark)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_signals_of_the_terminal_are_for_the_host(launcher, number):
    launcher.say(ping=1)
    launcher.hear("pong", 1)
    launcher.process.send_signal(number)
    launcher.say(ping=2)
    assert launcher.hear("pong", 2)


def wait_for(condition) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


@settings(deadline=None)
@given(sizes=st.lists(st.integers(0, 40_000), max_size=20))
def test_a_capture_keeps_head_and_tail(sizes):
    capture, data = Capture(), b"".join(bytes([97 + number % 26]) * size for number, size in enumerate(sizes))
    position = 0
    for size in sizes:
        capture.add(data[position : position + size])
        position += size
        assert len(capture.head) + len(capture.tail) <= HEAD_BYTES + 2 * TAIL_BYTES
    text = capture.take()
    if len(data) <= HEAD_BYTES + TAIL_BYTES:
        assert text == data.decode()
    else:
        head, middle, tail = text.split("\n")
        assert (head, tail) == (data[:HEAD_BYTES].decode(), data[-TAIL_BYTES:].decode())
        assert middle == f"… {len(data) - HEAD_BYTES - TAIL_BYTES} bytes left out …"
    assert capture.take() == ""


@given(st.binary(max_size=200))
def test_whatever_was_printed_becomes_text(data):
    capture = Capture()
    capture.add(data)
    text = capture.take()
    assert "\0" not in text
    assert json.loads(json.dumps(text)) == text
    text.encode()
