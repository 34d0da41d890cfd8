"""The tiers: which there are, why one cannot be had here, and what it lacks here."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable
from dataclasses import dataclass

from referee.isolation import bubblewrap, cgroups, landlock, oci, seccomp, users
from referee.isolation.bubblewrap import Bubblewrapped
from referee.isolation.cells import Cell, Landlocked, Order, has_mounts
from referee.isolation.oci import Contained

_CELLS: dict[str, Callable[[Order], Cell]] = {
    "trusted": Cell, "landlock": Landlocked, "bubblewrap": Bubblewrapped, "oci": Contained,
}  # fmt: skip
#: Weakest first. The first is for one's own bots, the others for anybody's.
TIERS = tuple(_CELLS)
TRUSTED = TIERS[0]
#: What a record says of a bot that runs elsewhere: nothing here isolates it, and nothing here is exposed to it.
REMOTE = "remote"
#: For strangers' bots, where nothing else is asked for.
DEFAULT = "bubblewrap"


@dataclass(frozen=True)
class Standing:
    """How bots of a tier are kept on this machine: the tier, and what it lacks here."""

    tier: str
    weaknesses: tuple[str, ...] = ()


def open_cell(tier: str, order: Order) -> Cell:
    """The cell for a bot, in the tier that was asked for.

    Raises:
        OSError: the bot's own folder is missing or unreadable, or the system refused something.
        IsolationError: the tier cannot be had here.
    """
    return _CELLS[tier](order)


def why_not(tier: str) -> str:
    """Why a tier cannot be had on this machine, as far as can be told without trying; empty where it can."""
    if tier in (TRUSTED, REMOTE):
        return ""
    if platform.machine() not in seccomp.MACHINES:
        return f"the system calls of a {platform.machine()} are not known; known are {', '.join(seccomp.MACHINES)}"
    if tier == "landlock":
        return landlock.why_not()
    if tier == "bubblewrap":
        return "" if shutil.which(bubblewrap.PROGRAM) else "bubblewrap is not installed: there is no program bwrap on the path"
    return oci.why_not()


def standing(tier: str) -> Standing:
    """What a tier lacks on this machine; nothing where the host lets us do all that we want."""
    if tier in (TRUSTED, REMOTE):
        return Standing(tier)
    found, can = [], cgroups.controllers()
    if not users.can_switch():
        found.append("shared user")
    if "memory" not in can:
        found.append("no memory limit")
    if "pids" not in can and not users.can_switch():
        found.append("no process limit")
    if "cpu" not in can:
        found.append("no CPU limit")
    if tier == "landlock" and not has_mounts():
        found.append("no disk limit")
    if tier == "landlock" and landlock.abi() < landlock.SCOPE_ABI:
        found.append("abstract sockets and signals of the same user")
    return Standing(tier, tuple(found))


