"""The one module that knows both the values of the rules and the messages of the protocol.

What a seat is told of a deal is built here, field by field, from a list of what is allowed.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence

from google.protobuf.message import DecodeError

from referee.rules import dealing
from referee.rules.cards import ALL_CARDS, SUIT_MASKS, members
from referee.rules.deal import Deal
from referee.rules.errors import ProtocolError
from referee.rules.ruleset import Game
from referee.rules.trick import Trick
from referee.table import Table
from referee.v1 import decision_pb2, match_pb2, referee_service_pb2

VERSION = 1
MAX_BATCH = 256

_KINDS = {name.removeprefix("DECISION_KIND_").lower(): number for name, number in decision_pb2.DecisionKind.items()}
_Decision = decision_pb2.Decision


def _long_varint(number: int) -> bytes:
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    parts.append(number)
    return bytes(parts)


_SHORT = [_long_varint(number) for number in range(1 << 14)]
_LOWER = [bytes((number & 127 | 128, number >> 7 | 128)) for number in range(1 << 14)]  # more bytes follow these


def _varint(number: int) -> bytes:
    """A number of the protocol, as protobuf writes it."""
    if number < 1 << 14:
        return _SHORT[number]
    if number < 1 << 28:
        return _LOWER[number & 0x3FFF] + _SHORT[number >> 14]
    return _long_varint(number)


def _varints(numbers: Iterable[int]) -> bytes:
    return b"".join([_varint(number) for number in numbers])


class _Suits(dict[int, bytes]):
    """The packed numbers of sets within one suit, each worked out when it is first met."""

    def __missing__(self, mask: int) -> bytes:
        self[mask] = bytes(members(mask))
        return self[mask]


_PACKED = _Suits({0: b""})
_CLUBS, _DIAMONDS, _HEARTS, _SPADES = SUIT_MASKS


def _packed_set(mask: int) -> bytes:
    """The members of a set, ascending, as protobuf packs them."""
    known = _PACKED.get(mask)
    if known is not None:
        return known
    if mask > ALL_CARDS:
        return _varints(members(mask))
    suits = _PACKED
    return suits[mask & _CLUBS] + suits[mask & _DIAMONDS] + suits[mask & _HEARTS] + suits[mask & _SPADES]


# Tags of Decision's fields with the numbers that often follow them.
_LEGAL, _ACTIONS, _SEATS = ([tag + number for number in _SHORT] for tag in (b"\x3a", b"\x52", b"\x5a"))
_ON_TABLE = [b"\x60" + number for number in _SHORT[:8]]
_BANK = [b"\x80\x01" + number for number in _SHORT]
_HAND_AND_SEED = struct.Struct("<BQ2s8s").pack


class DecisionEncoder:
    """Encodes the decisions of one table as protobuf `Decision` messages.

    Written out by hand: this is the referee's most frequent work, and the generated classes take three times as
    long for it (benchmarks/README.md). Tests parse its bytes with the generated code and compare every field.
    """

    __slots__ = ("_contract", "_counts", "_deal", "_declarer", "_head", "_kind", "_pack", "_start", "_taken", "table")

    def __init__(self, table: Table) -> None:
        self.table = table
        self._pack = bytes if len(table.spec.game.actions) <= 128 else _varints
        self._deal: Deal | None = None
        self._contract: object = None
        self._declarer: int | None = None
        self._kind: str | None = None
        self._head = b""
        self._start = 0
        self._taken = -1
        self._counts = b""

    def encode(self, match: int) -> bytes:
        """The decision that the table waits for, as its seat may see it; ``match``: its number on the stream."""
        table = self.table
        seat: int = table.seat  # type: ignore[assignment]  # the table waits for somebody
        deal = table.match.deal
        if (
            deal is not self._deal
            or deal.kind is not self._kind
            or deal.contract is not self._contract
            or deal.declarer != self._declarer
        ):
            self._new_head(deal)
        seats = table.seats[self._start :]
        legal = _packed_set(table.legal)
        actions = self._pack(table.actions[self._start :])
        trick = deal.trick
        if trick is None:
            tricks = b""
        else:
            if len(trick.winners) != self._taken:
                self._new_counts(trick)
            tricks = _ON_TABLE[len(trick.cards)] + self._counts
        bank_ms = table.bank_us[seat] // 1000
        parts: tuple[bytes | bytearray, ...] = (
            b"\x08", _varint(match), b"\x10", _varint(table.asked[seat]), self._head,
            _HAND_AND_SEED(0x31, deal.hands[seat], b"\x91\x01", table.decision_seed()), _LEGAL[len(legal)], legal,
            _ACTIONS[len(actions)], actions, _SEATS[len(seats)], seats, tricks,
            _BANK[bank_ms] if bank_ms < len(_BANK) else b"\x80\x01" + _varint(bank_ms),
            b"\x88\x01", _varint(table.last_charge_us[seat]),
        )  # fmt: skip
        if table.last_fault[seat]:
            parts += (b"\x98\x01", _SHORT[table.last_fault[seat]])
        if deal.layout is not None:
            layout = _layout(deal).SerializeToString()
            parts += (b"\xa2\x01", _varint(len(layout)), layout)
        return b"".join(parts)

    def _new_counts(self, trick: Trick) -> None:
        """The tricks by seat, which change when one is taken."""
        self._taken = len(trick.winners)
        self._counts = b"\x6a" + _SHORT[len(trick.counts)] + bytes(trick.counts)

    def _new_head(self, deal: Deal) -> None:
        """What stays the same from one decision of a deal to the next, once its contract is known or not."""
        self._start = len(self.table.seats) - len(deal.seats)
        self._taken = -1
        head = _Decision(
            deal=deal.number,
            dealer=deal.dealer,
            totals=self.table.match.totals,
            budget_ms=self.table.spec.clocks.budget_ms,
            kind=_KINDS[deal.kind],  # type: ignore[index]  # a deal that is asked about is not over
        )
        if deal.contract is not None:
            head.contract = deal.game.contract_ids.index(deal.contract.id) + 1
        if deal.declarer is not None:
            head.declarer = deal.declarer
        self._deal, self._kind = deal, deal.kind
        self._contract, self._declarer = deal.contract, deal.declarer
        self._head = head.SerializeToString()


def ruleset_info(number: int, game: Game) -> match_pb2.RulesetInfo:
    """The words behind a game's numbers; ``number``: what the stream calls it."""
    return match_pb2.RulesetInfo(
        ruleset=number,
        id=game.ruleset,
        options=[match_pb2.RulesetOption(name=name, value=json.dumps(value)) for name, value in game.options.items()],
        players=game.players,
        actions=game.actions.texts,
        contracts=game.contract_ids,
        version=game.version,
    )


def match_start(table: Table, seat: int, match: int, ruleset: int) -> match_pb2.MatchStart:
    """How a match begins for a seat; ``match`` and ``ruleset``: their numbers on the bot's stream."""
    spec = table.spec
    return match_pb2.MatchStart(
        match=match,
        ruleset=ruleset,
        seat=seat,
        players=spec.players,
        commitment=dealing.commitment(spec.seed),
        budget_ms=spec.clocks.budget_ms,
        bank_ms=spec.clocks.bank_ms,
        max_faults=spec.max_faults,
    )


def match_end(table: Table, seat: int, match: int, *, is_void: bool = False) -> match_pb2.MatchEnd:
    """How a match ended for a seat; sent only when no match with the same seed is still played, or to be played again."""
    if is_void or not table.over:
        return match_pb2.MatchEnd(match=match, is_void=True)
    return match_pb2.MatchEnd(
        match=match,
        match_id=table.spec.match_id,
        totals=table.match.totals,
        ranks=table.ranks(),
        seed=table.spec.seed,
        forfeits=sorted(table.forfeits),
        faults=[int(fault) for fault in table.faults[seat]],  # type: ignore[misc]  # the same numbers
    )


def batch(
    rulesets: Iterable[match_pb2.RulesetInfo] = (),
    starts: Iterable[match_pb2.MatchStart] = (),
    decisions: Iterable[bytes] = (),
    ends: Iterable[match_pb2.MatchEnd] = (),
) -> bytes:
    """One message to a bot; ``decisions`` are encoded already."""
    parts = [referee_service_pb2.Batch(rulesets=rulesets, match_starts=starts, match_ends=ends).SerializeToString()]
    for encoded in decisions:
        parts += (b"\x1a", _varint(len(encoded)), encoded)  # Batch.decisions
    body = b"".join(parts)
    return b"\x12" + _varint(len(body)) + body  # PlayResponse.batch


def welcome() -> bytes:
    """The answer to an acceptable hello."""
    message = referee_service_pb2.Welcome(version=VERSION, max_batch=MAX_BATCH)
    return referee_service_pb2.PlayResponse(welcome=message).SerializeToString()


def goodbye(reason: str) -> bytes:
    """The last message of a conversation."""
    return referee_service_pb2.PlayResponse(goodbye=referee_service_pb2.Goodbye(reason=reason)).SerializeToString()


def read_hello(data: bytes) -> referee_service_pb2.Hello:
    """The first message of a bot.

    Raises:
        ProtocolError: it is no hello, or there is no common version; the text says which are spoken here.
    """
    request = _request(data)
    if request is None or request.WhichOneof("message") != "hello":
        raise ProtocolError("the first message of a stream is hello")
    hello = request.hello
    if not hello.min_version <= VERSION <= hello.max_version:
        raise ProtocolError(f"versions {VERSION} to {VERSION} are spoken here, not {hello.min_version} to {hello.max_version}")
    return hello


def read_answers(data: bytes) -> Sequence[decision_pb2.Answer] | None:
    """The answers in a message of a bot, or None where it is malformed."""
    request = _request(data)
    if request is None or request.WhichOneof("message") != "answers":
        return None
    return request.answers.answers


def _request(data: bytes) -> referee_service_pb2.PlayRequest | None:
    try:
        return referee_service_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return None


def _layout(deal: Deal) -> decision_pb2.Layout:
    assert deal.layout is not None
    seen = deal.layout.open(deal)
    return decision_pb2.Layout(
        piles=[decision_pb2.Pile(cards=pile) for pile in seen.piles],
        stock=seen.stock,
        hand_sizes=seen.hand_sizes,
        turned=seen.turned,
    )


