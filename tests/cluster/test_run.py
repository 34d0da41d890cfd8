"""A run plays what is missing and nothing else; how it is cut into pieces changes no result."""

import dataclasses
import errno
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import polars as pl
import pytest

from cluster import run, store
from cluster.arena import Arena, Chunk
from cluster.requeue import SetAside
from cluster.schedule import Block
from cluster.store import NotWritten, Store
from cluster.tournament import Tournament
from referee.rules.errors import ConfigError
from tests.cluster.fakes import FakePlay, Quiet, a_tournament, all_blocks, arena_play, parquets
from tests.cluster.fakes import chunk as chunk_of

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


def test_a_chunk_that_comes_twice_is_counted_once(tmp_path: Path) -> None:
    fake, quiet = FakePlay(SETTINGS), Quiet()

    def twice(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        for chunk in fake(chunks):
            yield chunk
            yield chunk

    outcome = run.run(SETTINGS, tmp_path, twice, quiet)
    assert outcome == run.Outcome(scheduled=12, before=0, played=12)
    assert quiet.warnings == []
    assert len(hashes(tmp_path)) == 48


def test_a_chunk_that_comes_twice_with_other_results_is_an_alert(tmp_path: Path) -> None:
    fake, quiet = FakePlay(SETTINGS), Quiet()

    def twice(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        for chunk in fake(chunks):
            yield chunk
            replays = pl.read_parquet(chunk.files["replays"]).with_columns(match_hash=pl.lit("another"))
            yield dataclasses.replace(chunk, files=chunk.files | parquets({"replays": replays}))

    outcome = run.run(SETTINGS, tmp_path, twice, quiet)
    assert (outcome.played, outcome.conflicts) == (12, len(fake.sizes))
    assert "the first stands" in quiet.warnings[0]
    assert len(hashes(tmp_path)) == 48


def refusing(number: int) -> Callable[..., None]:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    return refuse


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO, errno.EDQUOT])
def test_while_the_disk_refuses_nothing_is_played_and_then_it_goes_on(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[str] = []

    def then_full(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        for count, one in enumerate(FakePlay(SETTINGS)(chunks)):
            taken.append(one.name)
            if count == 2:
                monkeypatch.setattr("os.fsync", refusing(number))
            yield one

    def pause(_: float) -> None:
        pauses.append((len(taken), len(hashes(tmp_path))))
        if len(pauses) == 3:
            monkeypatch.undo()

    pauses: list[tuple[int, int]] = []
    monkeypatch.setattr("time.sleep", pause)
    quiet = Quiet()
    assert run.run(SETTINGS, tmp_path, then_full, quiet).complete
    assert pauses == [(3, 8)] * 3, "nothing new is played, and no half batch is seen"
    assert quiet.warnings == [f"{tmp_path} cannot be written: {os.strerror(number)}; nothing new is played until it can be"]
    assert len(hashes(tmp_path)) == 48
    assert not list((tmp_path / "batches").glob(".*"))


def test_a_disk_that_stays_full_ends_the_run_in_a_sentence_and_the_folder_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def then_full(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        for number, chunk in enumerate(FakePlay(SETTINGS)(chunks)):
            if number == 2:
                monkeypatch.setattr("os.fsync", refusing(errno.ENOSPC))
            yield chunk

    monkeypatch.setattr(run, "PATIENCE_S", 0.0)
    with pytest.raises(NotWritten, match="No space left on device; what is there is whole"):
        run.run(SETTINGS, tmp_path, then_full, Quiet())
    monkeypatch.undo()
    outcome = run.run(SETTINGS, tmp_path, FakePlay(SETTINGS), Quiet())
    assert outcome.complete
    assert 0 < outcome.before < 12
    assert len(hashes(tmp_path)) == 48


def test_below_the_floor_nothing_new_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is under way is still written; once there is room it goes on."""
    floor = store.FLOOR_BYTES

    def patient(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        for blocks in chunks:
            if not blocks:
                empty.append(len(hashes(tmp_path)))
                monkeypatch.setattr(store, "FLOOR_BYTES", floor if len(empty) == 3 else 1 << 60)
                continue
            if not empty and blocks[0].index == 4:
                monkeypatch.setattr(store, "FLOOR_BYTES", 1 << 60)
            yield chunk_of(SETTINGS, blocks)

    empty: list[int] = []
    quiet = Quiet()
    assert run.run(SETTINGS, tmp_path, patient, quiet).complete
    assert empty == [20, 20, 20]
    (warning,) = quiet.warnings
    assert re.search(r"has only \d+ MiB left of its disk; nothing new is played until there is more room", warning)


@pytest.mark.slow  # and for root, as all tests that mount or make networks
def test_a_full_file_system(tmp_path: Path) -> None:
    """A real one, of a megabyte: no partial row is seen, and with more room it is played to the end."""
    place = tmp_path / "small"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", place], check=True, timeout=30)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store, "FLOOR_BYTES", 0)
            patch.setattr(run, "PATIENCE_S", 0.0)
            with pytest.raises(NotWritten, match="No space left on device"):
                run.run(SETTINGS, place / "r", FakePlay(SETTINGS), Quiet())
        there = hashes(place / "r")
        assert 0 < len(there) < 48
        subprocess.run(["mount", "-o", "remount,ro", place], check=True, timeout=30)
        with pytest.raises(ConfigError, match="Read-only file system"):
            run.run(SETTINGS, place / "r", FakePlay(SETTINGS), Quiet())
        assert hashes(place / "r") == there
        subprocess.run(["mount", "-o", "remount,rw,size=100m", place], check=True, timeout=30)
        assert run.run(SETTINGS, place / "r", FakePlay(SETTINGS), Quiet()).complete
        assert len(hashes(place / "r")) == 48
    finally:
        subprocess.run(["umount", place], check=True, timeout=30)


def test_a_block_that_is_set_aside_is_written_down_and_tried_again(tmp_path: Path) -> None:
    def poisoned(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk | SetAside]:
        for blocks in chunks:
            for block in blocks:
                yield SetAside(block, 4, "boom") if block.index in (3, 7) else chunk_of(SETTINGS, [block])

    quiet = Quiet()
    outcome = run.run(SETTINGS, tmp_path, poisoned, quiet)
    assert (outcome.played, outcome.set_aside, outcome.complete) == (10, 2, False)
    aside = [all_blocks(SETTINGS)[index] for index in (3, 7)]
    assert json.loads((tmp_path / "quarantine.json").read_text()) == [
        {"block": block.index, "block_id": block.id, "lineup": list(block.lineup), "attempts": 4, "why": "boom"} for block in aside
    ]  # fmt: skip
    assert quiet.warnings == [f"block {block.id} is set aside after 4 attempts: boom" for block in aside]
    play = FakePlay(SETTINGS)
    assert run.run(SETTINGS, tmp_path, play, Quiet()).complete
    assert play.asked == [block.id for block in aside]
    assert not (tmp_path / "quarantine.json").exists()


@pytest.mark.parametrize("tables", [1, 8, 64, 10_000])
@pytest.mark.parametrize("workers", [1, 2, 16])
@pytest.mark.parametrize("blocks", [1, 7, 100_000])
def test_chunks_fill_the_tables_and_leave_steps_for_everybody(tables: int, workers: int, blocks: int) -> None:
    size = run.chunk_size(a_tournament(tables=tables, blocks=blocks), 4, 0, workers)
    assert 1 <= size <= run.MAX_CHUNK
    assert size == 1 or size * 8 * workers <= blocks
    assert size == 1 or size * 4 <= tables or size == min(run.MAX_CHUNK, blocks // run.MANY_BATCHES)
    assert blocks / size <= 10 * max(run.MANY_BATCHES, blocks / run.MAX_CHUNK), "files that nobody could open"


def test_only_what_is_asked_for_is_taken_from_the_schedule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MAX_CHUNK", 8)
    huge = a_tournament(blocks=10_000_000)
    with pytest.raises(KeyboardInterrupt):
        run.run(huge, tmp_path, FakePlay(huge, stop_after=1), Quiet())
    with pytest.raises(KeyboardInterrupt):
        run.run(huge, tmp_path, FakePlay(huge, stop_after=1), Quiet())
    assert len(Store(tmp_path).done()) == 2 * run.MAX_CHUNK


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
