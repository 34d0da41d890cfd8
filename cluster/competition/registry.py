"""Submissions on their way from received to active, and the versions that come of them.

Every step is one transaction that may safely run twice; a worker that is killed leaves a step done or not begun.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from cluster.competition import names
from cluster.competition.database import Database, insert_new
from cluster.competition.owners import Owner, now
from cluster.competition.schema import OPEN, State, bots, owners, submissions, uploads, versions
from cluster.manifest import Manifest
from referee.rules.errors import KingmakerError

#: The end of a log is kept; this much of it.
LOG_LETTERS = 100_000


class NotTaken(KingmakerError, ValueError):
    """A submission that is not taken, with the reason, which its author may read."""


class NoSubmission(KingmakerError, ValueError):
    """There is none of this id."""

    def __init__(self, given: str) -> None:
        super().__init__(f"no submission {given!r:.40} of yours; `kingmaker submissions` lists them")


@dataclass(frozen=True)
class Submission:
    """What was submitted, and how far it is. ``upload``: SHA-256 of the archive; ``player``: its name in results."""

    id: str
    owner_id: int
    owner: str
    upload: str
    size: int
    state: State
    received: datetime
    changed: datetime
    attempts: int
    bot: str | None
    player: str | None
    log: str


@dataclass(frozen=True)
class Version:
    """One content of a bot. ``tree``: the hash of what was submitted; ``player``: its name in results."""

    id: int
    bot: str
    number: int
    tree: str
    player: str
    run: str
    rulesets: tuple[str, ...]


def check_size(owner: Owner, size: int) -> None:
    """Refuse an archive that is larger than its owner's may be.

    Raises:
        NotTaken: it is.
    """
    if size > owner.limits.max_archive_bytes:
        raise NotTaken(f"the archive has more than the {owner.limits.max_archive_bytes} bytes that yours may have")


def id_of(owner: Owner, upload: str) -> str:
    """The id of what an owner submits, given the hash of its bytes."""
    return hashlib.sha256(f"{owner.id}/{upload}".encode()).hexdigest()[:12]


def is_there(database: Database, submission: str) -> bool:
    """Whether there is a submission of this id."""
    return bool(_select(database, submissions.c.id == submission))


def receive(database: Database, owner: Owner, upload: str, size: int) -> Submission:
    """Enter an archive that lies in the store; the same one again is the same submission.

    One that was rejected or is retired is tried again.

    Raises:
        NotTaken: the owner's limits do not allow it.
    """
    check_size(owner, size)
    moment = now()
    chosen = id_of(owner, upload)
    values = {
        "id": chosen, "owner_id": owner.id, "upload": upload, "size": size, "state": State.RECEIVED, "received": moment,
        "changed": moment, "attempts": 0, "log": _line(moment, f"received, {size} bytes"),
    }  # fmt: skip

    def work(connection: Connection) -> None:
        connection.execute(select(owners.c.id).where(owners.c.id == owner.id).with_for_update())
        old = connection.execute(select(submissions).where(submissions.c.id == chosen)).one_or_none()
        if old is not None and old.state not in (State.REJECTED, State.RETIRED):
            return
        _check_day(connection, owner, moment)
        if old is None:
            insert_new(connection, submissions, values)
        else:
            _change(connection, old, State.RECEIVED, moment, "submitted again", attempts=0)
        insert_new(connection, uploads, {"submission_id": chosen, "received": moment, "owner_id": owner.id})

    database.write(work)
    return one(database, chosen)


def one(database: Database, submission: str) -> Submission:
    """A submission by its id.

    Raises:
        NoSubmission: there is none.
    """
    found = _select(database, submissions.c.id == submission)
    if not found:
        raise NoSubmission(submission)
    return found[0]


def of_owner(database: Database, owner: Owner | None) -> list[Submission]:
    """All submissions of an owner, or of all; the newest first."""
    return _select(database, submissions.c.owner_id == owner.id if owner is not None else submissions.c.id.is_not(None))


def next_open(database: Database) -> Submission | None:
    """What a worker does next: what was begun before what was not, the oldest first."""
    found = _select(database, submissions.c.state.in_(OPEN))
    return min(found, key=lambda each: (each.state == State.RECEIVED, each.received, each.id), default=None)


def move(database: Database, submission: str, expected: Sequence[State], state: State, note: str, *,
         attempt: bool = False) -> bool:  # fmt: skip
    """Bring a submission from one of the expected states into another; return whether it is there now.

    ``attempt``: count that work on it began.
    """
    moment = now()

    def work(connection: Connection) -> bool:
        row = connection.execute(select(submissions).where(submissions.c.id == submission).with_for_update()).one()
        if row.state not in expected:
            return bool(row.state == state)
        more = {"attempts": row.attempts + 1} if attempt else {}
        _change(connection, row, state, moment, note, **more)
        return True

    return database.write(work)


def note(database: Database, submission: str, text: str) -> None:
    """Add to a submission's log."""
    moment = now()

    def work(connection: Connection) -> None:
        row = connection.execute(select(submissions).where(submissions.c.id == submission).with_for_update()).one()
        line = _line(moment, text)
        if not row.log.endswith(line):
            _set(connection, row.id, log=(row.log + line)[-LOG_LETTERS:])

    database.write(work)


def enter_version(database: Database, submission: Submission, manifest: Manifest, tree: str) -> Version:
    """The version of a bot that has this content: the one that is there, or the next one.

    Raises:
        NotTaken: the bot's name is somebody else's, or the owner has as many bots as he may.
    """
    name = names.bot(manifest.name)
    moment = now()

    def work(connection: Connection) -> Version:
        owner = connection.execute(select(owners).where(owners.c.id == submission.owner_id).with_for_update()).one()
        bot = _bot(connection, owner, name, moment)
        connection.execute(select(bots.c.id).where(bots.c.id == bot.id).with_for_update())
        here = versions.c.bot_id == bot.id
        number = connection.execute(select(func.coalesce(func.max(versions.c.number), 0)).where(here)).scalar_one() + 1
        if connection.execute(select(versions.c.id).where(here, versions.c.tree == tree)).one_or_none() is None:
            insert_new(connection, versions, {
                "bot_id": bot.id, "number": number, "tree": tree, "player": f"{bot.name} v{number}", "run": manifest.run,
                "language": manifest.language, "rulesets": list(manifest.rulesets), "created": moment,
            })  # fmt: skip
        row = connection.execute(select(versions).where(here, versions.c.tree == tree)).one()
        _set(connection, submission.id, version_id=row.id, bot_name=bot.name)
        return _version(row, bot.name)

    return database.write(work)


def activate(database: Database, submission: str, version: Version) -> None:
    """Let a validated version play, and retire those of the same bot that played until now."""
    moment = now()

    def work(connection: Connection) -> None:
        mine = connection.execute(select(submissions).where(submissions.c.id == submission).with_for_update()).one()
        if mine.state != State.VALIDATING:
            return
        bot_id = connection.execute(select(versions.c.bot_id).where(versions.c.id == version.id)).scalar_one()
        siblings = select(versions.c.id).where(versions.c.bot_id == bot_id, versions.c.id != version.id)
        chosen = submissions.c.state == State.ACTIVE, submissions.c.version_id.in_(siblings)
        for old in connection.execute(select(submissions).where(*chosen)).all():
            _change(connection, old, State.RETIRED, moment, f"retired: {version.player} plays now")
        _change(connection, mine, State.ACTIVE, moment, f"active: plays as {version.player}")

    database.write(work)


def active(database: Database) -> list[Version]:
    """The versions that play now, in the order in which they came."""
    playing = select(submissions.c.version_id).where(submissions.c.state == State.ACTIVE)
    chosen = select(versions, bots.c.name.label("bot_name")).join(bots).where(versions.c.id.in_(playing)).order_by(versions.c.id)
    return [_version(row, row.bot_name) for row in database.read(lambda connection: connection.execute(chosen).all())]


def retire(database: Database, bot: str) -> bool:
    """Let no version of a bot play any more; return whether one did."""
    moment = now()

    def work(connection: Connection) -> bool:
        mine = select(versions.c.id).join(bots).where(bots.c.name_key == names.key(bot))
        rows = connection.execute(
            select(submissions).where(submissions.c.state == State.ACTIVE, submissions.c.version_id.in_(mine))
        ).all()
        for row in rows:
            _change(connection, row, State.RETIRED, moment, "retired by hand")
        return bool(rows)

    return database.write(work)


def _check_day(connection: Connection, owner: Owner, moment: datetime) -> None:
    recent = uploads.c.owner_id == owner.id, uploads.c.received > moment - timedelta(days=1)
    used = connection.execute(select(func.count()).select_from(uploads).where(*recent)).scalar_one()
    if used >= owner.limits.max_submissions_a_day:
        raise NotTaken(f"{owner.limits.max_submissions_a_day} submissions a day are yours, and were used; try again tomorrow")


def _bot(connection: Connection, owner: Row[Any], name: str, moment: datetime) -> Row[Any]:
    chosen = select(bots).where(bots.c.name_key == names.key(name))
    found = connection.execute(chosen).one_or_none()
    if found is None:
        count = connection.execute(select(func.count()).select_from(bots).where(bots.c.owner_id == owner.id)).scalar_one()
        if count >= owner.max_bots:
            raise NotTaken(f"{owner.name!r} may have {owner.max_bots} bots, and has; submit a new version of one of them")
        values = {"owner_id": owner.id, "name": name, "name_key": names.key(name), "created": moment}
        insert_new(connection, bots, values)
        found = connection.execute(chosen).one()
    if found.owner_id != owner.id:
        raise NotTaken(f"a bot called {found.name!r} is somebody else's; give yours another name in bot.toml")
    return found


def _change(connection: Connection, row: Row[Any], state: State, moment: datetime, note: str, **more: Any) -> None:
    log = (row.log + _line(moment, note))[-LOG_LETTERS:]
    _set(connection, row.id, state=state, changed=moment, log=log, **more)


def _set(connection: Connection, submission: str, **values: Any) -> None:
    connection.execute(update(submissions).where(submissions.c.id == submission).values(**values))


def _line(moment: datetime, note: str) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} {note.rstrip()}\n".replace("\0", "�")


def _select(database: Database, condition: Any) -> list[Submission]:
    chosen = (
        select(submissions, owners.c.name.label("owner"), versions.c.player)
        .join(owners, owners.c.id == submissions.c.owner_id)
        .join(versions, versions.c.id == submissions.c.version_id, isouter=True)
        .where(condition)
        .order_by(submissions.c.received.desc(), submissions.c.id)
    )
    rows = database.read(lambda connection: connection.execute(chosen).all())
    return [
        Submission(r.id, r.owner_id, r.owner, r.upload, r.size, State(r.state), r.received, r.changed, r.attempts, r.bot_name,
                   r.player, r.log) for r in rows
    ]  # fmt: skip


def _version(row: Row[Any], bot: str) -> Version:
    return Version(row.id, bot, row.number, row.tree, row.player, row.run, tuple(row.rulesets))
