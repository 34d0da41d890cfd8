"""A run plays what is missing and nothing else; how it is cut into pieces changes no result."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cluster import run
from cluster.arena import Arena, Chunk
from cluster.schedule import Block
from cluster.store import NotWritten, Store
from cluster.tournament import Tournament
from tests.cluster.fakes import FakePlay, Quiet, a_tournament, all_blocks, arena_play

SETTINGS = a_tournament(("ada", "bob", "cyd", "dan", "eve"), blocks=12, tables=16)


def hashes(folder: Path) -> dict[str, str]:
    replays = Store(folder).table("replays")
    found = dict(zip(replays["match_id"], replays["match_hash"], strict=True))
    assert len(found) == replays.height, "each match once"
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "results"
    assert run.run(SETTINGS, folder, FakePlay(SETTINGS), Quiet()).complete
    return folder


def test_everything_scheduled_is_played_once_and_in_order(tmp_path: Path) -> None:
    play, quiet = FakePlay(SETTINGS), Quiet()
    assert run.run(SETTINGS, tmp_path / "r", play, quiet) == run.Outcome(scheduled=12, before=0, played=12)
    assert play.asked == [block.id for block in all_blocks(SETTINGS)]
    assert quiet.begun == {"blocks": 12, "done": 0, "games": 4}
    assert quiet.warnings == []


@pytest.mark.parametrize("stops", [[0], [1], [3], [1, 0, 2, 4]])
def test_a_run_that_was_stopped_goes_on_where_it_ended(stops: list[int], undisturbed: Path, tmp_path: Path) -> None:
    asked: list[str] = []
    for stop in stops:
        play = FakePlay(SETTINGS, stop_after=stop)
        with pytest.raises(KeyboardInterrupt):
            run.run(SETTINGS, tmp_path, play, Quiet())
        asked += play.asked
    play, quiet = FakePlay(SETTINGS), Quiet()
    outcome = run.run(SETTINGS, tmp_path, play, quiet, workers=2)
    assert asked + play.asked == [block.id for block in all_blocks(SETTINGS)]
    assert outcome == run.Outcome(scheduled=12, before=len(asked), played=12 - len(asked))
    assert quiet.begun["done"] == len(asked)
    assert hashes(tmp_path) == hashes(undisturbed)
    for name in ("matches", "deals", "replays"):
        assert Store(tmp_path).table(name).equals(Store(undisturbed).table(name)), "byte-equal tables"


def test_a_complete_folder_asks_for_nothing(undisturbed: Path) -> None:
    play = FakePlay(SETTINGS)
    assert run.run(SETTINGS, undisturbed, play, Quiet()) == run.Outcome(scheduled=12, before=12, played=0)
    assert play.asked == []


def test_holes_anywhere_are_filled(tmp_path: Path) -> None:
    """Results that came in any order leave holes; only these are played."""
    blocks = all_blocks(SETTINGS)
    odd = FakePlay(SETTINGS)

    def every_other(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        wanted = [block for chunk in chunks for block in chunk if block.index % 2]
        return odd(iter([wanted[i : i + 3] for i in range(0, len(wanted), 3)][::-1]))

    outcome = run.run(SETTINGS, tmp_path, every_other, Quiet())
    assert (outcome.played, outcome.complete) == (6, False)
    play = FakePlay(SETTINGS)
    assert run.run(SETTINGS, tmp_path, play, Quiet()).complete
    assert play.asked == [block.id for block in blocks if block.index % 2 == 0]


def test_a_chunk_that_comes_twice_is_told_and_counted_once(tmp_path: Path) -> None:
    fake, quiet = FakePlay(SETTINGS), Quiet()

    def twice(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        for chunk in fake(chunks):
            yield chunk
            yield chunk

    outcome = run.run(SETTINGS, tmp_path, twice, quiet)
    assert outcome == run.Outcome(scheduled=12, before=0, played=12)
    assert len(quiet.warnings) == len(fake.sizes)
    assert "the first stands" in quiet.warnings[0]
    assert len(hashes(tmp_path)) == 48


def test_a_full_disk_ends_the_run_in_a_sentence_and_the_folder_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    def then_full(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        for number, chunk in enumerate(FakePlay(SETTINGS)(chunks)):
            if number == 2:
                monkeypatch.setattr("os.fsync", full)
            yield chunk

    with pytest.raises(NotWritten):
        run.run(SETTINGS, tmp_path, then_full, Quiet())
    monkeypatch.undo()
    outcome = run.run(SETTINGS, tmp_path, FakePlay(SETTINGS), Quiet())
    assert outcome.complete
    assert 0 < outcome.before < 12
    assert len(hashes(tmp_path)) == 48


@pytest.mark.parametrize("tables", [1, 8, 64, 10_000])
@pytest.mark.parametrize("workers", [1, 2, 16])
@pytest.mark.parametrize("blocks", [1, 7, 100_000])
def test_chunks_fill_the_tables_and_leave_steps_for_everybody(tables: int, workers: int, blocks: int) -> None:
    size = run.chunk_size(a_tournament(tables=tables, blocks=blocks), 4, 0, workers)
    assert 1 <= size <= run.MAX_CHUNK
    assert size == 1 or size * 8 * workers <= blocks
    assert size == 1 or size * 4 <= tables


def test_only_what_is_asked_for_is_taken_from_the_schedule(tmp_path: Path) -> None:
    huge = a_tournament(blocks=10_000_000)
    with pytest.raises(KeyboardInterrupt):
        run.run(huge, tmp_path, FakePlay(huge, stop_after=1), Quiet())
    with pytest.raises(KeyboardInterrupt):
        run.run(huge, tmp_path, FakePlay(huge, stop_after=1), Quiet())
    assert len(Store(tmp_path).done()) == 16


@pytest.mark.parametrize(("tables", "size"), [(1, 1), (200, 2)])
def test_real_bots_play_the_same_however_they_are_asked(
    tables: int, size: int, real_results: Path, real_tournament: Tournament, tmp_path: Path
) -> None:
    settings = real_tournament.model_copy(update={"tables": tables})
    arena = Arena(settings)
    try:
        run.run(settings, tmp_path, arena_play(arena, size), Quiet())
    finally:
        arena.close()
    assert hashes(tmp_path) == hashes(real_results)
    matches = Store(tmp_path).table("matches")
    assert matches["faults"].sum() == 0
    same = ["match_id", "seat", "bot", "total", "rank", "decisions", "deals", "match_hash", "attempt"]
    assert matches.select(same).equals(Store(real_results).table("matches").select(same))
    assert Store(tmp_path).table("deals").equals(Store(real_results).table("deals"))
