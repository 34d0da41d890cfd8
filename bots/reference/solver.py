"""Solver: a program in Rust (bots/solver) thinks; this asks it, a line of text for each decision."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from bots.observation import Observation

CRATE = Path(__file__).resolve().parents[1] / "solver"
PROGRAM = CRATE / "target" / "release" / "solver"


class NotBuilt(SystemExit):
    """The program is not there; ends the process with a sentence that says how to get it, and status 1."""


class SolverBot:
    """Plays the trick games. ``nodes``: positions for a decision, instead of the time that the referee gives.

    Kings in the Corner has no tricks to solve: there it plays as greedy does.

    Raises:
        NotBuilt: the program was never built.
    """

    def __init__(self, nodes: int | None = None) -> None:
        self.nodes = nodes
        self.program = Program()

    def decide(self, observation: Observation, legal: list[int]) -> int:
        """What the program answers."""
        if len(legal) == 1:
            return legal[0]
        if observation.layout is not None:
            from bots.reference.greedy import GreedyBot

            return GreedyBot().decide(observation, legal)
        return int(self.program.ask(question(observation, legal, self.nodes)))


class Program:
    """The solver, as a process that answers lines."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([built()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, line: str) -> str:
        """The answer to a line.

        Raises:
            ValueError: the program does not understand it; the text says what is wrong.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer or answer.startswith("error"):
            raise ValueError(f"the solver was asked {line!r}; {answer or 'it has ended'}")
        return answer

    def close(self) -> None:
        """End the process."""
        self.process.communicate(timeout=10)


def built() -> Path:
    """The program's file.

    Raises:
        NotBuilt: it is not there.
    """
    if not PROGRAM.exists():
        how = "make solver" if shutil.which("cargo") else "install Rust (cargo), then: make solver"
        raise NotBuilt(f"the solver is not built; {how}")
    return PROGRAM


def question(observation: Observation, legal: list[int], nodes: int | None) -> str:
    """A decision as a line (bots/solver/README.md)."""
    words: dict[str, object] = {
        "ruleset": observation.ruleset,
        **{f"option.{name}": json.dumps(setting) for name, setting in observation.options.items()},
        "seat": observation.seat,
        "dealer": observation.dealer,
        "hand": observation.hand_mask,
        "kind": observation.kind,
        "actions": listed(observation.actions),
        "seats": listed(observation.seats),
        "legal": listed(legal),
        "budget_ms": observation.budget_ms,
        "bank_ms": observation.bank_ms,
        "seed": observation.seed,
        "contract": observation.contract,
        "declarer": observation.declarer,
        "nodes": nodes,
    }
    return line("decide", words)


def line(verb: str, words: dict[str, object]) -> str:
    """A verb and its words; what is None is left out."""
    return " ".join([verb, *(f"{key}={word}" for key, word in words.items() if word is not None)])


def listed(numbers: list[int] | tuple[int, ...]) -> str:
    """Numbers with commas between them."""
    return ",".join(map(str, numbers))


if __name__ == "__main__":  # the program itself, for whoever has lines to ask
    os.execv(built(), [str(PROGRAM)])
