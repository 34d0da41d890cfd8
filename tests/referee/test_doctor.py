"""The doctor finds at each step the bot that fails at it, and passes good ones; its patients are real processes."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from referee.doctor import Doctor, Finding
from referee.faults import Clocks
from referee.processes import LauncherClient
from referee.rules.registry import RULESETS
from tests import loop
from tests.referee.hosting import ROOT, Command, gone_within, good, hostile, marked, new_mark

STEPS = 10
#: Step 3 waits for budget and bank, and no longer.
CLOCKS = Clocks(budget_ms=500, bank_ms=500)


def examine(command: Command, ruleset: str = "king.simple", start_timeout_s: float = 30.0) -> tuple[list[Finding], Doctor]:
    rules = RULESETS[ruleset]
    doctor = Doctor(LauncherClient(), command, rules.game(), rules.game({"ask_forced": True}), CLOCKS, start_timeout_s)

    async def main() -> list[Finding]:
        return [finding async for finding in doctor.examine()]

    return loop.run(main(), 100), doctor


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_good_bot_passes_every_step_in_every_game(ruleset: str) -> None:
    findings, _ = examine(good("lowest"), ruleset)
    assert [finding.passed for finding in findings] == [True] * STEPS
    assert [finding.number for finding in findings] == list(range(1, STEPS + 1))


def test_a_noisy_bot_passes_and_what_it_prints_is_shown() -> None:
    findings, doctor = examine(hostile("chatty", new_mark()))
    assert all(finding.passed for finding in findings)
    assert "thinking" in doctor.printed.stdout
    assert "bytes left out" in doctor.printed.stderr


#: The first step that each fails, and what it is told.
FAILING = {
    "nothing": (1, "no stream (exit status 127)"),
    "early": (1, "no stream (exit status 1)"),
    "mute": (1, "no stream within 3 s"),
    "newer": (2, "versions 1 to 1 are spoken here, not 2 to 2"),
    "silent": (3, "nothing where an answer was to come"),
    "illegal": (3, "action 4294967295 in match 1, decision 1; legal: "),
    "garbage": (3, "a message of 3 bytes that holds no answers or cannot be read: ff ff ff"),
    "foreign": (3, "an answer to match 1000, decision 1, which is not open"),
    "raises": (3, "the end of its stream where an answer was to come (exit status 1)"),
    "killed": (3, "the end of its stream where an answer was to come (killed by signal 9)"),
    "twice": (4, "an answer to match 1, decision 1, which is not open"),
    "stubborn": (9, "it still runs 2 s after goodbye, and would be killed"),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_bad_bot_is_told_where_it_fails_and_leaves_nothing(name: str) -> None:
    mark = new_mark()
    command = Command(("/no/such/command",)) if name == "nothing" else hostile(name, mark)
    findings, _ = examine(command, start_timeout_s=3.0 if name == "mute" else 30.0)
    first = next(finding for finding in findings if not finding.passed)
    assert first.number == FAILING[name][0]
    assert first.passed is False
    assert first.found.startswith(FAILING[name][1])
    assert gone_within(1, lambda: marked(mark))
    assert len(findings) == STEPS
    after = {finding.passed for finding in findings[first.number :]}
    assert (after == {None}) == (first.number <= 3 and first.number < STEPS)


def test_the_command_prints_each_step_and_ends_with_its_verdict() -> None:
    words = [sys.executable, "-m", "cluster.cli", "doctor", "--ruleset", "kings_corner", "--"]
    passed = subprocess.run([*words, "lowest"], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert (passed.returncode, passed.stderr) == (0, "")
    assert " 4 ok   answers a batch of 500\n          expected: in 2 messages of at most 256" in passed.stdout
    assert passed.stdout.endswith("This bot is ready to play.\n")
    assert not re.search(r"^ *[IWE]\d{4} ", passed.stdout, re.MULTILINE), "gRPC's own log is nothing that the bot prints"
    code = r"import sys; sys.exit('no \x1b[31mtime\u202e for games')"
    failed = subprocess.run([*words, sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)  # fmt: skip
    assert failed.returncode == 1
    assert r"no \x1b[31mtime\x202e for games" in failed.stdout
    assert failed.stdout.endswith("This bot is not ready: see step 1.\n")
