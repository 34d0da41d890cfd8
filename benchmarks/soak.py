"""A soak: many short matches in one host, a tenth of the bots misbehaving; what is left at the end, and how memory went.

`python -m benchmarks.soak [MATCHES [SECONDS]]`; `tests/cluster/test_soak.py` plays a shorter one.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import numpy as np
import psutil

from cluster import run, tournament
from cluster.arena import Arena, Chunk
from cluster.schedule import Block
from cluster.store import Store

MOODY = Path(__file__).resolve().parents[1] / "tests" / "hostile" / "moody.py"
BOTS = 10


@dataclass
class Soak:
    """What was seen. ``memory``: MiB of the process with referee and host, and of its launcher, after each chunk."""

    folder: Path
    seconds: float = 0.0
    outcome: run.Outcome | None = None
    matches: list[int] = field(default_factory=list)
    memory: list[tuple[float, float]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def slope(self, which: int) -> float:
        """MiB a thousand matches, by least squares, without the first third, in which caches fill."""
        start = len(self.matches) // 3
        return float(np.polyfit(np.array(self.matches[start:]) / 1000, [row[which] for row in self.memory[start:]], 1)[0])

    # what a run tells
    def begin(self, *, blocks: int, done: int, games: int) -> None:
        pass

    def warn(self, text: str) -> None:
        self.left.append(text)

    def played(self, chunk: Chunk) -> None:
        self.matches.append((self.matches or [0])[-1] + chunk.matches)
        children = psutil.Process().children()
        launcher = sum(one.memory_info().rss for one in children if "referee.launcher" in one.cmdline())
        self.memory.append((psutil.Process().memory_info().rss / 2**20, launcher / 2**20))


def settings(matches: int) -> tournament.Tournament:
    """Matches of a single deal of Klaverjas between two teams; one bot of ten is moody."""
    bots = [{"name": f"good-{number}", "command": "random"} for number in range(BOTS - 1)]
    bots.append({"name": "moody", "command": f"{sys.executable} {MOODY}"})
    return tournament.parse(
        {"ruleset": "klaverjas.amsterdam", "options": {"target": 1}, "seed": "soak", "blocks": matches // 2, "bots": bots,
         "isolation": "trusted", "clocks": {"budget_ms": 200, "bank_ms": 200}, "tables": 64}, "soak",
    )  # fmt: skip


def soak(matches: int, folder: Path, seconds: float = 86_400.0) -> Soak:
    """Play so many matches, or for so long, and look at what is left."""
    seen = Soak(folder)
    usual, before_sockets = tempfile.tempdir, sockets()
    tempfile.tempdir = own = tempfile.mkdtemp(prefix="soak-")  # where nobody else leaves anything
    played = settings(matches)
    start = perf_counter()
    arena = Arena(played)

    def play(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        for chunk in chunks:
            yield arena.play(chunk)
            if perf_counter() - start > seconds:
                return

    try:
        seen.outcome = run.run(played, folder, play, seen)
    finally:
        arena.close()
        tempfile.tempdir = usual
    seen.seconds = perf_counter() - start
    seen.left += [f"process {one.pid} {one.name()}" for one in psutil.Process().children(recursive=True)]
    seen.left += [str(path) for path in Path(own).iterdir()]
    shutil.rmtree(own)
    opened = sorted(sockets() - before_sockets)
    seen.left += opened if len(opened) > 2 else []  # gRPC keeps a pair for its poller, as long as the process lives
    return seen


def sockets() -> set[str]:
    """All sockets of this process."""
    links = (os.path.join("/proc/self/fd", name) for name in os.listdir("/proc/self/fd"))
    return {target for link in links if os.path.islink(link) and (target := os.readlink(link)).startswith("socket:")}


def main() -> None:
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 86_400.0
    with tempfile.TemporaryDirectory() as place:
        seen = soak(matches, Path(place) / "r", seconds)
        rows = Store(Path(place) / "r").table("matches")
    assert rows.height == 4 * rows["match_id"].n_unique() == 4 * (seen.matches or [0])[-1]
    faults = {kind: int(rows[kind].sum()) for kind in ("illegal", "malformed", "timeout", "disconnect")}
    others = int(rows.filter(rows["bot"] != "moody")["faults"].sum())
    print(f"{rows['match_id'].n_unique()} of {matches} matches in {seen.seconds:.0f} s, {faults}, faults of other bots: {others}")
    for which, name in enumerate(("referee and host", "launcher")):
        print(f"{name}: {seen.memory[-1][which]:.0f} MiB at the end, {seen.slope(which):+.3f} MiB a thousand matches")
    print(f"left behind: {seen.left or 'nothing'}")


if __name__ == "__main__":
    main()
