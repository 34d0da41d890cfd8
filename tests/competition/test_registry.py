"""Owners, submissions and versions: nothing is doubled, nothing is lost, and every refusal has its sentence."""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, func, select
from sqlalchemy.exc import OperationalError

from cluster.competition import database as databases
from cluster.competition import names, owners, registry
from cluster.competition.database import Database, NoDatabase
from cluster.competition.owners import Limits, Owner, Refused
from cluster.competition.registry import NoSubmission, NotTaken, Submission
from cluster.competition.schema import State, metadata, submissions, uploads
from cluster.manifest import Manifest
from referee.rules.errors import ConfigError


def an_owner(database: Database, name: str = "ada", **limits: int) -> Owner:
    return owners.add(database, name, ("submit",), Limits(**limits))[0]


def submitted(database: Database, owner: Owner, upload: str = "aa") -> Submission:
    return registry.receive(database, owner, upload * 32, 10)


def manifest(name: str = "bot") -> Manifest:
    return Manifest(name=name, language="python", run="python bot.py", rulesets=("king.simple",))


def activated(database: Database, owner: Owner, upload: str, tree: str, name: str = "bot") -> tuple[Submission, registry.Version]:
    submission = submitted(database, owner, upload)
    version = registry.enter_version(database, submission, manifest(name), tree)
    assert registry.move(database, submission.id, (State.RECEIVED,), State.VALIDATING, "built")
    registry.activate(database, submission.id, version)
    return submission, version


def test_the_migrations_make_the_tables_that_the_program_knows(database: Database) -> None:
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata) == []


def test_a_database_is_brought_up_to_date_by_many_at_once(url: str) -> None:
    opened = [Database(url) for _ in range(4)]
    threads = [threading.Thread(target=each.upgrade) for each in opened]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert owners.everybody(opened[0]) == []
    for each in opened:
        each.close()


def test_a_token_is_told_once_kept_as_a_hash_and_good_for_its_scopes(url: str, database: Database, tmp_path: Path) -> None:
    ada, token = owners.add(database, "Ada", ("submit",))
    assert owners.owner_of(database, token, "submit") == ada
    with pytest.raises(Refused, match="is for submit, not to admin") as refused:
        owners.owner_of(database, token, "admin")
    assert refused.value.is_known
    with pytest.raises(Refused, match="unknown"):
        owners.owner_of(database, token + "x", "submit")
    for file in tmp_path.glob("registry*"):
        assert token.encode() not in file.read_bytes()
    _, second = owners.add(database, "ADA", ("admin",), lifetime=timedelta(seconds=-1))
    with pytest.raises(Refused, match="expired"):
        owners.owner_of(database, second, "admin")
    assert owners.revoke(database, "aDa") == 2
    with pytest.raises(Refused, match="revoked"):
        owners.owner_of(database, token, "submit")
    with pytest.raises(ConfigError, match="revoked"):
        owners.add(database, "ada", ("submit",))
    with pytest.raises(ConfigError, match="no owner 'adda'; known: Ada"):
        owners.revoke(database, "adda")


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [("Straße", "STRASSE", True), ("e\u0301va", "Éva", True), ("Ода", "ода", True), ("国王", "国王", True), ("eva", "éva", False)],
)
def test_names_are_the_same_whatever_their_case_and_form(one: str, other: str, is_same: bool) -> None:
    assert (names.key(names.clean(one)) == names.key(names.clean(other))) is is_same


@pytest.mark.parametrize("name", ["", " a", "a\n", "\u202eevil", "x" * 49, "\u200b", "a\0b"])
def test_what_cannot_be_a_name_is_refused(name: str) -> None:
    with pytest.raises(ConfigError):
        names.clean(name)


@pytest.mark.parametrize("name", ["random", "Greedy"])
def test_the_names_of_reference_bots_are_taken(name: str) -> None:
    with pytest.raises(ConfigError, match="reference bot"):
        names.bot(name)


def test_the_same_bytes_are_the_same_submission(database: Database) -> None:
    ada, bob = an_owner(database), an_owner(database, "bob")
    first = submitted(database, ada)
    assert submitted(database, ada) == first
    assert submitted(database, bob).id != first.id
    assert [each.id for each in registry.of_owner(database, ada)] == [first.id]
    assert len(registry.of_owner(database, None)) == 2


def test_a_rejected_one_may_be_submitted_again_and_a_day_has_so_many(database: Database) -> None:
    ada = an_owner(database, max_submissions_a_day=2)
    first = submitted(database, ada)
    registry.move(database, first.id, (State.RECEIVED,), State.REJECTED, "no manifest")
    again = submitted(database, ada)
    assert (again.id, again.state) == (first.id, State.RECEIVED)
    assert "no manifest" in again.log
    assert submitted(database, ada).id == first.id, "what is under way counts no second time"
    with pytest.raises(NotTaken, match="2 submissions a day"):
        submitted(database, ada, "bb")
    with pytest.raises(NotTaken, match="more than the"):
        registry.receive(database, ada, "cc" * 32, ada.limits.max_archive_bytes + 1)


def test_the_limit_of_a_day_holds_for_many_at_once(database: Database) -> None:
    ada = an_owner(database, max_submissions_a_day=3)
    taken: list[str] = []

    def submit(number: int) -> None:
        try:
            taken.append(submitted(database, ada, f"{number:02x}").id)
        except NotTaken:
            pass

    threads = [threading.Thread(target=submit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 3 == len(registry.of_owner(database, ada))


def test_a_state_is_only_left_by_who_expects_it(database: Database) -> None:
    first = submitted(database, an_owner(database))
    assert registry.move(database, first.id, (State.RECEIVED,), State.BUILDING, "building", attempt=True)
    assert registry.move(database, first.id, (State.RECEIVED,), State.BUILDING, "building"), "it is there already"
    assert not registry.move(database, first.id, (State.RECEIVED,), State.REJECTED, "too late")
    found = registry.one(database, first.id)
    assert (found.state, found.attempts) == (State.BUILDING, 1)
    assert found.log.count("building") == 1
    with pytest.raises(NoSubmission, match="no submission 'x'"):
        registry.one(database, "x")


def test_what_was_begun_comes_before_what_was_not(database: Database) -> None:
    ada = an_owner(database)
    first, second = submitted(database, ada), submitted(database, ada, "bb")
    assert registry.next_open(database) == first
    registry.move(database, second.id, (State.RECEIVED,), State.VALIDATING, "")
    found = registry.next_open(database)
    assert found is not None
    assert found.id == second.id


def test_a_new_version_retires_the_old_one_and_the_same_content_is_the_same_version(database: Database) -> None:
    ada = an_owner(database)
    old, first = activated(database, ada, "aa", "t1")
    assert registry.active(database) == [first]
    new, second = activated(database, ada, "bb", "t2", name="BOT")
    assert (second.player, second.number) == ("bot v2", 2)
    assert registry.active(database) == [second]
    assert registry.one(database, old.id).state == State.RETIRED
    assert "bot v2 plays now" in registry.one(database, old.id).log
    twin, same = activated(database, ada, "cc", "t2")
    assert same == second
    assert {registry.one(database, each.id).state for each in (new, twin)} == {State.ACTIVE}
    assert registry.active(database) == [second]
    assert registry.retire(database, "Bot")
    assert registry.active(database) == []
    assert not registry.retire(database, "bot")


def test_a_name_is_its_owners_and_an_owner_has_so_many_bots(database: Database) -> None:
    ada, bob = an_owner(database, max_bots=1), an_owner(database, "bob")
    activated(database, ada, "aa", "t1", "Éva")
    with pytest.raises(NotTaken, match="'Éva' is somebody else's"):
        registry.enter_version(database, submitted(database, bob), manifest("éva"), "t2")
    with pytest.raises(NotTaken, match="may have 1 bots"):
        registry.enter_version(database, submitted(database, ada, "bb"), manifest("other"), "t3")


def broken_commits(monkeypatch: pytest.MonkeyPatch, times: int) -> list[int]:
    """Let that many commits succeed, and their connections break before anybody hears of it."""
    original: Callable[[Connection], Any] = Connection._commit_impl  # type: ignore[attr-defined]
    left = [times]

    def commit(self: Connection) -> None:
        original(self)
        if left[0]:
            left[0] -= 1
            raise OperationalError("COMMIT", None, Exception("the connection is gone"), connection_invalidated=True)

    monkeypatch.setattr(Connection, "_commit_impl", commit)
    monkeypatch.setattr(databases, "RETRY_S", 0.01)
    return left


def test_a_connection_lost_at_commit_doubles_nothing(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = an_owner(database)
    left = broken_commits(monkeypatch, 2)
    first = submitted(database, ada)
    assert left == [0]
    left[0] = 1
    version = registry.enter_version(database, first, manifest(), "t1")
    left[0] = 1
    assert registry.move(database, first.id, (State.RECEIVED,), State.VALIDATING, "built")
    left[0] = 1
    registry.activate(database, first.id, version)
    assert left == [0]
    counts = [database.read(lambda c, t=t: c.execute(select(func.count()).select_from(t)).scalar_one()) for t in (submissions, uploads)]  # type: ignore[misc]
    assert counts == [1, 1]
    assert registry.one(database, first.id).log.count("built") == 1
    assert registry.active(database) == [version]


def test_a_database_that_is_nowhere_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NoDatabase, match="unable to open"):
        Database(f"sqlite:///{tmp_path}/nowhere/x.sqlite", patience_s=0).upgrade()
    with pytest.raises(ConfigError, match="sqlite:///FILE"):
        Database("mysql://x")
    with pytest.raises(ConfigError):
        Database("nonsense")
