"""The gRPC service: one small server for each bot process, on a unix socket of its own."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import grpc

from referee import wire
from referee.link import MAX_STRIKES, Link
from referee.processes import Overloaded
from referee.rules.errors import ProtocolError
from referee.usage import Meter, come_round, meter

#: Each with its reason: a stranger may be on the other side.
OPTIONS: list[tuple[str, int]] = [
    ("grpc.max_receive_message_length", 64 * 1024),  # the largest batch of answers takes a quarter of it
    ("grpc.max_send_message_length", 1024 * 1024),  # the largest batch of decisions
    ("grpc.max_metadata_size", 8 * 1024),  # a token is 64 bytes
    ("grpc.absolute_max_metadata_size", 16 * 1024),
    ("grpc.max_concurrent_streams", 4),  # a bot needs one
    # Pings are answered, a microsecond each: to end a flood with GOAWAY costs gRPC more with each ping, and for 200,000
    # of them a processor for minutes.
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.server_handshake_timeout_ms", 3_000),  # half-open connections end
    ("grpc.so_reuseport", 0),  # a second referee on the socket fails instead of sharing it
    ("grpc.compression_enabled_algorithms_bitset", 1),  # identity only: no decompression bombs
]
WRITE_TIMEOUT_S = 1.0
#: A bot that would have been late so many times over, had it not waited for a processor, tells that the host is of no use.
MOST_OVERLOAD = 20
#: So long until it is looked again whether a bot is late that waits for a processor.
DOUBT_S = 0.01
#: So many times a bot that may come back does so.
MAX_RETURNS = 3
#: A message costs as much as a hundred decisions: where more are likely to come, it pays to wait for them.
LINGER_S = 0.0005
METHOD, SERVICE, TOKEN_KEY = "Play", "referee.v1.RefereeService", "kingmaker-token"

Context = Any  # grpc.aio.ServicerContext of raw bytes; its stubs know no method without a serializer


class _Stream:
    """One conversation. ``over``: done once it is to end, with the status and its text; OK where the bot ended it."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.over: asyncio.Future[tuple[grpc.StatusCode, str]] = asyncio.get_running_loop().create_future()
        self.reader: asyncio.Task[None] | None = None
        self.writer: asyncio.Task[None] | None = None
        self.timer: asyncio.TimerHandle | None = None

    def end(self, code: grpc.StatusCode, text: str) -> None:
        """End it, if it has not ended yet."""
        if not self.over.done():
            self.over.set_result((code, text))

    async def send(self, message: bytes) -> None:
        """Write a message; a bot that does not take it in time does not read, and that is the end."""
        self._patience(2)
        try:
            await self.context.write(message)
        finally:
            assert self.timer is not None
            self.timer.cancel()

    def _patience(self, waits: int) -> None:
        if waits:  # two, as a loop that stands still for long can make up one
            self.timer = asyncio.get_running_loop().call_later(WRITE_TIMEOUT_S / 2, self._patience, waits - 1)
        else:
            self.end(grpc.StatusCode.OK, "not reading")

    def cancel(self) -> None:
        """Read and write no more."""
        for task in (self.reader, self.writer):
            if task is not None:
                task.cancel()


def _report(error: Exception) -> None:
    asyncio.get_running_loop().call_exception_handler({"message": "error in the referee", "exception": error})


class BotServer:
    """Serves one bot process: moves its link's messages, and keeps its clock.

    ``connected``: set once the bot has said hello. ``lost`` is told why a stream that no newer one supersedes has
    ended, and by default tells the link; ``failed`` is told of errors here, which are no bot's fault; ``now`` tells
    the time, by default the loop's; ``grace_s``: how long a bot may be without a stream and come back, a few times.
    """

    def __init__(
        self,
        link: Link,
        token: str,
        *,
        lost: Callable[[str], None] | None = None,
        failed: Callable[[Exception], None] = _report,
        now: Callable[[], float] | None = None,
        grace_s: float = 0.0,
    ) -> None:
        self.link = link
        self.connected = asyncio.Event()
        self._token = token
        self._lost = link.lost if lost is None else lost
        self._failed = failed
        self._now = asyncio.get_running_loop().time if now is None else now
        self._wake = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._meter: Meter | None = None
        self._asked_at, self._patience_s = 0.0, 0.0
        self._grace_s = grace_s
        self._grace: asyncio.TimerHandle | None = None
        self._stream: _Stream | None = None
        self._streams = 0
        self._server: grpc.aio.Server | None = None
        self._goodbye: str | None = None

    async def listen(self, socket: str) -> None:
        """Open the unix socket at this path."""
        server = grpc.aio.server(options=OPTIONS, maximum_concurrent_rpcs=8)
        method: Any = grpc.stream_stream_rpc_method_handler(self._play)  # raw bytes both ways
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {METHOD: method}),))
        server.add_insecure_port(f"unix:{socket}")
        await server.start()
        self._server = server

    def started(self, pid: int) -> None:
        """The bot is this process, and those below it: what it has to wait for a processor is not its time."""
        self._meter = meter(pid)

    def stalled(self, seconds: float) -> None:
        """The referee stood still for so long: that is not the bot's time."""
        if self._meter is None:
            self.link.pause(seconds)
        else:
            self._meter.stall(seconds)  # the bot may have made use of it

    def changed(self) -> None:
        """Something may have to be sent."""
        self._wake.set()

    async def close(self, reason: str) -> None:
        """Say goodbye, and end the server."""
        self._goodbye = reason
        self._wake.set()
        self._disarm()
        if self._grace is not None:
            self._grace.cancel()
        server, self._server = self._server, None
        if server is not None:
            await server.stop(0.5)

    async def _play(self, _: object, context: Context) -> None:
        given = dict(context.invocation_metadata() or ()).get(TOKEN_KEY, "")
        if not hmac.compare_digest(str(given).encode(), self._token.encode()):
            text = f"metadata {TOKEN_KEY!r} is not the token of this socket"
            await abort(context, grpc.StatusCode.UNAUTHENTICATED, text)
        await self.converse(context)

    async def converse(self, context: Context) -> None:
        """Hold the conversation on a stream whose caller is known."""
        await self._admit(context)
        stream = _Stream(context)
        self._take_over(stream)
        stream.reader = asyncio.create_task(self._read(stream))
        stream.writer = asyncio.create_task(self._write(stream))
        try:
            await asyncio.wait({stream.over})  # which would be cancelled with us if it were awaited itself
            code, text = stream.over.result()
            if code is not grpc.StatusCode.OK:
                await abort(context, code, text)
        finally:
            stream.end(grpc.StatusCode.OK, "stream closed")
            stream.cancel()
            if self._stream is stream:
                self._stream = None
                code, why = stream.over.result()
                self._miss(why, self._grace_s if code is grpc.StatusCode.OK else 0.0)

    def _miss(self, why: str, grace_s: float) -> None:
        """The bot has no stream: give it up, at once or if it does not come back in time. Its clock runs on."""
        if self._goodbye is not None:
            self._disarm()
        elif grace_s:
            self._grace = asyncio.get_running_loop().call_later(grace_s, self._give_up, why)
        else:
            self._give_up(why)

    def _give_up(self, why: str) -> None:
        self._disarm()
        with self._guarded():
            self._lost(why)

    def _take_over(self, stream: _Stream) -> None:
        """Let this stream be the one of the process; an older one ends."""
        if self._grace is not None:
            self._grace.cancel()
            self._grace = None
        if self._stream is not None:
            if self._stream.writer is not None:
                self._stream.writer.cancel()  # its reader ends after the abort: to cancel a read ends the call
            self._stream.end(grpc.StatusCode.ABORTED, "superseded by a newer stream of the same process")
        if self._streams:
            self.link.resume()
        self._streams += 1
        self._stream = stream
        self._wake.set()

    def dismiss(self, context: Context, text: str) -> None:
        """End a stream whose caller may not play any more; it does not come back."""
        if self._stream is not None and self._stream.context is context:
            self._stream.end(grpc.StatusCode.UNAUTHENTICATED, text)

    async def _admit(self, context: Context) -> None:
        """Hear the first message; abort the call where it is not right, or comes once too often."""
        try:
            first = await context.read()
        except Exception:
            first = grpc.aio.EOF  # the peer broke it
        try:
            wire.read_hello(b"" if first is grpc.aio.EOF else first)
        except ProtocolError as error:
            await abort(context, grpc.StatusCode.FAILED_PRECONDITION, str(error))
        if self.link.gone is not None:
            await abort(context, grpc.StatusCode.ABORTED, "this process has been given up")
        if self._grace_s and self._streams > MAX_RETURNS:
            self._give_up(f"came back {MAX_RETURNS} times")
            await abort(context, grpc.StatusCode.ABORTED, f"came back {MAX_RETURNS} times, which is as often as it may")

    async def _read(self, stream: _Stream) -> None:
        link = self.link
        while not stream.over.done():
            try:
                data = await stream.context.read()
            except Exception as error:
                # Whatever a peer does to its stream is the end of that stream, never a traceback.
                stream.end(grpc.StatusCode.OK, f"stream broke: {type(error).__name__}")
                return
            if data is grpc.aio.EOF:
                stream.end(grpc.StatusCode.OK, "stream closed")
                return
            with self._guarded():
                now = self._now()
                self._settle(now)
                link.received(data, now)
                self._begin(now)
            self._arm()
            if link.ready:
                self._wake.set()
            if link.strikes >= MAX_STRIKES:
                stream.end(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{MAX_STRIKES} messages that answer nothing")

    async def _write(self, stream: _Stream) -> None:
        link = self.link
        try:
            await stream.send(wire.welcome())
            self.connected.set()
            while self._goodbye is None:
                await self._wake.wait()
                self._wake.clear()
                if link.ready and link.may_grow:
                    await asyncio.sleep(LINGER_S)
                while link.ready:
                    message = b""
                    with self._guarded():
                        message = link.message()
                    if not message:
                        return
                    before = self._now()
                    if self._meter is not None:
                        self._meter.begin(before)
                    await stream.send(message)
                    # Where we can tell our own delay from the bot's time, it runs from before the write: a busy host hears
                    # late that it is over.
                    if self._meter is not None:
                        self._meter.sent(self._now())
                    self._sent(self._now() if self._meter is None else before)
            await stream.send(wire.goodbye(self._goodbye))
        except Exception as error:
            stream.end(grpc.StatusCode.OK, f"stream broke: {type(error).__name__}")

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Tell of an error of our own."""
        try:
            yield
        except Exception as error:
            self._failed(error)

    def _sent(self, now: float) -> None:
        """The bot has got something to do."""
        self.link.sent(now)
        self._asked_at, self._patience_s = now, max(1.0, (self.link.deadline() or now) - now)
        self._arm()

    def _begin(self, now: float) -> None:
        """A span of the bot's time has begun, if it has anything to do."""
        if self._meter is not None and self.link.busy_since == now:
            self._meter.begin(now)

    def _settle(self, now: float) -> None:
        """Leave out of the span what was not the bot's."""
        if self._meter is not None:
            self.link.pause(self._meter.settle(now))

    def _arm(self) -> None:
        """Set the timer for when the bot is late, or before that for when it may become so."""
        self._disarm()
        deadline = self.link.deadline()
        if deadline is None or self._goodbye is not None:
            return
        if self._meter is not None and not self._meter.looked:
            deadline = min(deadline, self.link.long_after() or deadline)
        self._timer = asyncio.get_running_loop().call_at(deadline, self._due)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> None:
        with self._guarded():
            now = self._now()
            deadline = self.link.deadline()
            if self._meter is not None and not self._meter.looked:
                self._meter.look()
            if deadline is not None and deadline <= now:
                if self._meter is not None and self._meter.in_doubt(deadline) and not self._is_overloaded(now):
                    self._timer = asyncio.get_running_loop().call_later(DOUBT_S, self._due)
                    return
                self._late(now)
            self._arm()
            if self.link.ready:
                self._wake.set()

    def _is_overloaded(self, now: float) -> bool:
        return now - self._asked_at > MOST_OVERLOAD * self._patience_s

    def _late(self, now: float) -> None:
        """What is open is overdue, unless there was time that was not the bot's.

        Raises:
            Overloaded: for very long the bot has got next to no processor; nobody can say whether it is slow.
        """
        if self._meter is not None:
            self._settle(now)
            spared = (self.link.deadline() or now) > now
            if spared and self._is_overloaded(now):
                raise Overloaded(f"the host is overloaded: in {now - self._asked_at:.0f} s {self.link.name} got no processor")
        while (deadline := self.link.deadline()) is not None and deadline <= now:
            self.link.overdue(now)


class Pulse:
    """Watches the loop: while it stands still, no bot's clock runs.

    ``stalled`` is told the seconds of a stall that was longer than margins usually forgive, before anybody reads the
    time after it.
    """

    BEAT_S, STALL_S = 0.01, 0.05

    def __init__(self, stalled: Callable[[float], None]) -> None:
        self._stalled = stalled
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(self.BEAT_S, self._beat)

    def now(self) -> float:
        """The loop's time."""
        now = self._loop.time()
        late = now - self._timer.when()
        if late > self.STALL_S:
            self._timer.cancel()
            self._timer = self._loop.call_later(self.BEAT_S, self._beat)
            self._stalled(late)
        return now

    def stop(self) -> None:
        """Watch no more."""
        self._timer.cancel()

    def _beat(self) -> None:
        come_round(self.now())
        self._timer.cancel()
        self._timer = self._loop.call_later(self.BEAT_S, self._beat)


async def abort(context: Context, code: grpc.StatusCode, text: str) -> None:
    """End a call with a status; a peer that is gone already does not hear it."""
    try:
        await context.abort(code, text)
    except grpc.aio.AbortError:
        raise
    except Exception:
        raise grpc.aio.AbortError from None
