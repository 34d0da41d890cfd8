"""The one module that knows both the values of the rules and the messages of the protocol.

What a seat is told of a deal is built here, field by field, from a list of what is allowed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from google.protobuf.message import DecodeError

from referee.rules import dealing
from referee.rules.deal import Deal
from referee.rules.errors import ProtocolError
from referee.rules.ruleset import Game
from referee.table import Table
from referee.v1 import decision_pb2, match_pb2, referee_service_pb2

VERSION = 1
MAX_BATCH = 256

_KINDS = {
    name.removeprefix("DECISION_KIND_").lower(): number for name, number in decision_pb2.DecisionKind.items() if number
}
_Decision = decision_pb2.Decision


def decision(table: Table, match: int) -> decision_pb2.Decision:
    """The decision that the table waits for, as its seat may see it; ``match``: its number on the bot's stream."""
    seat: int = table.seat  # type: ignore[assignment]  # the table waits for somebody
    deal = table.match.deal
    message = _Decision(
        match=match,
        number=table.asked[seat],
        kind=_KINDS[deal.kind],  # type: ignore[index]  # somebody is to act
        deal=deal.number,
        dealer=deal.dealer,
        hand=deal.hands[seat],
        legal=deal.legal(),
        actions=deal.actions,
        seats=deal.seats,
        totals=table.match.totals,
        budget_ms=table.spec.clocks.budget_ms,
        bank_ms=table.bank_us[seat] // 1000,
        charged_us=table.last_charge_us[seat],
        seed=table.decision_seed(),
    )
    if table.last_fault[seat]:
        message.last_fault = table.last_fault[seat]  # type: ignore[assignment]  # the same numbers
    if deal.contract is not None:
        message.contract = deal.game.contract_ids.index(deal.contract.id) + 1
    if deal.declarer is not None:
        message.declarer = deal.declarer
    trick = deal.trick
    if trick is not None:
        message.trick_size = len(trick.cards)
        message.tricks.extend(trick.counts)
    if deal.layout is not None:
        message.layout.CopyFrom(_layout(deal))
    return message


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


def match_end(table: Table, seat: int, match: int) -> match_pb2.MatchEnd:
    """How a match ended for a seat; sent only when no match with the same seed is still played."""
    if not table.over:
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
    decisions: Iterable[decision_pb2.Decision] = (),
    ends: Iterable[match_pb2.MatchEnd] = (),
) -> bytes:
    """One message to a bot."""
    message = referee_service_pb2.PlayResponse(
        batch=referee_service_pb2.Batch(rulesets=rulesets, match_starts=starts, decisions=decisions, match_ends=ends)
    )
    return message.SerializeToString()


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


