"""What Ray costs (`python -m benchmarks.ray_share [ROUNDS]`): the same blocks played by `run` with one worker, without Ray at all, and by two workers."""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path
from time import perf_counter

from cluster import ray_token, run, tournament
from cluster.arena import Arena, Chunk
from cluster.requeue import SetAside
from cluster.schedule import Block

BLOCKS, WARM_UP, ROUNDS = 120, 16, 3


class _Clock:
    """Counts from the first chunk on, so that no start is measured; those before it are the warm-up."""

    def __init__(self) -> None:
        self.marks: list[tuple[float, int]] = []

    def begin(self, *, blocks: int, done: int, games: int) -> None:
        pass

    def warn(self, text: str) -> None:
        raise SystemExit(text)

    def played(self, chunk: Chunk) -> None:
        self.marks.append((perf_counter(), chunk.matches))

    @property
    def matches_per_s(self) -> float:
        start = next(place for place in range(len(self.marks)) if sum(n for _, n in self.marks[: place + 1]) >= 4 * WARM_UP)
        return sum(n for _, n in self.marks[start + 1 :]) / (self.marks[-1][0] - self.marks[start][0])


def measure(rounds: int = ROUNDS) -> dict[str, float]:
    """Matches per second: of several rounds the best, one after the other, so that the machine's moods even out."""
    best = {"alone": 0.0, "one_worker": 0.0, "two_workers": 0.0}
    for number in range(rounds):
        settings = _settings(str(number))
        best["alone"] = max(best["alone"], _alone(settings))
        best["one_worker"] = max(best["one_worker"], _ray(settings, 1))
        best["two_workers"] = max(best["two_workers"], _ray(settings, 2))
        print(f"best after round {number + 1}: {best}", file=sys.stderr, flush=True)
    return {f"run_matches_per_s_{name}": value for name, value in best.items()} | {
        "ray_one_worker_over_alone": best["one_worker"] / best["alone"],
        "ray_two_workers_over_one": best["two_workers"] / best["one_worker"],
    }


def _settings(seed: str) -> tournament.Tournament:
    bots = [{"name": name, "command": "random"} for name in ("north", "east", "south", "west")]
    return tournament.parse({"ruleset": "king.simple", "seed": seed, "blocks": BLOCKS, "tables": 128, "bots": bots,
                             "clocks": {"budget_ms": 10_000}}, "ray_share")  # fmt: skip


def _alone(settings: tournament.Tournament) -> float:
    """As a worker plays: up to three chunks at a time, so that the tables stay full."""
    arena = Arena(settings)

    def play(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        with ThreadPoolExecutor(3) as pool:
            playing = {pool.submit(arena.play, chunk) for chunk in islice(chunks, 3)}
            while playing:
                ended, playing = wait(playing, return_when=FIRST_COMPLETED)
                for one in ended:
                    yield one.result()
                    if (chunk := next(chunks, None)) is not None:
                        playing.add(pool.submit(arena.play, chunk))

    try:
        return _timed(settings, play)
    finally:
        arena.close()


def _ray(settings: tournament.Tournament, workers: int) -> float:
    ray_token.prepare(None)
    from cluster import workers as pool

    with pool.cluster(None, workers):
        crew = pool.Workers(settings, workers, print)

        def play(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk | SetAside]:
            yield from crew.play(chunks)

        try:
            return _timed(settings, play)
        finally:
            crew.close()


def _timed(settings: tournament.Tournament, play: run.Play) -> float:
    clock = _Clock()
    with tempfile.TemporaryDirectory() as folder:
        if not run.run(settings, Path(folder) / "r", play, clock, workers=2).complete:
            raise SystemExit("blocks are missing: the figures would mean nothing")
    return clock.matches_per_s


if __name__ == "__main__":
    for figure, value in measure(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS).items():
        print(f"{figure:45} {value:12,.2f}", flush=True)
