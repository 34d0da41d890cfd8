"""A host plays matches: it starts bots through its launcher, serves each on its socket, and runs their tables.

Create the `LauncherClient` before anything opens a gRPC channel or server in the process.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from referee.link import Link
from referee.room import Room, Sitting
from referee.rules.errors import KingmakerError
from referee.service import BotServer
from referee.table import MatchSpec, Table

GRACE_S = 2.0
#: A bot that failed to start so often in a row is not started again: its seats forfeit.
MAX_FAILED_STARTS = 3
#: Settings of the host that a bot process may see; everything else stays here, tokens above all.
PASSED_ENV = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE")
SEAT_VARIABLE = "KINGMAKER_SEAT"


class PlatformError(KingmakerError):
    """The platform failed, not a bot: what was being played is void, and is to be played again."""


@dataclass(frozen=True)
class Command:
    """How a bot is started: the words of its command, and the folder it is started in."""

    words: tuple[str, ...]
    cwd: str | None = None


class ProcessKey(NamedTuple):
    """Which process plays a seat: bots by name; a process never holds two seats of one table (``copy``)."""

    bot: str
    copy: int
    lane: int


@dataclass(frozen=True)
class ProcessLog:
    """What a bot process printed since the last time, capped.

    ``code``: how it ended, a negative one is a signal; None while it lives.
    """

    bot: str
    copy: int
    lane: int
    code: int | None
    stdout: str
    stderr: str


class LauncherClient:
    """The host's side of `referee.launcher`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "referee.launcher"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True
        )
        self._exits: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._reader: asyncio.Task[None] | None = None
        self._peeks: dict[int, asyncio.Future[None]] = {}
        self._printed: list[dict[str, Any]] = []

    async def open(self) -> None:
        """Begin to listen, on the running loop."""
        loop = asyncio.get_running_loop()
        stream = asyncio.StreamReader(limit=1 << 22)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), self._process.stdout)
        self._reader = loop.create_task(self._listen(stream))

    def start(self, name: str, command: Command, env: dict[str, str]) -> asyncio.Future[dict[str, Any]]:
        """Start a process; the result is its `exited` event, or a PlatformError where the launcher failed."""
        future = self._exits[name] = asyncio.get_running_loop().create_future()
        self._say(start=name, command=list(command.words), cwd=command.cwd, env=env)
        return future

    def stop(self, name: str, grace_s: float) -> None:
        """SIGTERM now, SIGKILL of the whole tree after the grace."""
        self._say(stop=name, grace_s=grace_s)

    async def peek(self) -> list[dict[str, Any]]:
        """Return the `printed` events of all living processes."""
        if self._reader is not None and not self._reader.done():
            number = len(self._peeks) + 1
            self._peeks[number] = asyncio.get_running_loop().create_future()
            self._say(peek=number)
            await asyncio.wait({self._peeks[number], self._reader}, return_when=asyncio.FIRST_COMPLETED)
        printed, self._printed = self._printed, []
        return printed

    async def close(self) -> None:
        """End every bot, and the launcher."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        if self._reader is not None:
            await self._reader
        await asyncio.to_thread(self._process.wait)

    def _say(self, **request: Any) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write((json.dumps(request) + "\n").encode())
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise PlatformError("the launcher is gone") from error

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        while line := await stream.readline():
            event = json.loads(line)
            if "exited" in event:
                self._exits.pop(event["exited"]).set_result(event)
            elif "printed" in event:
                self._printed.append(event)
            elif "peeked" in event:
                self._peeks[event["peeked"]].set_result(None)
            elif "failed" in event:
                self._exits.pop(event["failed"]).set_exception(PlatformError(f"launcher: {event['why']}"))
        for future in self._exits.values():
            if not future.done():
                future.set_exception(PlatformError("the launcher is gone"))


class _BotProcess:
    """One living bot process, its link and its server."""

    def __init__(self, key: ProcessKey, link: Link, server: BotServer, folder: Path) -> None:
        self.key = key
        self.link = link
        self.server = server
        self.folder = folder
        self.exit: asyncio.Future[dict[str, Any]] | None = None


class Host:
    """Plays matches with these bots, each by its command.

    ``start_timeout_s``: time for a process to say hello. Use as ``async with``.
    """

    def __init__(self, launcher: LauncherClient, bots: dict[str, Command], *, start_timeout_s: float = 30.0) -> None:
        self._launcher = launcher
        self._bots = bots
        self._start_timeout_s = start_timeout_s
        self._room = Room(self._changed)
        self._folder = Path(tempfile.mkdtemp(prefix="km-"))
        self._processes: dict[ProcessKey, asyncio.Task[_BotProcess]] = {}
        self._servers: dict[Link, BotServer] = {}
        self._failed_starts: dict[ProcessKey, int] = {}
        self._keys: dict[str, ProcessKey] = {}
        self._broken: asyncio.Future[None] | None = None
        self.logs: list[ProcessLog] = []

    async def __aenter__(self) -> Host:
        await self._launcher.open()
        self._broken = asyncio.get_running_loop().create_future()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def play(self, specs: Sequence[MatchSpec], seats: Sequence[Sequence[ProcessKey]], permits: asyncio.Semaphore
                   ) -> list[Table]:  # fmt: skip
        """Play the matches of one block, each when a permit is free; ``seats``: the processes of each match by seat.

        The seed is told to the bots when all are over: they share it.

        Raises:
            PlatformError: something here broke; nothing of the block counts.
        """
        assert self._broken is not None
        games = asyncio.gather(*(self._play_one(s, k, permits) for s, k in zip(specs, seats, strict=True)))
        try:
            await asyncio.wait({games, self._broken}, return_when=asyncio.FIRST_COMPLETED)
            if self._broken.done():
                self._broken.result()
            sittings = games.result()
        finally:
            games.cancel()
        for sitting in sittings:
            self._room.end(sitting)
        return [sitting.table for sitting in sittings]

    async def take_logs(self) -> list[ProcessLog]:
        """Return what the processes printed since the last time, those that ended meanwhile included.

        A process that lives and printed nothing has no entry, nor has anything when the launcher is gone.
        """
        printed = await self._launcher.peek()
        living = [ProcessLog(*self._keys[event["printed"]], None, event["stdout"], event["stderr"]) for event in printed]
        ended, self.logs = self.logs, []
        return living + ended

    async def close(self) -> None:
        """Say goodbye to every bot, and end all processes."""
        tasks = [task for task in self._processes.values() if task.done() and not task.exception()]
        for task in self._processes.values():
            task.cancel()
        await asyncio.gather(*(self._end(task.result()) for task in tasks))
        await self._launcher.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        if self._broken is not None and self._broken.done():
            self._broken.exception()

    async def _play_one(self, spec: MatchSpec, keys: Sequence[ProcessKey], permits: asyncio.Semaphore) -> Sitting:
        async with permits:
            processes = await asyncio.gather(*(self._process(key) for key in keys))
            done: asyncio.Future[Sitting] = asyncio.get_running_loop().create_future()

            def finished(sitting: Sitting) -> None:
                if not done.done():
                    done.set_result(sitting)

            self._room.start(spec, [process.link for process in processes], finished)
            return await done

    async def _process(self, key: ProcessKey) -> _BotProcess:
        task = self._processes.get(key)
        if task is not None and task.done() and task.result().link.gone is not None:
            if self._failed_starts.get(key, 0) >= MAX_FAILED_STARTS:
                return task.result()
            task = None
        if task is None:
            task = self._processes[key] = asyncio.create_task(self._launch(key))
        return await asyncio.shield(task)

    async def _launch(self, key: ProcessKey) -> _BotProcess:
        name = str(len(self._keys) + 1)
        self._keys[name] = key
        folder = self._folder / name
        folder.mkdir(mode=0o711)
        token = secrets.token_hex(32)
        (folder / "token").touch(mode=0o400)
        os.chmod(folder / "token", 0o600)
        (folder / "token").write_text(token)
        link = self._room.link(key.bot)
        server = self._servers[link] = BotServer(link, token)
        await server.listen(str(folder / "ref.sock"))
        process = _BotProcess(key, link, server, folder)
        env = {name: value for name in PASSED_ENV if (value := os.environ.get(name)) is not None}
        process.exit = self._launcher.start(name, self._bots[key.bot], env | {SEAT_VARIABLE: str(folder)})
        process.exit.add_done_callback(lambda exit: self._exited(process, exit))
        connected = asyncio.create_task(server.connected.wait())
        done, _ = await asyncio.wait(
            {connected, process.exit}, timeout=self._start_timeout_s, return_when=asyncio.FIRST_COMPLETED
        )
        if connected in done:
            self._failed_starts[key] = 0
        else:
            connected.cancel()
            self._failed_starts[key] = self._failed_starts.get(key, 0) + 1
            link.lost("start time-out")
            self._launcher.stop(name, 0.0)
        return process

    def _exited(self, process: _BotProcess, exit: asyncio.Future[dict[str, Any]]) -> None:
        if exit.cancelled():
            return
        error = exit.exception()
        if error is not None:
            assert self._broken is not None
            if not self._broken.done():
                self._broken.set_exception(error)
            return
        event = exit.result()
        self.logs.append(ProcessLog(*process.key, event["code"], event["stdout"], event["stderr"]))
        process.link.lost(_ending(event["code"]))
        asyncio.get_running_loop().create_task(self._retire(process))

    async def _retire(self, process: _BotProcess) -> None:
        self._servers.pop(process.link, None)
        await process.server.close("the process has ended")
        shutil.rmtree(process.folder, ignore_errors=True)

    async def _end(self, process: _BotProcess) -> None:
        assert process.exit is not None
        if process.exit.done():
            return
        await process.server.close("no more matches")
        try:
            await asyncio.wait_for(asyncio.shield(process.exit), GRACE_S)
        except TimeoutError:
            self._launcher.stop(process.folder.name, 0.5)
            await asyncio.wait({process.exit}, timeout=GRACE_S)
        except PlatformError:
            pass  # the launcher is gone, and its bots with it

    def _changed(self, link: Link) -> None:
        server = self._servers.get(link)
        if server is not None:
            server.changed()


def _ending(code: int) -> str:
    return f"killed by signal {-code}" if code < 0 else f"exited with status {code}"
