"""Ray's workers: one that kills, one that hangs, one that is not fit. In this process, with real bots."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from cluster import node, ray_token, run
from cluster import tournament as tournaments
from cluster.schedule import Block
from cluster.store import Store
from cluster.tournament import Tournament
from referee.host import PlatformError
from referee.rules.errors import ConfigError
from referee.rules.match import Match
from tests.cluster.fakes import Quiet, all_blocks
from tests.cluster.test_recovery import alive, wait_for
from tests.cluster.test_run import hashes
from tests.referee.test_fair_clocks import crowd

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Ray's own warnings

ASSASSIN, OVERWORKED = (Path(__file__).with_name(f"{name}.py") for name in ("assassin", "overworked"))


def settings(folder: Path, blocks: int = 16) -> Tournament:
    return tournament_of({"name": "assassin", "command": f"{sys.executable} {ASSASSIN}", "cwd": str(folder)}, blocks)


def tournament_of(bot: dict[str, str], blocks: int = 4) -> Tournament:
    data = {"ruleset": "king.simple", "seed": "workers", "blocks": blocks, "isolation": "trusted", "clocks": {"budget_ms": 30_000}}
    return tournaments.parse(data | {"bots": [{"name": "random"}, bot]}, "test")


@contextmanager
def crew(tournament: Tournament, quiet: Quiet, bags: dict[str, bytes] | None = None) -> Iterator[run.Play]:
    ray_token.prepare(None)
    from cluster import workers as pool

    with pool.cluster(None, 1):
        members = pool.Workers(tournament, 1, quiet.warn, bags)
        try:
            yield members.play
        finally:
            members.close()


def workers_here() -> list[psutil.Process]:
    found = []
    for one in psutil.Process().children(recursive=True):
        try:
            if one.name().startswith("ray::_Worker"):
                found.append(one)
        except psutil.NoSuchProcess:
            continue  # it ended meanwhile
    return found


def hand_of(tournament: Tournament, block: Block) -> str:
    """The first hand of the assassin in the first match of a block."""
    seat = block.players(0).index("assassin")
    return str(Match(tournament.game(), block.seed).deal.dealt.hands[seat])


def test_a_block_that_kills_worker_after_worker_is_set_aside_and_all_others_are_played(tmp_path: Path) -> None:
    tournament, quiet, results = settings(tmp_path), Quiet(), tmp_path / "r"
    poison = all_blocks(tournament)[5]
    (tmp_path / "poison.txt").write_text(hand_of(tournament, poison))
    with crew(tournament, quiet) as play:
        outcome = run.run(tournament, results, play, quiet)
        assert (outcome.played, outcome.set_aside) == (15, 1)
        assert f'"{poison.id}"' in (results / "quarantine.json").read_text()
        deaths = [text for text in quiet.warnings if text.startswith("a worker broke")]
        assert 3 <= len(deaths) <= 6
        assert "Traceback" not in "".join(quiet.warnings)
        assert Store(results).table("matches")["faults"].sum() == 0
    os.unlink(tmp_path / "poison.txt")
    with crew(tournament, quiet) as play:
        assert run.run(tournament, results, play, quiet).complete
        assert run.run(tournament, tmp_path / "undisturbed", play, quiet).complete
    assert hashes(results) == hashes(tmp_path / "undisturbed")


def test_a_worker_that_hangs_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament, quiet, before = settings(tmp_path, blocks=40), Quiet(), workers_here()
    with crew(tournament, quiet) as play:
        from cluster import workers as pool

        monkeypatch.setattr(pool, "PULSE_S", 1.0)
        monkeypatch.setattr(pool, "SILENT_S", 5.0)
        stopped: list[psutil.Process] = []

        def stopping(chunks):  # type: ignore[no-untyped-def]
            for result in play(chunks):
                if not stopped:
                    stopped.extend(one for one in workers_here() if one not in before)
                    os.kill(stopped[0].pid, signal.SIGSTOP)
                yield result

        assert run.run(tournament, tmp_path / "r", stopping, quiet).complete
        assert any("no sign of life" in text for text in quiet.warnings)
        wait_for(lambda: not alive(stopped[:1]), 60)
    assert len(hashes(tmp_path / "r")) == 160


def test_a_worker_that_grows_too_large_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament, quiet = settings(tmp_path, blocks=8), Quiet()
    with crew(tournament, quiet) as play:
        from cluster import workers as pool

        monkeypatch.setattr(pool, "MAX_WORKER_BYTES", 1 << 20)
        seen: set[int] = set()

        def watching(chunks):  # type: ignore[no-untyped-def]
            for result in play(chunks):
                seen.update(one.pid for one in workers_here())
                yield result

        assert run.run(tournament, tmp_path / "r", watching, quiet).complete
    assert len(seen) >= 2
    assert quiet.warnings == []
    assert set(Store(tmp_path / "r").table("matches")["attempt"]) == {1}


def test_a_full_object_store_stops_nothing_and_nothing_is_left(tmp_path: Path) -> None:
    """Row 43: what a chunk came to travels through the store, which puts the rest on the disk."""
    tournament, quiet, before = settings(tmp_path, blocks=8), Quiet(), psutil.Process().children(recursive=True)
    with crew(tournament, quiet) as play:
        import ray

        hogs = [ray.put(os.urandom(1 << 20) * 40) for _ in range(8)]  # 320 MB, where there is room for 256
        assert run.run(tournament, tmp_path / "r", play, quiet).complete
        assert all(len(ray.get(hog)) == 40 << 20 for hog in hogs)
        ours = [one for one in psutil.Process().children(recursive=True) if one not in before]
    assert ours
    wait_for(lambda: not alive(ours), 10)
    assert quiet.warnings == []
    assert len(hashes(tmp_path / "r")) == 32


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_worker_whose_machine_is_overloaded_again_and_again_is_shut_out(tmp_path: Path) -> None:
    """Row 45: that is no bot's fault, and what was played is played again where there is a processor."""
    bot = {"name": "overworked", "command": f"{sys.executable} {OVERWORKED}", "cwd": str(tmp_path)}
    data = {"ruleset": "king.simple", "seed": "workers", "blocks": 2, "isolation": "trusted"}
    data |= {"clocks": {"budget_ms": 1_000, "bank_ms": 0}, "bots": [{"name": "random"}, bot]}
    tournament, quiet = tournaments.parse(data, "test"), Quiet()
    (tmp_path / "crowded").touch()
    over = pytest.raises(PlatformError, match="no worker is left: the host is overloaded")
    with crew(tournament, quiet) as play, crowd(os.cpu_count() or 1), over:
        run.run(tournament, tmp_path / "r", play, quiet)
    assert len([text for text in quiet.warnings if text.startswith("a worker broke (the host is overloaded")]) == 3
    assert "was overloaded 3 times in a row; the worker is shut out" in quiet.warnings[-1]
    assert not (tmp_path / "r" / "quarantine.json").exists()
    (tmp_path / "crowded").unlink()
    with crew(tournament, quiet) as play:
        assert run.run(tournament, tmp_path / "r", play, quiet).complete
    assert Store(tmp_path / "r").table("matches")["faults"].sum() == 0


def test_a_node_that_is_not_fit_plays_nothing_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = settings(tmp_path)
    theirs = node.facts() | {"grpcio": "1.0"}
    monkeypatch.setattr(node, "facts", lambda: theirs)  # in this process only
    with crew(tournament, Quiet()) as play, pytest.raises(ConfigError, match=r"is not fit: grpcio is .* there, 1.0 here"):
        run.run(tournament, tmp_path / "r", play, Quiet())
    monkeypatch.undo()
    gone = tournament_of({"name": "gone", "command": "no-such-program"})
    with crew(gone, Quiet()) as play, pytest.raises(ConfigError, match=r"is not fit: bot 'gone': no program 'no-such-program'"):
        run.run(gone, tmp_path / "s", play, Quiet())


def test_workers_that_do_not_start_end_the_run_in_a_sentence(tmp_path: Path) -> None:
    tournament, bags = settings(tmp_path), {"assassin": b"no tar file"}
    with crew(tournament, Quiet(), bags) as play, pytest.raises(PlatformError, match="no worker starts: ReadError"):
        run.run(tournament, tmp_path / "r", play, Quiet())
