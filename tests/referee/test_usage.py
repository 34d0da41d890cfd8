"""What a process used, and what it had to wait: read from real processes that crowd one processor."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.usage import Usage, busy_s, usage

PATIENCE_S = 60.0
SPIN = "while True: pass"


@pytest.fixture
def run() -> Iterator[Callable[[str], int]]:
    """Start Python programs that all have to share one processor; the result is the process."""
    started: list[subprocess.Popen[bytes]] = []
    processor = min(os.sched_getaffinity(0))

    def start(code: str) -> int:
        crowded = f"import os; os.sched_setaffinity(0, [{processor}]); print(flush=True)\n{code}"
        process = subprocess.Popen([sys.executable, "-S", "-c", crowded], stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout is not None
        process.stdout.readline()
        return process.pid

    yield start
    for process in started:
        for child in psutil.Process(process.pid).children():
            child.kill()
        process.kill()
        process.communicate()


def until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


def read(pid: int) -> Usage:
    used = usage(pid)
    assert used is not None
    return used


def test_who_sleeps_neither_runs_nor_waits(run: Callable[[str], int]) -> None:
    pid = run("import time; time.sleep(1000)")
    rival = run(SPIN)
    assert until(lambda: Path(f"/proc/{pid}/wchan").read_text() not in ("", "0"))
    before, spun = read(pid), read(rival)
    assert until(lambda: read(rival).cpu - spun.cpu > 0.2)
    after = read(pid)
    assert after.cpu - before.cpu < 0.05
    assert after.delay - before.delay < 0.05


def test_who_shares_a_processor_waits_as_long_as_the_others_run(run: Callable[[str], int]) -> None:
    pids = [run(SPIN) for _ in range(3)]
    before = [read(pid) for pid in pids]
    start = time.monotonic()
    assert until(lambda: all(read(pid).cpu - old.cpu > 0.2 for pid, old in zip(pids, before, strict=True)))
    for pid, old in zip(pids, before, strict=True):
        new, wall = read(pid), time.monotonic() - start
        assert new.delay - old.delay > 0.2
        assert busy_s(wall, old, new) < 0.8 * wall


@pytest.mark.parametrize(
    "code",
    [
        "import threading; threading.Thread(target=lambda: sum(iter(int, 1))).start(); import time; time.sleep(1000)",
        "import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', 'while True: pass'])",
    ],
    ids=["thread", "child"],
)
def test_threads_and_children_count(run: Callable[[str], int], code: str) -> None:
    pid = run(code)
    assert until(lambda: read(pid).cpu > 0.3)


def test_a_process_that_has_ended_has_no_usage() -> None:
    process = subprocess.Popen([sys.executable, "-S", "-c", "pass"])
    process.wait()
    assert usage(process.pid) is None


spans = st.floats(0, 1e6)


@given(wall=spans, cpu=st.floats(-10, 1e6), delay=st.floats(-10, 1e6))
def test_busy_is_at_least_what_was_computed_and_at_most_the_span(wall: float, cpu: float, delay: float) -> None:
    busy = busy_s(wall, Usage(10.0, 10.0), Usage(10.0 + cpu, 10.0 + delay))
    assert 0 <= busy <= wall
    assert busy >= min(cpu, wall) - 1e-6
    assert delay > 0 or busy == wall
