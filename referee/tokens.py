"""The tokens of remote bots, in a file that holds their hashes and never themselves.

A token is 256 random bits, so that its SHA-256 alone tells nothing about it, and no slow hash is needed. The file is
replaced whole: who reads it sees it before a change or after it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from referee.rules.errors import ConfigError, nearest

#: So that a token that lies about somewhere is known for what it is.
PREFIX = "km_"


class BadToken(Exception):
    """A token that lets nobody in; the text may be told to who gave it."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One token. ``id``: how people speak of it. ``sha256``: hex. Times are UTC; ``revoked``: since when, or None."""

    id: str
    bot: str
    sha256: str
    created: datetime
    expires: datetime | None = None
    revoked: datetime | None = None

    def state(self, now: datetime) -> str:
        """``valid``, ``expired`` or ``revoked``."""
        if self.revoked is not None and self.revoked <= now:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= now else "valid"


def _utc_now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


class TokenFile:
    """The tokens in a file; one that does not exist holds none. It is read anew whenever it has changed.

    ``now``: the time, for tests.
    """

    def __init__(self, path: Path, now: Callable[[], datetime] = _utc_now) -> None:
        self.path = path
        self._now = now
        self._read: tuple[object, list[Entry]] = (None, [])

    def entries(self) -> list[Entry]:
        """All tokens, oldest first.

        Raises:
            ConfigError: the file cannot be read, or is damaged.
        """
        try:
            stat = self.path.stat()
            version = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
            if self._read[0] != version:
                self._read = (version, _parse(self.path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            self._read = (None, [])
        except OSError as error:
            raise ConfigError(f"{self.path}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{self.path}: this is no file of tokens: {error}") from None
        return self._read[1]

    def bot(self, token: str) -> str:
        """Whose token this is.

        Raises:
            BadToken: nobody's, or not any more.
        """
        digest = _digest(token)
        for entry in self.entries():
            if entry.sha256 == digest:
                state = entry.state(self._now())
                if state != "valid":
                    raise BadToken(f"the token {entry.id} of {entry.bot!r} is {state}; the organiser has to give a new one")
                return entry.bot
        raise BadToken("the token is unknown here; `kingmaker admin token add` makes one")

    def state(self, now: datetime | None = None) -> list[tuple[Entry, str]]:
        """All tokens with their states."""
        return [(entry, entry.state(now or self._now())) for entry in self.entries()]

    def add(self, bot: str, lifetime: timedelta | None = None) -> str:
        """Make a token for a bot, beside those that it has; it is told here and never again."""
        with self._changing() as entries:
            return self._issue(entries, bot, lifetime)

    def rotate(self, bot: str, lifetime: timedelta | None = None, overlap: timedelta = timedelta()) -> str:
        """Make a token in place of all that a bot has, which stay valid for so long.

        Raises:
            ConfigError: it has none.
        """
        with self._changing() as entries:
            until = self._now() + overlap
            for index in self._valid(entries, bot):
                old = entries[index]
                end = until if old.expires is None else min(until, old.expires)
                entries[index] = replace(old, expires=end)
            return self._issue(entries, bot, lifetime)

    def revoke(self, bot: str) -> int:
        """Let a bot's tokens be worth nothing from now on; return how many there were.

        Raises:
            ConfigError: it has none.
        """
        with self._changing() as entries:
            valid = self._valid(entries, bot)
            for index in valid:
                entries[index] = replace(entries[index], revoked=self._now())
            return len(valid)

    def _valid(self, entries: list[Entry], bot: str) -> list[int]:
        now = self._now()
        valid = [i for i, entry in enumerate(entries) if entry.bot == bot and entry.state(now) == "valid"]
        if not valid:
            known = sorted({entry.bot for entry in entries if entry.state(now) == "valid"})
            raise ConfigError(f"{self.path}: {bot!r} has no valid token; {nearest(bot, known)}")
        return valid

    def _issue(self, entries: list[Entry], bot: str, lifetime: timedelta | None) -> str:
        token = PREFIX + secrets.token_urlsafe(32)
        created = self._now()
        expires = None if lifetime is None else created + lifetime
        entries.append(
            Entry(id=secrets.token_hex(4), bot=bot, sha256=_digest(token), created=created, expires=expires)
        )
        return token

    @contextmanager
    def _changing(self) -> Iterator[list[Entry]]:
        """The entries, to be changed by one process at a time, and written when all is well."""
        try:
            lock = os.open(self.path.with_name(f".{self.path.name}.lock"), os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise ConfigError(f"{self.path}: {error.strerror}") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            entries = list(self.entries())
            yield entries
            self._write(entries)
        finally:
            os.close(lock)

    def _write(self, entries: list[Entry]) -> None:
        text = json.dumps({"tokens": [asdict(entry) for entry in entries]}, default=_text, ensure_ascii=False, indent=1)
        new = self.path.with_name(f".{self.path.name}.new")
        try:
            file = os.open(new, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
            with open(file, "w", encoding="utf-8") as out:
                out.write(text + "\n")
                out.flush()
                os.fsync(file)
            os.replace(new, self.path)
            folder = os.open(self.path.parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)
        except OSError as error:
            raise ConfigError(f"{self.path}: {error.strerror}") from None


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _text(moment: object) -> str:
    assert isinstance(moment, datetime)
    return moment.isoformat()


def _parse(text: str) -> list[Entry]:
    return [
        Entry(
            id=str(row["id"]),
            bot=str(row["bot"]),
            sha256=str(row["sha256"]),
            created=datetime.fromisoformat(row["created"]),
            expires=_moment(row["expires"]),
            revoked=_moment(row["revoked"]),
        )
        for row in json.loads(text)["tokens"]
    ]


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
