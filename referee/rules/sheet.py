"""The spec sheet of a ruleset, made from its own data."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from referee.rules.cards import CARD_TEXTS, RANKS, SUITS
from referee.rules.contract import Contract
from referee.rules.ruleset import Game, Plan, Ruleset, Value
from referee.rules.wording import sentence


@dataclass(frozen=True, kw_only=True)
class OptionRow:
    """An option: its value on this sheet, its default, what it may be as a text, and what it means."""

    name: str
    value: Value
    default: Value
    values: str
    help: str


@dataclass(frozen=True, kw_only=True)
class DealRow:
    """Deals of a match that are alike.

    ``first`` and ``last``: their numbers; ``last`` is None where they go on until the match ends. ``contract``: None
    where it is chosen. ``phases``: a sentence or more for each.
    """

    first: int
    last: int | None
    contract: str | None
    phases: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ContractRow:
    """A contract: ``points``, ``scoring`` and ``ends`` in words, its obligations in the order in which they bind.

    ``trump``: the suit, None without. ``order``: ranks of a plain suit from the highest, ``trump_order`` of trumps.
    """

    id: str
    points: str
    scoring: str
    trump: str | None
    obligations: tuple[str, ...]
    ends: str
    order: str
    trump_order: str | None


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """What can be said of a ruleset with its options settled.

    ``teams``: the team of each seat. ``packets``: cards in each round of dealing; ``turned``: cards turned up after it.
    ``match``: when a match ends. ``match_total``: what the totals add up to, None where it is not fixed.
    ``actions``: the text of each action, by number; the first 52 are the cards.
    """

    id: str
    title: str
    page: str
    version: int
    players: int
    teams: tuple[int, ...]
    deck: tuple[str, ...]
    packets: tuple[int, ...]
    turned: int
    match: str
    match_total: int | None
    lower_is_better: bool
    options: tuple[OptionRow, ...]
    deals: tuple[DealRow, ...]
    contracts: tuple[ContractRow, ...]
    actions: tuple[str, ...]

    def text(self) -> str:
        """The sheet for people."""
        return "\n".join(_lines(self))


def sheet(ruleset: Ruleset, options: Mapping[str, object] | None = None) -> Sheet:
    """Make the spec sheet of a ruleset, with these options.

    Raises:
        UnknownRuleset: an option or a value does not exist.
    """
    game = ruleset.game(options)
    return Sheet(
        id=ruleset.id,
        title=ruleset.title,
        page=ruleset.page,
        version=game.version,
        players=game.players,
        teams=game.teams,
        deck=tuple(CARD_TEXTS[card] for card in game.deck),
        packets=game.packets,
        turned=game.turned,
        match=game.programme.describe(),
        match_total=game.match_total,
        lower_is_better=game.lower_is_better,
        options=tuple(
            OptionRow(
                name=option.name,
                value=game.options[option.name],
                default=option.default,
                values=option.describe(),
                help=option.help,
            )
            for option in ruleset.options
        ),
        deals=tuple(_deals(game)),
        contracts=tuple(_contract(game, contract) for contract in game.contracts),
        actions=game.actions.texts,
    )


def _deals(game: Game) -> Iterator[DealRow]:
    plans: list[Plan] = []
    while (plan := game.programme.plan(len(plans) + 1)) is not None and len(plans) < _ENDLESS:
        plans.append(plan)
    first = 1
    for plan, alike in groupby(plans):
        last = first + len(list(alike)) - 1
        yield DealRow(
            first=first,
            last=last if last < _ENDLESS else None,
            contract=None if plan.contract is None else plan.contract.id,
            phases=tuple(phase.describe() for phase in plan.phases),
        )
        first = last + 1


#: A match that has so many deals has any number of them.
_ENDLESS = 1000
#: More actions of a kind than this are not listed one by one for people.
_LISTED = 20


def _contract(game: Game, contract: Contract) -> ContractRow:
    ranks = {RANKS[card % 13] for card in game.deck}
    return ContractRow(
        id=contract.id,
        points=str(contract.tally),
        scoring=sentence(contract.settlement),
        trump=None if contract.trump is None else SUITS[contract.trump],
        obligations=tuple(map(sentence, contract.obligations)),
        ends=sentence(contract.stop),
        order=_descending(contract.plain_order, ranks),
        trump_order=None if contract.trump is None else _descending(contract.trump_order, ranks),
    )


def _descending(order: str, ranks: Container[str]) -> str:
    return "".join(rank for rank in reversed(order) if rank in ranks)


def _lines(sheet: Sheet) -> Iterator[str]:
    yield f"{sheet.id}: {sheet.title}"
    yield f"docs/rules/{sheet.page}, version {sheet.version}"
    yield ""
    teams = len(set(sheet.teams))
    yield f"Players: {sheet.players}, " + ("each for self" if teams == sheet.players else f"{teams} teams")
    yield f"Deck: {len(sheet.deck)} cards, dealt in packets of {_packets(sheet.packets)}" + (
        f", {sheet.turned} turned up" if sheet.turned else ""
    )
    total = "" if sheet.match_total is None else f"; totals add up to {sheet.match_total}"
    yield f"Match: {sheet.match}; the {'lowest' if sheet.lower_is_better else 'highest'} total wins{total}"
    yield from ("", "Options")
    for option in sheet.options:
        yield f"  {option.name} = {json.dumps(option.value)}: {option.help}; {option.values}"
    yield from ("", "Deals")
    for phases, alike in groupby(sheet.deals, key=lambda deal: deal.phases):
        yield from (f"  {_span(deal.first, deal.last)}: {deal.contract or 'chosen'}" for deal in alike)
        yield from (f"    {phase}" for phase in phases)
    yield from ("", "Contracts")
    for contract, rows in groupby(sheet.contracts, key=lambda row: replace(row, id="", trump=None)):
        yield "  " + ", ".join(row.id for row in rows)
        yield from _contract_lines(contract)
    yield from ("", "Actions", "  0 to 51: the cards, 13 * suit + rank")
    yield from _action_lines(sheet.actions)


def _action_lines(actions: Sequence[str]) -> Iterator[str]:
    for _, alike in groupby(range(52, len(actions)), key=lambda number: actions[number].partition(":")[0]):
        numbers = list(alike)
        if len(numbers) > _LISTED:
            first, last = numbers[0], numbers[-1]
            yield f"  {first} to {last}: {actions[first]} to {actions[last]}"
        else:
            yield from (f"  {number}: {actions[number]}" for number in numbers)


def _contract_lines(contract: ContractRow) -> Iterator[str]:
    yield "    score: " + (f"{contract.points}. " if contract.points else "") + contract.scoring
    yield from (f"    obligation: {obligation}" for obligation in contract.obligations)
    yield f"    end: {contract.ends}"
    yield f"    order: {contract.order}" + (f", of trumps {contract.trump_order}" if contract.trump_order else "")


def _span(first: int, last: int | None) -> str:
    if last is None:
        return f"Deal {first} and on"
    return f"Deal {first}" if first == last else f"Deals {first} to {last}"


def _packets(packets: Sequence[int]) -> str:
    return str(packets[0]) if len(set(packets)) == 1 else ", ".join(map(str, packets))
