"""Where remote bots come in: a TCP port, with TLS, and a token for each bot."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import grpc

from referee.rules.errors import ConfigError
from referee.service import METHOD, OPTIONS, SERVICE, TOKEN_KEY, BotServer, Context, abort
from referee.tokens import BadToken

#: Which of several processes of a bot this is, from 0: one for each seat that it has at a table.
PROCESS_KEY = "kingmaker-process"
#: What a port needs beyond a socket of our own, where a peer may vanish without a word.
TCP_OPTIONS: list[tuple[str, int]] = [
    ("grpc.keepalive_time_ms", 20_000),  # a peer that has vanished is found
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),  # without it such a peer stays for a minute
    ("grpc.max_connection_idle_ms", 60_000),  # who connects and opens no stream goes
]
MAX_STREAMS = 256
#: So often the token of each open stream is looked at again.
WATCH_S = 1.0
_LOOPBACK = re.compile(r"(localhost|127(\.\d+){3}|\[::1\]):\d+")


@dataclass(frozen=True)
class Listen:
    """``address``: host:port. ``tls``: private key and certificate chain, PEM; without them only loopback is listened on,
    unless ``plaintext`` says that tokens may travel in the clear."""

    address: str
    tls: tuple[bytes, bytes] | None = None
    plaintext: bool = False

    def check(self) -> None:
        """Raises:
        ConfigError: tokens would travel in the clear, or this is no address.
        """
        if not re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^\s:\[\]]+):\d{1,5}", self.address):
            raise ConfigError(f"{self.address!r} is no address; it is HOST:PORT, as 127.0.0.1:50051")
        if self.tls is None and not self.plaintext and not _LOOPBACK.fullmatch(self.address):
            raise ConfigError(
                f"{self.address} is not this machine alone, and tokens would travel in the clear; "
                "give --tls-cert and --tls-key, or --plaintext if something in front of it encrypts"
            )


class Gate:
    """Lets remote bots in, each to the server of the process that it plays.

    ``bots``: those that may come; None for whoever has a token. ``whose``: whose token it is, asked in a thread of its own; raises
    BadToken, or ConfigError where it cannot be told now. A stream that comes before it is needed waits.
    """

    port: int

    def __init__(self, listen: Listen, bots: frozenset[str] | None, whose: Callable[[str], str]) -> None:
        listen.check()
        self._bots = bots
        self._listen = listen
        self._whose = whose
        self._servers: dict[tuple[str, int], BotServer] = {}
        self._waiting: dict[tuple[str, int], int] = {}
        self._streams: Counter[tuple[str, int]] = Counter()
        self._changed = asyncio.Condition()
        self._server: grpc.aio.Server | None = None

    async def open(self) -> None:
        """Begin to listen.

        Raises:
            ConfigError: the address cannot be had, or key and certificate are of no use.
        """
        server = grpc.aio.server(options=OPTIONS + TCP_OPTIONS, maximum_concurrent_rpcs=MAX_STREAMS)
        method: Any = grpc.stream_stream_rpc_method_handler(self._play)  # raw bytes both ways
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {METHOD: method}),))
        try:
            if self._listen.tls is None:
                self.port = server.add_insecure_port(self._listen.address)
            else:
                credentials = grpc.ssl_server_credentials([self._listen.tls])
                self.port = server.add_secure_port(self._listen.address, credentials)
        except (RuntimeError, ValueError):
            self.port = 0
        if self.port == 0:
            raise ConfigError(f"cannot listen on {self._listen.address}: it is taken, or certificate and key do not fit")
        await server.start()
        self._server = server

    async def close(self, grace_s: float) -> None:
        """Let nobody in any more; streams have so long to end."""
        server, self._server = self._server, None
        if server is not None:
            await server.stop(grace_s)

    async def expect(self, bot: str, process: int, server: BotServer) -> None:
        """Let this process of a bot in, now or when it comes."""
        async with self._changed:
            self._servers[bot, process] = server
            self._changed.notify_all()

    def forget(self, bot: str, process: int, server: BotServer) -> None:
        """This server is over; who comes now waits for the next."""
        if self._servers.get((bot, process)) is server:
            del self._servers[bot, process]

    def waits(self, bot: str, process: int) -> bool:
        """Whether somebody stands at the gate."""
        return self._waiting.get((bot, process), 0) > 0

    def here(self) -> set[tuple[str, int]]:
        """The bots that have a stream, each with the number of its process."""
        return {key for key, streams in self._streams.items() if streams}

    async def _play(self, _: object, context: Context) -> None:
        token, key = await self._known(context)
        self._streams[key] += 1
        try:
            server = await self._server_of(key)
            watching = asyncio.create_task(self._watch(token, server, context))
            try:
                await server.converse(context)
            finally:
                watching.cancel()
        finally:
            self._streams[key] -= 1

    async def _known(self, context: Context) -> tuple[str, tuple[str, int]]:
        """The token of a caller, and which process of which bot it is; whoever may not play here is sent away."""
        given = dict(context.invocation_metadata() or ())
        token = str(given.get(TOKEN_KEY, ""))
        try:
            bot = await asyncio.to_thread(self._whose, token)
        except BadToken as error:
            await abort(context, grpc.StatusCode.UNAUTHENTICATED, f"metadata {TOKEN_KEY!r}: {error}")
        except ConfigError as error:
            await abort(context, grpc.StatusCode.UNAVAILABLE, str(error))
        number = str(given.get(PROCESS_KEY, "0"))
        if self._bots is not None and bot not in self._bots:
            await abort(context, grpc.StatusCode.PERMISSION_DENIED, f"no remote bot {bot!r} plays here")
        if not re.fullmatch(r"[0-9]", number):
            await abort(context, grpc.StatusCode.PERMISSION_DENIED, f"metadata {PROCESS_KEY!r} is a digit, from 0")
        return token, (bot, int(number))

    async def _watch(self, token: str, server: BotServer, context: Context) -> None:
        """End a stream once its token lets nobody in any more."""
        while True:
            await asyncio.sleep(WATCH_S)
            try:
                await asyncio.to_thread(self._whose, token)
            except BadToken as error:
                server.dismiss(context, f"metadata {TOKEN_KEY!r}: {error}")
            except ConfigError:
                pass  # who is in stays in while the file of tokens cannot be read

    async def _server_of(self, key: tuple[str, int]) -> BotServer:
        self._waiting[key] = self._waiting.get(key, 0) + 1
        try:
            async with self._changed:
                await self._changed.wait_for(lambda: key in self._servers)
                return self._servers[key]
        finally:
            self._waiting[key] -= 1
