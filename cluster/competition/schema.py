"""The tables of the competition's database. Natural keys are unique, so that a repeated insert changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)


class State(StrEnum):
    """How far a submission is. ``received`` to ``active`` in this order; ``rejected`` from any of the first three."""

    RECEIVED = "received"
    BUILDING = "building"
    VALIDATING = "validating"
    ACTIVE = "active"
    RETIRED = "retired"
    REJECTED = "rejected"


#: What a worker has still to do something about.
OPEN = (State.RECEIVED, State.BUILDING, State.VALIDATING)


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite keeps no zones, so it is given none."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """As the database keeps it."""
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """As we know it."""
        if value is None:
            return None
        assert isinstance(value, datetime)
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

#: Who takes part, with what each may do. ``name_key``: the name as names are compared.
owners = Table(
    "owners", metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(64), nullable=False),
    Column("name_key", String(256), nullable=False, unique=True),
    Column("created", Moment, nullable=False),
    Column("revoked", Moment),
    Column("max_bots", Integer, nullable=False),
    Column("max_submissions_a_day", Integer, nullable=False),
    Column("max_archive_bytes", BigInteger, nullable=False),
)  # fmt: skip

#: Tokens by their hashes. ``scopes``: words of `cluster.competition.owners.SCOPES`.
tokens = Table(
    "tokens", metadata,
    Column("sha256", String(64), primary_key=True),
    Column("owner_id", ForeignKey("owners.id"), nullable=False, index=True),
    Column("scopes", String(64), nullable=False),
    Column("created", Moment, nullable=False),
    Column("expires", Moment),
    Column("revoked", Moment),
)  # fmt: skip

bots = Table(
    "bots", metadata,
    Column("id", Integer, primary_key=True),
    Column("owner_id", ForeignKey("owners.id"), nullable=False, index=True),
    Column("name", String(64), nullable=False),
    Column("name_key", String(256), nullable=False, unique=True),
    Column("created", Moment, nullable=False),
)  # fmt: skip

#: One content of a bot's folder. ``tree``: the hash of what was submitted; ``player``: its name in results.
versions = Table(
    "versions", metadata,
    Column("id", Integer, primary_key=True),
    Column("bot_id", ForeignKey("bots.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("tree", String(64), nullable=False),
    Column("player", String(80), nullable=False),
    Column("language", Text, nullable=False),
    Column("run", Text, nullable=False),
    Column("rulesets", JSON, nullable=False),
    Column("created", Moment, nullable=False),
    UniqueConstraint("bot_id", "tree"),
    UniqueConstraint("bot_id", "number"),
)  # fmt: skip

#: ``upload``: the hash of the archive's bytes. ``worker``: who works on it. ``attempts``: how often it was begun.
submissions = Table(
    "submissions", metadata,
    Column("id", String(16), primary_key=True),
    Column("owner_id", ForeignKey("owners.id"), nullable=False),
    Column("upload", String(64), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("state", String(16), nullable=False),
    Column("received", Moment, nullable=False),
    Column("changed", Moment, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("version_id", ForeignKey("versions.id"), index=True),
    Column("bot_name", String(64)),
    Column("log", Text, nullable=False),
    UniqueConstraint("owner_id", "upload"),
    Index("ix_submissions_state_received", "state", "received"),
)  # fmt: skip

#: Every upload that was taken in, for the limit of a day.
uploads = Table(
    "uploads", metadata,
    Column("submission_id", ForeignKey("submissions.id"), primary_key=True),
    Column("received", Moment, primary_key=True),
    Column("owner_id", ForeignKey("owners.id"), nullable=False),
    Index("ix_uploads_owner_id_received", "owner_id", "received"),
)  # fmt: skip

#: A list of its own: a ruleset with its options (such as the length of a match), for hosted or for remote bots.
ladders = Table(
    "ladders", metadata,
    Column("id", Integer, primary_key=True),
    Column("slug", String(120), nullable=False, unique=True),
    Column("ruleset", String(64), nullable=False),
    Column("options", JSON, nullable=False),
    Column("remote", Integer, nullable=False),
    Column("created", Moment, nullable=False),
)  # fmt: skip

#: The seed is secret until the season is published; the commitment is public from the start.
seasons = Table(
    "seasons", metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("seed", String(64), nullable=False),
    Column("commitment", String(64), nullable=False),
    Column("opened", Moment, nullable=False),
    Column("frozen", Moment),
    Column("published", Moment),
)  # fmt: skip

#: Standings as they were after so many blocks; ``rows``: see `cluster.summaries.standings`, as Parquet.
snapshots = Table(
    "snapshots", metadata,
    Column("ladder_id", ForeignKey("ladders.id"), primary_key=True),
    Column("season", ForeignKey("seasons.number"), primary_key=True),
    Column("blocks", Integer, primary_key=True),
    Column("matches", Integer, nullable=False),
    Column("taken", Moment, nullable=False),
    Column("rows", LargeBinary, nullable=False),
)  # fmt: skip
