"""Launcher and host killed while isolated bots play: no bot lives on, and the next host sweeps what was left."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from referee.host import PlatformError
from tests import loop
from tests.isolation.sandboxed import SMALL, TIERS, groups, sandboxed
from tests.isolation.test_hostile_bots import UNTIMED
from tests.referee.hosting import GOOD, ROOT, gone_within, host, marked, new_mark, play
from tests.referee.test_host import until

SCRIPT = """
import asyncio, sys
sys.path[:0] = {path!r}
from tests.isolation.sandboxed import *
from tests.isolation.test_crashes import ROOMY
from tests.isolation.test_hostile_bots import UNTIMED
from tests.referee.hosting import *

async def main():
    bots = dict(silent=sandboxed("silent", {tier!r}, {mark!r}, limits=ROOMY), daemons=sandboxed("daemons", {tier!r}, {mark!r}, limits=ROOMY))
    async with host(bots) as house:
        print(house._folder, house._launcher._process.pid, flush=True)
        await play(house, ("silent", "daemons", "silent", "daemons"), clocks=UNTIMED)

asyncio.run(main())
"""
#: Nothing here is about memory: five of Python never come near it.
ROOMY = replace(SMALL, memory_mb=512)
#: What lives of two silent bots and two of daemons.py: each leaves three, one of them without an environment, which a sweep after
#: the self-test may take for a stray.
PROCESSES = 2 + 2 * 3
CROWDED = set[str]()

every_tier = pytest.mark.parametrize("tier", [*TIERS[:2], pytest.param("oci", marks=pytest.mark.slow)])


def bots_of(mark: str) -> list[psutil.Process]:
    """The bots themselves, not what holds them."""
    found = []
    for each in marked(mark):
        try:
            if Path(each.name()).name.startswith("python"):
                found.append(each)
        except psutil.NoSuchProcess:
            pass  # it ended meanwhile
    return found


def many(mark: str, count: int) -> bool:
    """Whether so many of them have lived at once; what was seen once is seen, as a sweep may come right after."""
    if len(bots_of(mark)) >= count:
        CROWDED.add(mark)
    return mark in CROWDED


@every_tier
def test_a_launcher_that_is_killed_takes_all_bots_with_it(tier):
    mark = new_mark()

    async def main() -> None:
        bots = {name: sandboxed(name, tier, mark, limits=ROOMY) for name in ("silent", "daemons")}
        async with host(bots) as house:
            block = asyncio.create_task(play(house, ("silent", "daemons", GOOD[0], GOOD[1]), clocks=UNTIMED))
            await until(lambda: block.done() or many(mark, 4), "two bots and their daemons live", 60)
            assert not block.done(), (block.exception(), house._logs)
            house._launcher._process.kill()
            with pytest.raises(PlatformError, match="the launcher is gone"):
                await block
            assert await asyncio.to_thread(gone_within, 5, lambda: marked(mark))
            folder = house._folder
        assert not folder.exists()
        assert groups(folder) == []

    loop.run(main(), 100)


@every_tier
@pytest.mark.parametrize("who", ["host", "both"])
def test_a_host_that_is_killed_leaves_nothing_that_the_next_does_not_sweep(tier, who, tmp_path):
    mark = new_mark()
    tmp_path.chmod(0o711)
    script = tmp_path / "host.py"
    script.write_text(SCRIPT.format(path=[str(ROOT)], mark=mark, tier=tier))
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, cwd=ROOT, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        folder, launcher = process.stdout.readline().split()
        try:
            loop.run(until(lambda: many(mark, PROCESSES), "bots and daemons live", 60), 100)
            if who == "both":
                os.kill(int(launcher), signal.SIGSTOP)  # so that it cannot put things in order
        finally:
            process.kill()
        if who == "both":
            os.kill(int(launcher), signal.SIGKILL)
    if who == "host":
        assert gone_within(5, lambda: marked(mark))

    async def next_host() -> None:
        async with host({}):
            pass

    for _ in range(5):  # what is still dying on a busy machine is left to the one after
        if Path(folder).exists():
            os.utime(folder, (0, 0))
        loop.run(next_host(), 60)
        if not Path(folder).exists():
            break
    assert gone_within(1, lambda: marked(mark))
    assert not Path(folder).exists()
    assert groups(Path(folder)) == []
