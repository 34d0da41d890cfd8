"""A room whose messages and time a test moves by hand."""

from __future__ import annotations

from collections.abc import Callable

from referee.faults import Clocks, Fault
from referee.link import Link
from referee.room import Room, Sitting
from referee.rules.registry import RULESETS
from referee.rules.ruleset import Game
from referee.table import MatchSpec
from referee.v1 import decision_pb2, referee_service_pb2

Answers, Batch, Decision = referee_service_pb2.Answers, referee_service_pb2.Batch, decision_pb2.Decision
KING = RULESETS["king.simple"].game()
#: Round numbers, all of them different.
CLOCKS = Clocks(budget_ms=100, bank_ms=1_000, margin_ms=50)


def spec(game: Game = KING, **changes) -> MatchSpec:
    players = tuple(f"bot {seat}" for seat in range(game.players))
    given = {
        "match_id": "m",
        "seed": bytes(32),
        "players": players,
        "bot_seeds": tuple(range(game.players)),
        "clocks": CLOCKS,
    }
    return MatchSpec(game=game, **(given | changes))


def lowest(decision: decision_pb2.Decision) -> int:
    return decision.legal[0]


def answers(*triples: tuple[int, int, int]) -> bytes:
    """A bot's message: (match, number, action) each."""
    listed = [decision_pb2.Answer(match=match, number=number, action=action) for match, number, action in triples]
    return referee_service_pb2.PlayRequest(answers=Answers(answers=listed)).SerializeToString()


def batch(message: bytes) -> referee_service_pb2.Batch:
    return referee_service_pb2.PlayResponse.FromString(message).batch


class Scene:
    """One link for each seat, and matches between them; ``now`` stands still unless a test moves it."""

    def __init__(self, seats: int = 4) -> None:
        self.now = 1_000.0
        self.changed: list[Link] = []
        self.over: list[Sitting] = []
        self.room = Room(self.changed.append)
        self.links = [self.room.link(f"bot {seat}") for seat in range(seats)]

    def start(self, matches: int = 1, **changes) -> list[Sitting]:
        return [self.room.start(spec(**changes), self.links, self.over.append) for _ in range(matches)]

    def send(self, link: Link) -> referee_service_pb2.Batch:
        """Send what waits for a bot, and start its clock."""
        assert link.ready
        sent = batch(link.message())
        link.sent(self.now)
        return sent

    def answer(
        self, link: Link, *decisions: decision_pb2.Decision, after_ms: float = 0, act: Callable = lowest
    ) -> None:
        """Let a bot answer these decisions in one message, after so long."""
        self.now += after_ms / 1000
        link.received(answers(*((each.match, each.number, act(each)) for each in decisions)), self.now)

    def play(self, until: Link | None = None, act: Callable = lowest) -> referee_service_pb2.Batch | None:
        """Let all bots answer at once; return what ``until`` is sent, None when nobody has anything to answer."""
        while ready := [link for link in self.links if link.ready]:
            for link in ready:
                if link is until and link.outgoing.asks:
                    return self.send(link)
                sent = self.send(link)
                if sent.decisions:
                    self.answer(link, *sent.decisions, act=act)
        return None


def asked(matches: int = 1):
    """Matches that all wait for the seat that leads; its link, and what it has just been sent."""
    scene = Scene()
    sittings = scene.start(matches)
    link = scene.links[1]
    sent = scene.send(link)
    assert [decision.number for decision in sent.decisions] == [1] * matches
    return scene, sittings, link, list(sent.decisions)


def faults(sitting, seat: int = 1) -> list[Fault]:
    return sitting.table.faults[seat]


def charged(sitting, seat: int = 1) -> int:
    return round(sitting.table.last_charge_us[seat] / 1000)
