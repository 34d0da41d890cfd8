"""Owners and their tokens: who may submit, play remotely, or administer."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, select, update

from cluster.competition import names
from cluster.competition.database import Database, insert_new
from cluster.competition.schema import owners, tokens
from referee.rules.errors import ConfigError, nearest

#: What a token may be good for.
SCOPES = ("submit", "play", "admin")
_PREFIX = "km_"


class Refused(Exception):
    """A token that does not let in, or not there; the text may be told to who gave it."""

    def __init__(self, text: str, *, is_known: bool = False) -> None:
        super().__init__(text)
        self.is_known = is_known


@dataclass(frozen=True)
class Limits:
    """What one owner may have: bots, submissions within 24 hours, bytes of an archive."""

    max_bots: int = 5
    max_submissions_a_day: int = 20
    max_archive_bytes: int = 32 << 20


@dataclass(frozen=True)
class Owner:
    """Who takes part. ``id``: the database's number."""

    id: int
    name: str
    limits: Limits
    created: datetime
    revoked: datetime | None = None


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


def add(database: Database, name: str, scopes: Collection[str], limits: Limits | None = None,
        lifetime: timedelta | None = None) -> tuple[Owner, str]:  # fmt: skip
    """Enter an owner, or give one that is there a further token; the token is told here and never again.

    ``limits``: None leaves those of an owner who is there.

    Raises:
        ConfigError: no such scope, no such name, or the owner was revoked.
    """
    name = names.clean(name)
    for scope in scopes:
        if scope not in SCOPES:
            raise ConfigError(f"no scope {scope!r}; {nearest(scope, SCOPES)}")
    token, moment = _PREFIX + secrets.token_urlsafe(32), now()
    given = limits or Limits()
    values = {"name": name, "name_key": names.key(name), "created": moment, **vars(given)}

    def work(connection: Connection) -> Any:
        insert_new(connection, owners, values)
        row = connection.execute(select(owners).where(owners.c.name_key == values["name_key"])).one()
        if row.revoked is not None:
            raise ConfigError(f"the owner {row.name!r} was revoked; choose another name")
        if limits is not None:
            connection.execute(update(owners).where(owners.c.id == row.id).values(**vars(limits)))
        insert_new(connection, tokens, {
            "sha256": digest(token), "owner_id": row.id, "scopes": " ".join(sorted(set(scopes))), "created": moment,
            "expires": None if lifetime is None else moment + lifetime,
        })  # fmt: skip
        return connection.execute(select(owners).where(owners.c.id == row.id)).one()

    return _owner(database.write(work)), token


def revoke(database: Database, name: str) -> int:
    """Let an owner's tokens be worth nothing from now on; return how many there were.

    Raises:
        ConfigError: no such owner.
    """
    key, moment = names.key(names.clean(name)), now()

    def work(connection: Connection) -> Any:
        row = connection.execute(select(owners).where(owners.c.name_key == key)).one_or_none()
        if row is None:
            known = [other.name for other in connection.execute(select(owners.c.name))]
            raise ConfigError(f"no owner {name!r}; {nearest(name, known)}")
        connection.execute(update(owners).where(owners.c.id == row.id, owners.c.revoked.is_(None)).values(revoked=moment))
        valid = tokens.c.owner_id == row.id, tokens.c.revoked.is_(None)
        return connection.execute(update(tokens).where(*valid).values(revoked=moment)).rowcount

    return int(database.write(work))


def everybody(database: Database) -> list[Owner]:
    """All owners there are and were, in the order of their coming."""
    return [_owner(row) for row in database.read(lambda connection: connection.execute(select(owners).order_by(owners.c.id)).all())]


def scopes_of(database: Database, owner: Owner) -> list[str]:
    """What an owner's valid tokens are good for together."""
    moment = now()
    rows = database.read(lambda connection: connection.execute(select(tokens).where(tokens.c.owner_id == owner.id)).all())
    return sorted({scope for row in rows if _state(row, moment) == "valid" for scope in row.scopes.split()})


def owner_of(database: Database, token: str, scope: str) -> Owner:
    """Whose token this is.

    Raises:
        Refused: nobody's, not any more, or not for this.
    """
    chosen = select(tokens, owners.c.revoked.label("owner_revoked")).join(owners).where(tokens.c.sha256 == digest(token))
    row = database.read(lambda connection: connection.execute(chosen).one_or_none())
    if row is None:
        raise Refused("the token is unknown here; ask the organiser for one")
    state = "revoked" if row.owner_revoked is not None else _state(row, now())
    if state != "valid":
        raise Refused(f"the token is {state}; the organiser has to give a new one")
    if scope not in row.scopes.split():
        raise Refused(f"the token is for {' and '.join(row.scopes.split())}, not to {scope}", is_known=True)
    return _owner(database.read(lambda connection: connection.execute(select(owners).where(owners.c.id == row.owner_id)).one()))


def digest(token: str) -> str:
    """The form in which a token is kept: it has 256 random bits, so that no slow hash is needed."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _state(row: Row[Any], moment: datetime) -> str:
    if row.revoked is not None:
        return "revoked"
    return "expired" if row.expires is not None and row.expires <= moment else "valid"


def _owner(row: Row[Any]) -> Owner:
    limits = Limits(row.max_bots, row.max_submissions_a_day, row.max_archive_bytes)
    return Owner(row.id, row.name, limits, row.created, row.revoked)

