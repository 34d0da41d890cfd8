"""Hostile bots as strangers' bots are started: in a tier, from a folder that holds nothing else."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from referee.host import Command
from referee.isolation import cgroups
from referee.isolation.limits import Limits
from tests.referee.hosting import ROOT

HOSTILE = ROOT / "tests" / "hostile"
#: The tiers for strangers.
TIERS = ("landlock", "bubblewrap", "oci")
SMALL = Limits(memory_mb=128, processes=40, scratch_mb=4)


def sandboxed(name: str, tier: str, mark: str, *arguments: str, limits: Limits = SMALL) -> Command:
    return Command((sys.executable, f"{name}.py", mark, *arguments), str(HOSTILE), tier, limits=limits)


def node_bot(tier: str) -> Command:
    folder = ROOT / "bots" / "node"
    modules = str((folder / "node_modules").resolve())  # a link in some working copies
    return Command(("node", "random.js"), str(folder), tier, reads=(modules,))


def no_groups_within(seconds: float, prefix: str) -> bool:
    """Whether the groups of hosts whose folders are called so vanish; others on this machine may be at work too."""
    deadline = time.monotonic() + seconds
    while (left := groups(Path(prefix))) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not left


def groups(folder: Path) -> list[Path]:
    """The control groups of a host's bots that are there."""
    return [found for place in cgroups.places() for found in place.folder.glob(f"{cgroups.PREFIX}{folder.name}*")]
