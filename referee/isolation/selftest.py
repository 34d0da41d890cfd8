"""Looks from inside at what a tier denies, and compares it line by line with what it has to deny.

No stranger's bot is started on a machine where anything differs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import secrets
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.isolation import seccomp, tiers
from referee.isolation.cells import SEAT_VARIABLE, sweep
from referee.isolation.errors import IsolationError
from referee.isolation.limits import Limits

if TYPE_CHECKING:
    from referee.processes import Command, LauncherClient

PROBE = str(Path(__file__).with_name("probe.py"))
LIMITS = Limits(memory_mb=64, processes=32, scratch_mb=4)
PATIENCE_S = 60.0
_HIDDEN = "ENOENT|EACCES"
_FIXED = "EROFS|EACCES"
#: For each probe the answers that are right, a regular expression; where tiers differ, by tier.
EXPECTED: dict[str, str | dict[str, str]] = {
    "descriptors": "0 1 2",
    "environment": {
        "landlock": "HOME KINGMAKER_SEAT LANG PATH TMPDIR", "bubblewrap": "HOME KINGMAKER_SEAT LANG PATH PWD",
        "oci": "HOME KINGMAKER_SEAT LANG PATH PWD",
    },
    "environments of others": {"landlock": "none", "bubblewrap": "PATH", "oci": "HOME KINGMAKER_SEAT LANG PATH"},
    "token outside its file": "nowhere",
    "user": r"[1-9]\d*",
    "capabilities": "0 0",
    "no new privileges": "1",
    "seccomp": "2",
    "TCP to the host": {"landlock": "EAFNOSUPPORT", "bubblewrap": "ECONNREFUSED", "oci": "ECONNREFUSED|ENETUNREACH"},
    "UDP": {"landlock": "EAFNOSUPPORT", "bubblewrap": "ENETUNREACH", "oci": "ENETUNREACH"},
    "abstract socket of the host": {"landlock": "EPERM", "bubblewrap": "ECONNREFUSED", "oci": "ECONNREFUSED"},
    "vsock": "EAFNOSUPPORT",
    "own socket": "done",
    "socket of another seat": _HIDDEN,
    "token of another seat": _HIDDEN,
    "folder of another bot": _HIDDEN,
    "/etc/shadow": _HIDDEN,
    "home folder": _HIDDEN,
    "write to /": _FIXED,
    "write to /usr": _FIXED,
    "write to the seat": _FIXED,
    "write to its own folder": _FIXED,
    "write to /dev": _FIXED,
    "scratch": "done",
    "more than the scratch holds": "ENOSPC",
    "one huge file": "ENOSPC|EFBIG",
    "more than shared memory holds": f"ENOSPC|{_HIDDEN}",
    "other processes": {"landlock": "0", "bubblewrap": "1", "oci": "1"},
    "signal to the host": {"landlock": "EPERM", "bubblewrap": "ESRCH", "oci": "ESRCH"},
    **dict.fromkeys(
        ("unshare", "clone of a user namespace", "mount", "io_uring", "keyctl", "ptrace", "bpf", "perf",
         "userfaultfd", "flock", "fcntl lock", "TIOCSTI", "TIOCSTI + 2³²", "idle scheduling", "sched_setattr",
         "a lower priority"),
        "EPERM",
    ),
    "a lower priority of the session": f"{_FIXED}|ENOENT",
    "clone3": "ENOSYS",
    "more memory than allowed": "out of memory",
    "more processes than allowed": "too many processes|EAGAIN",
}  # fmt: skip
#: Probes that say nothing where a tier has this weakness, which the record of every match names.
EXCUSED = {
    "shared user": ("socket of another seat",),
    "no memory limit": ("more memory than allowed",),
    "no process limit": ("more processes than allowed",),
    "no disk limit": ("more than the scratch holds",),
    "abstract sockets and signals of the same user": ("abstract socket of the host", "signal to the host"),
}


@dataclass
class Report:
    """What a tier denies on this machine.

    ``why_not``: why it cannot be had; ``answers`` by probe; ``wrong``: a sentence for each that is not as it must be.
    """

    tier: str
    why_not: str = ""
    weaknesses: tuple[str, ...] = ()
    answers: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Strangers' bots may be started in it."""
        return not self.why_not and not self.wrong


async def require(launcher: LauncherClient, tier: str) -> None:
    """See that a tier denies what it has to.

    Raises:
        IsolationError: it does not; the text says what differs.
    """
    report = await examine(launcher, tier)
    if not report.sound:
        raise IsolationError(f"no {tier} isolation on this machine: {report.why_not or '; '.join(report.wrong)}")


async def examine(launcher: LauncherClient, tier: str) -> Report:
    """Try a tier from inside; the launcher must be open."""
    report = Report(tier, tiers.why_not(tier))
    if report.why_not:
        return report
    report.weaknesses = tiers.standing(tier).weaknesses
    excused = {probe for weakness in report.weaknesses for probe in EXCUSED.get(weakness, ())}
    try:
        with _scene() as scene:
            report.answers = await _answers(launcher, tier, scene, excused)
    except IsolationError as error:
        report.why_not = str(error)
        return report
    for probe, expected in EXPECTED.items():
        right = expected if isinstance(expected, str) else expected[tier]
        given = report.answers.get(probe, "no answer")
        if probe not in excused and not re.fullmatch(right, given):
            report.wrong.append(f"{probe}: {given} instead of {right.replace('|', ' or ')}")
    return report


@dataclass(frozen=True)
class _Scene:
    """What is laid out for the probe to find, and not to find."""

    folder: Path
    targets: dict[str, Any]

    def command(self, tier: str, exceed: str = "") -> Command:
        from referee.processes import Command  # which the launcher must not import

        words = (sys.executable, "-I", "-S", PROBE, json.dumps(self.targets | {"exceed": exceed}))
        return Command(words, str(self.folder / "own"), tier, limits=LIMITS)


@contextlib.contextmanager
def _scene() -> Iterator[_Scene]:
    folder = Path(tempfile.mkdtemp(prefix="km-"))
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        stack.callback(sweep, folder)
        for name in ("other", "own", "bot"):
            (folder / name).mkdir(mode=0o755)
        (folder / "bot" / "bot.py").touch()
        stack.enter_context(_seat(folder / "other"))
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        name = f"kingmaker-probe-{secrets.token_hex(8)}"
        abstract.bind("\0" + name)
        abstract.listen()
        yield _Scene(folder, {
            "tcp": tcp.getsockname()[1], "abstract": name, "other": str(folder / "other"), "bot": str(folder / "bot"),
            "own": str(folder / "own"), "home": _home(), "pid": os.getpid(), "scratch": LIMITS.scratch_mb,
            "memory": LIMITS.memory_mb, "processes": LIMITS.processes, "calls": seccomp.numbers(),
        })  # fmt: skip


@contextlib.contextmanager
def _seat(folder: Path) -> Iterator[None]:
    """A seat with its socket and token."""
    folder.mkdir(exist_ok=True)
    (folder / "token").write_text(secrets.token_hex(32))
    (folder / "token").chmod(0o600)
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(str(folder / "ref.sock"))
        own.listen()
        yield


def _home() -> list[str]:
    """Some things in the home folder that nobody needs."""
    home = Path.home()
    shown = [Path(each) for each in (sys.executable, sys.base_prefix, PROBE)]
    try:
        found = [each for each in home.iterdir() if not any(path.is_relative_to(each) for path in shown)]
    except OSError:
        return []
    return [str(each) for each in sorted(found)[:10]]


async def _answers(launcher: LauncherClient, tier: str, scene: _Scene, excused: set[str]) -> dict[str, str]:
    event = await _run(launcher, scene, tier)
    try:
        answers: dict[str, str] = json.loads(event["stdout"])
    except ValueError:
        told = (event["stderr"] or event["stdout"] or "nothing").strip()
        raise IsolationError(f"the probe ended with status {event['code']} and said: {told[-500:]}") from None
    if "more memory than allowed" not in excused:
        event = await _run(launcher, scene, tier, "memory")
        answers["more memory than allowed"] = event["limit"] or f"status {event['code']}"
    if "more processes than allowed" not in excused:
        event = await _run(launcher, scene, tier, "processes")
        answers["more processes than allowed"] = event["limit"] or event["stdout"].strip()
    return answers


async def _run(launcher: LauncherClient, scene: _Scene, tier: str, exceed: str = "") -> dict[str, Any]:
    name = f"probe-{tier}-{exceed or 'look'}"
    seat = scene.folder / name
    env = {"PATH": os.environ.get("PATH", ""), SEAT_VARIABLE: str(seat)}
    with _seat(seat):
        exit = launcher.start(name, scene.command(tier, exceed), env)
        try:
            await asyncio.wait({exit}, timeout=PATIENCE_S)
            if not exit.done():
                launcher.stop(name, 0.0)
            return await exit
        except Exception as error:  # the launcher says why it could not start it
            raise IsolationError(str(error)) from error


#: Tiers that were looked at in this process, and are as they must be.
_SOUND = {tiers.TRUSTED}


async def see_to(wanted: set[str], launcher: LauncherClient) -> None:
    """See once that this machine can give these tiers; see `require`."""
    for tier in sorted(wanted - _SOUND):
        await require(launcher, tier)
        _SOUND.add(tier)
