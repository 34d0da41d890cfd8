"""A folder that grows is read batch by batch, and comes to what it would come to if it were read whole."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from polars.testing import assert_frame_equal

from cluster import batch, run
from cluster.growing import Growing
from cluster.store import Store
from cluster.summaries import Evidence
from tests.cluster.fakes import FakePlay, Quiet, a_tournament

SETTINGS = a_tournament(("ada", "bob", "cyd", "dan", "eve"), blocks=12)


def play(folder: Path, blocks: int, store: Growing) -> run.Outcome:
    settings = SETTINGS.model_copy(update={"blocks": blocks})
    return run.run(settings, folder, FakePlay(settings), Quiet(), extend=True, swept=store.swept)


def assert_same(store: Growing) -> None:
    whole = Store(store.folder)
    assert store.done() == whole.done()
    ours, theirs = store.evidence(), Evidence.stored(whole.table("blocks"), whole.table("played"))
    assert ours.table.blocks == theirs.table.blocks
    assert ours.table.bots == theirs.table.bots
    assert np.array_equal(ours.table.pairs.score, theirs.table.pairs.score)
    assert np.array_equal(ours.table.places.points, theirs.table.places.points)
    assert_frame_equal(ours.played, theirs.played)


def test_it_comes_to_the_same_after_each_round(tmp_path: Path) -> None:
    store = Growing(tmp_path)
    assert (store.done(), store.evidence().table.blocks) == (set(), ())
    for blocks in (2, 3, 7, 12):
        assert play(tmp_path, blocks, store).complete
        assert_same(store)
    assert len(store.done()) == 12


def test_no_batch_is_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    look = batch.problem
    monkeypatch.setattr(batch, "problem", lambda path, *more: read.append(path.name) or look(path, *more))
    store = Growing(tmp_path)
    for blocks in (2, 4, 8, 12):
        play(tmp_path, blocks, store)
        store.evidence()
    play(tmp_path, 12, store)
    assert sorted(read) == store.names()
    for path in store.batches():  # so it would be noticed if anything were read again
        (path / "blocks.parquet").unlink()
    assert play(tmp_path, 12, store).before == 12
    assert len(store.evidence().table.blocks) == 12


def test_a_batch_that_is_taken_away_is_missed(tmp_path: Path) -> None:
    store = Growing(tmp_path)
    play(tmp_path, 12, store)
    assert len(store.done()) == 12
    shutil.rmtree(store.batches()[0])
    assert_same(store)
    assert 0 < len(store.done()) < 12
    outcome = play(tmp_path, 12, store)
    assert (outcome.complete, outcome.played > 0) == (True, True)
    assert_same(store)
