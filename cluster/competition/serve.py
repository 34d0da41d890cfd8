"""`kingmaker serve`: one process that keeps the others alive: service, worker, ladder, remote, pages.

Each of them may be killed at any moment, this one too: what matters is in the database and in results folders, and who
starts anew goes on from there.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cluster.competition.children import die_with_parent
from cluster.competition.database import DATABASE

#: The word by which the remote part listens beyond this machine without TLS.
PLAINTEXT = "plaintext"
#: A part that died is started again after so long, which doubles while it dies at once, up to the second number.
RESTART_S, RESTART_MOST_S = 0.5, 30.0
#: Who lives for so long is well.
WELL_S = 20.0
#: What a part has to end by itself.
GRACE_S = 8.0
LOOK_S = 0.2


@dataclass
class Part:
    """A process that is to be there."""

    name: str
    words: tuple[str, ...]
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    due: float = 0.0
    wait: float = field(default=RESTART_S)


class Tree:
    """Keeps its parts running until it is told to stop; ``say`` is told what they are up to."""

    def __init__(self, parts: list[Part], database: str, say: Callable[[str], None]) -> None:
        self._parts = parts
        self._say = say
        self._env = {**os.environ, DATABASE: database, "GRPC_ENABLE_FORK_SUPPORT": "0", "OMP_NUM_THREADS": "1"}
        # Bots are found with the programs of our own environment first: they play with the Python that has the SDK.
        self._env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
        self._is_over = False

    def run(self) -> None:
        """Until SIGINT or SIGTERM; then end the parts in order."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        try:
            while not self._is_over:
                for part in self._parts:
                    self._look(part, time.monotonic())
                time.sleep(LOOK_S)
        finally:
            self._end()

    def _stop(self, *_: object) -> None:
        self._is_over = True

    def _look(self, part: Part, now: float) -> None:
        if part.process is not None and (code := part.process.poll()) is not None:
            part.wait = RESTART_S if now - part.started > WELL_S else min(2 * part.wait, RESTART_MOST_S)
            part.process, part.due = None, now + part.wait
            how = f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"
            self._say(f"{part.name} {how}; it is started again")
        if part.process is None and part.due <= now:
            part.started = now
            part.process = subprocess.Popen(
                part.words, stdin=subprocess.DEVNULL, env=self._env, start_new_session=True, preexec_fn=die_with_parent
            )

    def _end(self) -> None:
        living = [part.process for part in self._parts if part.process is not None]
        for process in living:
            process.terminate()
        deadline = time.monotonic() + GRACE_S
        for process in living:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def parts(data: Path, submit: str, remote: str | None, dashboard: int | None, tls: tuple[Path, Path] | None, *,
          plaintext: bool = False) -> list[Part]:  # fmt: skip
    """The parts of a competition. ``submit``, ``remote``: where authors and remote bots come in; ``dashboard``: the port of the pages;
    None for none. ``tls``: certificate and key."""
    ours = (sys.executable, "-P", "-m", "cluster.competition.part")
    files = tuple(map(str, tls or ()))
    found = [
        Part("service", (*ours, "service", str(data), submit, *files)),
        Part("worker", (*ours, "worker", str(data))),
        Part("ladder", (*ours, "ladder", str(data))),
    ]
    if remote is not None:
        found.append(Part("remote", (*ours, "remote", str(data), remote, PLAINTEXT if plaintext else "", *files)))
    if dashboard is not None:
        found.append(Part("pages", (*ours, "pages", str(data), str(dashboard))))
    return found
