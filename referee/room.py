"""The room steps all tables of one process, and gathers what it has to ask of each bot.

It does no I/O and has no clock of its own: a service moves the messages, tests move them by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from referee.faults import Fault
from referee.link import Link, Place
from referee.table import MatchSpec, Table
from referee.wire import DecisionEncoder


class Sitting:
    """A table, and who sits at it; one that ``is_void`` counts for nothing, and is not played on."""

    __slots__ = ("done", "encoder", "is_void", "links", "places", "table")

    def __init__(self, table: Table, done: Callable[[Sitting], None]) -> None:
        self.table = table
        self.encoder = DecisionEncoder(table)
        self.links: tuple[Link, ...] = ()
        self.places: tuple[Place, ...] = ()
        self.done = done
        self.is_void = False


class Room:
    """All tables that are played here; ``playing``: how many.

    ``changed`` is called with every link that got something to send.
    """

    def __init__(self, changed: Callable[[Link], None]) -> None:
        self.changed = changed
        self.playing = 0

    def link(self, name: str) -> Link:
        """A new bot process."""
        return Link(name, self.step, lambda: self.playing)

    def start(self, spec: MatchSpec, links: Sequence[Link], done: Callable[[Sitting], None]) -> Sitting:
        """Seat these bots, and play; ``done`` is called once the match is over."""
        sitting = Sitting(Table(spec), done)
        sitting.links = tuple(links)
        sitting.places = tuple(link.sit(sitting, seat) for seat, link in enumerate(links))
        self.playing += 1
        self.step(sitting)
        return sitting

    def end(self, sitting: Sitting, *, is_void: bool = False) -> None:
        """Tell every seat how the match ended, or that it is void."""
        sitting.is_void = is_void
        self.playing -= not sitting.table.over
        for link, place in zip(sitting.links, sitting.places, strict=True):
            link.leave(place)
            self.changed(link)

    def step(self, sitting: Sitting) -> None:
        """Play on until a living bot has to be asked, or the match is over."""
        table = sitting.table
        if sitting.is_void:
            return
        while (seat := table.advance()) is not None:
            link = sitting.links[seat]
            if link.gone is None:
                if link.ask(sitting.places[seat]):
                    self.changed(link)
                return
            table.fault(Fault.DISCONNECT)
        self.playing -= 1
        sitting.done(sitting)
