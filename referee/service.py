"""The gRPC service: one small server for each bot process, on a unix socket of its own."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from referee import wire
from referee.link import MAX_STRIKES, Link
from referee.rules.errors import ProtocolError

#: Each with its reason: a stranger may be on the other side.
OPTIONS: list[tuple[str, int]] = [
    ("grpc.max_receive_message_length", 64 * 1024),  # the largest batch of answers takes a quarter of it
    ("grpc.max_send_message_length", 1024 * 1024),  # the largest batch of decisions
    ("grpc.max_metadata_size", 8 * 1024),  # a token is 64 bytes
    ("grpc.absolute_max_metadata_size", 16 * 1024),
    ("grpc.max_concurrent_streams", 4),  # a bot needs one
    ("grpc.http2.max_ping_strikes", 2),  # ping floods end the connection
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.server_handshake_timeout_ms", 3_000),  # half-open connections end
    ("grpc.so_reuseport", 0),  # a second referee on the socket fails instead of sharing it
    ("grpc.compression_enabled_algorithms_bitset", 1),  # identity only: no decompression bombs
]
WRITE_TIMEOUT_S = 1.0
#: A message costs as much as a hundred decisions: where more are likely to come, it pays to wait for them.
LINGER_S = 0.0005
METHOD, SERVICE, TOKEN_KEY = "Play", "referee.v1.RefereeService", "kingmaker-token"

Context = Any  # grpc.aio.ServicerContext of raw bytes; its stubs know no method without a serializer


class BotServer:
    """Serves one bot process: moves its link's messages, and keeps its clock.

    ``connected``: set once the bot has said hello.
    """

    def __init__(self, link: Link, token: str) -> None:
        self.link = link
        self.connected = asyncio.Event()
        self._token = token
        self._wake = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._stream: asyncio.Task[Any] | None = None
        self._superseded: set[asyncio.Task[Any]] = set()
        self._server: grpc.aio.Server | None = None
        self._goodbye: str | None = None

    async def listen(self, socket: str) -> None:
        """Open the unix socket at this path."""
        server = grpc.aio.server(options=OPTIONS, maximum_concurrent_rpcs=8)
        method = grpc.stream_stream_rpc_method_handler(self._play)  # type: ignore[arg-type]  # raw bytes both ways
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {METHOD: method}),))
        server.add_insecure_port(f"unix:{socket}")
        await server.start()
        self._server = server

    def changed(self) -> None:
        """Something may have to be sent."""
        self._wake.set()

    async def close(self, reason: str) -> None:
        """Say goodbye, and end the server."""
        self._goodbye = reason
        self._wake.set()
        if self._timer is not None:
            self._timer.cancel()
        if self._server is not None:
            await self._server.stop(0.5)

    async def _play(self, _: object, context: Context) -> None:
        try:
            await self._converse(context)
        except (grpc.aio.AbortError, asyncio.CancelledError):
            raise
        except Exception as error:
            # Whatever a peer does to its stream is the end of that stream, never a traceback to the peer.
            self.link.lost(f"stream broke: {type(error).__name__}")

    async def _converse(self, context: Context) -> None:
        given = dict(context.invocation_metadata() or ()).get(TOKEN_KEY, "")
        if not hmac.compare_digest(str(given).encode(), self._token.encode()):
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, f"metadata {TOKEN_KEY!r} is not the token of this socket")
        first = await context.read()
        try:
            wire.read_hello(b"" if first is grpc.aio.EOF else first)
        except ProtocolError as error:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))
        me = asyncio.current_task()
        assert me is not None
        if self._stream is not None:
            self._superseded.add(self._stream)
            self._stream.cancel()
        self._stream = me
        await context.write(wire.welcome())
        self.connected.set()
        writer = asyncio.create_task(self._write(context.write, me))
        try:
            await self._read(context)
        finally:
            writer.cancel()
            if self._stream is me and self._goodbye is None:
                self.link.lost("stream closed")

    async def _read(self, context: Context) -> None:
        link, loop = self.link, asyncio.get_running_loop()
        while True:
            data = await context.read()
            if data is grpc.aio.EOF:
                return
            link.received(data, loop.time())
            self._arm()
            if link.ready:
                self._wake.set()
            if link.strikes >= MAX_STRIKES:
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{MAX_STRIKES} messages that answer nothing")

    async def _write(self, write: Callable[[bytes], Awaitable[None]], stream: asyncio.Task[Any]) -> None:
        link, loop = self.link, asyncio.get_running_loop()
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                if link.ready and link.may_grow:
                    await asyncio.sleep(LINGER_S)
                while link.ready:
                    async with asyncio.timeout(WRITE_TIMEOUT_S):
                        await write(link.message())
                    link.sent(loop.time())
                    self._arm()
                if self._goodbye is not None:
                    await write(wire.goodbye(self._goodbye))
                    return
        except TimeoutError:
            link.lost("not reading")
            stream.cancel()
        except (grpc.aio.AioRpcError, grpc.aio.UsageError):
            link.lost("stream broke")

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline = self.link.deadline()
        if deadline is not None:
            self._timer = asyncio.get_running_loop().call_at(deadline, self._overdue)

    def _overdue(self) -> None:
        now = asyncio.get_running_loop().time()
        while (deadline := self.link.deadline()) is not None and deadline <= now:
            self.link.overdue(now)
        self._arm()
        if self.link.ready:
            self._wake.set()
