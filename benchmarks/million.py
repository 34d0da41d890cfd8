"""A million matches in the store: ratings and contracts from cold, and DuckDB on the same files.

`python -m benchmarks.million [DIR [MATCHES]]` makes the folder where it is missing (some minutes, two gigabytes), and
measures. The rows are those of a real batch, played by random players in this process; from batch to batch the bots,
their luck and the names change, so that nothing compresses better than it should.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path
from time import perf_counter

import numpy as np
import polars as pl

from cluster import records, run, schedule, tournament
from referee.table import MatchSpec, Table

BOTS = 12
BLOCKS_A_BATCH = run.MAX_CHUNK
COMMAND = [sys.executable, "-m", "cluster.cli"]


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="kingmaker-million-"))
    matches = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    if not (folder / "tournament.json").exists():
        synthesise(folder, matches)
    for name, value in measure(folder).items():
        print(f"{name:45} {value:12,.2f}", flush=True)
    if len(sys.argv) <= 1:
        shutil.rmtree(folder)


def measure(folder: Path) -> dict[str, float]:
    """What commands take from their start to their end."""
    figures: dict[str, float] = {}
    for name in ("standings", "contracts"):
        figures |= timed(f"million_{name}", [*COMMAND, name, str(folder), "--format", "csv"])
    for name, query in QUERIES.items():
        code = f"import duckdb; duckdb.sql({query.format(folder=folder)!r}).fetchall()"
        figures |= timed(f"million_duckdb_{name}", [sys.executable, "-c", code])
    return figures


#: What DuckDB is asked: means without any model or interval.
QUERIES = {
    "standings": "SELECT bot, avg(total), count(*) FROM '{folder}/batches/*/matches.parquet' GROUP BY bot",
    "contracts": "SELECT bot, contract, avg(score), avg(tricks), count(*) FROM '{folder}/batches/*/deals.parquet' GROUP BY ALL",
}


def timed(name: str, command: list[str]) -> dict[str, float]:
    """Run a command with cold caches, as far as we may empty them: seconds, those of them on a processor, and memory."""
    subprocess.run(["sh", "-c", "sync; echo 3 > /proc/sys/vm/drop_caches"], stderr=subprocess.DEVNULL, check=False)
    start = perf_counter()
    code = "import resource, subprocess, sys; status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode; "
    code += "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_utime + used.ru_stime, used.ru_maxrss); sys.exit(status)"
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
    seconds, kibibytes = map(float, done.stdout.split())
    return {f"{name}_s": perf_counter() - start, f"{name}_cpu_s": seconds, f"{name}_mib": kibibytes / 1024}


def synthesise(folder: Path, matches: int) -> None:
    """Write a results folder of so many matches."""
    settings = tournament.parse(
        {"ruleset": "king.fetes", "seed": "million", "blocks": matches // 4, "bots": [
            {"name": f"bot-{number:02}", "command": "never started"} for number in range(BOTS)]}, "million",
    )  # fmt: skip
    (folder / "batches").mkdir(parents=True)
    plan = json.dumps({"format": "kingmaker-results/1", **run.plan_of(settings)})
    (folder / "tournament.json").write_text(plan)
    rng = np.random.default_rng(1)
    template = _template(settings)
    blocks = schedule.blocks(settings)
    for start in range(0, matches // 4, BLOCKS_A_BATCH):
        chosen = [next(blocks) for _ in range(min(BLOCKS_A_BATCH, matches // 4 - start))]
        _batch(folder, template, chosen, rng)
        if start // BLOCKS_A_BATCH % 400 == 0:
            print(f"{start} of {matches // 4} blocks", file=sys.stderr, flush=True)


def _template(settings: tournament.Tournament) -> dict[str, pl.DataFrame]:
    played = []
    for block in islice(schedule.blocks(settings), BLOCKS_A_BATCH):
        tables = []
        for game in range(len(block.seatings)):
            spec = MatchSpec(match_id=block.match_id(game), game=settings.game(), seed=block.seed,
                             players=block.players(game), bot_seeds=(1, 2, 3, 4))  # fmt: skip
            tables.append(_play(spec))
        played.append(records.Played(block, tuple(tables)))
    return records.frames(settings.id, played)


def _play(spec: MatchSpec) -> Table:
    table, rng = Table(spec), np.random.default_rng(int.from_bytes(hashlib.sha256(spec.match_id.encode()).digest()[:8], "big"))
    while table.advance() is not None:
        legal = table.match.deal.legal()
        table.answer(legal[int(rng.integers(len(legal)))], 1000 + legal[0])
    return table


def _batch(folder: Path, template: dict[str, pl.DataFrame], blocks: list[schedule.Block], rng: np.random.Generator) -> None:
    old = template["matches"].group_by("block", maintain_order=True).agg(pl.col("block_id").first())["block_id"][: len(blocks)]
    places = {(one, block.index): block for one, block in zip(old, blocks, strict=True)}
    names = pl.DataFrame({
        "block_id": [one for one, _ in places], "new": [block.id for block in blocks], "index": [block.index for block in blocks],
        "players": [[block.players(game) for game in range(4)] for block in blocks],
    }, schema_overrides={"index": pl.UInt32})  # fmt: skip
    renamed = {name: _renamed(frame, names, rng) for name, frame in template.items()}
    renamed |= records.derived(renamed["matches"], renamed["deals"], blocks[0].id)
    files = {name: records.parquet(frame) for name, frame in renamed.items()}
    place = folder / "batches" / f"{blocks[0].id}-{len(blocks)}"
    place.mkdir(exist_ok=True)
    for name, data in files.items():  # without the checksums and the syncs of a real one: they would take longer than all else
        (place / f"{name}.parquet").write_bytes(data)


def _renamed(frame: pl.DataFrame, names: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    if "block" not in frame.columns or frame.is_empty():
        return frame
    order, joined = frame.columns, frame.join(names, on="block_id", how="inner", maintain_order="left", suffix="_new")
    changed = [pl.col("index").alias("block"), pl.col("new").alias("block_id"),
               pl.format("{}-{}", "new", "game").alias("match_id")]  # fmt: skip
    players = "players_new" if "players" in frame.columns else "players"
    seats = pl.col(players).list.get(pl.col("game"))
    changed.append(seats.alias("players") if "players" in frame.columns else seats.list.get(pl.col("seat")).alias("bot"))
    for name in {"total", "score"} & set(order):
        changed.append(pl.col(name) + pl.Series(rng.integers(-9, 10, joined.height), dtype=pl.Int32) * 10)
    if "rank" in order:
        changed.append(pl.Series("rank", rng.permuted(np.tile(np.arange(1, 5, dtype=np.uint8), (joined.height // 4, 1)), axis=1).ravel()))
    return joined.with_columns(changed).select(order)


if __name__ == "__main__":
    main()
