"""What a bot is told, in one line of text that is the same in every language's SDK.

Lists are separated by spaces, what is not there is ``-``, an action is its text, or its number where the ruleset has none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bots.observation import Layout, Match, Observation, Result


def observation_text(seen: Observation) -> str:
    """A decision, such as ``king.fetes first_dealer=0; match 1 of a,b,c,d seat 2; decision 5 play; …``."""

    def acts(actions: Iterable[int]) -> str:
        return "".join(f" {seen.name(action)}" for action in actions)

    def moves(pairs: Iterable[tuple[int, int]]) -> str:
        return "".join(f" {seat}:{seen.name(action)}" for seat, action in pairs)

    options = "".join(f" {name}={json.dumps(value)}" for name, value in sorted(seen.options.items()))
    parts = (
        f"{seen.ruleset}{options}",
        f"match {seen.match} of {','.join(seen.players)} seat {seen.seat}",
        f"decision {seen.number} {seen.kind}",
        f"deal {seen.deal} dealer {seen.dealer} contract {_or_dash(seen.contract)} declarer {_or_dash(seen.declarer)}",
        f"hand{acts(seen.hand)}",
        f"trick{moves(seen.trick)}",
        f"history{moves(seen.history)}",
        f"tricks{_numbers(seen.tricks)}",
        f"totals{_numbers(seen.totals)}",
        f"layout {'-' if seen.layout is None else _layout(seen, seen.layout)}",
        f"time {seen.budget_ms} {seen.bank_ms} {seen.charged_us}",
        f"fault {_or_dash(seen.last_fault)}",
        f"seed {seen.seed}",
        f"legal{acts(seen.legal)}",
    )
    return "; ".join(parts)


def match_text(match: Match) -> str:
    """The start of a match."""
    return (
        f"match {match.number} {match.ruleset.id} version {match.ruleset.version} of {','.join(match.players)}"
        f" seat {match.seat} commitment {match.commitment.hex() or '-'}"
        f" time {match.budget_ms} {match.bank_ms} faults {match.max_faults}"
    )


def result_text(result: Result) -> str:
    """The end of a match."""
    return (
        f"result {result.match_id or '-'} totals{_numbers(result.totals)} ranks{_numbers(result.ranks)}"
        f" seed {result.seed.hex() or '-'} forfeits{_numbers(result.forfeits)}"
        f" faults{''.join(f' {fault}' for fault in result.faults)} void {'yes' if result.is_void else 'no'}"
    )


def _layout(seen: Observation, layout: Layout) -> str:
    piles = " ".join(f"{place}={','.join(map(seen.name, cards))}" for place, cards in layout.piles.items())
    turned = "".join(f" {seen.name(card)}" for card in layout.turned)
    return f"{piles} stock {layout.stock} hands{_numbers(layout.hand_sizes)} turned{turned}"


def _numbers(numbers: Iterable[int]) -> str:
    return "".join(f" {number}" for number in numbers)


def _or_dash(value: object) -> str:
    return "-" if value is None else str(value)
