"""What pages ask of a competition. Reads only what is written down; rates nothing, and knows neither gRPC nor Ray."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl
from sqlalchemy import select

from cluster.competition import owners, registry, seasons
from cluster.competition.database import DATABASE, Database, sqlite_url
from cluster.competition.owners import Owner
from cluster.competition.place import Place
from cluster.competition.registry import Submission
from cluster.competition.schema import bots, versions
from cluster.competition.schema import owners as owner_table
from cluster.competition.seasons import Ladder, Season, Snapshot
from cluster.competition.settings import FIELD
from cluster.store import PLAN

#: Pages do not wait as long for a database that is away as those who have something to write.
PATIENCE_S = 5.0


@dataclass(frozen=True)
class Player:
    """A version as pages show it. ``player``: its name in results."""

    player: str
    bot: str
    owner: str
    number: int
    language: str
    rulesets: tuple[str, ...]
    active: bool


class Board:
    """A competition in a folder; its database is the one of the environment, else SQLite in that folder.

    Open it once and keep it: every method asks the database anew, and all are cheap.
    """

    def __init__(self, folder: Path, url: str | None = None) -> None:
        self.place = Place(folder)
        self._url = url or os.environ.get(DATABASE) or sqlite_url(folder / "registry.sqlite")

    @cached_property
    def database(self) -> Database:
        """Opened at the first question, and brought up to date."""
        database = Database(self._url, PATIENCE_S)
        database.upgrade()
        return database

    def seasons(self) -> list[Season]:
        """All seasons, the first one first; show no seed of one that is not published."""
        seasons.current(self.database)
        return seasons.all_seasons(self.database)

    def ladders(self) -> list[Ladder]:
        """All lists, by name."""
        return seasons.all_ladders(self.database)

    def results(self, ladder: Ladder, season: int) -> Path | None:
        """The results folder of a list, for matches, contracts and replays; None before its first match."""
        folder = self.place.results(ladder, season)
        return folder if (folder / PLAN).exists() else None

    def standings(self, ladder: Ladder, season: int) -> Snapshot | None:
        """The last standings of a list; None before the first round was played."""
        return seasons.latest_snapshot(self.database, ladder.id, season)

    def history(self, ladder: Ladder, season: int, most: int = 200) -> pl.DataFrame:
        """Ratings over time: taken, blocks_played (of the list), and the columns of the standings; a row a bot and snapshot."""
        frames = [
            each.standings.with_columns(taken=pl.lit(each.taken), blocks_played=pl.lit(each.blocks))
            for each in seasons.snapshots_of(self.database, ladder.id, season, most)
        ]
        return pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()

    def players(self) -> list[Player]:
        """All versions that there are and were, in the order in which they came."""
        playing = {version.id for version in registry.active(self.database)}
        chosen = (
            select(versions, bots.c.name.label("bot"), owner_table.c.name.label("owner"))
            .join(bots, bots.c.id == versions.c.bot_id)
            .join(owner_table, owner_table.c.id == bots.c.owner_id)
            .order_by(versions.c.id)
        )
        rows = self.database.read(lambda connection: connection.execute(chosen).all())
        return [
            Player(row.player, row.bot, row.owner, row.number, row.language, tuple(row.rulesets), row.id in playing)
            for row in rows
        ]

    def bots(self) -> list[str]:
        """The names in results of all who play or played: the reference bots, then the versions in the order in which they came."""
        return [*FIELD, *(player.player for player in self.players())]

    def submissions(self, token: str) -> list[Submission]:
        """What the owner of a token submitted, with its logs; the newest first.

        Raises:
            Refused: the token does not let in.
        """
        return registry.of_owner(self.database, self.owner(token))

    def owner(self, token: str) -> Owner:
        """Whose token this is, if it is one for submitting.

        Raises:
            Refused: it is not.
        """
        return owners.owner_of(self.database, token, "submit")
