"""Records the transcripts of a protocol version that are not there yet: ``python -m tests.conformance.record v1``.

What is there is never written again. The referee's side of a match is the real one, moved by hand; the bot is the
witness in Python, whose answers are those that every other language is held to.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from typing import Any

from bots.client import Tables
from referee import wire
from referee.rules.registry import RULESETS
from referee.rules.ruleset import Game
from referee.v1 import decision_pb2, match_pb2, referee_service_pb2
from tests.conformance.transcript import FOLDER, Exchange, write
from tests.referee.scene import Scene

Response, Batch, Decision = referee_service_pb2.PlayResponse, referee_service_pb2.Batch, decision_pb2.Decision
SEAT = 1
GOODBYE = Response(goodbye=referee_service_pb2.Goodbye(reason="over"))
#: Field 100 and 101 of any message, which no version of the protocol has: a number, and a text.
UNKNOWN = b"\xa0\x06\x07" + b"\xaa\x06\x06future"


def main(version: str) -> None:
    folder = FOLDER / version
    folder.mkdir(exist_ok=True)
    for ruleset in RULESETS.values():
        if not (path := folder / f"{ruleset.id}.txt").exists():
            write(path, f"two matches of {ruleset.id} at one table after the other", matches(ruleset.game()))
    if not (path := folder / "edges.txt").exists():
        write(path, "numbers at their limits, what is left out, what nobody has heard of yet", edges())


def witness() -> Tables:
    path = FOLDER.parents[1] / "bots" / "python" / "witness.py"
    spec = importlib.util.spec_from_file_location("witness", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Tables(module.Witness())


def hear(said: bytes, tables: Tables) -> Exchange:
    """What the witness answers to a message, and what the lowest bot does."""
    batch = Response.FromString(said).batch
    tables.begin(batch)
    answers = tables.answers(batch.decisions)
    tables.end(batch)
    if not answers:
        return Exchange(said)
    return Exchange(said, {
        "lowest": {(d.match, d.number): d.legal[0] for d in batch.decisions},
        "witness": {(a.match, a.number): a.action for a in answers},
    })  # fmt: skip


def matches(game: Game) -> list[Exchange]:
    """Two matches as the bot on SEAT is told of them; the others play at random."""
    scene, chance, tables = Scene(game.players), random.Random(game.ruleset), witness()
    said = [_welcome().SerializeToString()]
    exchanges = [Exchange(said[0])]
    for number in range(2):
        (sitting,) = scene.start(game=game, match_id=f"{game.ruleset}-{number}", seed=chance.randbytes(32))
        while ready := [link for link in scene.links if link.ready]:
            for link in ready:
                message = link.message()
                link.sent(scene.now)
                batch = Response.FromString(message).batch
                actions = {(d.match, d.number): chance.choice(d.legal) for d in batch.decisions}
                if link is scene.links[SEAT]:
                    exchanges.append(hear(message, tables))
                    actions = exchanges[-1].answers.get("witness", {})
                if actions:
                    scene.answer(link, *batch.decisions, after_ms=chance.randrange(90), act=_given(actions))
        scene.room.end(sitting)
        exchanges.append(hear(scene.links[SEAT].message(), tables))
        for link in scene.links:
            if link.ready:
                link.message()
    return [*exchanges, Exchange(GOODBYE.SerializeToString())]


def _given(actions: dict[tuple[int, int], int]) -> Any:
    return lambda decision: actions[decision.match, decision.number]


def _welcome() -> referee_service_pb2.PlayResponse:
    return Response(welcome=referee_service_pb2.Welcome(version=1, max_batch=256))


def edges() -> list[Exchange]:
    tables = witness()
    exchanges = [
        Exchange(_strange_welcome()), Exchange(UNKNOWN), hear(_introductions(), tables), hear(_decisions(), tables),
        hear(_ends(), tables), hear(Response(batch=Batch()).SerializeToString(), tables), hear(_many(), tables),
    ]  # fmt: skip
    return [*exchanges, Exchange(Response.SerializeToString(GOODBYE) + UNKNOWN)]


def _strange_welcome() -> bytes:
    welcome = referee_service_pb2.Welcome(version=1, max_batch=256, features=["columns", "ünknown"])
    welcome.MergeFromString(UNKNOWN)
    return Response(welcome=welcome).SerializeToString() + UNKNOWN


def _start(match: int, ruleset: int, seat: int, **more: Any) -> match_pb2.MatchStart:
    start = match_pb2.MatchStart(match=match, ruleset=ruleset, seat=seat, **more)
    start.MergeFromString(UNKNOWN)
    return start


def _introductions() -> bytes:
    """Two rulesets and three matches, before anything is asked."""
    infos = [wire.ruleset_info(1, RULESETS["king.fetes"].game()), wire.ruleset_info(9, RULESETS["kings_corner"].game())]
    for info in infos:
        info.MergeFromString(UNKNOWN)
    infos[0].options.append(match_pb2.RulesetOption(name="of_tomorrow", value='"a \\"new\\" one"'))
    infos[0].version = 4_294_967_295
    largest = {"budget_ms": 4_294_967_295, "bank_ms": 4_294_967_295, "max_faults": 4_294_967_295}
    starts = [
        _start(1, 1, 0, players=["a", "", "Zoë ♠", "d e"], commitment=bytes(range(224, 256)), **largest),
        _start(4_294_967_295, 9, 3, players=list("abcd"), commitment=bytes(32), budget_ms=1, max_faults=1),
        _start(7, 1, 2),
    ]
    return Response(batch=Batch(rulesets=infos, match_starts=starts)).SerializeToString()


def _decisions() -> bytes:
    """Limits, zeros, an order of matches of its own, kinds and faults of tomorrow."""
    piles = [decision_pb2.Pile(cards=cards) for cards in ([51, 37, 49], [], [0], [], [11], [], [], [24, 36])]
    layout = decision_pb2.Layout(piles=piles, stock=0, hand_sizes=[1, 0, 12, 4_294_967_295], turned=[51, 0, 13, 26])
    largest = 4_294_967_295
    decisions = [
        Decision(match=largest, number=largest, kind=7, deal=largest, dealer=3, hand=1 << 51 | 1, legal=[52, 53, 60],
                 actions=[60, 52], seats=[0, 0], totals=[0, -1, -2_147_483_648, 2_147_483_647],
                 seed=(1 << 64) - 1, layout=layout),
        Decision(match=1, number=1, kind=1, deal=1, hand=(1 << 52) - 1, legal=list(range(52)), contract=1, declarer=0,
                 actions=[51, 0, 31, 32], seats=[3, 2, 1, 0], trick_size=4, tricks=[0, 13, 0, 0], totals=[0, 0, 0, 0],
                 budget_ms=largest, bank_ms=largest, charged_us=largest, seed=1 << 63, last_fault=1),
        Decision(match=7, number=1, legal=[0]),
        Decision(match=7, number=2, kind=99, legal=[5, largest - 1, largest], contract=3, declarer=3, last_fault=99,
                 actions=[largest], seats=[3], seed=1 << 53 | 1),
        Decision(match=1, number=2, kind=1, hand=1 << 31 | 1 << 32, legal=[31, 32], contract=2, seed=7, last_fault=4),
    ]  # fmt: skip
    for decision in decisions:
        decision.MergeFromString(UNKNOWN)
    batch = Batch(decisions=decisions)
    batch.MergeFromString(UNKNOWN)
    return Response(batch=batch).SerializeToString() + UNKNOWN


def _ends() -> bytes:
    ends = [
        match_pb2.MatchEnd(match=1, match_id="m-1", totals=[-5, 5, 0, -2_147_483_648], ranks=[2, 1, 3, 4],
                           seed=bytes(range(32)), forfeits=[0, 3], faults=[1, 2, 3, 4, 99]),
        match_pb2.MatchEnd(match=7, is_void=True),
    ]  # fmt: skip
    for end in ends:
        end.MergeFromString(UNKNOWN)
    return Response(batch=Batch(match_ends=ends)).SerializeToString()


def _many() -> bytes:
    """A batch of 500, begun and asked in one message."""
    starts = [_start(match, 1, match % 4, players=list("abcd")) for match in range(1000, 1100)]
    decisions = [
        Decision(match=1000 + n % 100, number=1 + n // 100, kind=1 + n % 7, deal=1 + n // 4, legal=list(range(n % 9, 20)),
                 seed=n * 0x9E3779B97F4A7C15 % (1 << 64), hand=n << 30)
        for n in range(500)
    ]  # fmt: skip
    return Response(batch=Batch(match_starts=starts, decisions=decisions)).SerializeToString()


if __name__ == "__main__":
    main(*sys.argv[1:])
