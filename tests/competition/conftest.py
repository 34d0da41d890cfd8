"""Databases of both kinds; PostgreSQL is started for real, and only for slow tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.competition.database import Database, sqlite_url
from tests.competition.postgres import Postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with Postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "registry.sqlite")
    server: Postgres = request.getfixturevalue("postgres")
    return server.fresh()


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    found = Database(url)
    found.upgrade()
    yield found
    found.close()
