"""What the pages ask of a competition."""

from pathlib import Path

import polars as pl
import pytest

from cluster.competition import owners, registry, seasons, uploads
from cluster.competition.owners import Refused
from cluster.competition.place import Place
from cluster.competition.queries import Board
from cluster.competition.registry import NotTaken
from cluster.competition.schema import State
from cluster.manifest import Manifest


def test_a_board_tells_players_standings_and_their_history(tmp_path: Path) -> None:
    place = Place(tmp_path / "c")
    database = place.database(None)
    assert place.is_there
    assert not Place(tmp_path).is_there
    _, token = owners.add(database, "Ada", ("submit",), owners.Limits(max_archive_bytes=10))
    sent = uploads.submit(place, database, token, b"archive")
    manifest = Manifest(name="ace", language="python", run="x", rulesets=("king.simple",))
    version = registry.enter_version(database, sent, manifest, "t1")
    registry.move(database, sent.id, (State.RECEIVED,), State.VALIDATING, "")
    registry.activate(database, sent.id, version)
    ladder = seasons.ladder(database, "king.simple")
    board = Board(place.folder)
    assert board.standings(ladder, 1) is None
    assert board.history(ladder, 1).is_empty()
    seasons.current(database)
    for blocks in (3, 6):
        frame = pl.DataFrame({"bot": ["ace v1", "random"], "rating": [1500.0 + blocks, 1500.0]})
        seasons.keep_snapshot(database, ladder.id, 1, blocks, 4 * blocks, frame)
    (player,) = board.players()
    assert (player.player, player.owner, player.active, player.rulesets) == ("ace v1", "Ada", True, ("king.simple",))
    last = board.standings(ladder, 1)
    assert last is not None
    assert (last.blocks, last.matches, last.standings["rating"][0]) == (6, 24, 1506.0)
    history = board.history(ladder, 1).filter(pl.col("bot") == "ace v1").sort("blocks_played")
    assert history["rating"].to_list() == [1503.0, 1506.0]
    assert [each.number for each in board.seasons()] == [1]
    assert board.ladders() == [ladder]
    assert board.results(ladder, 1) is None
    assert [each.id for each in board.submissions(token)] == [sent.id]
    with pytest.raises(Refused):
        board.submissions("km_nobody")
    with pytest.raises(NotTaken, match="more than the 10 bytes"):
        uploads.submit(place, database, token, bytes(11))
    assert [path.name for path in place.uploads.iterdir()] == [sent.id]
    database.close()
    board.database.close()
