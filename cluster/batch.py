"""One batch of a results folder: the Parquet files of some blocks, and their checksums."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from cluster.records import SCHEMAS

SUMS = "SHA256SUMS"
#: What polars raises over a file that is none; a panic is no PolarsError.
UNREADABLE = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make a folder with these tables, on the disk when this returns."""
    folder.mkdir()
    for table, data in files.items():
        write_file(folder / f"{table}.parquet", data)
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {table}.parquet\n" for table, data in files.items())
    write_file(folder / SUMS, sums.encode())
    sync(folder)


def write_file(path: Path, data: bytes) -> None:
    """Write a file; it is on the disk when this returns."""
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync(folder: Path) -> None:
    """See to it that the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def results(folder: Path) -> dict[str, str]:
    """What was played, without how long it took: the hash of each block's matches by its id; empty if unreadable."""
    try:
        rows = pl.read_parquet(folder / "replays.parquet", columns=["block_id", "match_id", "match_hash"], glob=False)
    except UNREADABLE:
        return {}
    blocks = rows.sort("match_id").group_by("block_id").agg(pl.col("match_hash").str.join())
    return {block: hashlib.sha256(text.encode()).hexdigest()[:16] for block, text in blocks.iter_rows()}


def problem(folder: Path, tournament_id: str | None = None) -> str | None:
    """What is wrong with a batch, or None; every byte of it is read."""
    try:
        _check_sums(folder)
        tables = {
            name: pl.read_parquet(folder / f"{name}.parquet", glob=False, columns=_looked_at(name)) for name in SCHEMAS
        }
        columns = {name: list(pl.read_parquet_schema(folder / f"{name}.parquet")) for name in SCHEMAS}
    except (ValueError, *UNREADABLE) as error:
        return f"{getattr(error, 'strerror', None) or error}"
    for name, schema in SCHEMAS.items():
        if columns[name] != list(schema):
            return f"{name}.parquet has other columns"
    if tournament_id is not None and set(tables["matches"]["tournament_id"]) != {tournament_id}:
        return "it holds matches of another tournament"
    return _contents(tables)


def _looked_at(table: str) -> list[str]:
    """The columns whose contents are checked: the sums vouch for the rest."""
    return [name for name in ("tournament_id", "block_id", "game", "games", "match_id", "seat") if name in SCHEMAS[table]]


def _check_sums(folder: Path) -> None:
    lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    for name in (f"{table}.parquet" for table in SCHEMAS):
        with open(folder / name, "rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != sums.get(name):
                raise ValueError(f"{name} is not what {SUMS} says")


def _contents(tables: Mapping[str, pl.DataFrame]) -> str | None:
    matches = tables["matches"]
    if matches.is_empty() or matches.select("match_id", "seat").is_duplicated().any():
        return "matches.parquet is empty or holds a match twice"
    games = matches.group_by("block_id").agg(pl.col("game").n_unique() == pl.col("games").first())
    if not games["game"].all():
        return "a block is incomplete"
    for name in ("deals", "replays"):
        if set(tables[name]["match_id"].unique()) != set(matches["match_id"]):
            return f"{name}.parquet holds other matches"
    return None
