"""The ladder without bots: what is written down before it is played, and what becomes of it when somebody dies or goes."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cluster.arena import Chunk
from cluster.competition import ladder, publishing, seasons
from cluster.competition.ladder import Keeper, planned
from cluster.competition.place import Place
from cluster.competition.seasons import Ladder
from cluster.competition.settings import LadderSettings, Settings
from cluster.schedule import Block
from cluster.store import LINEUPS, Store, Writer
from cluster.tournament import BotEntry, ClockSettings, Tournament
from cluster.verify import verify
from referee.rules.errors import ConfigError
from tests.cluster.fakes import chunk

LISTS = (LadderSettings(ruleset="king.simple"),)


class Killed(BaseException):
    """As if by the kernel."""


class Fake:
    """A company whose matches are played without bots; ``dies``: before it has played anything."""

    lists, clocks, round_blocks = LISTS, ClockSettings(), 5

    def __init__(self, *, goes: bool = False) -> None:
        self.goes = goes
        self.names: list[str] = []
        self.dies = False
        self.tiers: list[set[str | None]] = []

    def bots(self, ladder: Ladder) -> list[BotEntry]:
        return [BotEntry(name=name, remote=True) if self.goes else BotEntry(name=name, command="x") for name in self.names]

    def play(self, tournament: Tournament, blocks: Sequence[Block]) -> Chunk:
        if self.dies:
            raise Killed
        self.tiers.append({bot.isolation for bot in tournament.bots if not bot.is_reference})
        return chunk(tournament, blocks)


class Running:
    """A competition of which only the ladder is there."""

    def __init__(self, folder: Path, *, goes: bool = False) -> None:
        self.place, self.company = Place(folder), Fake(goes=goes)
        self.database = self.place.database(None)
        self.keeper = Keeper(self.place, self.database, Settings(ladders=LISTS, isolation="landlock"), self.company)
        self.ladder = seasons.ladder(self.database, "king.simple", remote=goes)

    @property
    def store(self) -> Store:
        return Store(self.place.results(self.ladder, seasons.current(self.database).number))

    def dies(self) -> None:
        self.company.dies = True
        with pytest.raises(Killed):
            self.keeper.step()
        self.company.dies = False


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    found = Running(tmp_path / "c")
    yield found
    found.database.close()


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[Running]:
    found = Running(tmp_path / "c", goes=True)
    yield found
    found.database.close()


def names_in(lineups: Sequence[Sequence[str]]) -> set[str]:
    return {name for lineup in lineups for name in lineup}


def is_sound(store: Store) -> bool:
    report = verify(store)
    assert report.problems == []
    return report.stored_blocks == report.planned_blocks == len(store.lineups())


def test_nobody_plays_before_somebody_was_submitted(running: Running) -> None:
    assert not running.keeper.step()
    running.company.names = ["ace"]
    assert running.keeper.step()
    assert len(running.store.done()) == 5
    assert is_sound(running.store)


def test_who_comes_goes_and_comes_again_keeps_name_and_results(running: Running) -> None:
    running.company.names = ["ace", "deuce"]
    running.keeper.step()
    running.company.names = ["ace", "trey"]
    running.keeper.step()
    assert names_in(running.store.lineups()[5:]) == {"random", "greedy", "cautious", "ace", "trey"}
    running.company.names = ["ace", "deuce"]
    running.keeper.step()
    assert "trey" not in names_in(running.store.lineups()[10:])
    assert is_sound(running.store)
    found = seasons.latest_snapshot(running.database, running.ladder.id, 1)
    assert found is not None
    assert {"deuce", "trey"} <= set(found.standings["bot"]), "results of those who have gone stay"
    assert found.blocks == 15


def test_what_was_submitted_is_isolated_alike_in_every_round(running: Running) -> None:
    running.company.names = ["ace", "deuce"]
    running.keeper.step()
    running.dies()
    running.company.names = ["ace"]
    running.keeper.step()
    assert running.company.tiers == [{"landlock"}] * 2


def test_standings_are_kept_as_a_list_grows_and_when_it_stands_still(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder, "GROWTH", 2.0)
    running.company.names = ["ace"]
    for _ in range(5):
        running.keeper.step()
    running.company.names = []
    running.keeper.step()
    assert [each.blocks for each in seasons.snapshots_of(running.database, running.ladder.id, 1)] == [5, 10, 20, 25]


def test_a_death_in_a_round_changes_nothing_of_it(running: Running) -> None:
    running.company.names = ["ace", "deuce", "trey"]
    running.keeper.step()
    running.dies()
    report = verify(running.store)
    assert report.problems == []
    assert report.notes[0] == "5 of 10 blocks, the list's last round, are still to be played; `kingmaker serve` plays them"
    begun = running.store.lineups()
    assert (len(begun), len(running.store.done())) == (10, 5)
    running.company.names = ["ace"]  # retired meanwhile; its command is there all the same
    running.keeper.step()
    assert running.store.lineups() == begun
    assert is_sound(running.store)


@pytest.mark.parametrize("cut", [1, 7, 10_000])
def test_line_ups_that_are_torn_or_were_never_planned_are_made_anew(running: Running, cut: int) -> None:
    running.company.names = ["ace", "deuce"]
    running.keeper.step()
    path = running.store.folder / LINEUPS
    whole = path.read_bytes()
    path.write_bytes(whole + (json.dumps(["ace", "x", "y", "z"]).encode() + b"\n")[:cut])
    running.keeper.step()
    assert path.read_bytes().startswith(whole)
    assert is_sound(running.store)


def test_a_line_up_that_was_changed_afterwards_does_not_verify(running: Running) -> None:
    running.company.names = ["ace", "deuce"]
    running.keeper.step()
    path = running.store.folder / LINEUPS
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([lines[0], lines[2], lines[1], *lines[3:]]) + "\n", encoding="utf-8")
    assert any("not in the plan" in problem for problem in verify(running.store).problems)
    path.write_text("\n".join([json.dumps(["stranger"] * 4), *lines[1:]]) + "\n", encoding="utf-8")
    assert any("seats 'stranger', who does not play then" in problem for problem in verify(running.store).problems)
    path.unlink()
    assert any("the line-ups of 0 of 5 blocks" in problem for problem in verify(running.store).problems)


def test_line_ups_that_do_not_follow_from_the_results_before_them_do_not_verify(running: Running) -> None:
    """A list that its organiser laid out to suit somebody: deals and hashes fit these line-ups, and yet they are found out."""
    running.company.names = ["ace", "deuce"]
    running.keeper.step()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladder, "next_lineups", lambda field, past, comparison, design, size: [("random", "ace", "deuce", "greedy")] * size)
        running.keeper.step()
    running.keeper.step()
    (problem,) = verify(running.store).problems
    assert problem.startswith("block 5: who sits there does not follow from the results before block 5 and from who could play: it is random, ace")
    assert any(note.startswith("the line-ups of 3 of 3 rounds were worked out again") for note in verify(running.store).notes)


def test_line_ups_of_which_nobody_wrote_who_could_play_are_taken_as_they_are(running: Running) -> None:
    running.company.names = ["ace", "deuce"]
    running.keeper.step()
    path = running.store.folder / LINEUPS
    path.write_text("".join(json.dumps(lineup, ensure_ascii=False) + "\n" for lineup in running.store.lineups()), encoding="utf-8")
    running.keeper.step()
    report = verify(running.store)
    assert report.problems == []
    assert report.notes == ["the line-ups of 1 of 1 rounds were worked out again; who could play in each is the organiser's word; "
                            "of the first 5 blocks it was not written"]  # fmt: skip


def test_who_went_while_the_platform_was_away_is_not_scored_for_it(remote: Running) -> None:
    remote.company.names = ["ace", "deuce", "trey"]
    remote.keeper.step()
    remote.dies()
    assert "ace" in names_in(remote.store.lineups()[5:])
    remote.company.names = []
    assert not remote.keeper.step(), "the round waits for somebody"
    remote.company.names = ["deuce", "late"]
    assert remote.keeper.step()
    assert names_in(remote.store.lineups()[5:]) == {"random", "greedy", "cautious", "deuce", "late"}
    plan = planned(remote.store)
    assert plan is not None
    assert plan.blocks == 10
    assert is_sound(remote.store)


def test_a_frozen_season_ends_though_its_remote_bots_have_gone(remote: Running) -> None:
    remote.company.names = ["ace", "deuce"]
    remote.keeper.step()
    remote.dies()
    publishing.freeze(remote.place, remote.database)
    remote.company.names = []
    assert remote.keeper.step()
    assert is_sound(remote.store)
    assert not remote.keeper.step()


def test_nothing_is_scheduled_after_a_freeze_that_came_while_a_round_was_thought_out(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    running.company.names = ["ace", "deuce"]
    running.keeper.step()
    think = ladder.next_lineups

    def freeze_meanwhile(*args: Any) -> list[tuple[str, ...]]:
        publishing.freeze(running.place, running.database)
        return think(*args)

    monkeypatch.setattr(ladder, "next_lineups", freeze_meanwhile)
    assert not running.keeper.step()
    assert (len(running.store.done()), running.store.plan["blocks"]) == (5, 5)
    assert is_sound(running.store)


def test_a_freeze_that_comes_while_a_round_is_written_down_waits_for_it(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    running.company.names = ["ace", "deuce"]
    write = Writer.write_lineups
    with ThreadPoolExecutor(1) as pool:
        freezing: list[Future[object]] = []

        def write_slowly(store: Writer, first: int, lineups: Sequence[Sequence[str]], field: Sequence[str]) -> None:
            freezing.append(pool.submit(publishing.freeze, running.place, running.database))
            with pytest.raises(TimeoutError):
                freezing[0].result(0.2)
            write(store, first, lineups, field)

        monkeypatch.setattr(Writer, "write_lineups", write_slowly)
        assert running.keeper.step()
        freezing[0].result(10)
    assert not running.keeper.step()
    assert len(running.store.done()) == 5
    assert publishing.publish(running.place, running.database, 1).is_dir()


def test_no_season_begins_while_the_last_one_is_to_be_played_to_its_end(running: Running) -> None:
    running.company.names = ["ace"]
    running.dies()
    publishing.freeze(running.place, running.database)
    for ending in (lambda: publishing.open_next(running.place, running.database), lambda: publishing.publish(running.place, running.database, 1)):
        with pytest.raises(ConfigError, match=r"5 blocks of king\.simple are still to be played"):
            ending()
    assert running.keeper.step()
    assert publishing.open_next(running.place, running.database).number == 2
