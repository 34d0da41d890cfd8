"""The referee's side of an examination: one bot, started as a host starts it, and full control of what it is told.

A match forgives a bot what it can; an examiner looks at every message, and says what is wrong with it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc

from referee import wire
from referee.faults import Clocks
from referee.host import PASSED_ENV, TERM_S
from referee.isolation.cells import SEAT_VARIABLE
from referee.processes import Command, LauncherClient
from referee.rules.errors import KingmakerError, ProtocolError
from referee.rules.ruleset import Game
from referee.service import METHOD, OPTIONS, SERVICE, TOKEN_KEY
from referee.table import MatchSpec, Table
from referee.v1 import match_pb2, referee_service_pb2

#: The bot's seat at every table; the others play the first legal action.
SEAT = 0
#: Names as they may stand at a table, in front of the bot's own.
NEIGHBOURS = ("Kůň", "國王", "<b>&\u200f")


class Wrong(KingmakerError):
    """What a bot did in place of what was expected."""


class Desk:
    """A match that is played with the bot, under its number on the stream; it stands where the bot is to decide."""

    def __init__(self, number: int, game: Game, clocks: Clocks, ruleset: match_pb2.RulesetInfo) -> None:
        seed = hashlib.sha256(f"doctor {number}".encode()).digest()
        self.number = number
        self.ruleset = ruleset
        self.table = Table(
            MatchSpec(
                match_id=f"doctor-{number}",
                game=game,
                seed=seed,
                players=("you", *NEIGHBOURS)[: game.players],
                bot_seeds=tuple(range(game.players)),
                clocks=clocks,
            )
        )
        self.encoder = wire.DecisionEncoder(self.table)
        self.advance()

    @property
    def legal(self) -> list[int]:
        """What the bot may answer."""
        return self.table.match.deal.legal()

    def advance(self) -> None:
        """Play on until the bot has to decide, or the match is over."""
        while self.table.advance() not in (None, SEAT):
            self.table.answer(self.legal[0], 0)


class Talk:
    """One stream of the bot."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue(64)
        self._rulesets: set[int] = set()
        self._told: set[int] = set()

    async def read(self) -> None:
        """Take what the bot says, until it closes the stream."""
        try:
            while (data := await self._context.read()) is not grpc.aio.EOF:
                await self._inbox.put(data)
        except Exception:
            pass  # however a stream ends, it has ended
        await self._inbox.put(None)

    async def greet(self, timeout_s: float) -> referee_service_pb2.Hello:
        """Hear hello, and say welcome."""
        try:
            hello = wire.read_hello(await self._hear(timeout_s, "hello"))
        except ProtocolError as error:
            raise Wrong(str(error)) from None
        await self._say(wire.welcome())
        return hello

    async def ask(self, desks: Sequence[Desk]) -> float:
        """Ask for a decision at each of these desks in one message, and check the answers; return the seconds."""
        await self.post(desks)
        time = asyncio.get_running_loop().time
        start = time()
        limit = self._limit_s(desks)
        waiting = {desk.number: desk for desk in desks}
        while waiting:
            what = f"{len(waiting)} of {len(desks)} answers" if len(desks) > 1 else "an answer"
            for answer in self._answers(await self._hear(start + limit - time(), what)):
                self._check(answer, waiting)
        return time() - start

    async def tell(self, ends: Sequence[match_pb2.MatchEnd]) -> None:
        """Tell of matches that are over, and ask nothing."""
        await self._say(wire.batch(ends=ends))

    async def goodbye(self) -> None:
        """Say the last message."""
        await self._say(wire.goodbye("the examination is over"))

    async def post(self, desks: Sequence[Desk]) -> None:
        """Ask, and wait for nothing."""
        infos = {desk.ruleset.ruleset: desk.ruleset for desk in desks if desk.ruleset.ruleset not in self._rulesets}
        new = [desk for desk in desks if desk.number not in self._told]
        self._rulesets |= infos.keys()
        self._told |= {desk.number for desk in new}
        starts = [wire.match_start(desk.table, SEAT, desk.number, desk.ruleset.ruleset) for desk in new]
        await self._say(wire.batch(infos.values(), starts, [desk.encoder.encode(desk.number) for desk in desks]))

    @staticmethod
    def _limit_s(desks: Sequence[Desk]) -> float:
        clocks = desks[0].table.spec.clocks
        return (len(desks) * clocks.budget_ms + clocks.bank_ms + clocks.margin_ms) / 1000

    @staticmethod
    def _answers(data: bytes) -> Sequence[Any]:
        answers = wire.read_answers(data)
        if answers is None:
            raise Wrong(f"a message of {len(data)} bytes that holds no answers or cannot be read: {data[:16].hex(' ')}")
        return answers

    @staticmethod
    def _check(answer: Any, waiting: dict[int, Desk]) -> None:
        desk = waiting.pop(answer.match, None)
        where = f"match {answer.match}, decision {answer.number}"
        if desk is None or desk.table.asked[SEAT] != answer.number:
            raise Wrong(f"an answer to {where}, which is not open")
        if answer.action not in desk.legal:
            raise Wrong(f"action {answer.action} in {where}; legal: {' '.join(map(str, desk.legal))}")
        desk.table.answer(answer.action, 0)

    async def _say(self, message: bytes) -> None:
        try:
            async with asyncio.timeout(10):
                await self._context.write(message)
        except TimeoutError:
            raise Wrong("it does not read what it is sent") from None
        except Exception:
            raise Wrong("its stream is gone") from None

    async def _hear(self, timeout_s: float, what: str) -> bytes:
        try:
            async with asyncio.timeout(max(timeout_s, 0.001)):
                data = await self._inbox.get()
        except TimeoutError:
            raise Wrong(f"nothing where {what} was to come") from None
        if data is None:
            raise Wrong(f"the end of its stream where {what} was to come")
        return data


class Examinee:
    """One process of the bot, on a socket of its own in ``folder``; ``exit``: its launcher's `exited` event."""

    exit: asyncio.Future[dict[str, Any]]

    def __init__(self, launcher: LauncherClient, command: Command, folder: Path) -> None:
        self._launcher = launcher
        self._command = command
        self._folder = folder
        self._token = secrets.token_hex(32)
        self._talks: asyncio.Queue[Talk | Wrong] = asyncio.Queue()
        self._server: grpc.aio.Server | None = None

    async def start(self) -> None:
        """Start it as a host does: the folder with socket and token is all that it is told."""
        self._folder.mkdir(mode=0o711)
        (self._folder / "token").touch(mode=0o600)
        (self._folder / "token").write_text(self._token)
        await self._listen()
        env = {name: value for name in PASSED_ENV if (value := os.environ.get(name)) is not None}
        env["GRPC_VERBOSITY"] = "ERROR"  # what the bot prints is looked at, and we cut its connection ourselves
        self.exit = self._launcher.start(self._folder.name, self._command, env | {SEAT_VARIABLE: str(self._folder)})

    async def talk(self, timeout_s: float) -> Talk:
        """The next stream that the bot opens.

        Raises:
            Wrong: none came in time, or it was not entitled to one.
        """
        coming = asyncio.create_task(self._talks.get())
        either: set[asyncio.Future[Any]] = {coming, self.exit}
        await asyncio.wait(either, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        if coming.done():
            talk = coming.result()
            if isinstance(talk, Wrong):
                raise talk
            return talk
        coming.cancel()
        raise Wrong("no stream" if self.exit.done() else f"no stream within {timeout_s:g} s")

    async def cut(self) -> None:
        """Break its connection, and listen again."""
        await self._close()
        await self._listen()

    async def exited(self, timeout_s: float) -> int | None:
        """The status with which it ends, a negative one is a signal; None while it lives."""
        await asyncio.wait({self.exit}, timeout=timeout_s)
        return self.exit.result()["code"] if self.exit.done() else None

    async def end(self) -> dict[str, Any]:
        """End it whatever it does; return what it printed."""
        if not self.exit.done():
            self._launcher.stop(self._folder.name, TERM_S)
        event = await self.exit
        await self._close()
        shutil.rmtree(self._folder, ignore_errors=True)
        return event

    async def _listen(self) -> None:
        self._server = grpc.aio.server(options=OPTIONS)
        method: Any = grpc.stream_stream_rpc_method_handler(self._play)  # raw bytes both ways
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {METHOD: method}),))
        self._server.add_insecure_port(f"unix:{self._folder / 'ref.sock'}")
        await self._server.start()

    async def _close(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            await server.stop(None)

    async def _play(self, _: object, context: Any) -> None:
        given = dict(context.invocation_metadata() or ()).get(TOKEN_KEY)
        if given is None or not hmac.compare_digest(str(given).encode(), self._token.encode()):
            what = "no token" if given is None else "a wrong token"
            await self._talks.put(Wrong(f"{what} in metadata {TOKEN_KEY!r}; it stands in {self._folder.name}/token"))
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, f"metadata {TOKEN_KEY!r} is not the token of this socket")
        talk = Talk(context)
        await self._talks.put(talk)
        await talk.read()
