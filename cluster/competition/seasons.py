"""Seasons and ladders: what is played for which list, under a seed that is committed to before and revealed after."""

from __future__ import annotations

import io
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl
from sqlalchemy import Connection, Row, func, select, update

from cluster.commitment import commitment
from cluster.competition.database import Database, insert_new
from cluster.competition.owners import now
from cluster.competition.schema import ladders, seasons, snapshots
from referee.rules import registry as rulesets
from referee.rules.errors import ConfigError


@dataclass(frozen=True)
class Season:
    """``seed``: secret until the season is ``published``; ``commitment``: see `cluster.commitment`, public from the start."""

    number: int
    seed: str
    commitment: str
    opened: datetime
    frozen: datetime | None
    published: datetime | None


@dataclass(frozen=True)
class Ladder:
    """A list of its own. ``slug``: its name, and that of its folder; ``options``: settled, such as a match's length."""

    id: int
    slug: str
    ruleset: str
    options: Mapping[str, Any]
    remote: bool

    @property
    def title(self) -> str:
        """Its name for people: the game, and what is special in it."""
        special = [f"{name.replace('_', ' ')} {value}" for name, value in sorted(_special(self.ruleset, self.options).items())]
        return " · ".join([rulesets.ruleset(self.ruleset).title, *special, *(["remote bots"] if self.remote else [])])


@dataclass(frozen=True)
class Snapshot:
    """Standings after so many blocks; ``standings``: see `cluster.summaries.standings`."""

    ladder_id: int
    season: int
    blocks: int
    matches: int
    taken: datetime
    standings: pl.DataFrame


def current(database: Database) -> Season:
    """The season that is played; the first one is opened by whoever asks first. It may be frozen."""
    chosen = select(seasons).order_by(seasons.c.number.desc()).limit(1)
    row = database.read(lambda connection: connection.execute(chosen).one_or_none())
    if row is not None:
        return _season(row)
    _insert(database, 1)
    return current(database)


def all_seasons(database: Database) -> list[Season]:
    """All of them, the first one first."""
    chosen = select(seasons).order_by(seasons.c.number)
    return [_season(row) for row in database.read(lambda connection: connection.execute(chosen).all())]


def open_next(database: Database) -> Season:
    """Begin a new season; the one before has to be frozen.

    Raises:
        ConfigError: it is not.
    """
    last = current(database)
    if last.frozen is None:
        raise ConfigError(f"season {last.number} is being played; `kingmaker admin season freeze` ends it")
    _insert(database, last.number + 1)
    return current(database)


def freeze(database: Database) -> Season:
    """Schedule nothing more for the current season; what is under way is played to its end."""
    number, moment = current(database).number, now()
    _stamp(database, number, frozen=moment)
    return current(database)


def frozen(database: Database, number: int) -> Season:
    """A season that is over.

    Raises:
        ConfigError: there is no such season, or it is not frozen.
    """
    last = current(database)
    found = next((season for season in all_seasons(database) if season.number == number), None)
    if found is None:
        raise ConfigError(f"no season {number}; the current one is {last.number}")
    if found.frozen is None:
        raise ConfigError(f"season {number} is being played; `kingmaker admin season freeze` ends it, and then it can be published")
    return found


def publish(database: Database, number: int) -> Season:
    """Write down that a frozen season's seed may be told.

    Raises:
        ConfigError: there is no such season, or it is not frozen.
    """
    frozen(database, number)
    _stamp(database, number, published=now())
    return frozen(database, number)


def ladder(database: Database, ruleset: str, options: Mapping[str, Any] | None = None, *, remote: bool = False) -> Ladder:
    """The list of a ruleset with these options; made where it is missing.

    Raises:
        ConfigError: no such ruleset or option.
    """
    game = rulesets.ruleset(ruleset).game(dict(options or {}))
    special = _special(ruleset, game.options)
    words = [ruleset, *(f"{name}={json.dumps(value)}".replace('"', "") for name, value in sorted(special.items()))]
    slug = "-".join([*words, *(["remote"] if remote else [])])
    values = {"slug": slug, "ruleset": ruleset, "options": dict(game.options), "remote": int(remote), "created": now()}

    def work(connection: Connection) -> Row[Any]:
        insert_new(connection, ladders, values)
        return connection.execute(select(ladders).where(ladders.c.slug == slug)).one()

    return _ladder(database.write(work))


def _special(ruleset: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options that are not the ruleset's usual ones."""
    usual = rulesets.ruleset(ruleset).game({})
    return {name: value for name, value in options.items() if value != usual.options.get(name)}


def all_ladders(database: Database) -> list[Ladder]:
    """All lists, by name."""
    chosen = select(ladders).order_by(ladders.c.slug)
    return [_ladder(row) for row in database.read(lambda connection: connection.execute(chosen).all())]


def keep_snapshot(database: Database, ladder_id: int, season: int, blocks: int, matches: int, standings: pl.DataFrame) -> None:
    """Write down the standings after so many blocks; those that are there already stand."""
    buffer = io.BytesIO()
    standings.write_parquet(buffer)
    values = {
        "ladder_id": ladder_id, "season": season, "blocks": blocks, "matches": matches, "taken": now(),
        "rows": buffer.getvalue(),
    }  # fmt: skip
    database.write(lambda connection: insert_new(connection, snapshots, values))


def latest_snapshot(database: Database, ladder_id: int, season: int) -> Snapshot | None:
    """The last standings of a list; None before the first."""
    chosen = _snapshots(ladder_id, season).order_by(snapshots.c.blocks.desc()).limit(1)
    row = database.read(lambda connection: connection.execute(chosen).one_or_none())
    return None if row is None else _snapshot(row)


def snapshots_of(database: Database, ladder_id: int, season: int, most: int = 200) -> list[Snapshot]:
    """Standings over time, evenly thinned out to at most so many, the first and the last among them."""
    here = snapshots.c.ladder_id == ladder_id, snapshots.c.season == season
    counts = select(snapshots.c.blocks).where(*here).order_by(snapshots.c.blocks)

    def work(connection: Connection) -> list[Row[Any]]:
        known = list(connection.execute(counts).scalars())
        step = max(1, (len(known) - 1) / max(1, most - 1))
        wanted = sorted({known[round(place * step)] for place in range(most) if round(place * step) < len(known)} | set(known[-1:]))
        return list(connection.execute(
            _snapshots(ladder_id, season).where(snapshots.c.blocks.in_(wanted)).order_by(snapshots.c.blocks)
        ).all())  # fmt: skip

    return [_snapshot(row) for row in database.read(work)]


def snapshot_count(database: Database) -> int:
    """How many there are in all."""
    return database.read(lambda connection: connection.execute(select(func.count()).select_from(snapshots)).scalar_one())


def _snapshots(ladder_id: int, season: int) -> Any:
    return select(snapshots).where(snapshots.c.ladder_id == ladder_id, snapshots.c.season == season)


def _insert(database: Database, number: int) -> None:
    seed = secrets.token_hex(32)
    values = {"number": number, "seed": seed, "commitment": commitment(seed), "opened": now()}
    database.write(lambda connection: insert_new(connection, seasons, values))


def _stamp(database: Database, number: int, **moment: datetime) -> None:
    """Write down when something happened, unless that is written already."""
    (name,) = moment
    chosen = update(seasons).where(seasons.c.number == number, seasons.c[name].is_(None)).values(**moment)
    database.write(lambda connection: connection.execute(chosen))


def _season(row: Row[Any]) -> Season:
    return Season(row.number, row.seed, row.commitment, row.opened, row.frozen, row.published)


def _ladder(row: Row[Any]) -> Ladder:
    return Ladder(row.id, row.slug, row.ruleset, row.options, bool(row.remote))


def _snapshot(row: Row[Any]) -> Snapshot:
    return Snapshot(row.ladder_id, row.season, row.blocks, row.matches, row.taken, pl.read_parquet(io.BytesIO(row.rows)))
