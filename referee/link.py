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

if TYPE_CHECKING:
    from referee.room import Sitting

MAX_STRIKES = 10


@dataclass(slots=True)
class Place:
    """A seat that this bot holds in a match, under the match's number on the stream."""

    sitting: Sitting
    seat: int
    number: int
    allowance_us: int = 0


@dataclass
class Outgoing:
    """What waits to be sent."""

    starts: list[Place] = field(default_factory=list)
    asks: list[Place] = field(default_factory=list)
    ends: list[Place] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.starts or self.asks or self.ends)


class Link:
    """The conversation with one bot process.

    ``open``: the decisions that were sent and not answered, oldest first, by match number. ``gone``: why nothing
    more is to be expected of the process, None while it lives. ``stale``, ``strikes``: messages that counted for
    nothing.
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
        self._games: dict[int, int] = {}
        self._next = 1

    def sit(self, sitting: Sitting, seat: int) -> Place:
        """Take a seat in a match that begins."""
        place = Place(sitting, seat, self._next)
        self._next += 1
        self.places[place.number] = place
        self.outgoing.starts.append(place)
        return place

    def ask(self, place: Place) -> None:
        """Ask for a decision with the next message."""
        self.outgoing.asks.append(place)

    def leave(self, place: Place) -> None:
        """Tell the end of a match with the next message."""
        if self.places.pop(place.number, None) is not None:
            self.outgoing.ends.append(place)

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
        starts, ends = out.starts, out.ends
        out.starts, out.ends = [], []
        infos = [info for place in starts if (info := self._introduce(place.sitting.table.spec.game)) is not None]
        decisions = []
        for place in asks:
            table = place.sitting.table
            decisions.append(place.sitting.encoder.encode(place.number))
            place.allowance_us = table.spec.clocks.budget_ms * 1000 + table.bank_us[place.seat]
            self.allowance_us += place.allowance_us
            self.open[place.number] = place
        return wire.batch(
            infos,
            [wire.match_start(p.sitting.table, p.seat, p.number, self._games[id(p.sitting.table.spec.game)]) for p in starts],
            decisions,
            [wire.match_end(p.sitting.table, p.seat, p.number) for p in ends],
        )

    def sent(self, now: float) -> None:
        """Start the clock: the last message has been written."""
        if self.busy_since == 0.0 and self.open:
            self.busy_since = now

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

    def received(self, data: bytes, now: float) -> None:
        """Take a message of the bot, and share its time among the answers that came together."""
        answers = wire.read_answers(data)
        if answers is None:
            self._malformed(now)
            return
        taken: dict[int, tuple[Place, int]] = {}
        for answer in answers:
            number = answer.match
            place = self.open.get(number)
            if place is not None and number not in taken and self._asked(place) == answer.number:
                taken[number] = (place, answer.action)
            elif number in taken or self._was_asked(number, answer.number):
                self.stale += 1
            else:
                self.strikes += 1
        if not taken:
            return
        share = self._share(len(taken), now)
        for place, action in taken.values():
            self._close(place)
            place.sitting.table.answer(action, share)
            self.answered(place.sitting)

    def overdue(self, now: float) -> None:
        """Fail the oldest open decision, whose time is up."""
        number, place = next(iter(self.open.items()))
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
        span = 0.0 if self.busy_since == 0.0 else now - self.busy_since
        self.busy_since = now
        return int(span * 1e6 / answers)

    def _close(self, place: Place) -> None:
        del self.open[place.number]
        self.allowance_us -= place.allowance_us
        if not self.open:
            self.busy_since = 0.0

    def _asked(self, place: Place) -> int:
        return place.sitting.table.asked[place.seat]

    def _was_asked(self, match: int, number: int) -> bool:
        """Whether this is a decision of the past: closed, so that its answer is late or comes twice."""
        place = self.places.get(match)
        if place is None:
            return 0 < match < self._next
        return 0 < number <= self._asked(place) and not (match in self.open and number == self._asked(place))

    def _introduce(self, game: Game) -> wire.match_pb2.RulesetInfo | None:
        if id(game) in self._games:
            return None
        self._games[id(game)] = number = len(self._games) + 1
        return wire.ruleset_info(number, game)
