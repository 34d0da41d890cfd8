"""The ladder keeps playing: a round of each list in turn, with the bots that are active then.

A list is an ordinary results folder for each season, which grows: a bot joins and leaves at a place in its schedule
(`cluster.plan`). What was begun is always played to its end first, so a death at any moment loses and doubles nothing.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cluster import run, summaries
from cluster.competition import registry, seasons, trial
from cluster.competition.database import Database
from cluster.competition.place import Place
from cluster.competition.seasons import Ladder, Season
from cluster.competition.settings import LadderSettings, Settings
from cluster.schedule import Block
from cluster.store import PLAN, Store
from cluster.tournament import BotEntry, Tournament, parse
from referee.isolation.errors import IsolationError
from referee.processes import PlatformError

if TYPE_CHECKING:
    from cluster.arena import Chunk

#: After a failure of the platform the next attempt waits for so long.
RETRY_S = 5.0
log = logging.getLogger(__name__)


class Keeper:
    """Plays all lists of a competition; use `step` again and again."""

    def __init__(self, place: Place, database: Database, settings: Settings) -> None:
        self._place = place
        self._database = database
        self._settings = settings

    def run(self) -> None:
        """Play for ever."""
        while True:
            if not self.step():
                time.sleep(self._settings.pause_s)

    def step(self) -> bool:
        """Give each list a round; return whether anything was played."""
        played = False
        for wanted in self._settings.ladders:
            try:
                played = self._round(wanted) or played
            except (PlatformError, IsolationError) as error:
                log.warning("%s: %s; it is tried again", wanted.ruleset, error)
                time.sleep(RETRY_S)
        return played

    def _round(self, wanted: LadderSettings) -> bool:
        """Play what is missing of a list's last round, else one more."""
        season = seasons.current(self._database)
        ladder = seasons.ladder(self._database, wanted.ruleset, wanted.options)
        store = Store(self._place.results(ladder, season.number))
        old = planned(store)
        coming = old
        if old is None or len(store.done()) >= old.blocks:
            coming = None if season.frozen is not None else self._extended(ladder, season, old, store)
        if coming is not None:
            _play(coming, store.folder)
        self._keep(ladder, season, store)
        return coming is not None

    def _extended(self, ladder: Ladder, season: Season, old: Tournament | None, store: Store) -> Tournament | None:
        """The list with a round more and the bots of now; None while nobody but the reference bots would play."""
        playing = [version for version in registry.active(self._database) if ladder.ruleset in version.rulesets]
        if not playing:
            return None
        settings = self._settings
        bots = [BotEntry(name=name) for name in trial.FIELD] + [
            trial.entry(version, self._place.version(version.id, version.tree), settings) for version in playing
        ]
        if old is None:
            data = {
                "name": f"{ladder.slug}, season {season.number}", "ruleset": ladder.ruleset, "options": dict(ladder.options),
                "seed": season.seed, "schedule": "balanced", "blocks": settings.round_blocks,
                "clocks": settings.clocks.model_dump(), "limits": settings.limits.model_dump(),
                "bots": [bot.model_dump() for bot in bots],
            }  # fmt: skip
            return parse(data, ladder.slug)
        field = [_again(bot, old) for bot in bots]
        coming = old.model_copy(update={"bots": tuple(field), "blocks": old.blocks + settings.round_blocks})
        return run.settled(coming, store, extend=True)

    def _keep(self, ladder: Ladder, season: Season, store: Store) -> None:
        """Write down the standings of now, unless they are written already."""
        if not (store.folder / PLAN).exists():
            return
        blocks = len(store.done())
        last = seasons.latest_snapshot(self._database, ladder.id, season.number)
        if blocks == (0 if last is None else last.blocks):
            return
        standings = summaries.standings(summaries.Evidence.stored(store.table("blocks"), store.table("played")))
        matches = store.collect(store.scan("matches").select("match_id")).n_unique()
        seasons.keep_snapshot(self._database, ladder.id, season.number, blocks, matches, standings)


def planned(store: Store) -> Tournament | None:
    """What a results folder was last planned to hold; None before the first round."""
    if not (store.folder / PLAN).exists():
        return None
    plan = store.plan
    return parse({key: value for key, value in plan.items() if key not in ("format", "tournament_id")}, str(store.folder / PLAN))


def _again(bot: BotEntry, old: Tournament) -> BotEntry:
    """A bot as the plan has it; one that had left and comes back plays under a name that nobody had."""
    known = {each.name: each for each in old.bots}
    name, number = bot.name, 1
    while name in known and known[name].leaves is not None:
        number += 1
        name = f"{bot.name} ({number})"
    return known.get(name) or bot.model_copy(update={"name": name})


def _play(tournament: Tournament, folder: Path) -> None:
    """Play what is missing, in this process.

    Raises:
        PlatformError, IsolationError: the platform failed; what is there is whole.
    """
    from cluster.arena import Arena  # a process that only asks needs no gRPC

    def play(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        missing = list(_all(chunks))
        arena = Arena(tournament)
        try:
            for start in range(0, len(missing), run.MAX_CHUNK):  # at once, so that all tables are busy
                yield arena.play(missing[start : start + run.MAX_CHUNK])
        finally:
            arena.close()

    run.run(tournament, folder, play, _Log(folder), extend=True)


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
