"""What the pages read instead of the results themselves: sums and a list of matches, brought up to date batch by batch.

::

    DIR/digest/state.json       which batches are counted, and in which files the rest is
    DIR/digest/*.parquet        sums of all batches; a row a block; a row a match

All of it follows from the batches, and is made anew where it is missing or does not fit them. A million matches take some minutes
once, and every new batch some milliseconds.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from cluster import batch, matchlist
from cluster.records import SCHEMAS
from cluster.statistics import reduced, sums, tallies
from cluster.statistics.tallies import tally
from cluster.store import Store

FORMAT = "kingmaker-digest/2"
#: Batches that are read at once.
_CHUNK = 48
#: From so many files on they are joined to one.
_FILES = 48
#: A row a match; lists stand in the order of the seats. ``edges``: points beyond the mean of the seat over the games of the block.
MATCHES: Mapping[str, Any] = {
    "block": pl.UInt32, "game": pl.UInt8, "match_id": pl.String, "bots": pl.List(pl.String), "totals": pl.List(pl.Int32),
    "ranks": pl.List(pl.UInt8), "edges": pl.List(pl.Float32), "deals": pl.UInt16, "faults": pl.UInt32, "forfeits": pl.UInt32,
    "contracts": pl.List(pl.String),
}  # fmt: skip
BLOCKS: Mapping[str, Any] = {**reduced.BLOCKS, "block": pl.UInt32}
_ROWS = {"matches": MATCHES, "blocks": BLOCKS}
_SUMS = (*sums.KEYS, "played", "tallies", "extremes")


@dataclass(frozen=True)
class Digest:
    """What so many batches come to; ``files``: by kind of row, where the rows are."""

    batches: frozenset[str]
    sums: Mapping[str, pl.DataFrame]
    files: Mapping[str, tuple[Path, ...]] = field(default_factory=lambda: dict.fromkeys(_ROWS, ()))

    def rows(self, kind: str) -> pl.LazyFrame:
        """The rows of a kind (`MATCHES`, `BLOCKS`), to be read as far as they are needed."""
        files = self.files[kind]
        if not files:
            return pl.DataFrame(schema=dict(_ROWS[kind])).lazy()
        return pl.scan_parquet(list(files), glob=False)


def nothing() -> Digest:
    """The digest of no batch."""
    return Digest(frozenset(), {name: _empty(name) for name in _SUMS})


class Keeper:
    """Brings the digest of a folder up to date, and keeps it there for the next process.

    Where another process does so already, or the folder cannot be written, it is kept in a temporary place.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._place, leave = _place(store.folder)
        weakref.finalize(self, leave)
        self._number = 0
        self._kept: set[str] = set()
        self.unreadable: dict[str, str] = {}
        self.digest = self._stored()

    def update(self, names: Sequence[str], told: Callable[[float], None] = lambda share: None) -> Digest:
        """Count these batches, and no others; ``told`` hears which share of what is new has been read."""
        self.unreadable = {}
        if not self.digest.batches <= set(names):
            self.digest = nothing()  # a batch was set aside
        new = [name for name in names if name not in self.digest.batches]
        for start in range(0, len(new), _CHUNK):
            told(start / len(new))
            self._count(new[start : start + _CHUNK])
            if start % (16 * _CHUNK) == 0 or start + _CHUNK >= len(new):
                self._keep()
        return self.digest

    def _count(self, names: list[str]) -> None:
        try:
            matches, deals = (self._read(table, names) for table in ("matches", "deals"))
        except batch.UNREADABLE as error:
            if len(names) == 1:
                self.unreadable[names[0]] = type(error).__name__
                return
            for name in names:
                self._count([name])
            return
        rows = {"matches": _match_rows(matches, deals), "blocks": _block_rows(matches)}
        made = {**sums.sums_of(matches, deals), "played": reduced.reduce_played(matches), "tallies": tally(deals),
                "extremes": matchlist.extremes(rows["matches"])}  # fmt: skip
        added = {name: _add_up(name, [self.digest.sums[name], made[name]]) for name in _SUMS}
        files = {kind: (*self.digest.files[kind], self._write(kind, frame)) for kind, frame in rows.items()}
        self.digest = Digest(self.digest.batches | set(names), added, files)

    def _read(self, table: str, names: Iterable[str]) -> pl.DataFrame:
        files = [self._store.folder / "batches" / name / f"{table}.parquet" for name in names]
        return pl.concat([pl.read_parquet(file, glob=False).match_to_schema(dict(SCHEMAS[table])) for file in files])

    def _write(self, kind: str, frame: pl.DataFrame) -> Path:
        self._number += 1
        path = self._place / f"{kind}-{os.getpid()}-{self._number}.parquet"
        frame.write_parquet(path, compression="zstd", row_group_size=1 << 16)
        return path

    def _keep(self) -> None:
        """Write the state down; whoever is killed in the middle of it finds the old one."""
        joined = {kind: self._joined(kind, files) for kind, files in self.digest.files.items()}
        self.digest = replace(self.digest, files=joined)
        written = {name: self._write(name, frame) for name, frame in self.digest.sums.items()}
        names = {kind: [path.name for path in files] for kind, files in joined.items()}
        state = {"format": FORMAT, "batches": sorted(self.digest.batches), "rows": names,
                 "sums": {name: path.name for name, path in written.items()}}  # fmt: skip
        temporary = self._place / "state.tmp"
        temporary.write_text(json.dumps(state))
        os.replace(temporary, self._place / "state.json")
        kept = {path.name for files in joined.values() for path in files} | {path.name for path in written.values()}
        for path in self._place.glob("*.parquet"):
            if path.name not in kept | self._kept:  # somebody may still be reading what was there a moment ago
                path.unlink()
        self._kept = kept

    def _joined(self, kind: str, files: tuple[Path, ...]) -> tuple[Path, ...]:
        if len(files) < _FILES:
            return files
        small = [path for path in files if path.stat().st_size < 16 << 20]
        return (*(path for path in files if path not in small), self._write(kind, pl.concat(map(pl.read_parquet, small))))

    def _stored(self) -> Digest:
        """What an earlier process left; nothing where that does not fit."""
        try:
            state = json.loads((self._place / "state.json").read_text())
            if state["format"] != FORMAT:
                return nothing()
            files = {kind: tuple(self._place / name for name in state["rows"][kind]) for kind in _ROWS}
            frames = {name: pl.read_parquet(self._place / state["sums"][name]) for name in _SUMS}
            if not all(path.exists() for paths in files.values() for path in paths):
                return nothing()
        except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError):
            return nothing()
        return Digest(frozenset(state["batches"]), frames, files)


def _place(folder: Path) -> tuple[Path, Callable[[], None]]:
    """Where a digest may be kept, and how to leave it to others."""
    place = folder / "digest"
    try:
        place.mkdir(exist_ok=True)
        lock = os.open(place / ".lock", os.O_CREAT | os.O_RDWR, 0o644)
    except OSError:
        return _temporary()
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return _temporary()
    return place, partial(os.close, lock)


def _temporary() -> tuple[Path, Callable[[], None]]:
    place = Path(tempfile.mkdtemp(prefix="kingmaker-digest-"))
    return place, partial(shutil.rmtree, place, ignore_errors=True)


def _match_rows(matches: pl.DataFrame, deals: pl.DataFrame) -> pl.DataFrame:
    seat = pl.col("total").mean().over("block_id", "seat")
    played = deals.group_by("match_id").agg(contracts=pl.col("contract").unique().sort())
    listed = (
        matches.with_columns(edge=pl.col("total") - seat).sort("block", "game", "seat")
        .group_by("block", "game", "match_id", maintain_order=True)
        .agg(
            bots="bot", totals="total", ranks="rank", edges="edge", deals=pl.col("deals").first(), faults=pl.col("faults").sum(),
            forfeits=pl.col("forfeited").sum(),
        )
    )  # fmt: skip
    joined = listed.join(played, on="match_id", how="left", maintain_order="left")
    return joined.select(pl.col(name).cast(kind) for name, kind in MATCHES.items())


def _block_rows(matches: pl.DataFrame) -> pl.DataFrame:
    order = matches.group_by("block_id").agg(pl.col("block").first())
    rows = reduced.reduce_blocks(matches).join(order, on="block_id", how="left", maintain_order="left")
    return rows.select(pl.col(name).cast(kind) for name, kind in BLOCKS.items())


def _add_up(name: str, frames: list[pl.DataFrame]) -> pl.DataFrame:
    rows = pl.concat(frames, how="vertical_relaxed")
    if name == "played":
        return reduced.join_played(rows)
    if name == "extremes":
        return matchlist.extremes(rows)
    return tallies.add_up(rows) if name == "tallies" else sums.add_up(name, rows)


def _empty(name: str) -> pl.DataFrame:
    if name == "played":
        return pl.DataFrame(schema=dict(reduced.PLAYED))
    if name == "extremes":
        return matchlist.extremes(pl.DataFrame(schema=dict(MATCHES)))
    return pl.DataFrame(schema={**tallies.KEYS, **tallies.SUMS}) if name == "tallies" else sums.empty(name)
