"""A season is over: its results and its seed, for anybody to check."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from cluster import batch
from cluster.competition import seasons
from cluster.competition.database import Database
from cluster.competition.place import Place
from cluster.store import PLAN, SEASON, Store
from referee.rules.errors import ConfigError


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
    for ladder in seasons.all_ladders(database):
        missing = _missing(place.results(ladder, number))
        if missing:
            raise ConfigError(f"season {number}: {missing} blocks of {ladder.slug} are still to be played; `kingmaker serve` plays them")
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


def _missing(folder: Path) -> int:
    """How many blocks a results folder lacks of those that its plan has."""
    if not (folder / PLAN).exists():
        return 0
    store = Store(folder)
    return int(store.plan["blocks"]) - len(store.done())
