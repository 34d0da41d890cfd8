"""Builds of strangers' code: in the sandbox, without network, with limits of their own; a plain copy of the outcome stays."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster.intake import trees
from cluster.intake.trees import Tree
from referee.isolation import tiers
from referee.isolation.cells import SEAT_VARIABLE, sweep
from referee.isolation.limits import Limits
from referee.processes import Command

if TYPE_CHECKING:
    from referee.processes import LauncherClient

#: How often the size of what a build writes is looked at.
LOOK_S = 0.2


@dataclass(frozen=True, kw_only=True)
class BuildLimits:
    """What a build may use: seconds by the clock, what its processes may, and megabytes and files that it leaves."""

    wall_s: float = 120.0
    processes: Limits = Limits(memory_mb=2048, processes=256, cpu=2.0, scratch_mb=512, output_mb=64)  # noqa: RUF009  # a frozen value
    tree_mb: int = 512
    tree_entries: int = 20_000


@dataclass(frozen=True)
class Built:
    """How a build ended.

    ``why``: why it failed, empty where it did not; ``tree``: what it left, then; ``left_out``: links and the like that were
    not copied; ``stdout``, ``stderr``: capped.
    """

    why: str
    stdout: str
    stderr: str
    tree: Tree | None = None
    left_out: int = 0

    @property
    def succeeded(self) -> bool:
        """It did what it should, within its limits."""
        return not self.why


async def build(
    launcher: LauncherClient, source: Path, words: Sequence[str], target: Path, *, tier: str = tiers.DEFAULT,
    reads: Sequence[str] = (), limits: BuildLimits | None = None,
) -> Built:  # fmt: skip
    """Run a build command on a copy of a folder, and copy what is there afterwards to ``target``, which it makes.

    ``reads``: folders that the build may read, such as one of wheels. Where the build fails there is no ``target``, and nothing of
    it is left either way.
    """
    limits = limits or BuildLimits()
    staging = Path(tempfile.mkdtemp(prefix="km-build-"))
    try:
        os.chmod(staging, 0o711)
        work, seat = staging / "work", staging / "seat"
        trees.copy(source, work)
        seat.mkdir()
        command = Command(
            tuple(words), str(work), tier, tuple(reads), (str(work),), limits=limits.processes
        )
        env = {"PATH": os.environ.get("PATH", ""), SEAT_VARIABLE: str(seat)}
        exit = launcher.start(staging.name, command, env)
        why = await _watch(exit, work, limits)
        if not exit.done():
            launcher.stop(staging.name, 0.0)
        event = await exit
        why = why or _failure(event) or _too_much(work, limits)
        if why:
            return Built(why, event["stdout"], event["stderr"])
        left_out = trees.copy(work, target)
        return Built("", event["stdout"], event["stderr"], trees.measure(target), left_out)
    finally:
        sweep(staging)
        shutil.rmtree(staging, ignore_errors=True)


async def _watch(exit: asyncio.Future[dict[str, Any]], work: Path, limits: BuildLimits) -> str:
    """Wait for the end of a build; return which of its limits came before."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limits.wall_s
    while True:
        await asyncio.wait({exit}, timeout=min(LOOK_S, max(0.0, deadline - loop.time())))
        if exit.done():
            return ""
        if loop.time() >= deadline:
            return f"it took longer than {limits.wall_s:g} seconds"
        if too_much := await asyncio.to_thread(_too_much, work, limits):
            return too_much


def _too_much(work: Path, limits: BuildLimits) -> str:
    count, size = trees.weight(work)
    if size > limits.tree_mb << 20:
        return f"it wrote more than {limits.tree_mb} MB"
    return f"it made more than {limits.tree_entries} files" if count > limits.tree_entries else ""


def _failure(event: dict[str, Any]) -> str:
    code = event["code"]
    how = f"killed by signal {-code}" if code < 0 else f"exited with status {code}" if code else ""
    return f"{how}: {event['limit']}" if how and event["limit"] else how
