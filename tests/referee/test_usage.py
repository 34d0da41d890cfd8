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

from referee.usage import below, come_round, cpu_s, delay_s, is_queued, meter

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


def account(pid: int) -> tuple[float, float]:
    """What a process and all below it ran and waited."""
    pids = below(pid)
    return sum(cpu_s(each) or 0.0 for each in pids), sum(delay_s(each) for each in pids)


def test_who_sleeps_neither_runs_nor_waits(run: Callable[[str], int]) -> None:
    pid = run("import time; time.sleep(1000)")
    rival = run(SPIN)
    assert until(lambda: Path(f"/proc/{pid}/wchan").read_text() not in ("", "0"))
    (ran, waited), spun = account(pid), account(rival)[0]
    assert until(lambda: account(rival)[0] - spun > 0.2)
    assert account(pid)[0] - ran < 0.05
    assert account(pid)[1] - waited < 0.05


def test_who_shares_a_processor_waits_as_long_as_the_others_run(run: Callable[[str], int]) -> None:
    pids = [run(SPIN) for _ in range(3)]
    before = [account(pid) for pid in pids]
    assert until(lambda: all(account(pid)[0] - ran > 0.2 for pid, (ran, _) in zip(pids, before, strict=True)))
    assert all(account(pid)[1] - waited > 0.2 for pid, (_, waited) in zip(pids, before, strict=True))


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
    assert until(lambda: account(pid)[0] > 0.3)


def test_a_process_that_has_ended_has_no_account() -> None:
    process = subprocess.Popen([sys.executable, "-S", "-c", "pass"])
    process.wait()
    assert (below(process.pid), cpu_s(process.pid), delay_s(process.pid)) == ([], None, 0.0)


def test_who_wants_a_processor_is_seen(run: Callable[[str], int]) -> None:
    sleeper, spinner = run("import time; time.sleep(1000)"), run(SPIN)
    assert until(lambda: is_queued(spinner))
    assert until(lambda: not is_queued(sleeper))
    assert not is_queued(spinner, but=spinner)


def test_nobody_is_late_while_it_cannot_be_told_how_long_it_waited(run: Callable[[str], int]) -> None:
    """The kernel books a wait when it is over, and what comes first is the end of the bot's time."""
    pid, *_ = [run(SPIN) for _ in range(4)]
    found = meter(pid)
    assert found is not None
    start = time.monotonic()
    found.begin(start)
    found.look()
    assert found.in_doubt(start + 1_000)
    assert until(lambda: not found.in_doubt(start + 0.1))  # it has run for that long
    assert not found.in_doubt(start)


def spared(pid: int, *, look: bool, stall: float = 0.0) -> tuple[float, float, float]:
    """Let half a second pass; what a meter spares a process of it, what it ran, and what passed."""
    found = meter(pid)
    assert found is not None
    start, ran = time.monotonic(), account(pid)[0]
    found.begin(start)
    if look:
        found.look()
    found.stall(stall)
    assert until(lambda: time.monotonic() - start > 0.5)
    for _ in range(2):
        come_round(time.monotonic())
    end = time.monotonic()
    excess = found.settle(end)
    assert found.settle(end) == pytest.approx(0.0, abs=1e-6)  # it is not told twice
    return excess, account(pid)[0] - ran, end - start


def test_a_crowded_bot_is_charged_what_it_ran(run: Callable[[str], int]) -> None:
    pid, *_ = [run(SPIN) for _ in range(4)]
    excess, ran, wall = spared(pid, look=True)
    assert 0.2 * wall < excess <= wall
    assert wall - excess >= ran - 0.1


def test_a_sleeping_bot_is_spared_nothing_but_our_own_stall(run: Callable[[str], int]) -> None:
    pid = run("import time; time.sleep(1000)")
    assert spared(pid, look=False)[0] == pytest.approx(0.0, abs=0.1)
    assert spared(pid, look=False, stall=0.3)[0] == pytest.approx(0.3, abs=0.1)


def test_a_bot_that_runs_on_while_we_stand_still_is_charged_for_it(run: Callable[[str], int]) -> None:
    pid = run(SPIN)
    excess, ran, wall = spared(pid, look=False, stall=100.0)
    assert wall - excess >= ran - 0.1
    assert ran > 0.05
