"""The end of a bot's cell, when the sweep of a crashed host's folder came first."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from referee.isolation import cells
from tests.isolation.sandboxed import TIERS, groups
from tests.referee.test_launcher import PYTHON, SLEEP, Spoken, launcher

__all__ = ["launcher"]


@pytest.mark.parametrize("tier", TIERS)
def test_a_launcher_survives_that_a_living_bot_s_folder_is_swept(tier: str, launcher: Spoken, tmp_path: Path) -> None:
    seat = tmp_path / "km-test" / "1"
    seat.mkdir(parents=True)
    (seat / "token").touch()
    env = {"PATH": "/usr/bin:/bin", cells.SEAT_VARIABLE: str(seat)}
    launcher.say(start="1", command=[*PYTHON, SLEEP], cwd=None, env=env, tier=tier)
    launcher.hear("started", "1")
    launcher.process.send_signal(signal.SIGSTOP)  # it seems dead, and looks again when all is gone
    cells.sweep(seat.parent)
    shutil.rmtree(seat.parent)
    launcher.process.send_signal(signal.SIGCONT)
    launcher.say(stop="1", grace_s=0)
    assert launcher.hear("exited", "1")["code"] != 0
    launcher.say(ping=1)
    launcher.hear("pong", 1)
    assert groups(seat.parent) == []
    assert not seat.parent.exists()
