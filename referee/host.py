"""A host plays matches: it starts bots through its launcher, serves each on its socket, and runs their tables.

Create the `LauncherClient` before anything opens a gRPC channel or server in the process.
"""

from __future__ import annotations

import asyncio
import fcntl
import gc
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from referee import leftovers
from referee.faults import Fault
from referee.gate import Gate
from referee.isolation import cells, selftest
from referee.isolation.cells import SEAT_VARIABLE
from referee.link import Link
from referee.processes import Command, LauncherClient, PlatformError
from referee.room import Room, Sitting
from referee.service import BotServer, Pulse
from referee.table import MatchSpec, Table
from referee.trees import kill_seats

__all__ = ["Command", "Host", "LauncherClient", "PlatformError", "ProcessKey", "ProcessLog"]

#: Tables in progress are many objects and no garbage; to search them as often as Python does took 4 % of the loop's time.
GARBAGE = 20_000, 20, 20
GRACE_S = 2.0
#: What SIGTERM leaves a process, before SIGKILL.
TERM_S = 0.5
#: A bot that failed to start so often in a row is not started again: its seats forfeit.
MAX_FAILED_STARTS = 3
#: So many processes start at a time: a crowd would make each of them miss its time-out.
MAX_STARTING = max(4, 2 * (os.cpu_count() or 1))
#: Settings of the host that a bot process may see; everything else stays here, tokens above all.
PASSED_ENV = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE")


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


class _BotProcess:
    """One bot process, hosted or remote, its link and its server, from start to end.

    ``ready``: it has said hello, or will not. ``ended``: its stream is over, and ``why``. ``over``: all of it is gone;
    ``ending`` says how it came to that, in words for the record.
    """

    def __init__(
        self,
        key: ProcessKey,
        folder: Path,
        link: Link,
        failed: Callable[[Exception], None],
        now: Callable[[], float],
        grace_s: float,
    ) -> None:
        self.key = key
        self.name = folder.name
        self.folder = folder
        self.link = link
        self.token = secrets.token_hex(32)
        self.server = BotServer(link, self.token, lost=self._lost, failed=failed, now=now, grace_s=grace_s)
        self.exit: asyncio.Future[dict[str, Any]] | None = None
        self.ready = asyncio.Event()
        self.ended = asyncio.Event()
        self.over = asyncio.Event()
        self.why = ""
        self.ending = ""

    def _lost(self, why: str) -> None:
        self.why = why
        self.ended.set()


class Host:
    """Plays matches with these bots, each by its command.

    ``start_timeout_s``: time for a process to say hello. Use as ``async with``, which sees first that the machine isolates
    the bots as it has to, and raises an IsolationError where it does not. ``gate``: where remote bots come in.
    """

    _folder: Path
    _held: int
    _broken: asyncio.Future[None]
    _pulse: Pulse

    def __init__(
        self, launcher: LauncherClient, bots: dict[str, Command], *, start_timeout_s: float = 30.0, gate: Gate | None = None
    ) -> None:
        self._gate = gate
        self._launcher = launcher
        self._bots = bots
        self._start_timeout_s = start_timeout_s
        self._room = Room(self._changed)
        self._processes: dict[ProcessKey, _BotProcess] = {}
        self._living: dict[Link, _BotProcess] = {}
        self._lives: set[asyncio.Task[None]] = set()
        self._keys: dict[str, ProcessKey] = {}
        self._failed_starts: dict[ProcessKey, int] = {}
        self._logs: list[ProcessLog] = []
        self._starting = asyncio.Semaphore(MAX_STARTING)
        self._is_closed = False

    async def __aenter__(self) -> Host:
        leftovers.sweep()
        gc.set_threshold(*GARBAGE)
        self._folder = Path(tempfile.mkdtemp(prefix=leftovers.FOLDER_PREFIX))
        self._held = os.open(self._folder, os.O_RDONLY)
        fcntl.flock(self._held, fcntl.LOCK_EX)
        self._broken = asyncio.get_running_loop().create_future()
        await self._launcher.open()
        try:
            await selftest.see_to({command.tier for command in self._bots.values()}, self._launcher)
            if self._gate is not None:
                await self._gate.open()
        except BaseException:
            await self._launcher.close()
            self._leave_nothing()
            raise
        self._launcher.gone.add_done_callback(self._launcher_gone)
        self._pulse = Pulse(self._stalled)
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
        begun: list[tuple[Sitting, list[_BotProcess]]] = []
        block = [asyncio.create_task(self._play_one(s, k, permits, begun)) for s, k in zip(specs, seats, strict=True)]
        games: asyncio.Future[Any] = asyncio.gather(*block)
        is_void = True
        try:
            await asyncio.wait({games, self._broken}, return_when=asyncio.FIRST_COMPLETED)
            if self._broken.done():
                self._broken.result()
            tables: list[Table] = games.result()
            await _tell_endings(begun)
            is_void = False
        except PlatformError:
            raise
        except Exception as error:
            raise PlatformError(f"{type(error).__name__}: {error}") from error
        finally:
            games.cancel()
            await asyncio.gather(games, *block, return_exceptions=True)
            for sitting, _ in begun:
                self._room.end(sitting, is_void=is_void)
        return tables

    def receive_guests(self) -> set[ProcessKey]:
        """Greet the remote bots that stand at the gate; return all that have been greeted and are there, playing or not."""
        assert self._gate is not None
        here = {ProcessKey(bot, copy, 0) for bot, copy in self._gate.here()}
        for key in here:
            if self._gate.waits(key.bot, key.copy):
                self._begun(key)
        known = self._processes
        return {key for key in here if key in known and known[key].server.connected.is_set() and known[key].link.gone is None}

    async def take_logs(self) -> list[ProcessLog]:
        """Return what the processes printed since the last time, those that ended meanwhile included.

        A process that lives and printed nothing has no entry.
        """
        printed = await self._launcher.peek()
        living = [
            ProcessLog(*self._keys[event["printed"]], None, event["stdout"], event["stderr"]) for event in printed
        ]
        ended, self._logs = self._logs, []
        return living + ended

    async def close(self) -> None:
        """Say goodbye to every bot, and end all processes; what is still played is void. Once is enough."""
        if self._is_closed:
            return
        self._is_closed = True
        self._fail(PlatformError("the host is closed"))
        await asyncio.gather(*(self._end(process) for process in list(self._living.values())))
        if self._gate is not None:
            await self._gate.close(GRACE_S)
        await self._launcher.close()
        await asyncio.gather(*self._lives, return_exceptions=True)
        self._pulse.stop()
        self._leave_nothing()

    async def _play_one(
        self, spec: MatchSpec, keys: Sequence[ProcessKey], permits: asyncio.Semaphore,
        begun: list[tuple[Sitting, list[_BotProcess]]],
    ) -> Table:  # fmt: skip
        async with permits:
            processes = await asyncio.gather(*(self._process(key) for key in keys))
            done = asyncio.Event()
            sitting = self._room.start(spec, [process.link for process in processes], lambda _: done.set())
            begun.append((sitting, processes))
            await done.wait()
            return sitting.table

    async def _process(self, key: ProcessKey) -> _BotProcess:
        """The process that plays as ``key``, started if there is none or it is gone."""
        process = self._begun(key)
        await process.ready.wait()
        return process

    def _begun(self, key: ProcessKey) -> _BotProcess:
        process = self._processes.get(key)
        gate = self._gate if key.bot not in self._bots else None
        is_there = gate is not None and gate.waits(key.bot, key.copy)
        if process is None or (process.link.gone and (is_there or self._failed_starts.get(key, 0) < MAX_FAILED_STARTS)):
            name = str(len(self._keys) + 1)
            self._keys[name] = key
            grace_s = 0.0 if gate is None else GRACE_S
            process = _BotProcess(key, self._folder / name, self._room.link(key.bot), self._fail, self._pulse.now, grace_s)
            self._processes[key] = self._living[process.link] = process
            life = asyncio.create_task(self._live(process) if gate is None else self._receive(process, gate))
            self._lives.add(life)
            life.add_done_callback(self._lives.discard)
        return process

    async def _live(self, process: _BotProcess) -> None:
        """Attend to a process from its start to its end."""
        try:
            async with self._starting:
                exit = await self._start(process)
            event = await self._attend(process, exit)
            self._logs.append(ProcessLog(*process.key, event["code"], event["stdout"], event["stderr"]))
            process.ending = _ending(event, process.ending)
            process.link.lost(process.ending)
        except Exception as error:
            self._fail(error)
        finally:
            del self._living[process.link]
            await process.server.close("the process has ended")
            shutil.rmtree(process.folder, ignore_errors=True)
            process.over.set()

    async def _receive(self, process: _BotProcess, gate: Gate) -> None:
        """Attend to a remote bot, from when it is needed until it has been away for too long."""
        bot, copy, server = process.key.bot, process.key.copy, process.server
        try:
            await gate.expect(bot, copy, server)
            await _either(self._broken, server.connected, process.ended, timeout=self._start_timeout_s)
            if not server.connected.is_set() and not process.ended.is_set():
                process.why = "start time-out"
                process.ended.set()
            self._failed_starts[process.key] = process.ended.is_set() + self._failed_starts.get(process.key, 0)
            if not process.ended.is_set():
                self._failed_starts[process.key] = 0
                process.ready.set()
            await process.ended.wait()
            process.ending = process.why
            process.link.lost(process.why)
        except Exception as error:
            self._fail(error)
        finally:
            gate.forget(bot, copy, server)
            del self._living[process.link]
            await server.close(process.why)
            process.ready.set()
            process.over.set()

    async def _start(self, process: _BotProcess) -> asyncio.Future[dict[str, Any]]:
        """Start a process, and wait until it has said hello, or will not; return its exit."""
        process.folder.mkdir(mode=0o711)
        token = process.folder / "token"
        token.touch(mode=0o600)
        token.write_text(process.token)
        await process.server.listen(str(process.folder / "ref.sock"))
        env = {name: value for name in PASSED_ENV if (value := os.environ.get(name)) is not None}
        command = self._bots[process.key.bot]
        env[SEAT_VARIABLE] = str(process.folder)
        exit = process.exit = self._launcher.start(process.name, command, env, process.server.started)
        connected, ended = process.server.connected, process.ended
        await _either(exit, connected, ended, timeout=self._start_timeout_s)
        self._failed_starts[process.key] = 0 if connected.is_set() else self._failed_starts.get(process.key, 0) + 1
        if not connected.is_set() and not ended.is_set():
            if not exit.done():
                process.ending = "start time-out"
            process.link.lost(process.ending or _ending(exit.result()))
            self._launcher.stop(process.name, 0.0)
        process.ready.set()
        return exit

    async def _attend(self, process: _BotProcess, exit: asyncio.Future[dict[str, Any]]) -> dict[str, Any]:
        """Wait for the end of a process, and see to it once its stream is over."""
        if process.link.gone is None:
            await _either(exit, process.ended)
            if not exit.done() and await self._launcher.ping():  # else it was not the bot that ended the stream
                process.link.lost(process.why)
                await asyncio.wait({exit}, timeout=GRACE_S)
                process.ending = "" if exit.done() else process.why
            if not exit.done():
                self._launcher.stop(process.name, TERM_S)
        return await exit

    async def _end(self, process: _BotProcess) -> None:
        if process.exit is None:
            await process.server.close("no more matches")
            process.server.connected.set()  # nobody needs to wait for it
            process.ended.set()
            return
        farewell = asyncio.create_task(process.server.close("no more matches"))
        await asyncio.wait({process.exit}, timeout=GRACE_S if process.ready.is_set() else 0.0)
        if not process.exit.done():
            self._launcher.stop(process.name, TERM_S)
            await asyncio.wait({process.exit}, timeout=2 * TERM_S)
        await farewell

    def _changed(self, link: Link) -> None:
        process = self._living.get(link)
        if process is not None:
            process.server.changed()

    def _stalled(self, seconds: float) -> None:
        for process in self._living.values():
            process.server.stalled(seconds)

    def _launcher_gone(self, _: object) -> None:
        self._fail(PlatformError("the launcher is gone"))
        kill_seats(str(self._folder))  # those that left their bot's tree did not die with the launcher
        cells.sweep(self._folder)

    def _leave_nothing(self) -> None:
        """Take away the folder, and what was made for the bots beside it."""
        cells.sweep(self._folder)
        shutil.rmtree(self._folder, ignore_errors=True)
        os.close(self._held)

    def _fail(self, error: Exception) -> None:
        """Make void what is played."""
        if not self._broken.done():
            if not isinstance(error, PlatformError):
                cause, error = error, PlatformError(f"{type(error).__name__}: {error}")
                error.__cause__ = cause
            self._broken.set_exception(error)
            self._broken.exception()  # whether anybody plays or not, it has been seen


async def _either(future: asyncio.Future[Any], *events: asyncio.Event, timeout: float | None = None) -> None:
    """Wait for one of them."""
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    await asyncio.wait({future, *waiting}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    for each in waiting:
        each.cancel()


async def _tell_endings(begun: Sequence[tuple[Sitting, list[_BotProcess]]]) -> None:
    """Put down how each process ended that was lost in the middle of its match; its fault came before its end."""
    for sitting, processes in begun:
        for seat, process in enumerate(processes):
            if Fault.DISCONNECT in sitting.table.faults[seat]:
                await process.over.wait()
                sitting.table.endings[seat] = process.ending


def _ending(event: dict[str, Any], why: str = "") -> str:
    """How a process ended, by its exit or by what came before it, and the limit that it ran into."""
    code = event["code"]
    why = why or (f"killed by signal {-code}" if code < 0 else f"exited with status {code}")
    return f"{why}: {event['limit']}" if event["limit"] else why
