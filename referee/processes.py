"""The host's side of the launcher: it asks for processes to be started and ended, and hears what became of them."""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from referee.isolation.limits import Limits
from referee.launcher import END_S
from referee.rules.errors import KingmakerError

#: A launcher that is silent for so long has hung.
PONG_S = 30.0


class PlatformError(KingmakerError):
    """The platform failed, not a bot: what was being played is void, and is to be played again."""


class Overloaded(PlatformError):
    """For very long a bot got next to no processor: nobody can say whether it is slow."""


@dataclass(frozen=True)
class Command:
    """How a bot is started: the words of its command, and the folder it is started in.

    ``tier``: how it is isolated, see `referee.isolation`; ``reads``, ``writes``: what a confined bot may read and write
    beyond that folder and its runtime.
    """

    words: tuple[str, ...]
    cwd: str | None = None
    tier: str = "trusted"
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)


class LauncherClient:
    """The host's side of `referee.launcher`. ``gone``: done once the launcher has ended."""

    gone: asyncio.Future[None]

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "referee.launcher"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True
        )
        self._exits: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._started: dict[str, Callable[[int], None]] = {}
        self._pongs: dict[int, asyncio.Future[None]] = {}
        self._numbers = itertools.count()
        self._printed: list[dict[str, Any]] = []
        self._requests: asyncio.WriteTransport | None = None
        self._reader: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Begin to listen, on the running loop."""
        loop = asyncio.get_running_loop()
        self.gone = loop.create_future()
        stream = asyncio.StreamReader(limit=1 << 22)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), self._process.stdout)
        self._requests, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._process.stdin)
        self._reader = loop.create_task(self._listen(stream))

    def start(
        self, name: str, command: Command, env: dict[str, str], started: Callable[[int], None] = lambda pid: None
    ) -> asyncio.Future[dict[str, Any]]:
        """Start a process; the result is its `exited` event, or a PlatformError where the launcher failed.

        ``started`` is told its number, once it has one.
        """
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if self.gone.done() or self._requests is None or self._requests.is_closing():
            _break(future)
            return future
        self._exits[name] = future
        self._started[name] = started
        given = asdict(command)
        self._say(start=name, command=given.pop("words"), env=env, **given)
        return future

    def stop(self, name: str, grace_s: float) -> None:
        """SIGTERM now, SIGKILL of the whole tree after the grace."""
        self._say(stop=name, grace_s=grace_s)

    async def ping(self) -> bool:
        """Whether the launcher lives, once it has done all that it was told so far."""
        number = next(self._numbers)
        pong = self._pongs[number] = asyncio.get_running_loop().create_future()
        self._say(ping=number)
        await asyncio.wait({pong, self.gone}, timeout=PONG_S, return_when=asyncio.FIRST_COMPLETED)
        if self._pongs.pop(number, None) is not None:
            self._process.kill()  # it is gone, or has hung
            await self.gone
        return pong.done()

    async def peek(self) -> list[dict[str, Any]]:
        """Return the `printed` events of all living processes; none when the launcher is gone."""
        self._say(peek=True)
        await self.ping()
        printed, self._printed = self._printed, []
        return printed

    async def close(self) -> None:
        """End every bot, and the launcher."""
        if self._requests is None or self._reader is None:
            with self._process as process:  # closes the pipes, and waits
                process.kill()
            return
        self._requests.close()
        await asyncio.wait({self._reader}, timeout=END_S + 1)
        self._process.kill()
        await self._reader
        await asyncio.to_thread(self._process.wait)

    def _say(self, **request: Any) -> None:
        if self._requests is not None and not self.gone.done() and not self._requests.is_closing():
            self._requests.write((json.dumps(request) + "\n").encode())

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        try:
            while (line := await stream.readline()).endswith(b"\n"):
                self._hear(json.loads(line))
        except (ValueError, KeyError):
            pass  # a launcher that talks nonsense is as good as gone
        finally:
            self.gone.set_result(None)
            for future in self._exits.values():
                _break(future)

    def _hear(self, event: dict[str, Any]) -> None:
        if "printed" in event:
            self._printed.append(event)
        elif "pong" in event:
            future = self._pongs.pop(event["pong"], None)
            if future is not None and not future.done():
                future.set_result(None)
        elif "started" in event:
            self._started.pop(event["started"])(event["pid"])
        elif "exited" in event:
            self._exits.pop(event["exited"]).set_result(event)
        elif "failed" in event:
            self._exits.pop(event["failed"]).set_exception(PlatformError(f"launcher: {event['why']}"))


def _break(exit: asyncio.Future[dict[str, Any]]) -> None:
    if not exit.done():
        exit.set_exception(PlatformError("the launcher is gone"))
        exit.exception()  # whether anybody waits for it or not, it has been seen
