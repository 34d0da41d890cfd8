"""The results folder. Which blocks are done is read from its files; nothing else knows.

::

    DIR/tournament.json           what is played; written once
    DIR/batches/NAME/*.parquet    the rows of some blocks: matches, deals, replays, logs; and SHA256SUMS of them
    DIR/damaged/, DIR/conflicts/  batches that could not be read, or were played twice with different results

A batch is written under a temporary name, synced, and renamed: it is there whole or not at all, and is never
overwritten. There is one writer, which holds a lock on the folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from cluster.plan import agree
from cluster.records import SCHEMAS
from referee.rules.errors import ConfigError, KingmakerError

PLAN = "tournament.json"
SUMS = "SHA256SUMS"
FORMAT = "kingmaker-results/1"
_TEMPORARY = ".tmp-"
#: What polars raises over a file that is none; a panic is no PolarsError.
_UNREADABLE = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


class NoResults(KingmakerError, ValueError):
    """A folder that holds no results; the text says what was looked for."""


class DamagedResults(KingmakerError):
    """Files of a results folder that cannot be read; the text names the first and what to do."""


class NotWritten(KingmakerError):
    """The disk refused; what the folder holds is whole."""


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
        """All rows of one table (see `cluster.records.SCHEMAS`), in the order of the schedule; empty at the start.

        Raises:
            NoResults: the folder holds none.
            DamagedResults: a file cannot be read.
        """
        return self.collect(self.scan(name))

    def collect(self, frame: pl.LazyFrame) -> pl.DataFrame:
        """Read what `scan` began.

        Raises:
            DamagedResults: a file cannot be read.
        """
        try:
            return frame.collect()
        except _UNREADABLE as error:
            for path in self.batches():
                problem = _problem(path)
                if problem:
                    text = f"{path}: {problem}; playing into the folder again sets it aside and plays its blocks again"
                    raise DamagedResults(text) from None
            raise DamagedResults(f"{self.folder}: {error}") from None

    def scan(self, name: str) -> pl.LazyFrame:
        """One table, to be read as far as it is needed."""
        self.plan  # noqa: B018  # a folder without results is an error, not an empty table
        files = [path / f"{name}.parquet" for path in self.batches()]
        if not files:
            return pl.DataFrame(schema=dict(SCHEMAS[name])).lazy()
        order = [key for key in ("block", "block_id", "game", "deal", "seat") if key in SCHEMAS[name]]
        frame = pl.scan_parquet(files, glob=False)  # a folder may be called [x]
        return frame.sort(order) if order else frame

    def done(self) -> set[str]:
        """The ids of all blocks that are there."""
        return set(self.collect(self.scan("matches").select("block_id").unique())["block_id"])

    def begun(self) -> int:
        """The place in the schedule behind the last block that is there."""
        last = self.collect(self.scan("matches").select(pl.col("block").max()))["block"]
        return 0 if last.is_empty() or last[0] is None else int(last[0]) + 1

    def replay(self, match_id: str) -> dict[str, Any]:
        """The stored row of one match.

        Raises:
            NoResults: no such match.
        """
        rows = self.collect(self.scan("replays").filter(pl.col("match_id") == match_id)).to_dicts()
        if not rows:
            raise NoResults(f"{self.folder}: no match {match_id!r}; `kingmaker matches {self.folder}` lists them")
        return rows[0]


class Writer(Store):
    """The one writer of a results folder."""

    def create(self, plan: Mapping[str, Any], *, extend: bool = False) -> None:
        """Write down what is played, or check that the folder holds results of the very same.

        ``extend``: more blocks and more bots than before are welcome.

        Raises:
            ConfigError: the folder holds something else; the text says what differs.
            NotWritten: the disk refused.
        """
        plan = json.loads(json.dumps({"format": FORMAT, **plan}))
        if (self.folder / PLAN).exists():
            agree(self.folder, self.plan, plan, extend=extend)
            if self.plan == plan:
                return
        elif self._foreign():
            (self.folder / ".lock").unlink(missing_ok=True)
            raise ConfigError(f"{self.folder} is not empty and holds no results ({PLAN} is missing); give a new folder")
        with _speaking(self.folder):
            (self.folder / "batches").mkdir(exist_ok=True)
            _write(self.folder / (_TEMPORARY + PLAN), json.dumps(plan, indent=1, ensure_ascii=False).encode())
            os.replace(self.folder / (_TEMPORARY + PLAN), self.folder / PLAN)
            _sync(self.folder)

    def sweep(self) -> list[str]:
        """Remove what an earlier crash left, set damaged batches aside; return a sentence for each of those.

        Raises:
            NotWritten: the disk refused.
        """
        problems = []
        with _speaking(self.folder):
            for path in (self.folder / "batches").iterdir():
                if path.name.startswith(_TEMPORARY):
                    shutil.rmtree(path)
            seen: set[str] = set()
            for path in self.batches():
                problem = _problem(path, self.plan.get("tournament_id"), seen)
                if problem:
                    (self.folder / "damaged").mkdir(exist_ok=True)
                    os.replace(path, _free(self.folder / "damaged" / path.name))
                    problems.append(f"{path.name}: {problem}; set aside, its blocks are played again")
        return problems

    def write(self, name: str, files: Mapping[str, bytes]) -> bool:
        """Put a batch in place; False where one of that name is there already, which stands.

        Raises:
            NotWritten: the disk refused; nothing of the batch is there.
        """
        final = self.folder / "batches" / name
        temporary = self.folder / "batches" / (_TEMPORARY + name)
        sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {table}.parquet\n" for table, data in files.items())
        try:
            with _speaking(self.folder):
                temporary.mkdir()
                for table, data in files.items():
                    _write(temporary / f"{table}.parquet", data)
                _write(temporary / SUMS, sums.encode())
                _sync(temporary)
                return self._put(temporary, final)
        except BaseException:  # Ctrl-C too
            shutil.rmtree(temporary, ignore_errors=True)
            raise

    def _put(self, temporary: Path, final: Path) -> bool:
        try:
            os.rename(temporary, final)
        except OSError:
            if not final.is_dir():
                raise
            os.makedirs(self.folder / "conflicts", exist_ok=True)
            os.rename(temporary, _free(self.folder / "conflicts" / final.name))
            return False
        _sync(final.parent)
        return True

    def _foreign(self) -> bool:
        """The folder holds what no run that was killed at its very beginning leaves."""
        ours = {".lock", "batches", _TEMPORARY + PLAN}
        return bool(self.batches()) or any(path.name not in ours for path in self.folder.iterdir())


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


def _problem(batch: Path, tournament_id: str | None = None, seen: set[str] | None = None) -> str | None:
    """What is wrong with a batch, read in full, or None; ``seen``: blocks of other batches, to which its own are added."""
    try:
        _check_sums(batch)
        tables = {name: pl.read_parquet(batch / f"{name}.parquet", glob=False) for name in SCHEMAS}
    except (ValueError, *_UNREADABLE) as error:
        return f"{getattr(error, 'strerror', None) or error}"
    problem = _contents(tables)
    matches = tables["matches"]
    if problem is None and tournament_id is not None and set(matches["tournament_id"]) != {tournament_id}:
        problem = "it holds matches of another tournament"
    blocks = set(matches["block_id"]) if problem is None else set()
    if seen is not None:
        if blocks & seen:
            return f"block {min(blocks & seen)} is in another batch already"
        seen |= blocks
    return problem


def _check_sums(batch: Path) -> None:
    lines = (batch / SUMS).read_text(encoding="utf-8").splitlines()
    sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    for name in (f"{table}.parquet" for table in SCHEMAS):
        if hashlib.sha256((batch / name).read_bytes()).hexdigest() != sums.get(name):
            raise ValueError(f"{name} is not what {SUMS} says")


def _contents(tables: Mapping[str, pl.DataFrame]) -> str | None:
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


@contextmanager
def _speaking(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        text = f"{folder} cannot be written: {error.strerror}; what is there is whole, the same command goes on from it"
        raise NotWritten(text) from None


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
