"""The conversation with the referee: hello, batches of decisions, answers, goodbye."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import index
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol
from urllib.parse import quote

import grpc

from bots.observation import Match, Observation, Result, Ruleset
from referee.v1 import decision_pb2, referee_service_pb2, referee_service_pb2_grpc

VERSION = 1
SDK = "kingmaker-python/1"
#: Names the folder in which a hosted bot finds ``ref.sock`` and ``token``.
SEAT_VARIABLE = "KINGMAKER_SEAT"
#: A remote referee that is not there yet, or was lost, is looked for so long, with a pause between attempts.
SEEK_S, PAUSE_S = 60.0, 0.25
#: Who starts a bot is told after so long what it waits for.
TELL_S = 5.0
_CHANNEL_OPTIONS = [
    ("grpc.max_receive_message_length", 4 * 1024 * 1024),  # four times the referee's largest batch
    ("grpc.max_send_message_length", 64 * 1024),  # the referee takes no more
    ("grpc.enable_retries", 0),  # a stream is never opened twice behind our back
    ("grpc.use_local_subchannel_pool", 1),  # a second call of `play` gets a connection of its own
]
#: Addresses of this machine, to which nothing need be encrypted.
_HERE = re.compile(r"(localhost|127\.\d+\.\d+\.\d+|\[::1\]):\d+")
#: In gRPC's words: a certificate that nobody vouches for, or that is another machine's.
_UNTRUSTED = re.compile("CERTIFICATE_VERIFY_FAILED|verification check failed", re.IGNORECASE)
_Answer = decision_pb2.Answer
_MAX_ACTION = (1 << 32) - 1


class Bot(Protocol):
    """What decides one thing at a time.

    It may also have ``match_start(match: Match)`` and ``match_end(match: Match, result: Result)``.
    """

    def decide(self, observation: Observation, legal: list[int], /) -> int:
        """Return one of ``legal`` (ascending, never empty)."""


class BatchBot(Protocol):
    """What decides all that waits for it at once, over all of its tables; with the same two hooks."""

    def decide_batch(self, observations: list[Observation], /) -> Sequence[int]:
        """Return an action for each observation, in their order."""


class NoReferee(SystemExit):
    """The referee cannot be found, refused the bot, or is lost.

    Left alone it ends the process with its sentence on stderr and status 1.
    """


class BadAnswer(TypeError):
    """A bot returned something that is no action."""


def play(
    bot: Bot | BatchBot,
    address: str | None = None,
    token: str | None = None,
    *,
    name: str | None = None,
    tls: bool | None = None,
    root_certificates: bytes | None = None,
    process: int = 0,
) -> None:
    """Play all matches that the referee has for this bot, and return when it says goodbye.

    A hosted bot needs no more than ``play(bot)``: the folder in ``KINGMAKER_SEAT`` (default ``/ref``) says where the
    referee is, by its socket ``ref.sock`` or by a file ``address``. A remote one may also give ``address``
    (``host:port``) and ``token``. ``tls``: whether to encrypt; by default to other machines, and wherever
    ``root_certificates`` (PEM) are given, which are trusted instead of the system's. ``name``: for logs; default is the
    class of the bot. A remote referee that is not there yet, or is lost, is looked for, for a minute; it then asks again what was
    not answered. ``process``: a remote bot that has several seats at a table (a team of Klaverjas) plays each by a process of
    its own, and they are numbered from 0.

    Raises:
        NoReferee: it cannot be found, refused the bot, or was lost.
        BadAnswer: the bot returned something that is no action. What the bot itself raises comes through.
    """
    if (address is None) != (token is None):
        raise ValueError("address and token go together: both for a remote referee, neither for a hosted bot")
    if address is None or token is None:
        address, token, roots = _seat()
        root_certificates = root_certificates or roots
    is_hosted = address.startswith("unix:")
    if tls is None:
        tls = root_certificates is not None or not (is_hosted or _HERE.fullmatch(address))
    name = type(bot).__name__ if name is None else name
    look_until, tell_at = time.monotonic() + SEEK_S, time.monotonic() + TELL_S
    while True:
        tables = Tables(bot)
        try:
            _play_once(tables, _channel(address, tls, root_certificates), token, name, process)
            return
        except grpc.RpcError as error:
            told = _complaint(address, error)
            if tables.is_greeted:
                look_until = time.monotonic() + SEEK_S
            if is_hosted or not _may_pass(error) or time.monotonic() >= look_until:
                raise NoReferee(told) from None
        if tables.is_greeted or time.monotonic() >= tell_at:
            print(f"{told}; looking for it for a minute", file=sys.stderr)
            tell_at = look_until  # nothing more before it is given up
        time.sleep(PAUSE_S)


def _play_once(tables: Tables, channel: grpc.Channel, token: str, name: str, process: int) -> None:
    """One stream, from hello to its end."""
    outbox: SimpleQueue[referee_service_pb2.PlayRequest | None] = SimpleQueue()
    outbox.put(_hello(name))
    stub = referee_service_pb2_grpc.RefereeServiceStub(channel)
    call = stub.Play(_until_none(outbox), metadata=(("kingmaker-token", token), ("kingmaker-process", str(process))))
    try:
        _converse(call, tables, outbox.put)
    finally:
        outbox.put(None)
        call.cancel()
        channel.close()


class Tables:
    """The matches in which a bot sits on one stream, and what it answers at them; ``is_greeted``: by the referee."""

    def __init__(self, bot: Any) -> None:
        decide: Any = getattr(bot, "decide", None)
        self.decide_batch: Callable[[list[Observation]], Sequence[int]] | None = getattr(bot, "decide_batch", None)
        if not callable(self.decide_batch or decide):
            raise TypeError(f"{bot!r} has no method decide(observation, legal) and no decide_batch(observations)")
        self.decide: Callable[[Observation, list[int]], int] = decide
        self.match_start: Callable[[Match], object] | None = getattr(bot, "match_start", None)
        self.match_end: Callable[[Match, Result], object] | None = getattr(bot, "match_end", None)
        self.is_greeted = False
        self.rulesets: dict[int, Ruleset] = {}
        self.matches: dict[int, Match] = {}

    def begin(self, batch: referee_service_pb2.Batch) -> None:
        """Learn the rulesets and matches that are new."""
        for info in batch.rulesets:
            self.rulesets[info.ruleset] = Ruleset(info)
        for start in batch.match_starts:
            match = self.matches[start.match] = Match(start, self.rulesets[start.ruleset])
            if self.match_start is not None:
                self.match_start(match)

    def answers(self, decisions: Iterable[decision_pb2.Decision]) -> list[decision_pb2.Answer]:
        """The bot's answers, one to each decision."""
        if self.decide_batch is not None:
            return self._answers_at_once(list(decisions))
        answers = []
        matches, decide = self.matches, self.decide
        for decision in decisions:
            number = decision.match
            action = decide(Observation(decision, matches[number]), decision.legal[:])
            if type(action) is not int or not 0 <= action <= _MAX_ACTION:
                action = _action(action, decision, "decide")
            answers.append(_Answer(match=number, number=decision.number, action=action))
        return answers

    def end(self, batch: referee_service_pb2.Batch) -> None:
        """Drop the matches that are over."""
        for end in batch.match_ends:
            match = self.matches.pop(end.match)
            if self.match_end is not None:
                self.match_end(match, Result.read(end))

    def _answers_at_once(self, decisions: list[decision_pb2.Decision]) -> list[decision_pb2.Answer]:
        assert self.decide_batch is not None
        actions = self.decide_batch([Observation(decision, self.matches[decision.match]) for decision in decisions])
        if not hasattr(actions, "__len__") or len(actions) != len(decisions):
            what = f"{len(actions)} actions" if hasattr(actions, "__len__") else repr(actions)
            raise BadAnswer(
                f"decide_batch returned {what} for {len(decisions)} observations; it must return one for each"
            )
        return [
            _Answer(match=decision.match, number=decision.number, action=_action(action, decision, "decide_batch"))
            for action, decision in zip(actions, decisions, strict=True)
        ]


def _converse(
    stream: Iterable[referee_service_pb2.PlayResponse],
    tables: Tables,
    send: Callable[[referee_service_pb2.PlayRequest], None],
) -> None:
    """Answer each batch by one message, until goodbye or the end of the stream."""
    for response in stream:
        message = response.WhichOneof("message")
        if message == "goodbye":
            return
        if message == "welcome":
            tables.is_greeted = True
        if message == "batch":
            batch = response.batch
            tables.begin(batch)
            answers = tables.answers(batch.decisions)
            if answers:
                send(referee_service_pb2.PlayRequest(answers=referee_service_pb2.Answers(answers=answers)))
            tables.end(batch)


def _action(action: object, decision: decision_pb2.Decision, method: str) -> int:
    """The action as an int; anything that counts as a whole number will do."""
    where = f"match {decision.match}, decision {decision.number}"
    try:
        number = index(action)  # type: ignore[arg-type]  # that is what is tried
    except TypeError:
        right = f"one of {list(decision.legal)}"
        raise BadAnswer(f"{method} returned {action!r} in {where}; it must return an int, {right}") from None
    if not 0 <= number <= _MAX_ACTION:
        raise BadAnswer(f"{method} returned {number} in {where}; actions are whole numbers from 0")
    return number


def _seat() -> tuple[str, str, bytes | None]:
    """Address, token, and the certificates to trust: what the folder says."""
    folder = Path(os.environ.get(SEAT_VARIABLE) or "/ref")
    try:
        token = (folder / "token").read_text(encoding="ascii").strip()
        if not (folder / "address").exists():
            return f"unix:{quote(str(folder.absolute() / 'ref.sock'))}", token, None
        address = (folder / "address").read_text(encoding="ascii").strip()
        roots = (folder / "roots.pem").read_bytes() if (folder / "roots.pem").exists() else None
    except (OSError, ValueError) as error:
        hint = f"{SEAT_VARIABLE} names the folder with ref.sock and token; a remote bot gives play() address and token"
        raise NoReferee(f"no referee at {folder}: {error}; {hint}") from None
    return address, token, roots


def _channel(target: str, tls: bool, root_certificates: bytes | None) -> grpc.Channel:
    if not tls:
        return grpc.insecure_channel(target, options=_CHANNEL_OPTIONS)
    return grpc.secure_channel(target, grpc.ssl_channel_credentials(root_certificates), options=_CHANNEL_OPTIONS)


def _hello(name: str) -> referee_service_pb2.PlayRequest:
    hello = referee_service_pb2.Hello(min_version=VERSION, max_version=VERSION, name=name, sdk=SDK)
    return referee_service_pb2.PlayRequest(hello=hello)


def _until_none(
    outbox: SimpleQueue[referee_service_pb2.PlayRequest | None],
) -> Iterator[referee_service_pb2.PlayRequest]:
    return iter(outbox.get, None)


def _may_pass(error: grpc.RpcError) -> bool:
    """Whether another attempt may find a referee; a certificate that is not trusted stays so."""
    return error.code() is grpc.StatusCode.UNAVAILABLE and not _UNTRUSTED.search(str(error.details()))


def _complaint(target: str, error: grpc.RpcError) -> str:
    code, details = error.code(), error.details()
    if code is grpc.StatusCode.UNAVAILABLE:
        return f"the connection to the referee at {target} failed or was lost: {details}"
    return f"the referee at {target} ended the conversation: {code.name}: {details}"
