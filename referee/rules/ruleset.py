"""Rulesets as values: options, and the game that they come to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from referee.rules.actions import ActionTable
from referee.rules.contract import Contract
from referee.rules.deal import Deal, Phase
from referee.rules.dealing import Dealt, deal_out, shuffled
from referee.rules.errors import ImpossiblePosition, UnknownRuleset, nearest

Value = int | bool | str | None


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option of a ruleset: the values that it may have, the default among them, and a sentence for people."""

    name: str
    values: Sequence[Value]
    default: Value
    help: str

    def check(self, value: object) -> Value:
        """Return the value.

        Raises:
            UnknownRuleset: it is none of the option's values; the text says what would be right.
        """
        if value in self.values:
            known = self.values[self.values.index(value)]
            if type(known) is type(value):  # True is not 1, nor 52.0 52
                return known
        raise UnknownRuleset(f"option {self.name!r} is {json.dumps(value, default=str)}; it may be {self.describe()}")

    def describe(self) -> str:
        """The values as a text."""
        if isinstance(self.values, range):
            return f"a whole number from {self.values[0]} to {self.values[-1]}"
        return " or ".join(json.dumps(value) for value in self.values)


@dataclass(frozen=True)
class Plan:
    """One deal of a programme: its phases, and its contract where nobody chooses it."""

    phases: tuple[Phase, ...]
    contract: Contract | None = None


class Programme(Protocol):
    """Which deals a match consists of."""

    def plan(self, number: int) -> Plan | None:
        """The deal of this number, from 1; None where no match can have so many."""

    def is_over(self, played: int, totals: Sequence[int]) -> bool:
        """Whether the match ends after so many deals with these totals."""

    def describe(self) -> str:
        """The programme in a sentence."""


@dataclass(frozen=True)
class FixedProgramme:
    """These deals, in this order."""

    plans: tuple[Plan, ...]

    def plan(self, number: int) -> Plan | None:
        """The deal of this number."""
        return self.plans[number - 1] if 1 <= number <= len(self.plans) else None

    def is_over(self, played: int, totals: Sequence[int]) -> bool:
        """After the last deal."""
        return played >= len(self.plans)

    def describe(self) -> str:
        """How many deals."""
        return f"{len(self.plans)} deals" if len(self.plans) > 1 else "one deal"


@dataclass(frozen=True)
class UntilTarget:
    """The same deal again and again, until somebody's total has reached the target."""

    always: Plan
    target: int

    def plan(self, number: int) -> Plan | None:
        """The same deal whatever its number."""
        return self.always if number >= 1 else None

    def is_over(self, played: int, totals: Sequence[int]) -> bool:
        """After the first deal in which a total has reached the target."""
        return max(totals) >= self.target

    def describe(self) -> str:
        """Where the match ends."""
        return f"deals until a total reaches {self.target}"


@dataclass(frozen=True, kw_only=True)
class Game:
    """A ruleset with all of its options settled.

    ``teams``: the team of each seat. ``deck``: ascending. ``packets``: cards in each round of dealing;
    ``turned``: cards turned up after it. ``contracts``: every contract that a deal can have, in a fixed order.
    ``match_total``: what the totals of a whole match add up to, where the rules fix it. ``lower_is_better``: points
    are penalties.
    """

    ruleset: str
    version: int
    options: Mapping[str, Value]
    players: int
    teams: tuple[int, ...]
    deck: tuple[int, ...]
    packets: tuple[int, ...]
    programme: Programme
    actions: ActionTable
    contracts: tuple[Contract, ...]
    turned: int = 0
    match_total: int | None = None
    lower_is_better: bool = False
    hand_size: int = field(init=False)
    contract_ids: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hand_size", sum(self.packets))
        object.__setattr__(self, "contract_ids", tuple(contract.id for contract in self.contracts))

    def dealer(self, number: int) -> int:
        """The dealer of this deal."""
        first = self.options["first_dealer"]
        assert isinstance(first, int)
        return (first + number - 1) % self.players

    def dealt(self, seed: bytes, number: int) -> Dealt:
        """The cards of this deal, by the published recipe."""
        cards = shuffled(seed, number, self.deck)
        return deal_out(cards, self.players, self.dealer(number), self.packets, self.turned)

    def deal(self, seed: bytes, number: int) -> Deal:
        """Begin a deal of a match."""
        return self.start(number, self.dealer(number), self.dealt(seed, number))

    def start(self, number: int, dealer: int, dealt: Dealt) -> Deal:
        """Begin a deal with given cards.

        Raises:
            ImpossiblePosition: the match has no such deal.
        """
        plan = self.programme.plan(number)
        if plan is None:
            raise ImpossiblePosition(f"deal {number} is outside the match, which has {self.programme.describe()}")
        return Deal(self, plan.phases, plan.contract, number, dealer, dealt)

    def ranking(self, totals: Sequence[int], forfeited: Sequence[bool]) -> list[int]:
        """Standard competition ranking (1, 2, 2, 4) by seat, forfeiters tied behind everybody else."""
        sign = 1 if self.lower_is_better else -1
        keys = [(lost, 0 if lost else sign * total) for total, lost in zip(totals, forfeited, strict=True)]
        return [1 + sum(other < key for other in keys) for key in keys]


@dataclass(frozen=True, kw_only=True)
class Ruleset:
    """A game as people know it, before its options are settled.

    ``build`` gets every option with a value that is one of the option's.
    """

    id: str
    title: str
    page: str
    options: tuple[Option, ...]
    build: Callable[[Mapping[str, Value]], Game]

    def game(self, options: Mapping[str, object] | None = None) -> Game:
        """Settle the options; those left out have their defaults.

        Raises:
            UnknownRuleset: an option or a value does not exist.
        """
        given = dict(options or {})
        names = [option.name for option in self.options]
        for name in given:
            if name not in names:
                raise UnknownRuleset(f"{self.id} has no option {name!r}; {nearest(str(name), names)}")
        values = {option.name: option.check(given.get(option.name, option.default)) for option in self.options}
        game = self.build(values)
        first = values["first_dealer"]
        if not isinstance(first, int) or not 0 <= first < game.players:
            raise UnknownRuleset(f"option 'first_dealer' is {first}; it may be a seat from 0 to {game.players - 1}")
        return game


def common_options(players: int) -> tuple[Option, ...]:
    """The options that every ruleset has (rules/README)."""
    return (
        Option(name="first_dealer", values=range(players), default=0, help="the seat that deals first"),
        Option(
            name="ask_forced",
            values=(False, True),
            default=False,
            help="whether a decision with one legal action is asked",
        ),
    )
