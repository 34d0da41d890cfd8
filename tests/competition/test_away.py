"""A database that goes away comes back to the same state, and what waited for it is done once."""

import sqlite3
import threading
from pathlib import Path

import pytest

from cluster.competition import owners, registry
from cluster.competition.database import Database, sqlite_url
from tests.competition.postgres import Postgres


def test_a_database_that_another_process_has_locked_is_waited_for(tmp_path: Path) -> None:
    database = Database(sqlite_url(tmp_path / "registry.sqlite"))
    database.upgrade()
    ada, _ = owners.add(database, "ada", ("submit",))
    other = sqlite3.connect(tmp_path / "registry.sqlite", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    thread = threading.Thread(target=registry.receive, args=(database, ada, "aa" * 32, 1))
    thread.start()
    thread.join(0.3)
    assert thread.is_alive()
    other.execute("COMMIT")
    other.close()
    thread.join(30)
    assert len(registry.of_owner(database, ada)) == 1
    database.close()


@pytest.mark.slow
def test_postgresql_that_stops_and_comes_back_is_waited_for() -> None:
    with Postgres() as server:
        database = Database(server.fresh())
        database.upgrade()
        ada, _ = owners.add(database, "ada", ("submit",))
        server.stop()
        thread = threading.Thread(target=registry.receive, args=(database, ada, "aa" * 32, 1))
        thread.start()
        thread.join(2)
        assert thread.is_alive()
        server.start()
        thread.join(60)
        assert len(registry.of_owner(database, ada)) == 1
        database.close()
