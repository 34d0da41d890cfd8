"""A referee that says what a transcript holds, and notes what a bot answers that differs from it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from referee.service import METHOD, SERVICE, TOKEN_KEY
from referee.v1 import referee_service_pb2
from tests.conformance.transcript import Exchange

TOKEN = "a-token-for-tests"
Request = referee_service_pb2.PlayRequest


class Replay:
    """Serves one bot process; ``streams``: the hello of each stream; ``wrong``: what was not as it should be;
    ``told_all``: everything was answered, up to the last word.

    ``cuts``: after so many exchanges ``cut`` is called instead of going on, once for each.
    """

    def __init__(self, exchanges: list[Exchange], bot: str, cut: Callable[[], None] | None = None, cuts: tuple[int, ...] = ()) -> None:
        self.exchanges = exchanges
        self.bot = bot
        self.streams: list[referee_service_pb2.Hello] = []
        self.wrong: list[str] = []
        self.told_all = False
        self._cut, self._cuts = cut, list(cuts)

    def play(self, requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
        if dict(context.invocation_metadata()).get(TOKEN_KEY) != TOKEN:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "the token is not this socket's")
        try:
            yield from self._play(requests)
        except Exception as error:
            self.wrong.append(repr(error))
            raise

    def _play(self, requests: Iterator[bytes]) -> Iterator[bytes]:
        first = Request.FromString(next(requests))
        assert first.WhichOneof("message") == "hello", first
        self.streams.append(first.hello)
        cut_at = self._cuts.pop(0) if self._cuts else None
        for number, exchange in enumerate(self.exchanges):
            if number == cut_at:
                assert self._cut is not None
                self._cut()
                return
            self.told_all = number == len(self.exchanges) - 1  # a bot may be gone with the last word
            yield exchange.said
            if not self._takes(exchange, requests):
                return

    def _takes(self, exchange: Exchange, requests: Iterator[bytes]) -> bool:
        """Read answers until all are there, in however many messages."""
        expected = exchange.answers.get(self.bot, {})
        given: dict[tuple[int, int], int] = {}
        while len(given) < len(expected):
            if (request := next(requests, None)) is None:
                return False
            for answer in Request.FromString(request).answers.answers:
                assert (answer.match, answer.number) not in given, f"answered twice: {answer}"
                given[answer.match, answer.number] = answer.action
        self.wrong += [
            f"decision {number} of match {match}: {given.get((match, number))}, not {action}"
            for (match, number), action in expected.items()
            if given.get((match, number)) != action
        ]
        return not self.wrong


@contextmanager
def serving(replay: Replay, address: str, credentials: grpc.ServerCredentials | None = None) -> Iterator[int]:
    """A server on this address; its port."""
    handler = grpc.stream_stream_rpc_method_handler(replay.play)
    with ThreadPoolExecutor(4) as threads:
        server = grpc.server(threads)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler}),))
        port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
        server.start()
        try:
            yield port
        finally:
            server.stop(0).wait()


def run(command: list[str], cwd: Path, seat: Path, timeout_s: float = 60, **environment: str) -> subprocess.CompletedProcess[str]:
    """A bot process in this seat, to its end."""
    env = os.environ | {"KINGMAKER_SEAT": str(seat)} | environment
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout_s, check=False)
