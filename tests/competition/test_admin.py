"""`kingmaker admin owner` and `season`, as an organiser types them."""

import json
import os
import socket
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from cluster import run
from cluster.cli import app, compete
from cluster.commitment import commitment
from cluster.competition import seasons
from cluster.competition.place import Place
from referee.rules.errors import ConfigError
from tests.cluster.fakes import FakePlay, Quiet, a_tournament


def kingmaker(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_token_is_printed_once_and_listed_never(tmp_path: Path) -> None:
    data = ("--data", tmp_path / "c")
    said = kingmaker("admin", "owner", "add", "Éva", "--max-bots", 2, "--max-archive-mb", 0.5, *data)
    token = said.stdout.strip()
    assert token.startswith("km_")
    listed = kingmaker("admin", "owner", "list", "--format", "json", *data)
    assert token not in listed.stdout
    (row,) = json.loads(listed.stdout)
    assert (row["owner"], row["scopes"], row["bots"], row["archive_bytes"]) == ("Éva", "play submit", 2, 1 << 19)
    assert kingmaker("admin", "owner", "revoke", "éva", *data).exit_code == 0
    (row,) = json.loads(kingmaker("admin", "owner", "list", "--format", "json", *data).stdout)
    assert (row["state"], row["scopes"]) == ("revoked", "")
    assert (tmp_path / "c").stat().st_mode & 0o077 == 0, "seeds lie there"


@pytest.mark.parametrize(("words", "sentence"), [
    (("owner", "add", "x", "--scope", "submitt"), "did you mean 'submit'"),
    (("owner", "add", "a\u202eb"), "no control characters"),
    (("owner", "revoke", "nobody"), "no owner 'nobody'"),
    (("season", "publish", "7"), "no season 7"),
    (("season", "publish", "1"), "season 1 is being played"),
    (("season", "open"), "season 1 is being played"),
])  # fmt: skip
def test_a_mistake_is_a_sentence(words: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    said = kingmaker("admin", *words, "--data", tmp_path / "c")
    assert isinstance(said.exception, ConfigError)
    assert sentence in str(said.exception)


def test_a_season_is_frozen_published_and_checked_by_anybody(tmp_path: Path) -> None:
    place = Place(tmp_path / "c")
    database = place.database(None)
    season = seasons.current(database)
    ladder = seasons.ladder(database, "king.simple")
    folder = place.results(ladder, season.number)
    settings = a_tournament(("lowest", "random"), seed=season.seed, blocks=3)
    with pytest.raises(KeyboardInterrupt):
        run.run(settings, folder, FakePlay(settings, stop_after=1), Quiet())
    data = ("--data", tmp_path / "c")
    assert kingmaker("admin", "season", "freeze", *data).exit_code == 0
    early = kingmaker("admin", "season", "publish", 1, *data)
    assert "2 blocks of king.simple are still to be played" in str(early.exception)
    run.run(settings, folder, FakePlay(settings), Quiet())
    (listed,) = json.loads(kingmaker("admin", "season", "list", "--format", "json", *data).stdout)
    assert listed["state"] == "frozen"
    published = Path(kingmaker("admin", "season", "publish", 1, *data).stdout.strip())
    told = json.loads((published / "season.json").read_text())
    assert commitment(told["seed"]) == listed["commitment"] == told["commitment"]
    verify = ("verify", published / "king.simple", "--commitment")
    assert kingmaker(*verify, listed["commitment"]).exit_code == 0
    other = kingmaker(*verify, "0" * 64)
    assert other.exit_code == 1
    assert "not the one that was committed to" in other.stderr
    assert kingmaker("admin", "season", "publish", 1, *data).stdout.strip() == str(published)
    said = kingmaker("admin", "season", "open", *data)
    assert seasons.current(database).number == 2
    assert said.stdout.strip() == seasons.current(database).commitment != listed["commitment"]
    database.close()


@pytest.mark.parametrize(
    ("options", "slug"), [({}, "kings_corner"), ({"players": 3}, "kings_corner-players=3"), ({"target": 25}, "kings_corner-target=25")]
)
def test_each_length_of_a_match_has_a_list_of_its_own(options: dict[str, int], slug: str, tmp_path: Path) -> None:
    database = Place(tmp_path / "c").database(None)
    first = seasons.ladder(database, "kings_corner", options)
    assert first.slug == slug
    assert seasons.ladder(database, "kings_corner", options) == first
    assert seasons.ladder(database, "kings_corner", options, remote=True).slug == f"{slug}-remote"
    database.close()


def test_snapshots_are_thinned_out_but_for_the_first_and_the_last(tmp_path: Path) -> None:
    database = Place(tmp_path / "c").database(None)
    ladder, season = seasons.ladder(database, "king.simple"), seasons.current(database)
    for blocks in range(1, 31):
        seasons.keep_snapshot(database, ladder.id, season.number, blocks, 4 * blocks, pl.DataFrame({"bot": ["a"], "rating": [1.0 * blocks]}))
    seasons.keep_snapshot(database, ladder.id, season.number, 30, 0, pl.DataFrame({"bot": ["b"], "rating": [0.0]}))
    taken = [each.blocks for each in seasons.snapshots_of(database, ladder.id, season.number, most=7)]
    assert taken[0] == 1
    assert taken[-1] == 30
    assert len(taken) <= 7
    last = seasons.latest_snapshot(database, ladder.id, season.number)
    assert last is not None
    assert (last.matches, last.standings["rating"].to_list()) == (120, [30.0])
    database.close()


def test_a_competition_is_served_once_and_on_a_free_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path / "c")
    place.make()
    held = place.alone()
    with pytest.raises(ConfigError, match=f"is served already, by process {os.getpid()}"):
        place.alone()
    os.close(held)
    os.close(place.alone())
    monkeypatch.setattr(compete, "_MOMENT_S", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = kingmaker("serve", "--data", tmp_path / "c", "--dashboard-port", port)
    assert f"port {port} is taken" in str(said.exception)
