"""What the pages read: a results folder, summed up in the background whenever it has changed. Imports no Streamlit."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from threading import RLock
from time import monotonic, process_time
from typing import Any, TypeVar, cast

import polars as pl

from cluster import analysis, history, matchlist, summaries
from cluster.digest import Digest, Keeper
from cluster.replays import replay
from cluster.statistics import sums
from cluster.statistics.reduced import join_blocks
from cluster.store import PLAN, NoResults, Store
from referee.rules import registry
from referee.rules.errors import UnknownRuleset
from referee.rules.ruleset import Game

#: When the plan was written, and the names of the batches: what a folder holds is the same while this is.
Version = tuple[int, tuple[str, ...]]

T = TypeVar("T")

#: So many charts and tables are kept for whoever looks next.
KEPT = 400
#: So long a page waits for newer numbers, in seconds, before it shows those of before.
PATIENCE_S = 2.0
#: Newer numbers are made when this process, with all that it draws for its viewers, has taken no more than this share of the processors
#: since the last ones, so that looking on costs a running tournament little; or no more than so many seconds; or after so many.
DUTY, EASY_S, LONGEST_S = 0.03, 1.0, 600.0


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


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The results at one moment: all that the pages show, made before anybody asks for it.

    ``unreadable``: batches that are left out, with the reason. Tables: see `cluster.summaries` (standings, pairs,
    contracts), `cluster.statistics.sums` (choices, outcomes, trades, conduct) and `cluster.history`.
    """

    folder: Path
    version: Version
    plan: dict[str, Any]
    game: Game | None
    progress: Progress
    anchor: str | None
    standings: pl.DataFrame
    pairs: pl.DataFrame
    contracts: pl.DataFrame
    choices: pl.DataFrame
    outcomes: pl.DataFrame
    trades: pl.DataFrame
    conduct: pl.DataFrame
    history: pl.DataFrame
    digest: Digest = field(repr=False)
    unreadable: dict[str, str] = field(default_factory=dict)
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    _lock: RLock = field(default_factory=RLock, repr=False)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is the same for all viewers: made for the first one who asks, and kept while these results are shown."""
        with self._lock:
            if key not in self._kept:
                made = make()
                if len(self._kept) >= KEPT:
                    del self._kept[next(iter(self._kept))]
                self._kept[key] = made
            return cast(T, self._kept[key])

    @property
    def name(self) -> str:
        """What the tournament is called."""
        return str(self.plan.get("name") or "Tournament")

    @property
    def title(self) -> str:
        """What the game is called."""
        return registry.ruleset(self.game.ruleset).title if self.game else str(self.plan.get("ruleset"))

    @property
    def goes_on(self) -> bool:
        """It is a list of a competition: what is planned of it is a round, and another one follows."""
        return bool(self.plan.get("schedule") == "ladder")

    @property
    def is_empty(self) -> bool:
        """No block is there yet."""
        return not self.progress.matches

    @property
    def bots(self) -> list[str]:
        """All bots that have played, the best first."""
        return self.standings["bot"].to_list()

    @property
    def contract_ids(self) -> list[str]:
        """The contracts that were played, in the order of the rules."""
        played = set(self.contracts["contract"])
        order = self.game.contract_ids if self.game else ()
        return [name for name in order if name in played] + sorted(played.difference(order))

    @property
    def players(self) -> int:
        """Seats of a table; at most, where this version does not know the game."""
        return self.game.players if self.game else 4

    @property
    def lower_is_better(self) -> bool:
        """Points are penalties."""
        return bool(self.game and self.game.lower_is_better)

    @property
    def matches(self) -> pl.LazyFrame:
        """A row a match (see `cluster.digest.MATCHES`), to be read as far as it is needed."""
        return self.digest.rows("matches")

    def worst(self, bot: str) -> pl.DataFrame:
        """The matches in which a bot lost most against what others made of the same cards; see `cluster.matchlist.extremes`."""
        mine = self.digest.sums["extremes"].filter(bot=bot).sort("edge", "block", "game", descending=self.lower_is_better)
        return mine.unique("match_id", keep="first", maintain_order=True).head(matchlist.EXTREMES)

    def replay(self, match_id: str) -> dict[str, Any]:
        """One match in the words of docs/replay.md.

        Raises:
            NoResults: no such match.
            BrokenReplay: what is stored cannot be.
            DamagedResults: a file cannot be read.
        """
        sound = [name for name in self.version[1] if name not in self.unreadable]
        place = self.matches.filter(match_id=match_id).select("block").collect()
        if place.is_empty():
            raise NoResults(f"no match {match_id!r} here; the list has all of them")
        return replay(_Batches(self.folder, sound).replay(match_id))


def judged(folder: Path) -> pl.DataFrame:
    """The decisions that `kingmaker analyse` has judged (see `cluster.analysis.SCHEMA`); empty where it never ran.

    Raises:
        DamagedResults: the file cannot be read.
    """
    try:
        written = (folder / analysis.FILE).stat().st_mtime_ns
    except OSError:
        written = 0
    return _judged(folder, written)


@lru_cache(maxsize=4)
def _judged(folder: Path, written: int) -> pl.DataFrame:
    """As it was written then."""
    return analysis.stored(Store(folder))


@dataclass(frozen=True)
class Working:
    """There is nothing to show yet; ``share`` of the results has been summed up."""

    share: float


class Reader:
    """A results folder that is summed up by one thread, however many look at the pages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = RLock()
        self._thread = ThreadPoolExecutor(1, "digest")
        self._keeper: Keeper | None = None
        self._snapshot: Snapshot | None = None
        self._under_way: Future[Snapshot] | None = None
        self._share = 0.0
        self._began, self._spent = monotonic(), process_time()

    def version(self) -> Version:
        """What is there now; cheap."""
        try:
            written = (self.folder / PLAN).stat().st_mtime_ns
        except OSError:
            written = 0
        try:
            return written, tuple(Store(self.folder).names())
        except OSError:
            return written, ()

    def snapshot(self, patience: float | None = None) -> Snapshot | Working:
        """The results as they are now, or, where summing them up takes longer than the patience (in seconds), as they were before.

        Raises:
            NoResults: the folder is missing, or is no results folder.
        """
        plan, version = Store(self.folder).plan, self.version()
        with self._lock:
            if self._snapshot is not None and self._snapshot.version == version:
                return self._snapshot
            if self._under_way is None or self._under_way.done():
                if self._snapshot is not None and not self._is_time():
                    return self._snapshot
                self._under_way = self._thread.submit(self._make, plan, version)
            under_way = self._under_way
        wait_for([under_way], PATIENCE_S if patience is None else patience)
        if under_way.done():
            return under_way.result()
        return self._snapshot or Working(self._share)

    def _make(self, plan: dict[str, Any], version: Version) -> Snapshot:
        self._began, self._spent = monotonic(), process_time()
        if self._keeper is None:
            self._keeper = Keeper(Store(self.folder))
        digest = self._keeper.update(version[1], self._told)
        made = _snapshot(self.folder, version, plan, digest, dict(self._keeper.unreadable))
        with self._lock:
            self._snapshot = made
        return made

    def _is_time(self) -> bool:
        """Whether newer numbers may be made already."""
        passed, spent = monotonic() - self._began, process_time() - self._spent
        return spent <= max(EASY_S, DUTY * (os.cpu_count() or 1) * passed) or passed > LONGEST_S

    def _told(self, share: float) -> None:
        self._share = share


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


def _snapshot(folder: Path, version: Version, plan: dict[str, Any], digest: Digest, unreadable: dict[str, str]) -> Snapshot:
    rows = digest.rows("blocks").collect()
    evidence = summaries.Evidence(join_blocks(rows.drop("block")), digest.sums["played"])
    standings, game = summaries.standings(evidence), _game(plan)
    bots = standings["bot"].to_list()
    conduct = sums.conduct_table(digest.sums["conduct"])
    return Snapshot(
        folder=folder, version=version, plan=plan, game=game, digest=digest, unreadable=unreadable, standings=standings,
        progress=_progress(plan, digest, conduct),
        anchor=summaries.anchor_of(bots) if bots else None,
        pairs=summaries.pairs(evidence),
        contracts=_in_order(summaries.contracts(digest.sums["tallies"]), game),
        choices=sums.choice_table(digest.sums["choices"]),
        outcomes=_in_order(sums.outcome_table(digest.sums["outcomes"]), game, "outcome"),
        trades=_in_order(sums.trade_table(digest.sums["trades"]), game),
        conduct=conduct,
        history=history.history(evidence.table, rows.select("block_id", "block")),
    )  # fmt: skip


def _game(plan: dict[str, Any]) -> Game | None:
    """The game that is played; None where this version does not know it."""
    try:
        return registry.ruleset(str(plan.get("ruleset"))).game(plan.get("options"))
    except UnknownRuleset:
        return None


def _progress(plan: dict[str, Any], digest: Digest, conduct: pl.DataFrame) -> Progress:
    told = digest.rows("matches").select(matches=pl.len(), blocks=pl.col("block").n_unique()).collect()
    done, scheduled = int(told["blocks"][0]), plan.get("blocks")
    return Progress(
        done=done,
        scheduled=scheduled if isinstance(scheduled, int) else done,
        matches=int(told["matches"][0]),
        faults=int(conduct["faults"].sum()),
    )


def _in_order(frame: pl.DataFrame, game: Game | None, *then: str) -> pl.DataFrame:
    """By bot, and its contracts in the order of the rules."""
    order = {name: place for place, name in enumerate(game.contract_ids if game else ())}
    place = pl.col("contract").replace_strict(order, default=len(order), return_dtype=pl.Int64)
    return frame.sort("bot", place, "contract", *then)
