"""What a bot sees: the messages of the referee under names that a bot author would look for.

Nothing is worked out before it is read, and nothing twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Generic, Self, TypeVar, overload

from bots.words import match_text, observation_text, result_text
from referee.rules import registry
from referee.rules.cards import members
from referee.rules.errors import BadNotation, nearest
from referee.rules.layout import OpenLayout
from referee.rules.ruleset import Game
from referee.rules.view import View
from referee.v1 import decision_pb2, match_pb2

T = TypeVar("T")

_KINDS = {
    number: name.removeprefix("DECISION_KIND_").lower() for name, number in decision_pb2.DecisionKind.items() if number
}
_FAULTS = {
    number: name.removeprefix("FAULT_KIND_").lower() for name, number in decision_pb2.FaultKind.items() if number
}
#: The places of Kings in the Corner, in the order of the messages.
PLACES = ("N", "E", "S", "W", "NE", "SE", "SW", "NW")


class _Lazy(Generic[T]):
    """An attribute that is worked out when it is first read, and then stands in the object."""

    def __init__(self, work_out: Callable[[Any], T]) -> None:
        self.work_out = work_out
        self.name = work_out.__name__
        self.__doc__ = work_out.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Self | T:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.work_out(instance)
        return value


class Ruleset:
    """The words behind a ruleset's numbers.

    ``options``: every option with its value. ``actions``: the text of each action by its number. ``contracts``:
    their names. ``version``: rises when the same actions could give another result.
    """

    def __init__(self, info: match_pb2.RulesetInfo) -> None:
        self.id = info.id
        self.version = info.version
        self.players = info.players
        self.options: dict[str, Any] = {option.name: json.loads(option.value) for option in info.options}
        self.actions = tuple(info.actions)
        self.contracts = tuple(info.contracts)
        self.numbers = {text: number for number, text in enumerate(self.actions) if text}

    @cached_property
    def game(self) -> Game:
        """The rules themselves."""
        return registry.ruleset(self.id).game(self.options)


class Match:
    """One match, as this seat was told of it.

    ``number``: what this stream calls it, never used twice. ``players``: the names by seat. ``commitment``: the
    32 bytes of SHA-256 of the seed from which every deal follows.
    """

    def __init__(self, start: match_pb2.MatchStart, ruleset: Ruleset) -> None:
        self.number = start.match
        self.ruleset = ruleset
        self.seat = start.seat
        self.players = tuple(start.players)
        self.commitment = start.commitment
        self.budget_ms = start.budget_ms
        self.bank_ms = start.bank_ms
        self.max_faults = start.max_faults

    def __str__(self) -> str:
        return match_text(self)


@dataclass(frozen=True)
class Result:
    """How a match ended.

    ``totals`` and ``ranks`` by seat, empty when the match is void; ``seed``: the secret seed, 32 bytes, empty when
    void; ``forfeits``: seats; ``faults``: what this seat did wrong.
    """

    match_id: str
    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    seed: bytes
    forfeits: tuple[int, ...]
    faults: tuple[str, ...]
    is_void: bool

    @classmethod
    def read(cls, end: match_pb2.MatchEnd) -> Result:
        """From the referee's message."""
        return cls(
            match_id=end.match_id,
            totals=tuple(end.totals),
            ranks=tuple(end.ranks),
            seed=end.seed,
            forfeits=tuple(end.forfeits),
            faults=tuple(_FAULTS.get(fault, "unknown") for fault in end.faults),
            is_void=end.is_void,
        )

    def __str__(self) -> str:
        return result_text(self)


@dataclass(frozen=True)
class Layout:
    """The table of Kings in the Corner.

    ``piles``: the cards of each place (`PLACES`), bottom (highest) first, empty where nothing lies. ``stock``: how
    many cards are left in it. ``hand_sizes``: by seat. ``turned``: the cards turned at the start onto N, E, S, W.
    """

    piles: dict[str, list[int]]
    stock: int
    hand_sizes: list[int]
    turned: list[int]


class Observation:
    """One decision with all that its seat may know. Cards and actions are numbers; `text` and `action` translate."""

    __slots__ = ("__dict__", "_decision", "_match")

    def __init__(self, decision: decision_pb2.Decision, match: Match) -> None:
        self._decision = decision
        self._match = match

    # What is to be decided.

    @_Lazy
    def kind(self) -> str:
        """``play``, ``bid``, ``answer``, ``reply``, ``choose``, ``claim`` or ``turn``."""
        return _KINDS.get(self._decision.kind, "unknown")

    @_Lazy
    def legal(self) -> list[int]:
        """The legal actions, ascending; never empty."""
        return self._decision.legal[:]

    @_Lazy
    def number(self) -> int:
        """Counts the decisions of this seat in this match, from 1."""
        return self._decision.number

    # The deal.

    @_Lazy
    def deal(self) -> int:
        """The deal's number in the match, from 1."""
        return self._decision.deal

    @_Lazy
    def dealer(self) -> int:
        """The seat that dealt."""
        return self._decision.dealer

    @_Lazy
    def seat(self) -> int:
        """The bot's own seat."""
        return self._match.seat

    @_Lazy
    def hand(self) -> list[int]:
        """The cards in hand, ascending."""
        return members(self._decision.hand)

    @_Lazy
    def hand_mask(self) -> int:
        """The cards in hand as a set."""
        return self._decision.hand

    @_Lazy
    def contract(self) -> str | None:
        """The contract's name, such as ``no_hearts`` or ``trump:S``; None until it is known."""
        index = self._decision.contract
        return self._match.ruleset.contracts[index - 1] if index else None

    @_Lazy
    def declarer(self) -> int | None:
        """The seat that plays the deal; None where nobody does, or it is not known yet."""
        decision = self._decision
        return decision.declarer if decision.HasField("declarer") else None

    @_Lazy
    def actions(self) -> list[int]:
        """All actions of the deal that every seat saw, in order."""
        return self._decision.actions[:]

    @_Lazy
    def seats(self) -> list[int]:
        """The seats that took `actions`."""
        return self._decision.seats[:]

    @_Lazy
    def history(self) -> list[tuple[int, int]]:
        """All that every seat saw in this deal, in order: (seat, action)."""
        return list(zip(self.seats, self.actions, strict=True))

    @_Lazy
    def trick(self) -> list[tuple[int, int]]:
        """The cards on the table, in order: (seat, card); empty when leading."""
        size = self._decision.trick_size
        return self.history[-size:] if size else []

    @_Lazy
    def tricks(self) -> list[int]:
        """Tricks taken in this deal, by seat; empty where no tricks are played."""
        return self._decision.tricks[:]

    @_Lazy
    def layout(self) -> Layout | None:
        """The table of Kings in the Corner; None in trick games."""
        if not self._decision.HasField("layout"):
            return None
        layout = self._decision.layout
        piles = {place: list(pile.cards) for place, pile in zip(PLACES, layout.piles, strict=True)}
        return Layout(piles, layout.stock, list(layout.hand_sizes), list(layout.turned))

    @_Lazy
    def game(self) -> Game:
        """The rules that are played, for bots that search (docs/engine.md)."""
        return self._match.ruleset.game

    @_Lazy
    def view(self) -> View:
        """All of this as the rules' own view, from which the hidden cards can be guessed (`referee.rules.sampling`)."""
        layout = self.layout
        table = None if layout is None else OpenLayout(
            piles=tuple(tuple(pile) for pile in layout.piles.values()),
            stock=layout.stock,
            hand_sizes=tuple(layout.hand_sizes),
            turned=tuple(layout.turned),
        )  # fmt: skip
        return View(
            seat=self.seat,
            number=self.deal,
            dealer=self.dealer,
            hand=self.hand_mask,
            contract=self.contract,
            declarer=self.declarer,
            actions=tuple(self.actions),
            seats=tuple(self.seats),
            table=tuple(card for _, card in self.trick),
            tricks=tuple(self.tricks),
            layout=table,
        )

    # The match.

    @_Lazy
    def match(self) -> int:
        """The match's number on this stream: the key under which a bot may keep what it remembers."""
        return self._match.number

    @_Lazy
    def totals(self) -> list[int]:
        """Points before this deal, by seat."""
        return self._decision.totals[:]

    @_Lazy
    def players(self) -> tuple[str, ...]:
        """The names at the table, by seat."""
        return self._match.players

    @_Lazy
    def ruleset(self) -> str:
        """The ruleset's id, such as ``king.fetes``."""
        return self._match.ruleset.id

    @_Lazy
    def options(self) -> dict[str, Any]:
        """The ruleset's options by name, defaults included."""
        return self._match.ruleset.options

    # Time, faults, randomness.

    @_Lazy
    def budget_ms(self) -> int:
        """Time for this decision before the bank is touched, in milliseconds."""
        return self._decision.budget_ms

    @_Lazy
    def bank_ms(self) -> int:
        """What is left of the match's bank, in milliseconds."""
        return self._decision.bank_ms

    @_Lazy
    def charged_us(self) -> int:
        """What the previous decision was charged, in microseconds; 0 for the first."""
        return self._decision.charged_us

    @_Lazy
    def last_fault(self) -> str | None:
        """The fault at the previous decision (``illegal``, ``malformed``, ``timeout``, ``disconnect``), or None."""
        fault = self._decision.last_fault
        return _FAULTS.get(fault, "unknown") if fault else None

    @_Lazy
    def seed(self) -> int:
        """A fresh number of 64 bits for the bot's own randomness: with it alone, the same match plays the same again."""
        return self._decision.seed

    @_Lazy
    def random(self) -> Random:
        """A generator that starts from `seed`."""
        return Random(self._decision.seed)

    # Words.

    def text(self, action: int) -> str:
        """The text of an action: ``KH``, ``+3``, ``trump:S:self``, ``move:E:N``.

        Raises:
            BadNotation: the ruleset has no such action.
        """
        actions = self._match.ruleset.actions
        if not 0 <= action < len(actions) or not actions[action]:
            raise BadNotation(f"{action} is no action of {self.ruleset}")
        return actions[action]

    def action(self, text: str) -> int:
        """The number of an action from its text.

        Raises:
            BadNotation: the ruleset has no such action.
        """
        numbers = self._match.ruleset.numbers
        if text not in numbers:
            raise BadNotation(f"{text!r} is no action of {self.ruleset}; {nearest(text, numbers)}")
        return numbers[text]

    def name(self, action: int) -> str:
        """The text of an action, or its number where the ruleset has no text for it."""
        actions = self._match.ruleset.actions
        return (action < len(actions) and actions[action]) or str(action)

    def __str__(self) -> str:
        return observation_text(self)

    def __repr__(self) -> str:
        return f"<Observation {self}>"
