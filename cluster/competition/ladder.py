"""The ladder keeps playing: a round of each list in turn, with the bots that are there then.

A list is an ordinary results folder for each season, which grows. Who sits in a round is worked out when the round begins
(`cluster.schedule.ladder`) and written down before it is played, so a death at any moment loses and doubles nothing.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cluster import run, summaries
from cluster.competition import registry, seasons, trial
from cluster.competition.database import Database
from cluster.competition.place import Place
from cluster.competition.seasons import Ladder, Season
from cluster.competition.settings import FIELD, LadderSettings, Settings
from cluster.founded import compared
from cluster.growing import Growing
from cluster.run import Play
from cluster.schedule import Block, design_of
from cluster.schedule.ladder import next_lineups
from cluster.store import PLAN, Store, writer
from cluster.tournament import BotEntry, ClockSettings, Isolation, Tournament, parse
from referee.isolation.errors import IsolationError
from referee.processes import PlatformError

if TYPE_CHECKING:
    from cluster.arena import Chunk

#: After a failure of the platform the next attempt waits for so long.
RETRY_S = 5.0
#: Standings are kept whenever a list has grown by so much, so that a year of them is some thousands and not millions.
GROWTH = 1.01
log = logging.getLogger(__name__)


class Company(Protocol):
    """Who plays in some lists, and how; ``goes``: its bots come and go as they like, and cannot be had when they are gone."""

    lists: tuple[LadderSettings, ...]
    clocks: ClockSettings
    round_blocks: int
    goes: bool

    def bots(self, ladder: Ladder) -> list[BotEntry]:
        """Those that can play in a list now, beside the reference bots."""

    def play(self, tournament: Tournament, blocks: Sequence[Block]) -> Chunk:
        """Play these blocks.

        Raises:
            PlatformError, IsolationError: the platform failed; nothing of these blocks counts.
        """


class Submitted:
    """The bots that were submitted and are active; each round starts them anew."""

    goes = False

    def __init__(self, place: Place, database: Database, settings: Settings) -> None:
        self._place, self._database, self._settings = place, database, settings
        self.lists, self.clocks, self.round_blocks = settings.ladders, settings.clocks, settings.round_blocks

    def bots(self, ladder: Ladder) -> list[BotEntry]:
        """The active versions that name the list's ruleset."""
        return [
            trial.entry(version, self._place.version(version.id, version.tree), self._settings)
            for version in registry.active(self._database)
            if ladder.ruleset in version.rulesets
        ]

    def play(self, tournament: Tournament, blocks: Sequence[Block]) -> Chunk:
        """Play these blocks, in this process."""
        from cluster.arena import Arena  # a process that only asks needs no gRPC

        arena = Arena(tournament)
        try:
            return arena.play(blocks)
        finally:
            arena.close()


class Keeper:
    """Plays all lists of a company; use `step` again and again."""

    def __init__(self, place: Place, database: Database, settings: Settings, company: Company) -> None:
        self._place = place
        self._database = database
        self._settings = settings
        self._company = company
        self._stores: dict[Path, Growing] = {}

    def run(self) -> None:
        """Play for ever."""
        while True:
            if not self.step():
                time.sleep(self._settings.pause_s)

    def step(self) -> bool:
        """Give each list a round; return whether anything was played."""
        played = False
        for wanted in self._company.lists:
            try:
                played = self._round(wanted) or played
            except (PlatformError, IsolationError) as error:
                log.warning("%s: %s; it is tried again", wanted.ruleset, error)
                time.sleep(RETRY_S)
        return played

    def _round(self, wanted: LadderSettings) -> bool:
        """Play what is missing of a list's last round, else one more."""
        season = seasons.current(self._database)
        ladder = seasons.ladder(self._database, wanted.ruleset, wanted.options, remote=self._company.goes)
        folder = self._place.results(ladder, season.number)
        store = self._stores.setdefault(folder, Growing(folder))
        coming = self._coming(ladder, season, store)
        if coming is not None:
            coming = _isolated(coming, self._settings.isolation)
            run.run(coming, store.folder, self._play(coming), _Log(store.folder), extend=True, swept=store.swept)
        self._keep(ladder, season, store, goes_on=coming is not None)
        return coming is not None

    def _coming(self, ladder: Ladder, season: Season, store: Growing) -> Tournament | None:
        """The list with a round that is to be played, written down; None where there is none now."""
        old, here, lineups = planned(store), self._company.bots(ladder), store.lineups()
        done = 0 if old is None else len(store.done())
        playing = {*FIELD, *(bot.name for bot in here)}
        if old is not None and done < old.blocks:
            absent = {name for lineup in lineups[done : old.blocks] for name in lineup} - playing
            if len(lineups) >= old.blocks and not (self._company.goes and absent):
                return old
            if not here and season.frozen is None:
                return None
            # Who went while we were away left no match: what was not played is played by those who are there.
            coming = _with(here, old)
        elif season.frozen is not None or not here:
            return None
        elif old is None:
            coming = self._first(ladder, season, here)
        else:
            coming = _with(here, old).model_copy(update={"blocks": old.blocks + self._company.round_blocks})
        field = [bot.name for bot in coming.bots if bot.name in playing]
        comparison = None if old is None else compared(store.evidence().table)
        new = next_lineups(field, lineups[:done], comparison, design_of(coming), coming.blocks - done)
        with self._place.scheduling(), writer(store.folder) as folder:
            if seasons.current(self._database) != season:
                return None  # frozen since we looked
            folder.write_lineups(done, new, field)
            run.scheduled(coming, folder, extend=True)
        return coming

    def _first(self, ladder: Ladder, season: Season, here: Sequence[BotEntry]) -> Tournament:
        """A list that begins."""
        company = self._company
        data = {
            "name": f"{ladder.slug}, season {season.number}", "ruleset": ladder.ruleset, "options": dict(ladder.options),
            "seed": season.seed, "schedule": "ladder", "blocks": company.round_blocks,
            "clocks": company.clocks.model_dump(), "limits": self._settings.limits.model_dump(),
            "bots": [*({"name": name} for name in FIELD), *(bot.model_dump() for bot in here)],
        }  # fmt: skip
        return parse(data, ladder.slug)

    def _play(self, tournament: Tournament) -> Play:
        def play(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
            missing = list(_all(chunks))
            for start in range(0, len(missing), run.MAX_CHUNK):  # at once, so that all tables are busy
                yield self._company.play(tournament, missing[start : start + run.MAX_CHUNK])

        return play

    def _keep(self, ladder: Ladder, season: Season, store: Growing, *, goes_on: bool) -> None:
        """Write down the standings of now, unless they are written already, or would differ little and are soon to be others."""
        if not (store.folder / PLAN).exists():
            return
        blocks = len(store.done())
        last = seasons.latest_snapshot(self._database, ladder.id, season.number)
        before = 0 if last is None else last.blocks
        if blocks == before or (goes_on and blocks < GROWTH * before):
            return
        standings = summaries.standings(store.evidence())
        matches = store.collect(store.scan("matches").select("match_id")).n_unique()
        seasons.keep_snapshot(self._database, ladder.id, season.number, blocks, matches, standings)


def planned(store: Store) -> Tournament | None:
    """What a results folder was last planned to hold; None before the first round."""
    if not (store.folder / PLAN).exists():
        return None
    plan = store.plan
    return parse({key: value for key, value in plan.items() if key not in ("format", "tournament_id")}, str(store.folder / PLAN))


def _with(here: Sequence[BotEntry], old: Tournament) -> Tournament:
    """A list with bots that are new to it; who is there already stays as it is, also when it does not play at the moment."""
    known = {bot.name for bot in old.bots}
    return old.model_copy(update={"bots": (*old.bots, *(bot for bot in here if bot.name not in known))})


def _isolated(tournament: Tournament, tier: Isolation) -> Tournament:
    """With the tier of what was submitted, which no plan holds: each row of the results says how its bot was kept."""
    own = [bot if bot.is_reference or bot.remote else bot.model_copy(update={"isolation": tier}) for bot in tournament.bots]
    return tournament.model_copy(update={"bots": tuple(own)})


def _all(chunks: Iterator[Sequence[Block]]) -> Iterator[Block]:
    for blocks in chunks:
        if not blocks:
            time.sleep(RETRY_S)  # there is little room on the disk
        yield from blocks


class _Log:
    """Tells the log what went wrong in a run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self, *, blocks: int, done: int, games: int) -> None:
        """Nothing to tell."""

    def warn(self, text: str) -> None:
        """Something was set aside."""
        log.warning("%s: %s", self._folder, text)

    def played(self, chunk: Chunk) -> None:
        """Nothing to tell."""
