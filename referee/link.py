"""A link is one bot process as the referee sees it: what it was asked, and the clock on it.

It does no I/O: messages come in as bytes with their time, and go out through a callback.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from referee import wire
from referee.faults import Fault
from referee.rules.ruleset import Game
from referee.v1 import match_pb2

if TYPE_CHECKING:
    from referee.room import Sitting

MAX_STRIKES = 10
#: So many answers that come twice or late are forgiven for each decision that was sent, and so many more in all.
STALE_FOR_EACH, STALE_MORE = 2, 100
#: The most matches whose end is told in one message: a megabyte holds them.
MAX_ENDS = 1024


@dataclass(slots=True)
class Place:
    """A seat that this bot holds in a match, under the match's number on the stream.

    ``sent``: the number of the last decision that was sent, 0 before the first. ``allowance_us``: the time it has.
    ``is_told``: the bot has heard of the match; it does together with the first decision.
    """

    sitting: Sitting
    seat: int
    number: int
    sent: int = 0
    allowance_us: int = 0
    is_told: bool = False


@dataclass
class Outgoing:
    """What waits to be sent."""

    asks: list[Place] = field(default_factory=list)
    ends: list[Place] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.asks or self.ends)


class Link:
    """The conversation with one bot process.

    ``open``: the decisions that were sent and not answered, oldest first, by match number. ``gone``: why nothing
    more is to be expected of the process, None while it lives. ``stale``: answers that came late or twice,
    ``strikes``: what counted for nothing and had no excuse.
    """

    def __init__(self, name: str, answered: Callable[[Sitting], None], playing: Callable[[], int] = lambda: 0) -> None:
        self.name = name
        self.answered = answered
        self._playing = playing
        self.places: dict[int, Place] = {}
        self.open: dict[int, Place] = {}
        self.outgoing = Outgoing()
        self.allowance_us = 0
        self.busy_since = 0.0
        self.gone: str | None = None
        self.stale = 0
        self.strikes = 0
        self._games: dict[int, tuple[int, Game]] = {}
        self._next = 1
        self._decisions = 0

    def sit(self, sitting: Sitting, seat: int) -> Place:
        """Take a seat in a match that begins."""
        place = Place(sitting, seat, self._next)
        self._next += 1
        self.places[place.number] = place
        return place

    def ask(self, place: Place) -> bool:
        """Ask for a decision with the next message; whether it is the first that waits for it."""
        asks = self.outgoing.asks
        asks.append(place)
        return len(asks) == 1

    def leave(self, place: Place) -> None:
        """Tell the end of a match with the next message; a void one is not asked about any more."""
        if self.places.pop(place.number, None) is None:
            return
        if place.sitting.is_void:
            self.outgoing.asks = [ask for ask in self.outgoing.asks if ask is not place]
        if place.is_told and self.gone is None:
            self.outgoing.ends.append(place)

    def resume(self) -> None:
        """Begin anew on another stream of the same process: what is open is asked again, and its clock runs on."""
        for place in self.places.values():
            place.is_told = False
        again = [place for place in self.open.values() if not place.sitting.is_void]
        self.outgoing = Outgoing(asks=again + self.outgoing.asks)
        self.open.clear()
        self.allowance_us = 0
        self._games.clear()
        if not again:
            self.busy_since = 0.0

    @property
    def ready(self) -> bool:
        """There is something to send, and the bot is not busy with what it was sent before."""
        return self.gone is None and not self.open and bool(self.outgoing)

    @property
    def may_grow(self) -> bool:
        """Most tables wait for other bots: a moment later there may well be much more to ask this one at once."""
        waiting = len(self.outgoing.asks)
        return waiting < wire.MAX_BATCH // 2 and 2 * waiting < self._playing()

    def message(self) -> bytes:
        """Take what waits, up to the size of a batch, as one message."""
        out = self.outgoing
        asks, out.asks = out.asks[: wire.MAX_BATCH], out.asks[wire.MAX_BATCH :]
        ends, out.ends = out.ends[:MAX_ENDS], out.ends[MAX_ENDS:]
        infos: list[match_pb2.RulesetInfo] = []
        starts, decisions = [], []
        allowance_us, opened = self.allowance_us, self.open
        for place in asks:
            number, seat, table = place.number, place.seat, place.sitting.table
            if not place.is_told:
                starts.append(wire.match_start(table, seat, number, self._ruleset(table.spec.game, infos)))
                place.is_told = True
            decisions.append(place.sitting.encoder.encode(number))
            place.sent = table.asked[seat]
            place.allowance_us = table.budget_us + table.bank_us[seat]
            allowance_us += place.allowance_us
            opened[number] = place
        self.allowance_us = allowance_us
        self._decisions += len(asks)
        over = [wire.match_end(p.sitting.table, p.seat, p.number, is_void=p.sitting.is_void) for p in ends]
        return wire.batch(infos, starts, decisions, over)

    def sent(self, now: float) -> None:
        """Start the clock: the last message has been written."""
        if self.busy_since == 0.0 and self.open:
            self.busy_since = now

    def pause(self, seconds: float) -> None:
        """Leave a span out of the count, in which the referee itself stood still."""
        if self.busy_since != 0.0:
            self.busy_since += seconds

    def deadline(self) -> float | None:
        """When the oldest open decision is overdue, in the loop's seconds; None while nothing is open.

        Until then one message could still answer all in time (knowledge of chess servers: a process that holds
        many decisions must not be failed for one of them).
        """
        if not self.open or self.busy_since == 0.0:
            return None
        oldest = next(iter(self.open.values()))
        margin_s = oldest.sitting.table.spec.clocks.margin_ms / 1000
        return self.busy_since + self.allowance_us / 1e6 + margin_s

    def long_after(self) -> float | None:
        """When what is open has taken a tenth of its budgets, in the loop's seconds: it may become late."""
        if not self.open or self.busy_since == 0.0:
            return None
        oldest = next(iter(self.open.values()))
        return self.busy_since + len(self.open) * oldest.sitting.table.budget_us / 1e7

    def received(self, data: bytes, now: float) -> None:
        """Take a message of the bot, and share its time among the answers that came together."""
        answers = wire.read_answers(data)
        if answers is None:
            self._malformed(now)
            return
        taken: list[tuple[Place, int]] = []
        opened = self.open
        for answer in answers:
            number = answer.match
            place = opened.get(number)
            if place is not None and place.sent == answer.number:
                del opened[number]
                self.allowance_us -= place.allowance_us
                taken.append((place, answer.action))
            elif self._was_asked(number, answer.number):
                self.stale += 1
                self.strikes += self.stale > STALE_FOR_EACH * self._decisions + STALE_MORE
            else:
                self.strikes += 1
        if not taken:
            self.strikes += not answers
            return
        share = self._share(len(taken), now)
        if not opened:
            self.busy_since = 0.0
        answered = self.answered
        for place, action in taken:
            sitting = place.sitting
            sitting.table.answer(action, share)
            answered(sitting)

    def overdue(self, now: float) -> None:
        """Fail the oldest open decision, whose time is up."""
        place = next(iter(self.open.values()))
        allowance = place.allowance_us
        self.busy_since = min(now, self.busy_since + allowance / 1e6)
        self._close(place)
        place.sitting.table.fault(Fault.TIMEOUT, allowance)
        self.answered(place.sitting)

    def lost(self, why: str) -> None:
        """The process or its stream is gone: nothing more is to be expected of it."""
        if self.gone is None:
            self.gone = why
        places = [*self.open.values(), *self.outgoing.asks]
        self.open.clear()
        self.outgoing = Outgoing()
        self.allowance_us = 0
        self.busy_since = 0.0
        for place in places:
            place.sitting.table.fault(Fault.DISCONNECT)
            self.answered(place.sitting)

    def _malformed(self, now: float) -> None:
        if not self.open:
            self.strikes += 1
            return
        share = self._share(1, now)
        place = next(iter(self.open.values()))
        self._close(place)
        place.sitting.table.fault(Fault.MALFORMED, share)
        self.answered(place.sitting)

    def _share(self, answers: int, now: float) -> int:
        """Microseconds of the span since the batch was sent, or the last answer came, for each of the answers."""
        span = 0.0 if self.busy_since == 0.0 else max(0.0, now - self.busy_since)
        self.busy_since = now
        return int(span * 1e6 / answers)

    def _close(self, place: Place) -> None:
        del self.open[place.number]
        self.allowance_us -= place.allowance_us
        if not self.open:
            self.busy_since = 0.0

    def _was_asked(self, match: int, number: int) -> bool:
        """Whether this is a decision that was sent once, so that its answer is late or comes twice."""
        place = self.places.get(match)
        return 0 < number <= place.sent if place is not None else 0 < match < self._next

    def _ruleset(self, game: Game, infos: list[match_pb2.RulesetInfo]) -> int:
        """The number of a ruleset on the stream; a new one is added to those that the bot is told."""
        number, _ = self._games.get(id(game), (0, game))
        if not number:
            number = len(self._games) + 1
            self._games[id(game)] = number, game  # kept, so that no other game gets its id
            infos.append(wire.ruleset_info(number, game))
        return number
