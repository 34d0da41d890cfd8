"""A machine that cannot isolate as it has to refuses strangers' bots with the reason, and starts none."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cluster import hosting, tournament
from cluster.arena import Arena
from referee.host import Host
from referee.isolation import landlock, selftest, tiers
from referee.isolation.errors import IsolationError
from referee.processes import LauncherClient
from tests import loop
from tests.isolation.sandboxed import TIERS, no_groups_within, sandboxed
from tests.referee.hosting import gone_within, host, marked, new_mark


def opened(tier: str, mark: str) -> Host:
    async def main() -> Host:
        house = host({"west": sandboxed("closed", tier, mark)})
        async with house:
            return house

    return loop.run(main(), 100)


@pytest.fixture(autouse=True)
def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tier has been looked at yet."""
    monkeypatch.setattr(selftest, "_SOUND", {tiers.TRUSTED})


@pytest.mark.parametrize("tier", TIERS)
def test_this_machine_can_give_every_tier(tier):
    async def main() -> selftest.Report:
        launcher = LauncherClient()
        await launcher.open()
        try:
            return await selftest.examine(launcher, tier)
        finally:
            await launcher.close()

    report = loop.run(main(), 100)
    assert (report.why_not, report.wrong) == ("", [])
    assert report.sound
    assert set(report.answers) == set(selftest.EXPECTED)


@pytest.mark.parametrize("tier", TIERS)
def test_one_answer_that_differs_refuses(tier, monkeypatch):
    monkeypatch.setitem(selftest.EXPECTED, "keyctl", "ENOSYS")
    mark = new_mark()
    with pytest.raises(IsolationError, match=f"no {tier} isolation on this machine: keyctl: EPERM instead of ENOSYS"):
        opened(tier, mark)
    assert gone_within(0, lambda: marked(mark))
    assert no_groups_within(10, "km-")


def test_a_missing_program_refuses(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(IsolationError, match="bubblewrap is not installed"):
        opened("bubblewrap", new_mark())
    with pytest.raises(IsolationError, match="no program that runs OCI bundles is on the path: crun, runc, runsc"):
        opened("oci", new_mark())


@contextmanager
def fake_bwrap(monkeypatch: pytest.MonkeyPatch, text: str) -> Iterator[None]:
    """Another program of this name comes first; it lies where every user may run it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        file = Path(folder, "bwrap")
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        yield


def test_user_namespaces_that_are_switched_off_refuse(monkeypatch):
    """As bwrap says it then."""
    said = "bwrap: No permissions to create a new namespace"
    with fake_bwrap(monkeypatch, f"echo {said} >&2; exit 1"), pytest.raises(IsolationError, match=f"status 1 and said: {said}"):
        opened("bubblewrap", new_mark())


def test_a_sandbox_that_is_none_refuses(monkeypatch):
    """A program that starts the bot without any isolation is found out."""
    with (
        fake_bwrap(monkeypatch, 'while [ "$1" != -- ]; do shift; done\nshift\nexport KINGMAKER_SEAT=/tmp\nexec "$@"'),
        pytest.raises(IsolationError, match="no bubblewrap isolation on this machine"),
    ):
        opened("bubblewrap", new_mark())


def test_a_kernel_without_landlock_refuses(monkeypatch):
    monkeypatch.setattr(landlock, "abi", lambda: 0)
    with pytest.raises(IsolationError, match="this kernel has no Landlock"):
        opened("landlock", new_mark())


def settings(**changes: object) -> tournament.Tournament:
    bot = {"name": "me", "command": f"{sys.executable} bot.py", "cwd": "/srv"}
    data = {"ruleset": "king.simple", "seed": 1, "blocks": 1, "bots": [{"name": "random"}, bot]}
    return tournament.parse(data | changes, "test")


def test_who_gets_which_tier():
    def of(**changes: object) -> list[str]:
        return [command.tier for command in hosting.commands(settings(**changes)).values()]

    assert of() == ["trusted", "bubblewrap"]
    assert of(isolation="landlock") == ["landlock", "landlock"]
    mixed = [{"name": "random", "isolation": "oci"}, {"name": "me", "command": "true", "isolation": "trusted"}]
    assert of(bots=mixed) == ["oci", "trusted"]


def test_a_node_without_bubblewrap_says_what_to_do(monkeypatch, tmp_path):
    (tmp_path / "bot.py").touch()
    bot = {"name": "me", "command": f"{sys.executable} bot.py", "cwd": str(tmp_path)}
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, **more: None if name == "bwrap" else which(name, **more))
    (told,) = hosting.obstacles(settings(bots=[bot]))
    assert told.startswith("isolation of 'me': bubblewrap is not installed")
    assert 'isolation = "trusted"' in told
    assert 'isolation = "landlock"' in told
    assert hosting.obstacles(settings(bots=[bot], isolation="trusted")) == []
    with pytest.raises(IsolationError):
        Arena(settings(bots=[bot]))


def test_a_folder_with_the_seed_is_shown_to_no_stranger(tmp_path):
    for folder in ("cup/bot", "cup/results"):
        (tmp_path / folder).mkdir(parents=True)
    file, results = tmp_path / "cup" / "cup.toml", tmp_path / "cup" / "results"

    def told(folder: str, **more: object) -> list[str]:
        bot = {"name": "me", "command": "true", "cwd": str(tmp_path / folder), **more}
        return list(hosting.exposed(settings(bots=[bot]), [file, results]))

    (sentence,) = told("cup")
    assert f"may read {tmp_path / 'cup'}, and there lies {file}, which holds the secret seed" in sentence
    assert told("cup/bot") == []
    assert told("cup", isolation="trusted") == []
    assert len(told("cup/bot", reads=[str(tmp_path)])) == 1
    (broad,) = told("cup/bot", reads=[str(Path.home())])
    assert "holds far more than one bot" in broad or "holds the secret seed" in broad
    (tmp_path / "link").symlink_to(tmp_path / "cup")
    assert len(told("link")) == 1
