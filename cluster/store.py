"""The results folder. Which blocks are done is read from its files; nothing else knows.

::

    DIR/tournament.json           what is played; written once
    DIR/batches/NAME/*.parquet    the rows of some blocks: matches, deals, replays, logs
    DIR/damaged/, DIR/conflicts/  batches that could not be read, or were played twice with different results

A batch is written under a temporary name, synced, and renamed: it is there whole or not at all, and is never
overwritten. There is one writer, which holds a lock on the folder.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from cluster.records import SCHEMAS
from referee.rules.errors import ConfigError, KingmakerError

PLAN = "tournament.json"
FORMAT = "kingmaker-results/1"
_TEMPORARY = ".tmp-"


class NoResults(KingmakerError, ValueError):
    """A folder that holds no results; the text says what was looked for."""


class Store:
    """A results folder, to be read; see `writer` for writing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def plan(self) -> dict[str, Any]:
        """The tournament as it was written down.

        Raises:
            NoResults: the folder is missing, or is no results folder.
        """
        if not self.folder.is_dir():
            raise NoResults(f"{self.folder}: no such folder; `kingmaker play … --results DIR` makes one")
        try:
            plan = json.loads((self.folder / PLAN).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise NoResults(f"{self.folder}: no results here ({PLAN} is missing)") from None
        except (OSError, ValueError) as error:
            raise NoResults(f"{self.folder / PLAN}: cannot be read: {error}") from None
        if not isinstance(plan, dict) or plan.get("format") != FORMAT:
            raise NoResults(f"{self.folder / PLAN}: not of the format {FORMAT}")
        return plan

    def batches(self) -> list[Path]:
        """The folders of all batches, in the order of their names."""
        try:
            names = sorted(os.listdir(self.folder / "batches"))
        except FileNotFoundError:
            return []
        return [self.folder / "batches" / name for name in names if not name.startswith(".")]

    def table(self, name: str) -> pl.DataFrame:
        """All rows of one table (see `cluster.records.SCHEMAS`), in the order of the schedule; empty at the start."""
        return self.scan(name).collect()

    def scan(self, name: str) -> pl.LazyFrame:
        """One table, to be read as far as it is needed."""
        self.plan  # noqa: B018  # a folder without results is an error, not an empty table
        files = [path / f"{name}.parquet" for path in self.batches()]
        if not files:
            return pl.DataFrame(schema=dict(SCHEMAS[name])).lazy()
        order = [key for key in ("block", "game", "deal", "seat") if key in SCHEMAS[name]]
        frame = pl.scan_parquet(files)
        return frame.sort(order) if order else frame

    def done(self) -> set[str]:
        """The ids of all blocks that are there."""
        return set(self.scan("matches").select("block_id").unique().collect()["block_id"])

    def replay(self, match_id: str) -> dict[str, Any]:
        """The stored row of one match.

        Raises:
            NoResults: no such match.
        """
        rows = self.scan("replays").filter(pl.col("match_id") == match_id).collect().to_dicts()
        if not rows:
            raise NoResults(f"{self.folder}: no match {match_id!r}; `kingmaker matches {self.folder}` lists them")
        return rows[0]


class Writer(Store):
    """The one writer of a results folder."""

    def create(self, plan: Mapping[str, Any], *, extend: bool = False) -> None:
        """Write down what is played, or check that the folder holds results of the very same.

        ``extend``: more blocks and more bots than before are welcome.

        Raises:
            ConfigError: the folder holds results of something else; the text says what differs.
        """
        plan = json.loads(json.dumps({"format": FORMAT, **plan}))
        if (self.folder / PLAN).exists():
            differences = list(_differences(self.plan, plan, extend))
            if differences:
                raise ConfigError(f"{self.folder} holds results of another tournament: {'; '.join(differences)}")
            if self.plan == plan:
                return
        elif any(path for path in self.folder.iterdir() if path.name not in (".lock", "batches")):
            raise ConfigError(f"{self.folder} is not empty and holds no results; give a new folder")
        (self.folder / "batches").mkdir(exist_ok=True)
        _write(self.folder / (_TEMPORARY + PLAN), json.dumps(plan, indent=1, ensure_ascii=False).encode())
        os.replace(self.folder / (_TEMPORARY + PLAN), self.folder / PLAN)
        _sync(self.folder)

    def sweep(self) -> list[str]:
        """Remove what an earlier crash left, set damaged batches aside; return a sentence for each of those."""
        problems = []
        for path in (self.folder / "batches").iterdir():
            if path.name.startswith(_TEMPORARY):
                shutil.rmtree(path)
        for path in self.batches():
            try:
                problem = _problem(path)
            except (OSError, pl.exceptions.PolarsError) as error:
                problem = f"{type(error).__name__}: {error}"
            if problem:
                (self.folder / "damaged").mkdir(exist_ok=True)
                os.replace(path, _free(self.folder / "damaged" / path.name))
                problems.append(f"{path.name}: {problem}; set aside, its blocks are played again")
        return problems

    def write(self, name: str, files: Mapping[str, bytes]) -> bool:
        """Put a batch in place; False where one of that name is there already, which stands."""
        final = self.folder / "batches" / name
        temporary = self.folder / "batches" / (_TEMPORARY + name)
        temporary.mkdir()
        for table, data in files.items():
            _write(temporary / f"{table}.parquet", data)
        _sync(temporary)
        try:
            os.rename(temporary, final)
        except OSError:
            if not final.is_dir():
                raise
            os.makedirs(self.folder / "conflicts", exist_ok=True)
            os.rename(temporary, _free(self.folder / "conflicts" / name))
            return False
        _sync(final.parent)
        return True


@contextmanager
def writer(folder: Path) -> Iterator[Writer]:
    """The one writer of a folder, which is made where it is missing.

    Raises:
        ConfigError: the folder cannot be written, or another process is writing there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / ".lock", os.O_CREAT | os.O_RDWR, 0o644)
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror}; --results names a folder that can be written") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise ConfigError(f"{folder}: another process is playing into this folder") from None
    try:
        yield Writer(folder)
    finally:
        os.close(lock)


def _differences(old: Any, new: Any, extend: bool, place: str = "") -> Iterable[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _differences(old.get(key), new.get(key), extend, f"{place}.{key}".lstrip("."))
    elif old != new:
        if extend and ((place == "blocks" and new > old) or (place == "bots" and all(bot in new for bot in old))):
            return
        yield f"{place} was {json.dumps(old, ensure_ascii=False)}, is {json.dumps(new, ensure_ascii=False)}"


def _problem(batch: Path) -> str | None:
    """What is wrong with a batch, read in full, or None."""
    tables = {name: pl.read_parquet(batch / f"{name}.parquet") for name in SCHEMAS}
    for name, schema in SCHEMAS.items():
        if tables[name].columns != list(schema):
            return f"{name}.parquet has other columns"
    matches = tables["matches"]
    if matches.is_empty() or matches.select("match_id", "seat").is_duplicated().any():
        return "matches.parquet is empty or holds a match twice"
    games = matches.group_by("block_id").agg(pl.col("game").n_unique() == pl.col("games").first())
    if not games["game"].all():
        return "a block is incomplete"
    for name in ("deals", "replays"):
        if set(tables[name]["match_id"]) != set(matches["match_id"]):
            return f"{name}.parquet holds other matches"
    return None


def _write(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _free(path: Path) -> Path:
    number = 1
    candidate = path
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.name}.{number}")
    return candidate
