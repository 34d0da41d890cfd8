"""What the pages read: a results folder, again only where it has changed. Imports no Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from threading import RLock
from typing import Any

import polars as pl

from cluster import summaries
from cluster.records import SCHEMAS
from cluster.replays import replay
from cluster.statistics import points
from cluster.store import PLAN, DamagedResults, NoResults, Store
from referee.rules import registry
from referee.rules.errors import UnknownRuleset
from referee.rules.ruleset import Game

#: When the plan was written, and the names of the batches: what a folder holds is the same while this is.
Version = tuple[int, tuple[str, ...]]


@dataclass(frozen=True)
class Progress:
    """Blocks that are there, blocks that are to be there, matches and faults so far."""

    done: int
    scheduled: int
    matches: int
    faults: int

    @property
    def is_over(self) -> bool:
        """All that was scheduled is there."""
        return self.done >= self.scheduled

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return min(1.0, self.done / self.scheduled) if self.scheduled else 0.0


class _Batches(Store):
    """A results folder as if it held these batches only."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        super().__init__(folder)
        self._names = names

    def batches(self) -> list[Path]:
        return [self.folder / "batches" / name for name in self._names]


class Reader:
    """A results folder whose batches are read once each, however often the pages look."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.unreadable: dict[str, str] = {}
        self._frames: dict[str, tuple[frozenset[str], pl.DataFrame]] = {}
        self._snapshot: Snapshot | None = None
        self._lock = RLock()

    def version(self) -> Version:
        """What is there now; cheap."""
        try:
            written = (self.folder / PLAN).stat().st_mtime_ns
        except OSError:
            written = 0
        try:
            return written, tuple(path.name for path in Store(self.folder).batches())
        except OSError:
            return written, ()

    def snapshot(self) -> Snapshot:
        """The results as they are now; the same object while nothing has changed.

        Raises:
            NoResults: the folder is missing, or is no results folder.
        """
        with self._lock:
            plan, version = Store(self.folder).plan, self.version()
            old = self._snapshot
            if old is not None and old.version == version:
                return old
            if old is not None and not set(old.version[1]) <= set(version[1]):
                self._frames.clear()  # a batch was set aside
                self.unreadable.clear()
            self._snapshot = Snapshot(self, version, plan)
            return self._snapshot

    def frame(self, table: str, version: Version) -> pl.DataFrame:
        """The rows of all batches of a version (or of a later one); only the new batches are read."""
        with self._lock:
            known, frame = self._frames.get(table, (frozenset[str](), pl.DataFrame(schema=dict(SCHEMAS[table]))))
            new = [name for name in version[1] if name not in known]
            if new:
                frame = pl.concat([frame, self._read(table, new)])
                self._frames[table] = known | set(new), frame
            return frame

    def _read(self, table: str, names: Sequence[str]) -> pl.DataFrame:
        """The rows of these batches; one that cannot be read is left out and remembered."""
        try:
            return _Batches(self.folder, names).table(table).match_to_schema(dict(SCHEMAS[table]))
        except (DamagedResults, OSError, pl.exceptions.PolarsError) as error:
            if len(names) == 1:
                self.unreadable[names[0]] = type(error).__name__
                return pl.DataFrame(schema=dict(SCHEMAS[table]))
            return pl.concat([self._read(table, [name]) for name in names])


@cache
def reader(folder: Path) -> Reader:
    """The one reader of a folder, shared by everybody who looks at the pages."""
    return Reader(folder)


def ruleset_of(folder: Path) -> str | None:
    """The ruleset that a results folder was made for; None where there is none, or an unknown one."""
    try:
        name = Store(folder).plan.get("ruleset")
    except NoResults:
        return None
    return name if name in registry.RULESETS else None


class Snapshot:
    """The results at one moment; what the pages show of them is made when it is first asked for."""

    def __init__(self, source: Reader, version: Version, plan: dict[str, Any]) -> None:
        self.source = source
        self.version = version
        self.plan = plan

    @cached_property
    def matches(self) -> pl.DataFrame:
        """A row for each match and seat."""
        return self.source.frame("matches", self.version)

    @cached_property
    def deals(self) -> pl.DataFrame:
        """A row for each deal and seat."""
        return self.source.frame("deals", self.version)

    @cached_property
    def game(self) -> Game | None:
        """The game that is played; None where this version does not know it."""
        try:
            return registry.ruleset(self.plan.get("ruleset")).game(self.plan.get("options"))
        except UnknownRuleset:
            return None

    @property
    def name(self) -> str:
        """What the tournament is called."""
        return str(self.plan.get("name") or "Tournament")

    @property
    def title(self) -> str:
        """What the game is called."""
        return registry.ruleset(self.game.ruleset).title if self.game else str(self.plan.get("ruleset"))

    @cached_property
    def progress(self) -> Progress:
        """How far the tournament is."""
        rows, scheduled = self.matches, self.plan.get("blocks")
        done = rows["block_id"].n_unique()
        return Progress(
            done=done,
            scheduled=scheduled if isinstance(scheduled, int) else done,
            matches=rows["match_id"].n_unique(),
            faults=int(rows["faults"].sum()),
        )

    @cached_property
    def evidence(self) -> summaries.Evidence:
        """What ratings are made from."""
        return summaries.Evidence.stored(*(self.source.frame(name, self.version) for name in ("blocks", "played")))

    @cached_property
    def standings(self) -> pl.DataFrame:
        """See `cluster.summaries.standings`."""
        return summaries.standings(self.evidence)

    @cached_property
    def anchor(self) -> str | None:
        """The bot that ratings are measured from."""
        bots = self.standings["bot"].to_list()
        return summaries.anchor_of(bots) if bots else None

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """See `cluster.summaries.pairs`."""
        return summaries.pairs(self.evidence)

    @cached_property
    def contracts(self) -> pl.DataFrame:
        """See `cluster.summaries.contracts`; the contracts in the order of the rules."""
        frame = summaries.contracts(self.source.frame("tallies", self.version))
        order = {name: place for place, name in enumerate(self.game.contract_ids if self.game else ())}
        place = pl.col("contract").replace_strict(order, default=len(order), return_dtype=pl.Int64)
        return frame.sort("bot", place, "contract")

    @cached_property
    def outcomes(self) -> pl.DataFrame:
        """See `cluster.summaries.outcomes`."""
        return summaries.outcomes(self.deals, self.matches)

    @cached_property
    def choices(self) -> pl.DataFrame:
        """See `cluster.statistics.points.choice_values`."""
        return points.choice_values(self.deals, self.matches)

    @cached_property
    def match_list(self) -> pl.DataFrame:
        """See `cluster.summaries.match_list`; with the contracts of each match."""
        played = self.deals.group_by("match_id").agg(pl.col("contract").unique().sort().alias("contracts"))
        return summaries.match_list(self.matches).join(played, on="match_id", how="left", maintain_order="left")

    def replay(self, match_id: str) -> dict[str, Any]:
        """One match in the words of docs/replay.md.

        Raises:
            NoResults: no such match.
            BrokenReplay: what is stored cannot be.
            DamagedResults: a file cannot be read.
        """
        sound = [name for name in self.version[1] if name not in self.source.unreadable]
        return replay(_Batches(self.source.folder, sound).replay(match_id))
