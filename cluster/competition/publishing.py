"""How a season ends: nothing more is scheduled, all that was scheduled is played, and then anybody may check it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from cluster import batch
from cluster.competition import seasons
from cluster.competition.database import Database
from cluster.competition.place import Place
from cluster.competition.seasons import Season
from cluster.store import PLAN, SEASON, Store
from referee.rules.errors import ConfigError


def freeze(place: Place, database: Database) -> Season:
    """Schedule nothing more for the current season, from when this returns; what is scheduled is played to its end."""
    with place.scheduling(end=True):
        return seasons.freeze(database)


def open_next(place: Place, database: Database) -> Season:
    """Begin a new season; the one before has to be frozen, and played to its end.

    Raises:
        ConfigError: it is not.
    """
    last = seasons.current(database)
    if last.frozen is not None:
        _played(place, database, last.number)
    return seasons.open_next(database)


def publish(place: Place, database: Database, number: int) -> Path:
    """Put a frozen season's results folders where anybody may have them, and reveal the seed; return the folder.

    The folder is there whole or not at all; a second time changes nothing.

    Raises:
        ConfigError: no such season, or something of it is still to be played.
    """
    final = place.published / f"season-{number}"
    if final.exists():
        return final
    seasons.frozen(database, number)
    _played(place, database, number)
    season = seasons.publish(database, number)
    temporary = place.published / f".tmp-season-{number}"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    for ladder in seasons.all_ladders(database):
        source = place.results(ladder, number)
        if (source / PLAN).exists():
            shutil.copytree(source, temporary / ladder.slug, ignore=shutil.ignore_patterns(".*"))
    told = {"season": number, "seed": season.seed, "commitment": season.commitment, "opened": season.opened.isoformat()}
    batch.write_file(temporary / SEASON, json.dumps(told, indent=1).encode())
    batch.sync(temporary)
    os.rename(temporary, final)
    batch.sync(place.published)
    return final


def _played(place: Place, database: Database, number: int) -> None:
    """See that nothing of a season is still to be played.

    Raises:
        ConfigError: something is; the text says how much, of which list.
    """
    for ladder in seasons.all_ladders(database):
        missing = _missing(place.results(ladder, number))
        if missing:
            raise ConfigError(f"season {number}: {missing} blocks of {ladder.slug} are still to be played; `kingmaker serve` plays them")


def _missing(folder: Path) -> int:
    """How many blocks a results folder lacks of those that its plan has."""
    if not (folder / PLAN).exists():
        return 0
    store = Store(folder)
    return int(store.plan["blocks"]) - len(store.done())
