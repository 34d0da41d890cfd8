"""Builds of strangers: each bad one fails within its limits, and nothing is left of it."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cluster.intake.build import BuildLimits, Built, build
from referee.isolation.limits import Limits
from referee.processes import LauncherClient
from tests import loop
from tests.isolation.sandboxed import TIERS, no_groups_within
from tests.referee.hosting import gone_within, marked, new_mark

LIMITS = BuildLimits(
    wall_s=60.0, processes=Limits(memory_mb=128, processes=40, scratch_mb=4, output_mb=8), tree_mb=8, tree_entries=50
)
PYTHON = [sys.executable, "-I", "-S", "-c"]
NETWORK = "import socket; socket.create_connection(('127.0.0.1', 80), 5)"
DAEMONS = """
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(1000)", sys.argv[1]])
    os._exit(0)
time.sleep(0.2)
"""
OUTPUT = """
import os
os.mkdir('out')
with open('out/bot', 'w') as file:
    file.write(open('source.txt').read() * 2)
os.chmod('out/bot', 0o4755)
os.symlink('/etc/passwd', 'out/passwd')
os.mkfifo('out/fifo')
print('built')
"""
#: The code of a build, and why it fails.
BAD = {
    "network": (NETWORK, "exited with status 1"),
    "hang": ("import time; time.sleep(1000)", "it took longer than 1.5 seconds"),
    "print": ("while True: print('x' * 60000)", "killed by signal 9: too much output"),
    "memory": ("x = [bytearray(b'x') * (1 << 20) for _ in range(500)]", "killed by signal 9: out of memory"),
    "disk": ("import time; [open(f'f{n}', 'wb').write(bytes(3 << 20)) for n in range(5)]; time.sleep(1000)", "it wrote more than 8 MB"),
    "files": ("[open(f'f{n}', 'w') for n in range(60)]", "it made more than 50 files"),
    "status": ("import sys; sys.exit('no compiler')", "exited with status 1"),
}


@pytest.fixture(params=TIERS[:2])
def tier(request: pytest.FixtureRequest) -> str:
    return request.param


def run(tier: str, folder: Path, *builds: tuple[list[str], str]) -> list[Built]:
    """Build from the same folder, one after the other; each ends in a folder of its name, if it does."""
    (folder / "source").mkdir()
    (folder / "source" / "source.txt").write_text("word ")

    async def main() -> list[Built]:
        launcher = LauncherClient()
        await launcher.open()
        try:
            return [
                await build(
                    launcher, folder / "source", words, folder / name, tier=tier,
                    limits=replace(LIMITS, wall_s=1.5) if name == "hang" else LIMITS,
                )
                for words, name in builds
            ]  # fmt: skip
        finally:
            await launcher.close()

    return loop.run(main(), 200)


def test_a_bad_build_fails_within_its_limits_and_leaves_nothing(tier, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir(mode=0o711)
    outcomes = run(tier, tmp_path, *(([*PYTHON, code], name) for name, (code, _) in BAD.items()))
    assert {name: built.why for name, built in zip(BAD, outcomes, strict=True)} == {name: why for name, (_, why) in BAD.items()}
    assert "no compiler" in outcomes[-1].stderr
    assert len(outcomes[2].stdout) < 200_000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source", "temporary"]
    assert list((tmp_path / "temporary").iterdir()) == []
    assert no_groups_within(10, "km-build-")
    assert [path.name for path in (tmp_path / "source").iterdir()] == ["source.txt"]


def test_a_build_is_copied_without_its_links_and_its_daemons_are_gone(tier, tmp_path):
    mark = new_mark()
    (built,) = run(tier, tmp_path, ([*PYTHON, OUTPUT + DAEMONS, mark], "good"))
    assert built.succeeded, built
    assert built.stdout == "built\n"
    assert built.left_out == 2
    assert {str(path.relative_to(tmp_path / "good")) for path in (tmp_path / "good").rglob("*")} == {"source.txt", "out", "out/bot"}
    assert (tmp_path / "good" / "out" / "bot").read_text() == "word word "
    assert (tmp_path / "good" / "out" / "bot").stat().st_mode & 0o7777 == 0o755
    assert (tmp_path / "good" / "out" / "bot").stat().st_uid == (tmp_path / "source").stat().st_uid
    assert built.tree is not None
    assert built.tree.files == 2
    assert gone_within(0, lambda: marked(mark))


def test_a_tier_that_cannot_be_had_fails_and_is_not_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Exception, match="bubblewrap is not installed"):
        run("bubblewrap", tmp_path, (["true"], "x"))
