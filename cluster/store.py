"""The results folder. Which blocks are done is read from its files; nothing else knows.

::

    DIR/tournament.json           what is played; written once
    DIR/lineups.jsonl             of a list: who sits in each block, a line each; written before the block is played; the first
                                  line of a round also has who could have, and the round's length
    DIR/batches/NAME/*.parquet    the rows of some blocks: matches, deals, replays, logs; and SHA256SUMS of them
    DIR/damaged/, DIR/conflicts/  batches that could not be read, or were played twice with different results
    DIR/quarantine.json           blocks that broke worker after worker in the last run
    DIR/status.json               who plays, for the pages: workers, host, and when the last run began
    DIR/digest/                   what the pages have summed up; may be removed at any time

A batch is written under a temporary name, synced, and renamed: it is there whole or not at all, and is never
overwritten. There is one writer, which holds a lock on the folder.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import polars as pl

from cluster import batch
from cluster.plan import agree
from cluster.records import SCHEMAS
from referee.rules.errors import ConfigError, KingmakerError

PLAN = "tournament.json"
QUARANTINE = "quarantine.json"
STATUS = "status.json"
LINEUPS = "lineups.jsonl"
#: Beside the lists of a season that was published.
SEASON = "season.json"
FORMAT = "kingmaker-results/1"
#: With less room than this nothing new is played: what is under way still has to be written.
FLOOR_BYTES = 64 << 20
_TEMPORARY = ".tmp-"
#: Batches that are whole, by name: what was played in each, a hash by block.
Swept = dict[str, dict[str, str]]


class NoResults(KingmakerError, ValueError):
    """A folder that holds no results; the text says what was looked for."""


class DamagedResults(KingmakerError):
    """Files of a results folder that cannot be read; the text names the first and what to do."""


class NotWritten(KingmakerError):
    """The disk refused; what the folder holds is whole. ``why``: in few words."""

    def __init__(self, folder: Path, error: OSError) -> None:
        self.why = f"{folder} cannot be written: {error.strerror}"
        super().__init__(f"{self.why}; what is there is whole, the same command goes on from it")


class Put(StrEnum):
    """What became of a batch: it was written, was there already, or was there with other results."""

    WRITTEN = "written"
    SAME = "same"
    CONFLICT = "conflict"


@dataclass(frozen=True)
class Line:
    """Who sits in a block of a list; where a round begins also the blocks that it was to have, and who could have sat in them."""

    lineup: tuple[str, ...]
    round: int = 0
    field: tuple[str, ...] = ()

    @classmethod
    def read(cls, line: Any) -> Line:
        """From its JSON."""
        if isinstance(line, dict):
            return cls(tuple(map(str, line["lineup"])), int(line["round"]), tuple(map(str, line["field"])))
        return cls(tuple(map(str, line)))


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
            hint = ""
            if (self.folder / "ladders").is_dir():
                hint = f"; this is a competition, whose lists are {self.folder}/ladders/LIST/season-N"
            raise NoResults(f"{self.folder}: no results here ({PLAN} is missing){hint}") from None
        except (OSError, ValueError) as error:
            raise NoResults(f"{self.folder / PLAN}: cannot be read: {error}") from None
        if not isinstance(plan, dict) or plan.get("format") != FORMAT:
            raise NoResults(f"{self.folder / PLAN}: not of the format {FORMAT}")
        return plan

    def batches(self) -> list[Path]:
        """The folders of all batches, in the order of their names."""
        return [self.folder / "batches" / name for name in self.names()]

    def names(self) -> list[str]:
        """The names of all batches, in their order."""
        try:
            return sorted(name for name in os.listdir(self.folder / "batches") if not name.startswith("."))
        except FileNotFoundError:
            return []

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
        except batch.UNREADABLE as error:
            for path in self.batches():
                problem = batch.problem(path)
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
        order = [key for key in ("block", "game", "deal", "seat") if key in SCHEMAS[name] and "block" in SCHEMAS[name]]
        frame = pl.scan_parquet(files, glob=False)  # a folder may be called [x]
        return frame.sort(order) if order else frame

    def done(self) -> set[str]:
        """The ids of all blocks that are there."""
        return set(self.collect(self.scan("matches").select("block_id").unique())["block_id"])

    def begun(self) -> int:
        """The place in the schedule behind the last block that is there."""
        last = self.collect(self.scan("matches").select(pl.col("block").max()))["block"]
        return 0 if last.is_empty() or last[0] is None else int(last[0]) + 1

    def lineups(self) -> list[tuple[str, ...]]:
        """Who sits in which block, in order, where that is written down and does not follow from the plan.

        Raises:
            DamagedResults: a line cannot be read.
        """
        return [line.lineup for line in self.written()]

    def written(self) -> list[Line]:
        """The same, with who could have sat.

        Raises:
            DamagedResults: a line cannot be read.
        """
        try:
            *lines, _ = (self.folder / LINEUPS).read_bytes().split(b"\n")  # what stands behind the last end of a line is torn
        except FileNotFoundError:
            return []
        try:
            return [Line.read(json.loads(line)) for line in lines]
        except (ValueError, TypeError, KeyError) as error:
            raise DamagedResults(f"{self.folder / LINEUPS}: a line is no list of bots: {error}") from None

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
            batch.write_file(self.folder / (_TEMPORARY + PLAN), json.dumps(plan, indent=1, ensure_ascii=False).encode())
            os.replace(self.folder / (_TEMPORARY + PLAN), self.folder / PLAN)
            batch.sync(self.folder)

    def write_lineups(self, first: int, lineups: Sequence[Sequence[str]], field: Sequence[str]) -> None:
        """Write down who sits from block ``first`` on, of a field; what was written of these blocks counts no more.

        Raises:
            NotWritten: the disk refused.
        """
        lines = [{"lineup": lineups[0], "round": len(lineups), "field": field}, *lineups[1:]] if lineups else []
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        with _speaking(self.folder), open(self.folder / LINEUPS, "a+b") as file:
            file.seek(0)
            kept = b"".join(line for line, _ in zip(file, range(first), strict=False))
            file.truncate(len(kept))
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
            batch.sync(self.folder)

    def sweep(self, seen: Swept) -> list[str]:
        """Remove what an earlier crash left, set damaged batches aside; return a sentence for each of those.

        A batch whose blocks are all there a second time, with the same results, is removed. ``seen``: batches that an earlier
        sweep found whole, which are not read again; those that are whole now, when this returns.

        Raises:
            NotWritten: the disk refused.
        """
        problems, names = [], self.names()
        for gone in seen.keys() - set(names):
            del seen[gone]
        known = {block: result for blocks in seen.values() for block, result in blocks.items()}
        with _speaking(self.folder):
            for path in (self.folder / "batches").iterdir():
                if path.name.startswith(_TEMPORARY):
                    shutil.rmtree(path)
            (self.folder / QUARANTINE).unlink(missing_ok=True)
            for path in (self.folder / "batches" / name for name in names if name not in seen):
                problem = batch.problem(path, self.plan.get("tournament_id"))
                blocks = batch.results(path) if problem is None else {}
                twice = blocks.keys() & known.keys()
                if problem:
                    self._set_aside(path, "damaged")
                    problems.append(f"{path.name}: {problem}; set aside, its blocks are played again")
                elif any(blocks[block] != known[block] for block in twice):
                    self._set_aside(path, "conflicts")
                    problems.append(f"{path.name}: block {min(twice)} is in another batch with other results; see conflicts/")
                elif twice and len(twice) == len(blocks):
                    shutil.rmtree(path)
                elif twice:
                    self._set_aside(path, "damaged")
                    problems.append(f"{path.name}: block {min(twice)} is in another batch already; set aside")
                else:
                    known |= blocks
                    seen[path.name] = blocks
        return problems

    def shortage(self) -> str | None:
        """A sentence where there is too little room to play on."""
        room = os.statvfs(self.folder)
        free = room.f_bavail * room.f_frsize
        return None if free >= FLOOR_BYTES else f"{self.folder} has only {free >> 20} MiB left of its disk"

    def quarantine(self, blocks: Sequence[Mapping[str, Any]]) -> None:
        """Write down which blocks are set aside; the next run tries them again.

        Raises:
            NotWritten: the disk refused.
        """
        self._note(QUARANTINE, blocks)

    def status(self, told: Mapping[str, Any]) -> None:
        """Write down who plays into this folder; for people, no result depends on it.

        Raises:
            NotWritten: the disk refused.
        """
        self._note(STATUS, told)

    def _note(self, name: str, told: Any) -> None:
        with _speaking(self.folder):
            text = json.dumps(told, indent=1, ensure_ascii=False)
            batch.write_file(self.folder / (_TEMPORARY + name), text.encode())
            os.replace(self.folder / (_TEMPORARY + name), self.folder / name)
            batch.sync(self.folder)

    def write(self, name: str, files: Mapping[str, bytes]) -> Put:
        """Put a batch in place; where one of that name is there already, it stands.

        Raises:
            NotWritten: the disk refused; nothing of the batch is there.
        """
        final = self.folder / "batches" / name
        temporary = self.folder / "batches" / (_TEMPORARY + name)
        try:
            with _speaking(self.folder):
                shutil.rmtree(temporary, ignore_errors=True)  # of an attempt whose remains could not be removed
                batch.write(temporary, files)
                return self._put(temporary, final)
        except BaseException:  # Ctrl-C too
            shutil.rmtree(temporary, ignore_errors=True)
            raise

    def _put(self, temporary: Path, final: Path) -> Put:
        try:
            os.rename(temporary, final)
        except OSError:
            if not final.is_dir():
                raise
            if batch.results(temporary) == batch.results(final):
                shutil.rmtree(temporary)
                return Put.SAME
            self._set_aside(temporary, "conflicts", final.name)
            return Put.CONFLICT
        batch.sync(final.parent)
        return Put.WRITTEN

    def _set_aside(self, path: Path, where: str, name: str = "") -> None:
        os.makedirs(self.folder / where, exist_ok=True)
        os.rename(path, _free(self.folder / where / (name or path.name)))

    def _foreign(self) -> bool:
        """The folder holds what no run that was killed at its very beginning leaves."""
        ours = {".lock", "batches", LINEUPS, _TEMPORARY + PLAN}
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


@contextmanager
def _speaking(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotWritten(folder, error) from None


def _free(path: Path) -> Path:
    number = 1
    candidate = path
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.name}.{number}")
    return candidate
