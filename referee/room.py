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
    """A table, and who sits at it."""

    __slots__ = ("done", "encoder", "links", "places", "table")

    def __init__(self, table: Table, done: Callable[[Sitting], None]) -> None:
        self.table = table
        self.encoder = DecisionEncoder(table)
        self.links: tuple[Link, ...] = ()
        self.places: tuple[Place, ...] = ()
        self.done = done

    def end(self) -> None:
        """Tell every seat how the match ended; a match that is not over is void."""
        for link, place in zip(self.links, self.places, strict=True):
            link.leave(place)


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

    def end(self, sitting: Sitting) -> None:
        """Tell every seat how the match ended."""
        sitting.end()
        for link in sitting.links:
            self.changed(link)

    def step(self, sitting: Sitting) -> None:
        """Play on until a living bot has to be asked, or the match is over."""
        table = sitting.table
        while (seat := table.advance()) is not None:
            link = sitting.links[seat]
            if link.gone is None:
                link.ask(sitting.places[seat])
                self.changed(link)
                return
            table.fault(Fault.DISCONNECT)
        self.playing -= 1
        sitting.done(sitting)
