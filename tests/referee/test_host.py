"""The host as a whole: what breaks here is no bot's fault, nothing hangs, nothing is left, and records are reproducible."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from referee.faults import Clocks, Fault
from referee.host import GRACE_S, MAX_FAILED_STARTS, Command, Host, LauncherClient, PlatformError
from referee.rules.registry import RULESETS
from tests import loop
from tests.referee.hosting import (
    GOOD,
    ROOT,
    against,
    gone_within,
    good,
    host,
    hostile,
    keys,
    marked,
    new_mark,
    play,
    spec,
)

TEST_S = 100
UNTIMED = Clocks(budget_ms=10**8, bank_ms=0)
FOUR = (*GOOD, "west")


async def until(condition: Callable[[], object], what: str, seconds: float = 30) -> None:
    """Wait for something that no event tells of."""
    time = asyncio.get_running_loop().time
    deadline = time() + seconds
    while not condition() and time() < deadline:  # noqa: ASYNC110  # nothing tells of it
        await asyncio.sleep(0.01)
    assert condition(), what


def asked(house: Host) -> bool:
    """Whether any bot has anything to answer."""
    return any(link.open for link in house._living)


# One crowded house for all that needs good bots but breaks nothing.


def test_a_host_from_start_to_end():
    mark = new_mark()
    bots = {name: hostile(name, mark) for name in ("exits", "early", "silent")} | {
        "late": hostile("late", mark, "5"),
        "mute": hostile("mute", mark),
        "mute_stream": hostile("mute", mark, "stream"),
        "slow_start": hostile("slow_start", mark, "4"),
        "chatty": hostile("chatty", mark),
    }

    async def main() -> None:
        async with host(bots) as house:
            await late_once(house)
            await output_of_the_living(house)
            await cancelled(house)
            await dies_and_is_started_again(house)
            await fails_to_start(house)
            await never_says_hello(house, "mute")
            await never_says_hello(house, "mute_stream")
            await starts_slowly(house)
        assert gone_within(1, lambda: marked(mark))

    loop.run(main(), TEST_S)


async def late_once(house: Host) -> None:
    (table,) = await play(house, against("late"), clocks=Clocks(budget_ms=3_000, bank_ms=0))
    assert table.faults == [[], [Fault.TIMEOUT], [], []]


async def output_of_the_living(house: Host) -> None:
    await play(house, against("chatty"))
    (log,) = await house.take_logs()
    assert (log.bot, log.copy, log.lane, log.code) == ("chatty", 0, 0, None)
    assert "bytes left out" in log.stdout
    assert await house.take_logs() == []


async def cancelled(house: Host) -> None:
    """What was begun is void, and the bots play on at other tables."""
    task = asyncio.create_task(play(house, against("silent"), clocks=UNTIMED))
    await until(lambda: any(link.name == "silent" and link.open for link in house._living), "silent is asked")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert house._room.playing == 0
    (table,) = await play(house, (*GOOD, "late"))
    assert not any(table.faults)


async def dies_and_is_started_again(house: Host) -> None:
    for _ in range(2):
        (table,) = await play(house, against("exits"))
        assert table.faults == [[], [Fault.DISCONNECT] * 3, [], []]
    await until(lambda: not any(link.name == "exits" for link in house._living), "both have ended")
    assert [(log.bot, log.code) for log in await house.take_logs()] == [("exits", 3)] * 2


async def fails_to_start(house: Host) -> None:
    for _ in range(MAX_FAILED_STARTS + 2):
        (table,) = await play(house, against("early"))
        assert table.faults == [[], [Fault.DISCONNECT] * 3, [], []]
    await until(lambda: not any(link.name == "early" for link in house._living), "all have ended")
    assert [(log.bot, log.code) for log in await house.take_logs()] == [("early", 1)] * MAX_FAILED_STARTS


async def never_says_hello(house: Host, name: str) -> None:
    time = asyncio.get_running_loop().time
    house._start_timeout_s = 3.0
    start = time()
    (table,) = await play(house, against(name))
    assert 3.0 <= time() - start < 3.0 + 10
    assert table.faults == [[], [Fault.DISCONNECT] * 3, [], []]
    assert table.endings[1] == "start time-out"
    await until(lambda: not any(link.name == name for link in house._living), "it was ended")


async def starts_slowly(house: Host) -> None:
    """What takes four seconds to start has failed after three, and plays where it is given time."""
    (table,) = await play(house, against("slow_start"))
    assert table.endings[1] == "start time-out"
    house._start_timeout_s = 60.0
    (table,) = await play(house, against("slow_start"))
    assert not any(table.faults)


def test_without_a_clock_a_killed_bot_is_a_fault_at_once():
    """It is killed in the middle of a decision that may take a day, and nobody waits for it."""
    mark = new_mark()

    async def main() -> None:
        async with host({"silent": hostile("silent", mark)}) as house:
            block = asyncio.create_task(play(house, against("silent"), clocks=UNTIMED))
            await until(lambda: any(link.name == "silent" and link.open for link in house._living), "it is asked", 60)
            (process,) = marked(mark)
            process.kill()
            async with asyncio.timeout(20):  # it takes a few milliseconds, unless the machine is busy
                (table,) = await block
            assert table.faults == [[], [Fault.DISCONNECT] * 3, [], []]
            assert table.endings[1] == "killed by signal 9"

    loop.run(main(), TEST_S)


# What breaks here is no bot's fault.


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_launcher_that_dies_in_the_middle_of_a_match_makes_it_void(number):
    mark = new_mark()
    bots = {name: hostile(name, mark) for name in ("silent", "stubborn", "daemons")}
    players = ("stubborn", "silent", "daemons", "stubborn")

    def findable() -> list[psutil.Process]:
        """All; but a daemon that cleared its environment no host can find whose launcher was killed."""
        return [process for process in marked(mark) if number == signal.SIGTERM or environment(process)]

    async def main() -> None:
        async with host(bots) as house:
            blocks = [asyncio.create_task(play(house, players, clocks=UNTIMED)) for _ in range(3)]
            await until(lambda: sum(len(link.open) for link in house._living) == 3, "all wait for the silent one", 60)
            await until(lambda: len(marked(mark)) == 7, "four bots and three daemons live")
            house._launcher._process.send_signal(number)
            for block in blocks:
                with pytest.raises(PlatformError, match="the launcher is gone"):
                    await block
            assert await asyncio.to_thread(gone_within, 5, findable)
            with pytest.raises(PlatformError, match="the launcher is gone"):
                await play(house, players)
            assert await house.take_logs() == []
            folder = house._folder
        assert not folder.exists()
        gone_within(0, lambda: marked(mark))

    loop.run(main(), TEST_S)


def environment(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ()
    except psutil.Error:
        return {}  # it ended meanwhile


def test_bots_that_die_with_the_launcher_are_not_blamed_while_they_play():
    """Their streams break before anybody has said that the launcher is gone."""

    async def main() -> None:
        async with host({"west": good("lowest")}) as house:
            block = asyncio.create_task(play(house, *[FOUR] * 50))
            await until(lambda: asked(house), "they play", 60)
            house._launcher._process.kill()
            with pytest.raises(PlatformError):
                await block

    loop.run(main(), TEST_S)


def test_an_error_in_the_referee_is_a_platform_error(monkeypatch: pytest.MonkeyPatch):
    async def main() -> None:
        async with host({"west": good()}) as house:
            await play(house, FOUR)
            monkeypatch.setattr("referee.table.Table.answer", lambda *_: {}["a bug"])
            with pytest.raises(PlatformError, match="KeyError: 'a bug'"):
                await play(house, FOUR)

    loop.run(main(), TEST_S)


def test_a_host_that_cannot_start_processes_fails_and_blames_nobody(monkeypatch: pytest.MonkeyPatch):
    async def main() -> None:
        async with host({}) as house:
            (house._folder / "1").write_text("in the way")
            with pytest.raises(PlatformError, match="FileExistsError"):
                await play(house, (GOOD[0],) * 4)

    loop.run(main(), TEST_S)


def test_a_folder_whose_path_is_too_long_for_a_socket_is_a_platform_error(monkeypatch, tmp_path):
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))

    async def main() -> None:
        async with host({}) as house:
            with pytest.raises(PlatformError):
                await play(house, (GOOD[0],) * 4)

    loop.run(main(), TEST_S)


# The end.


def test_closing_makes_void_what_is_played():
    mark = new_mark()

    async def main() -> None:
        house = await host({"silent": hostile("silent", mark)}).__aenter__()
        block = asyncio.create_task(play(house, ("silent",) * 4, clocks=UNTIMED))
        await until(lambda: asked(house), "it is asked", 60)
        await house.close()
        with pytest.raises(PlatformError, match="the host is closed"):
            await block
        with pytest.raises(PlatformError, match="the host is closed"):
            await play(house, ("silent",) * 4)
        assert gone_within(1, lambda: marked(mark))
        assert not house._folder.exists()

    loop.run(main(), TEST_S)


def test_closing_while_bots_start_leaves_nothing():
    mark = new_mark()

    async def main() -> None:
        time = asyncio.get_running_loop().time
        house = await host({"mute": hostile("mute", mark)}).__aenter__()
        block = asyncio.create_task(play(house, ("mute",) * 4))
        await until(lambda: marked(mark), "one has been started", 60)
        start = time()
        await house.close()
        assert time() - start < GRACE_S + 3
        with pytest.raises(PlatformError):
            await block
        assert gone_within(1, lambda: marked(mark))

    loop.run(main(), TEST_S)


def test_a_host_that_never_played_closes_at_once():
    async def main() -> None:
        async with host({}) as house:
            assert await house.take_logs() == []
        assert await house.take_logs() == []
        await house.close()
        launcher = LauncherClient()
        await launcher.close()

    loop.run(main(), TEST_S)


SCRIPT = """
import asyncio, sys
sys.path[:0] = {path!r}
from tests.referee.hosting import *
from tests.referee.test_host import UNTIMED

async def main():
    async with host(dict(silent=hostile("silent", {mark!r}), daemons=hostile("daemons", {mark!r}))) as house:
        print(house._folder, flush=True)
        await play(house, ("silent", "daemons", "silent", "daemons"), clocks=UNTIMED)

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_host_that_is_interrupted_or_killed_leaves_nothing(number, tmp_path):
    mark = new_mark()
    script = tmp_path / "host.py"
    script.write_text(SCRIPT.format(path=[str(ROOT)], mark=mark))
    with subprocess.Popen(
        [sys.executable, "-X", "dev", str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, text=True,
        start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert folder.is_dir()
        loop.run(until(lambda: len(marked(mark)) == 10, "four bots and six daemons live", 60), TEST_S)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as Ctrl-C does
        else:
            process.send_signal(number)
        _, errors = process.communicate(timeout=GRACE_S + 20)
    assert gone_within(5, lambda: marked(mark))
    assert gone_within(5, lambda: [each for each in psutil.process_iter() if is_launcher(each, process.pid)])
    assert not folder.exists()
    if number == signal.SIGINT:
        assert errors.rstrip().endswith("KeyboardInterrupt")
        assert "never" not in errors  # retrieved, awaited
        assert "Warning" not in errors


def is_launcher(process: psutil.Process, group: int) -> bool:
    try:
        return os.getpgid(process.pid) == group
    except ProcessLookupError:
        return False


def test_what_killed_hosts_have_left_is_swept_and_what_living_ones_hold_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names = ("km-abandoned", "km-fresh", "another")
    for name in names:
        (tmp_path / name / "1").mkdir(parents=True)
    for name in ("km-abandoned", "another"):
        os.utime(tmp_path / name, (0, 0))

    async def main() -> None:
        async with host({}) as first:
            os.utime(first._folder, (0, 0))
            async with host({}) as second:
                assert {each.name for each in tmp_path.iterdir()} == {
                    "km-fresh", "another", first._folder.name, second._folder.name
                }  # fmt: skip

    loop.run(main(), TEST_S)
    assert {each.name for each in tmp_path.iterdir()} == {"km-fresh", "another"}


# The same seeds and the same bots give the same records.


def test_records_do_not_depend_on_how_many_tables_are_played_at_once():
    bots = {"west": good("lowest"), "south": good("greedy"), "east": good("cautious")}
    corner = RULESETS["kings_corner"].game()
    seatings = [FOUR, (FOUR[1], FOUR[0], FOUR[3], FOUR[2])]
    patient = Clocks(budget_ms=60_000)

    async def block(house: Host, permits: asyncio.Semaphore, number: int, game) -> dict[str, str]:
        specs = [
            spec(players, f"{number}-{game.ruleset}-{k}", game=game, seed=bytes([number]) * 32, clocks=patient)
            for k, players in enumerate(seatings)
        ]
        tables = await house.play(specs, [keys(players) for players in seatings], permits)
        assert not any(any(table.faults) for table in tables)
        return {table.spec.match_id: table.record_hash() for table in tables}

    async def main() -> None:
        async with Host(LauncherClient(), dict.fromkeys(FOUR, good()) | bots) as house:
            alone: dict[str, str] = {}
            one, many = asyncio.Semaphore(1), asyncio.Semaphore(200)
            for number in range(2):
                alone |= await block(house, one, number, RULESETS["king.fetes"].game())
                alone |= await block(house, one, number, corner)
            crowd = [block(house, many, number, RULESETS["king.fetes"].game()) for number in range(6)]
            crowd += [block(house, many, number, corner) for number in range(94)]
            together: dict[str, str] = {}
            for hashes in await asyncio.gather(*crowd):
                together |= hashes
        assert len(together) == 200
        assert len(set(together.values())) == 200
        assert {name: together[name] for name in alone} == alone

    loop.run(main(), TEST_S)


def test_commands_are_values():
    assert Command(("bot",)) == Command(("bot",), None)
