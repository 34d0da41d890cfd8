"""The results folder: whole batches or none, one writer, and nothing twice."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cluster import records, run
from cluster.store import PLAN, DamagedResults, NoResults, NotWritten, Put, Store, writer
from cluster.tournament import Tournament
from referee.rules.errors import ConfigError
from tests.cluster.fakes import FakePlay, Quiet, a_tournament, all_blocks, files_of, parquets, play_block

SETTINGS = a_tournament(blocks=6)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A complete folder of six blocks in batches of two."""
    folder = tmp_path / "results"
    with writer(folder) as store:
        store.create(run.plan_of(SETTINGS))
        played = all_blocks(SETTINGS)
        for start in (0, 2, 4):
            blocks = played[start : start + 2]
            assert store.write(f"{blocks[0].id}-2", files_of(SETTINGS, blocks)) is Put.WRITTEN
    return folder


def hashes(folder: Path) -> list[str]:
    return Store(folder).table("replays")["match_hash"].to_list()


def play_again(folder: Path, settings: Tournament = SETTINGS, *, extend: bool = False) -> tuple[FakePlay, Quiet, run.Outcome]:
    play, quiet = FakePlay(settings), Quiet()
    outcome = run.run(settings, folder, play, quiet, extend=extend)
    return play, quiet, outcome


def test_what_was_written_is_read_in_the_order_of_the_schedule(folder: Path) -> None:
    matches = Store(folder).table("matches")
    assert dict(matches.schema) == dict(records.MATCHES)
    assert matches["match_id"].unique(maintain_order=True).to_list() == [
        block.match_id(game) for block in all_blocks(SETTINGS) for game in range(4)
    ]
    assert matches["seat"].to_list() == [0, 1, 2, 3] * 24
    assert Store(folder).done() == {block.id for block in all_blocks(SETTINGS)}
    assert Store(folder).plan["seed"] == "test"
    assert not list((folder / "batches").glob(".*"))


def test_checksums_are_those_that_sha256sum_reads(folder: Path) -> None:
    for batch in (folder / "batches").iterdir():
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=batch, check=True, timeout=30)


def test_an_empty_start_is_empty_and_has_all_columns(tmp_path: Path) -> None:
    with writer(tmp_path) as store:
        store.create(run.plan_of(SETTINGS))
    for name, schema in records.SCHEMAS.items():
        assert Store(tmp_path).table(name).is_empty()
        assert dict(Store(tmp_path).table(name).schema) == dict(schema)
    assert Store(tmp_path).done() == set()


def test_one_match_is_found_by_its_name(folder: Path) -> None:
    name = all_blocks(SETTINGS)[3].match_id(2)
    assert Store(folder).replay(name)["match_id"] == name
    with pytest.raises(NoResults, match=r"no match 'nobody'.*kingmaker matches"):
        Store(folder).replay("nobody")


@pytest.mark.parametrize("what", ["missing", "empty", "garbage", "format", "a file"])
def test_a_folder_without_results_says_so(what: str, tmp_path: Path) -> None:
    place = tmp_path / "r"
    if what == "a file":
        place.write_text("")
    elif what != "missing":
        place.mkdir()
        text = {"garbage": "{", "format": '{"format": "kingmaker-results/9"}'}.get(what)
        if text is not None:
            (place / PLAN).write_text(text)
    with pytest.raises(NoResults, match=str(place)):
        Store(place).table("matches")


def test_a_second_writer_is_refused_and_a_later_one_is_not(folder: Path) -> None:
    with writer(folder):
        with pytest.raises(ConfigError, match="another process is playing into this folder"), writer(folder):
            pass
        code = f"from pathlib import Path; from cluster.store import writer\nwith writer(Path({str(folder)!r})): pass"
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert "another process" in other.stderr
    with writer(folder):
        pass


def test_a_name_that_is_there_stands_and_the_second_goes_under_conflicts(folder: Path) -> None:
    block = all_blocks(SETTINGS)[0]
    name, other = f"{block.id}-2", files_of(SETTINGS, [block])
    before = {path: path.read_bytes() for path in (folder / "batches" / name).iterdir()}
    with writer(folder) as store:
        assert store.write(name, other) is Put.CONFLICT
        assert store.write(name, other) is Put.CONFLICT
    assert {path: path.read_bytes() for path in (folder / "batches" / name).iterdir()} == before
    assert sorted(path.name for path in (folder / "conflicts").iterdir()) == [name, f"{name}.2"]
    assert (folder / "conflicts" / name / "matches.parquet").read_bytes() == other["matches"]
    assert len(hashes(folder)) == 24


def test_the_same_results_a_second_time_are_done_already(folder: Path) -> None:
    """As after a reply that was lost; how long the bots took differs, and is no result."""
    blocks = all_blocks(SETTINGS)[:2]
    before, files = sorted(folder.rglob("*")), files_of(SETTINGS, blocks)
    slower = pl.read_parquet(files["matches"]).with_columns(charged_ms=pl.lit(7.0), attempt=pl.lit(2, pl.UInt8))
    with writer(folder) as store:
        for again in (files, files | parquets({"matches": slower})):
            assert store.write(f"{blocks[0].id}-2", again) is Put.SAME
    assert sorted(folder.rglob("*")) == before


def test_temporary_folders_are_swept(folder: Path) -> None:
    (folder / "batches" / ".tmp-half").mkdir()
    (folder / "batches" / ".tmp-half" / "matches.parquet").write_bytes(b"PAR1")
    assert len(hashes(folder)) == 24, "a reader does not see it"
    play, quiet, _ = play_again(folder)
    assert not (folder / "batches" / ".tmp-half").exists()
    assert (play.asked, quiet.warnings) == ([], [])


def damage(batch: Path, how: str) -> None:
    matches = batch / "matches.parquet"
    data = bytearray((batch / "replays.parquet").read_bytes())
    if how == "truncated":
        (batch / "replays.parquet").write_bytes(data[: len(data) // 2])
    elif how == "empty file":
        matches.write_bytes(b"")
    elif how == "one bit flipped":
        data[len(data) // 2] ^= 1
        (batch / "replays.parquet").write_bytes(data)
    elif how == "footer flipped":
        data[-6] ^= 1
        (batch / "replays.parquet").write_bytes(data)
    elif how == "missing table":
        (batch / "deals.parquet").unlink()
    elif how == "missing sums":
        (batch / "SHA256SUMS").unlink()
    elif how == "garbage sums":
        (batch / "SHA256SUMS").write_bytes(b"\xff\xfe")
    elif how == "no folder":
        for file in batch.iterdir():
            file.unlink()
        batch.rmdir()
        batch.write_text("a file")


DAMAGES = ["truncated", "empty file", "one bit flipped", "footer flipped", "missing table", "missing sums", "garbage sums", "no folder"]  # fmt: skip


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_batch_is_set_aside_with_a_sentence_and_played_again(how: str, folder: Path) -> None:
    before = hashes(folder)
    batch = folder / "batches" / f"{all_blocks(SETTINGS)[2].id}-2"
    damage(batch, how)
    play, quiet, outcome = play_again(folder)
    assert play.asked == [block.id for block in all_blocks(SETTINGS)[2:4]]
    (warning,) = quiet.warnings
    assert warning.startswith(f"{batch.name}: ")
    assert warning.endswith("; set aside, its blocks are played again")
    assert (folder / "damaged" / batch.name).exists()
    assert hashes(folder) == before
    assert outcome == run.Outcome(scheduled=6, before=4, played=2)
    assert outcome.complete


@pytest.mark.parametrize("how", ["truncated", "empty file", "footer flipped", "missing table", "no folder"])
def test_a_reader_of_a_damaged_batch_gets_a_sentence(how: str, folder: Path) -> None:
    batch = folder / "batches" / f"{all_blocks(SETTINGS)[2].id}-2"
    damage(batch, how)
    with pytest.raises(DamagedResults, match="plays its blocks again") as caught:
        [Store(folder).table(name) for name in records.SCHEMAS]
    assert str(batch) in str(caught.value)


def rewritten(change: str) -> dict[str, bytes]:
    """The files of a batch whose sums are right and whose contents are wrong."""
    block = all_blocks(SETTINGS)[0]
    frames = records.frames(SETTINGS.id, [play_block(SETTINGS, block)])
    if change == "incomplete block":
        frames = {
            name: frame.filter(pl.col("game") < 3) if "game" in frame.columns else frame for name, frame in frames.items()
        }
    elif change == "match twice":
        frames["matches"] = pl.concat([frames["matches"], frames["matches"].head(4)])
    elif change == "no rows":
        frames["matches"] = frames["matches"].clear()
    elif change == "other replays":
        frames["replays"] = frames["replays"].head(3)
    elif change == "other columns":
        frames["matches"] = frames["matches"].rename({"total": "points"})
    elif change == "another tournament":
        frames["matches"] = frames["matches"].with_columns(tournament_id=pl.lit("0" * 16))
    return parquets(frames)


@pytest.mark.parametrize(
    "change", ["incomplete block", "match twice", "no rows", "other replays", "other columns", "another tournament"]
)
def test_a_batch_whose_contents_cannot_be_is_set_aside(change: str, tmp_path: Path) -> None:
    with writer(tmp_path / "r") as store:
        store.create(run.plan_of(SETTINGS))
        store.write("bad", rewritten(change))
        (sentence,) = store.sweep({})
        assert sentence.startswith("bad: ")
        assert store.done() == set()


def test_a_block_in_two_batches_counts_once(folder: Path) -> None:
    before, block = hashes(folder), all_blocks(SETTINGS)[5]
    with writer(folder) as store:
        store.write("z-copy", files_of(SETTINGS, [block]))
    _, quiet, outcome = play_again(folder)
    assert (quiet.warnings, outcome.played) == ([], 0)
    assert hashes(folder) == before
    assert len(Store(folder).batches()) == 3


def test_a_block_in_two_batches_that_differ_is_told_and_the_first_stands(folder: Path) -> None:
    before, block = hashes(folder), all_blocks(SETTINGS)[5]
    frames = records.frames(SETTINGS.id, [play_block(SETTINGS, block)])
    frames["replays"] = frames["replays"].with_columns(match_hash=pl.lit("another"))
    with writer(folder) as store:
        store.write("z-copy", parquets(frames))
    _, quiet, _ = play_again(folder)
    assert quiet.warnings == [f"z-copy: block {block.id} is in another batch with other results; see conflicts/"]
    assert (folder / "conflicts" / "z-copy").is_dir()
    assert hashes(folder) == before


def test_of_a_batch_that_holds_old_and_new_blocks_nothing_is_lost(folder: Path) -> None:
    """Somebody copied it here: its new blocks are played again, the old ones stand."""
    longer = a_tournament(blocks=7)
    with writer(folder) as store:
        store.write("z-copy", files_of(longer, all_blocks(longer)[5:7]))
    play, quiet, outcome = play_again(folder, longer, extend=True)
    assert play.asked == [all_blocks(longer)[6].id]
    assert "is in another batch already" in quiet.warnings[0]
    assert outcome.complete
    assert len(hashes(folder)) == 28


@pytest.mark.parametrize("what", ["file", "batches"])
def test_a_folder_of_something_else_is_refused_and_left_as_it_is(what: str, tmp_path: Path) -> None:
    (tmp_path / "batches" / "x").mkdir(parents=True) if what == "batches" else (tmp_path / "thesis.txt").write_text("")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ConfigError, match="is not empty and holds no results"):
        play_again(tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_run_that_was_killed_at_its_very_beginning_can_begin_again(tmp_path: Path) -> None:
    (tmp_path / ".lock").touch()
    (tmp_path / "batches").mkdir()
    (tmp_path / f".tmp-{PLAN}").write_text('{"format"')
    assert play_again(tmp_path)[2].complete
    assert not (tmp_path / f".tmp-{PLAN}").exists()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"seed": "other"}, ['seed was "test", is "other"']),
        ({"ruleset": "king.fetes"}, ['ruleset was "king.simple", is "king.fetes"']),
        ({"options": {"last_two": 8}}, ["options.last_two was null, is 8"]),
        ({"clocks": {"budget_ms": 1}}, ["clocks.budget_ms was 200, is 1"]),
        ({"max_faults": 1}, ["max_faults was 3, is 1"]),
        ({"bots": ("lowest", "greedy")}, ['bots had "random"', 'bots has "greedy" more']),
        ({"bots": ("random", "lowest")}, ["bots stood in the order"]),
        ({"blocks": 7}, ["blocks was 6, is 7", "--extend"]),
        ({"bots": ("lowest", "random", "greedy")}, ['bots has "greedy" more', "--extend"]),
        ({"blocks": 5}, ["blocks was 6, is 5"]),
    ],
)
def test_another_tournament_is_refused_with_what_differs(changes: dict[str, Any], told: list[str], folder: Path) -> None:
    before = (folder / PLAN).read_bytes()
    with pytest.raises(ConfigError) as caught:
        play_again(folder, a_tournament(**({"blocks": 6} | changes)))
    for part in told:
        assert part in str(caught.value)
    assert "tournament_id" not in str(caught.value)
    assert (folder / PLAN).read_bytes() == before


def test_tables_may_change_freely(folder: Path) -> None:
    assert play_again(folder, a_tournament(tables=3))[2].complete


def test_a_reference_bot_may_be_started_in_any_folder(folder: Path) -> None:
    data = SETTINGS.model_dump()
    data["bots"] = [bot | {"cwd": "/somewhere/else"} for bot in data["bots"]]
    assert play_again(folder, Tournament.model_validate(data))[2].played == 0


def test_extend_adds_blocks(folder: Path) -> None:
    before, longer = hashes(folder), a_tournament(blocks=10)
    play, _, outcome = play_again(folder, longer, extend=True)
    assert play.asked == [block.id for block in all_blocks(longer)[6:]]
    assert outcome == run.Outcome(scheduled=10, before=6, played=4)
    assert hashes(folder)[:24] == before
    assert Store(folder).plan["blocks"] == 10
    assert play_again(folder, longer)[0].asked == []


FOUR = ("ada", "bob", "cyd", "dan")


def test_a_bot_joins_behind_what_was_played(tmp_path: Path) -> None:
    few, more = a_tournament(FOUR, blocks=3), a_tournament((*FOUR, "eve"), blocks=20)
    before, _, _ = play_again(tmp_path, few)
    play, _, outcome = play_again(tmp_path, more, extend=True)
    assert outcome == run.Outcome(scheduled=20, before=3, played=17)
    joined = Tournament.model_validate({**more.model_dump(), "bots": plan_bots(tmp_path)})
    assert before.asked + play.asked == [block.id for block in all_blocks(joined)]
    seated = Store(tmp_path).table("matches").group_by("bot").agg(pl.col("block").min(), pl.col("block_id").n_unique())
    assert {bot: first for bot, first, _ in seated.iter_rows()} == dict.fromkeys(FOUR, 0) | {"eve": seated_first(tmp_path, "eve")}
    assert seated_first(tmp_path, "eve") >= 3
    assert play_again(tmp_path, more)[2] == run.Outcome(scheduled=20, before=20, played=0), "the same file, without --extend"
    assert plan_bots(tmp_path)[-1]["joins"] == 3


def plan_bots(folder: Path) -> list[dict[str, Any]]:
    bots: list[dict[str, Any]] = Store(folder).plan["bots"]
    return bots


def seated_first(folder: Path, bot: str) -> int:
    first = Store(folder).table("matches").filter(pl.col("bot") == bot)["block"].min()
    assert isinstance(first, int)
    return first


def test_a_new_version_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    old, new = a_tournament((*FOUR, "eve-1"), blocks=8), a_tournament((*FOUR, "eve-2"), blocks=30)
    play_again(tmp_path, old)
    with pytest.raises(ConfigError, match=r'bots had "eve-1".*bots has "eve-2" more.*--extend'):
        play_again(tmp_path, new)
    assert play_again(tmp_path, new, extend=True)[2] == run.Outcome(scheduled=30, before=8, played=22)
    matches = Store(tmp_path).table("matches")
    assert matches.filter(pl.col("bot") == "eve-1")["block"].max() < 8 <= seated_first(tmp_path, "eve-2")  # type: ignore[operator]
    assert play_again(tmp_path, new)[2].played == 0
    assert [(bot["name"], bot["joins"], bot["leaves"]) for bot in plan_bots(tmp_path)][4:] == [("eve-1", 0, 8), ("eve-2", 8, None)]


def test_holes_are_filled_with_those_who_played_then(tmp_path: Path) -> None:
    """A bot that left is still in the blocks that were scheduled before it did."""
    old, new = a_tournament((*FOUR, "eve"), blocks=12, tables=8), a_tournament(FOUR, blocks=20, tables=8)
    play_again(tmp_path, old)
    (first,) = (path for path in Store(tmp_path).batches() if path.name.startswith(all_blocks(old)[0].id))
    shutil.rmtree(first)
    hole = 12 - len(Store(tmp_path).done())
    assert play_again(tmp_path, new, extend=True)[2] == run.Outcome(scheduled=20, before=12 - hole, played=8 + hole)
    assert Store(tmp_path).table("matches").filter(pl.col("bot") == "eve")["block"].max() < 12  # type: ignore[operator]


@pytest.mark.parametrize(("entry", "told"), [
    ({"name": "greedy", "joins": 3}, 'bot "greedy" joins at block 3; joins = 6 is the earliest'),
    ({"name": "lowest", "leaves": 2}, 'bot "lowest" leaves at block 2; leaves = 6 is the earliest'),
])  # fmt: skip
def test_nobody_joins_or_leaves_in_the_past(entry: dict[str, Any], told: str, folder: Path) -> None:
    bots = [*({"name": name} for name in ("lowest", "random") if name != entry["name"]), entry]
    bots.sort(key=lambda bot: ("lowest", "random", "greedy").index(bot["name"]))
    with pytest.raises(ConfigError, match=told):
        play_again(folder, a_tournament(blocks=9).model_validate({**a_tournament(blocks=9).model_dump(), "bots": bots}), extend=True)


def test_extend_refuses_everything_else(folder: Path) -> None:
    with pytest.raises(ConfigError, match="seed was") as caught:
        play_again(folder, a_tournament(seed="x", blocks=12), extend=True)
    assert "blocks" not in str(caught.value)


@pytest.mark.parametrize("call", ["mkdir", "fsync", "rename"])
def test_a_disk_that_refuses_leaves_nothing_behind(call: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = a_tournament(blocks=7)
    block, before = all_blocks(settings)[6], hashes(folder)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with writer(folder) as store:
        with monkeypatch.context() as patch:
            patch.setattr(os, call, full)
            with pytest.raises(NotWritten, match=r"No space left on device; what is there is whole") as caught:
                store.write("late-1", files_of(settings, [block]))
        assert str(folder) in str(caught.value)
        assert hashes(folder) == before
        assert not list((folder / "batches").glob("*late*"))
        assert store.write("late-1", files_of(settings, [block])) is Put.WRITTEN


def test_a_place_that_cannot_be_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"file.*--results names a folder"), writer(tmp_path / "file"):
        pass


def test_the_plan_is_the_tournament_with_every_default(folder: Path) -> None:
    plan = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    assert plan["tournament_id"] == SETTINGS.id
    assert plan["clocks"] == {"budget_ms": 200, "bank_ms": 5000, "margin_ms": 50}
    assert [bot["name"] for bot in plan["bots"]] == ["lowest", "random"]
