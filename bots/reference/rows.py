"""The contracts, bids and choices of every trick game as lines of text, for bots in languages that cannot import the rules.

``python -m bots.reference.rows`` prints them. A row is taken apart into what it was made of: functions by themselves,
and what they were made with (``inspect.getclosurevars``); so the rules are stated once, in `referee.rules`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from inspect import getclosurevars
from itertools import product
from types import SimpleNamespace
from typing import Any

from referee.rules import auction, choosing, obligations
from referee.rules.cards import mask
from referee.rules.claim import TricksWithBonus, TricksWithClaims
from referee.rules.contract import Contract, Term, at_once, never
from referee.rules.klaverjas import made_or_nat
from referee.rules.registry import RULESETS
from referee.rules.ruleset import Game, Ruleset, Value
from referee.rules.trick import Trick

#: Options that have nothing to do with cards, bids or points of a deal.
_BESIDE = ("first_dealer", "ask_forced", "target")
_CONSTANT = (obligations.no_hearts, obligations.no_king_of_hearts, obligations.king_of_hearts)
_KEEPS = (obligations.follow_suit, obligations.overtrump, obligations.trump, obligations.no_undertrump)
_CONDITIONS = (
    obligations.leading, obligations.first_trick, obligations.void, obligations.trump_led,
    obligations.opponents_winning,
)  # fmt: skip


def rows() -> Iterator[str]:
    """The lines for all trick games, one game for each set of options that matters."""
    for ruleset in RULESETS.values():
        for options in _variants(ruleset):
            game = ruleset.game(options)
            if not game.turned:
                yield from game_rows(game, options)


def game_rows(game: Game, options: Mapping[str, Value]) -> Iterator[str]:
    """The lines of one game: itself, its contracts, its actions, bids and choices."""
    given = " ".join(f"{name}={json.dumps(value)}" for name, value in options.items())
    yield f"game {game.ruleset} {given}".rstrip()
    yield f"teams {' '.join(map(str, game.teams))}"
    yield f"deck {mask(game.deck)} {game.hand_size}"
    phases = [phase for number in range(1, 20) if (plan := game.programme.plan(number)) for phase in plan.phases]
    yield f"bonus {_bonus(phases)}"
    for contract in game.contracts:
        yield from contract_rows(contract)
    yield from (f"action {number} {game.actions.text(number)}" for number in range(52, len(game.actions)))
    for ladder in {id(phase.ladder): phase.ladder for phase in phases if isinstance(phase, auction.Auction)}.values():
        yield from (f"bid {number} {_bid(bid)}" for number, bid in ladder.bids.items())
    for choose in {id(phase): phase for phase in phases if isinstance(phase, choosing.Choose)}.values():
        yield from (f"choice {game.actions.number(each.text)} {each.contract.id} {_leader(each)}" for each in choose.choices)


def contract_rows(contract: Contract) -> Iterator[str]:
    """The lines of one contract."""
    yield f"contract {contract.id}"
    yield f"trump {'-' if contract.trump is None else contract.trump} {contract.plain_order} {contract.trump_order}"
    yield from (f"keep {_obligation(each)}" for each in contract.obligations)
    yield from (f"count {term.points} {_term(term)}" for term in contract.tally.terms)
    yield f"stop {_stop(contract)}"
    yield f"settle {_settlement(contract)}"


def _variants(ruleset: Ruleset) -> Iterator[dict[str, Value]]:
    names = [option.name for option in ruleset.options if option.name not in _BESIDE]
    values = [option.values for option in ruleset.options if option.name not in _BESIDE]
    return (dict(zip(names, each, strict=True)) for each in product(*values))


def _bonus(phases: list[Any]) -> str:
    if any(isinstance(phase, TricksWithClaims) for phase in phases):
        return "choice"
    return "auto" if any(isinstance(phase, TricksWithBonus) for phase in phases) else "none"


def _obligation(obligation: Callable[..., Any]) -> str:
    """``CONDITION … : KEEP``; a set of cards as its number."""
    made_with = getclosurevars(obligation).nonlocals
    if "keep" in made_with:
        conditions = " ".join(map(_condition, made_with["conditions"]))
        return f"{conditions} {_obligation(made_with['keep'])}"
    if obligation in _CONSTANT:
        return f": cards {obligation(Trick(4, 13, None, ()))}"
    assert obligation in _KEEPS, f"{obligation} is new: give it a word here, and a meaning in bots/solver"
    return f": {obligation.__name__}"


def _condition(condition: Callable[..., Any]) -> str:
    made_with = getclosurevars(condition).nonlocals
    if "condition" in made_with:
        return "!" + _condition(made_with["condition"])
    assert condition in _CONDITIONS, f"{condition} is new: give it a word here, and a meaning in bots/solver"
    return condition.__name__


def _term(term: Term) -> str:
    """``tricks``, ``cards SET``, ``values N,N,…`` by card, or ``last N``."""
    made_with = getclosurevars(term.count).nonlocals
    if "cards" in made_with:
        return f"cards {made_with['cards']}"
    if "values" in made_with:
        return "values " + ",".join(str(made_with["values"].get(card, 0)) for card in range(52))
    if "how_many" in made_with:
        return f"last {made_with['how_many']}"
    assert not made_with
    return "tricks"


def _stop(contract: Contract) -> str:
    if contract.stop in (never, at_once):
        return contract.stop.__name__
    return f"taken {getclosurevars(contract.stop).nonlocals['cards']}"


def _settlement(contract: Contract) -> str:
    """``nat``, or ``start N N``: what the owner and the others have before anything is counted."""
    if contract.settlement is made_or_nat:
        return "nat"
    deal: Any = SimpleNamespace(dealer=0)
    owner, other, *_ = contract.settlement(deal, [0, 0, 0, 0])
    return f"start {owner} {other}"


def _bid(bid: Any) -> str:
    """``STRENGTH plus|minus FLAT EACH MOST CONTRACT|-``: a price at once, or for each trick of the owner up to a most."""
    prices = [bid.price(SimpleNamespace(dealer=0, trick=SimpleNamespace(counts=[tricks]))) for tricks in (0, 1, 13)]
    contract = "-" if bid.contract is None else bid.contract.id
    side = "plus" if bid.is_plus else "minus"
    return f"{bid.strength} {side} {prices[0]} {prices[1] - prices[0]} {prices[2] - prices[0]} {contract}"


def _leader(choice: choosing.Choice) -> str:
    deal: Any = SimpleNamespace(dealer=0, declarer=2, game=SimpleNamespace(players=4))
    return {2: "declarer", 3: "after_declarer", 1: "after_dealer"}[choice.leader(deal)]


if __name__ == "__main__":
    print("\n".join(rows()))
