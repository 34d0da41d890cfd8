"""The database of a competition: SQLite in a file, or PostgreSQL by its address; brought up to date when it is opened."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Table, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, NoSuchModuleError, OperationalError

from referee.rules.errors import ConfigError, KingmakerError

#: For so long a database that is away is asked again, and so often.
PATIENCE_S, RETRY_S = 60.0, 0.2
_BUSY_MS = 30_000
#: Where our own processes find the address, which may hold a password.
DATABASE = "KINGMAKER_DATABASE"

T = TypeVar("T")


class NoDatabase(KingmakerError):
    """The database cannot be reached; nothing was changed that was not told."""


def sqlite_url(file: Path) -> str:
    """The address of an SQLite database in a file."""
    return f"sqlite:///{file.resolve()}"


class Database:
    """Runs transactions, again where the connection broke.

    A transaction may therefore run twice, also when its COMMIT had succeeded: all of them insert by natural keys
    (`insert_new`) and change states only from what they expect.
    """

    def __init__(self, url: str, patience_s: float = PATIENCE_S) -> None:
        self.address = url
        self.engine = _engine(url)
        self._patience_s = patience_s

    def upgrade(self) -> None:
        """Bring the tables up to date; two processes that do so at once wait for each other.

        Raises:
            NoDatabase: it cannot be reached.
        """
        self.write(_upgrade)

    def write(self, work: Callable[[Connection], T]) -> T:
        """Do this in a transaction, and be sure that it is on the disk when this returns.

        Raises:
            NoDatabase: it cannot be reached for longer than we wait.
        """
        began = time.monotonic()
        while True:
            try:
                with self.engine.begin() as connection:
                    return work(connection)
            except DBAPIError as error:
                if not _passes(error) or time.monotonic() - began > self._patience_s:
                    raise _told(error) from None
                time.sleep(RETRY_S)

    def read(self, work: Callable[[Connection], T]) -> T:
        """Do this, which only reads, on one state of the database.

        Raises:
            NoDatabase: it cannot be reached for longer than we wait.
        """

        def reading(connection: Connection) -> T:
            return work(connection)

        began = time.monotonic()
        while True:
            try:
                with self.engine.connect().execution_options(kingmaker_reads=True) as connection, connection.begin():
                    return reading(connection)
            except DBAPIError as error:
                if not _passes(error) or time.monotonic() - began > self._patience_s:
                    raise _told(error) from None
                time.sleep(RETRY_S)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def insert_new(connection: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless one with its natural key is there; return whether it was new."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    return connection.execute(insert(table).values(**values).on_conflict_do_nothing()).rowcount > 0


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise ConfigError(f"--database {url}: sqlite:///FILE and postgresql+psycopg://… are known")
        engine = create_engine(parsed, pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise ConfigError(f"--database {url}: {error}") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _sqlite_connected)
        event.listen(engine, "begin", _sqlite_begins)
    return engine


def _sqlite_connected(connection: Any, _: object) -> None:
    connection.isolation_level = None  # we begin transactions ourselves
    for setting in (f"busy_timeout = {_BUSY_MS}", "journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {setting}")


def _sqlite_begins(connection: Connection) -> None:
    """Who will write takes the lock at once: a reader that becomes a writer could be refused."""
    reads = connection.get_execution_options().get("kingmaker_reads")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _passes(error: DBAPIError) -> bool:
    """Whether the same may succeed a moment later."""
    if error.connection_invalidated:
        return True
    text = str(error.orig)
    if isinstance(error, OperationalError | InterfaceError):
        return "locked" in text or "busy" in text or getattr(error.orig, "sqlstate", "") is None or _is_away(error)
    return False


def _is_away(error: DBAPIError) -> bool:
    """PostgreSQL says by class 08 and 57P that it is going, coming, or gone; by 40 that two transactions met."""
    return str(getattr(error.orig, "sqlstate", "") or "").startswith(("08", "57P", "40"))


def _told(error: DBAPIError) -> Exception:
    if isinstance(error, OperationalError | InterfaceError):
        return NoDatabase(f"the database: {str(error.orig).strip().splitlines()[0]}")
    return error


def _upgrade(connection: Connection) -> None:
    from alembic import command  # takes its time, and is needed but once
    from alembic.config import Config

    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(5464)")
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
