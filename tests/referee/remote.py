"""What tests of remote bots need: a host with a gate, bots that come by themselves, and a line that can be cut."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from referee.gate import Gate, Listen
from referee.host import Host, LauncherClient
from referee.tokens import BadToken
from tests.referee.hosting import GOOD, ROOT, good

TOKENS = {"token of guest": "guest", "token of other": "other"}


def whose(token: str) -> str:
    if token not in TOKENS:
        raise BadToken("the token is unknown here")
    return TOKENS[token]


@asynccontextmanager
async def host(start_timeout_s: float = 60.0, tls: tuple[bytes, bytes] | None = None) -> AsyncIterator[tuple[Host, Gate]]:
    gate = Gate(Listen("127.0.0.1:0", tls), frozenset({"guest"}), whose)
    house = Host(LauncherClient(), dict.fromkeys(GOOD, good()), start_timeout_s=start_timeout_s, gate=gate)
    async with house:
        yield house, gate


@asynccontextmanager
async def guest(address: str, token: str = "token of guest", *more: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process of a remote bot."""
    words = [sys.executable, str(ROOT / "tests" / "hostile" / "remote.py"), "remote", address, token, *more]
    process = await asyncio.create_subprocess_exec(*words, cwd=ROOT, stderr=asyncio.subprocess.PIPE)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


class Line:
    """Carries bytes between a bot and the gate, and breaks where a test says so.

    ``cut_at``: by direction ("up" from the bot), after which pieces of data the connection is cut, counted over all connections.
    ``dead_after``: so many pieces from the bot, and then nothing arrives any more, either way, and nobody is told.
    """

    address: str

    def __init__(self, port: int, cut_at: dict[str, set[int]], dead_after: float = math.inf) -> None:
        self._dead_after = dead_after
        self._port = port
        self._cut_at = cut_at
        self.carried = {"up": 0, "down": 0}
        self.cuts = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Line:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._port)

        def cut() -> None:
            for end in (writer, back):
                end.transport.abort()

        for direction, source, sink in (("up", reader, back), ("down", there, writer)):
            task = asyncio.create_task(self._carry(direction, source, sink, cut))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _carry(
        self, direction: str, source: asyncio.StreamReader, sink: asyncio.StreamWriter, cut: Callable[[], None]
    ) -> None:
        try:
            while data := await source.read(1 << 16):
                self.carried[direction] += 1
                if self.carried[direction] in self._cut_at.get(direction, ()):
                    self.cuts += 1
                    break
                if self.carried["up"] <= self._dead_after:
                    sink.write(data)
        except ConnectionError:
            pass  # cut from the other side
        finally:
            cut()
