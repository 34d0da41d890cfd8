"""Scripted peers of a real server on a unix socket: they say what a test tells them, good or bad."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from referee.faults import Clocks
from referee.room import Room, Sitting
from referee.rules.registry import RULESETS
from referee.service import METHOD, SERVICE, TOKEN_KEY, BotServer, Pulse
from referee.table import MatchSpec
from referee.v1 import decision_pb2, referee_service_pb2
from tests import loop

Code = grpc.StatusCode
PlayRequest, PlayResponse = referee_service_pb2.PlayRequest, referee_service_pb2.PlayResponse
TOKEN = "0123456789abcdef" * 4
#: However loaded the machine is, whatever a test waits for has come by then; it fails at once where it can.
PATIENCE_S = 20.0
#: No bot runs out of time by accident.
PATIENT = Clocks(budget_ms=60_000)


def hello(least: int = 1, most: int = 1) -> bytes:
    return PlayRequest(hello=referee_service_pb2.Hello(min_version=least, max_version=most)).SerializeToString()


def answers(*triples: tuple[int, int, int]) -> bytes:
    listed = [decision_pb2.Answer(match=match, number=number, action=action) for match, number, action in triples]
    return PlayRequest(answers=referee_service_pb2.Answers(answers=listed)).SerializeToString()


def run(test: Callable[[Path], Coroutine[Any, Any, None]], folder: Path) -> None:
    loop.run(test(folder), 2 * PATIENCE_S)


async def until(condition: Callable[[], object], what: str) -> None:
    """Wait for something that no event tells of."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE_S
    while not condition() and loop.time() < deadline:  # noqa: ASYNC110  # nothing tells of it
        await asyncio.sleep(0.005)
    assert condition(), what


class Peer:
    """One stream to a server."""

    def __init__(self, channel: grpc.aio.Channel, token: str | None = TOKEN) -> None:
        method = channel.stream_stream(f"/{SERVICE}/{METHOD}")
        self.call = method(metadata=() if token is None else ((TOKEN_KEY, token),))
        self.heard: list[referee_service_pb2.PlayResponse] = []

    async def say(self, *messages: bytes) -> None:
        for message in messages:
            await self.call.write(message)

    async def hear(self) -> referee_service_pb2.PlayResponse:
        async with asyncio.timeout(PATIENCE_S):
            data = await self.call.read()
        assert data is not grpc.aio.EOF, await self.end()
        return PlayResponse.FromString(data)

    async def greet(self) -> None:
        await self.say(hello())
        assert (await self.hear()).welcome.version == 1

    async def batch(self) -> referee_service_pb2.Batch:
        response = await self.hear()
        assert response.WhichOneof("message") == "batch"
        return response.batch

    async def answer(self, batch: referee_service_pb2.Batch) -> None:
        await self.say(answers(*((each.match, each.number, each.legal[0]) for each in batch.decisions)))

    async def end(self) -> tuple[grpc.StatusCode, str]:
        """The status of the call, once it is over."""
        async with asyncio.timeout(PATIENCE_S):
            return await self.call.code(), await self.call.details()

    async def play(self) -> None:
        """Answer everything with the first legal action, until goodbye; ``heard`` keeps what came."""
        try:
            while (data := await self.call.read()) is not grpc.aio.EOF:
                response = PlayResponse.FromString(data)
                self.heard.append(response)
                if response.batch.decisions:
                    await self.answer(response.batch)
                elif response.HasField("goodbye"):
                    await self.call.done_writing()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError, asyncio.CancelledError):
            pass  # the end of the test is the end of the stream


class Place:
    """Four servers with a socket each, and a room behind them; ``failures``: errors of our own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.failures: list[Exception] = []
        self.ended = asyncio.Event()
        self.over: list[Sitting] = []
        self.room = Room(lambda link: self.servers[self.links.index(link)].changed())
        self.links = [self.room.link(f"bot {seat}") for seat in range(4)]
        self.pulse = Pulse(lambda seconds: [link.pause(seconds) for link in self.links])
        self.servers = [BotServer(link, TOKEN, failed=self.failures.append, now=self.pulse.now) for link in self.links]
        self.channels: list[grpc.aio.Channel] = []
        self.tasks: list[asyncio.Task[None]] = []

    def channel(self, seat: int) -> grpc.aio.Channel:
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_send_message_length", -1)]
        channel = grpc.aio.insecure_channel(f"unix:{self.folder}/{seat}.sock", options=options)
        self.channels.append(channel)
        return channel

    def peer(self, seat: int, token: str | None = TOKEN) -> Peer:
        return Peer(self.channel(seat), token)

    async def good(self, *seats: int) -> None:
        """Let good bots play on these seats."""
        for seat in seats:
            peer = self.peer(seat)
            await peer.greet()
            self.play(peer)

    async def one_of_four(self) -> tuple[Peer, Sitting]:
        """A greeted peer on seat 1, and a match with good bots on the other seats, which has begun."""
        peer = self.peer(1)
        await peer.greet()
        await self.good(0, 2, 3)
        return peer, self.start()

    def play(self, peer: Peer) -> None:
        """Let a greeted bot go on as a good one."""
        self.tasks.append(asyncio.create_task(peer.play()))

    def start(self, clocks: Clocks = PATIENT) -> Sitting:
        game = RULESETS["king.simple"].game()
        spec = MatchSpec(
            match_id="m", game=game, seed=bytes(32), players=("a", "b", "c", "d"), bot_seeds=(1, 2, 3, 4), clocks=clocks
        )
        return self.room.start(spec, self.links, self._done)

    async def finish(self, sitting: Sitting) -> Sitting:
        """Wait for the end of a match."""
        async with asyncio.timeout(PATIENCE_S):
            while not sitting.table.over:
                self.ended.clear()
                await self.ended.wait()
        return sitting

    def _done(self, sitting: Sitting) -> None:
        self.over.append(sitting)
        self.ended.set()


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Place]:
    place = Place(folder)
    for seat, server in enumerate(place.servers):
        await server.listen(f"{folder}/{seat}.sock")
    try:
        yield place
    finally:
        await asyncio.gather(*(server.close("the test is over") for server in place.servers))
        place.pulse.stop()
        for task in place.tasks:
            task.cancel()
        await asyncio.gather(*place.tasks, return_exceptions=True)
        for channel in place.channels:
            await channel.close()
    assert not place.failures
