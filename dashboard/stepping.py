"""A deal of a replay, scene by scene, as the rules step it. Imports no Streamlit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from referee.rules import registry
from referee.rules.cards import SUITS, texts
from referee.rules.contract import Contract
from referee.rules.deal import Deal

_SUIT_ORDER = "SHCD"  # colours take turns


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What lies on the table after some of the decisions of a deal.

    ``done``: decisions so far; ``decision``: the last of them. ``hands``: by seat, sorted for the eye. ``actor``: whose
    turn it is, None at the end. ``trick``: (seat, card) in the order played, the full trick until the next card;
    ``winner``: who took it, None while it is open; ``tricks``: taken by seat. ``piles`` and ``stock``: in a game that has
    them. ``contract``: None until it is chosen. ``ends_part``: a trick, a turn or the auction ends here.
    """

    done: int
    decision: dict[str, Any] | None
    hands: tuple[tuple[str, ...], ...]
    actor: int | None
    kind: str | None
    trick: tuple[tuple[int, str], ...]
    winner: int | None
    tricks: tuple[int, ...] | None
    piles: dict[str, list[str]] | None
    stock: int | None
    contract: str | None
    declarer: int | None
    ends_part: bool


def scenes(told: dict[str, Any], index: int) -> list[Scene]:
    """All scenes of one deal of a replay: the first before any decision, the last when the deal is over."""
    game = registry.ruleset(told["ruleset"]).game(told["options"])
    deal = game.deal(bytes.fromhex(told["seed"]), told["deals"][index]["number"])
    result = [_scene(deal, None, (), None, False)]
    trick: tuple[tuple[int, str], ...] = ()
    taken = 0
    for decision in told["deals"][index]["decisions"]:
        kind, seat = decision["kind"], decision["seat"]
        deal.apply(game.actions.number(decision["action"]))
        if kind == "play":
            full = len(trick) == game.players
            trick = ((seat, decision["action"]),) if full else (*trick, (seat, decision["action"]))
        winners = [] if deal.trick is None else deal.trick.winners
        full = len(trick) == game.players
        winner = winners[-1] if full else None
        ends = len(winners) > taken or deal.over or (kind != "play" and deal.kind == "play" and not winners)
        ends = ends or (deal.layout is not None and deal.actor != seat)
        taken = len(winners)
        result.append(_scene(deal, decision, trick, winner, ends))
    return result


def jump(all_scenes: list[Scene], done: int, direction: int) -> int:
    """The next (1) or the previous (-1) scene in which a trick, a turn or the auction ends; else the end or the start."""
    ends = [scene.done for scene in all_scenes if scene.ends_part or scene.done == 0]
    if direction > 0:
        return next((end for end in ends if end > done), all_scenes[-1].done)
    return next((end for end in reversed(ends) if end < done), 0)


def faults(told: dict[str, Any]) -> list[tuple[int, int]]:
    """Where faults are: the index of the deal, and how many decisions lead to the scene behind the fault."""
    return [
        (index, place)
        for index, deal in enumerate(told["deals"])
        for place, decision in enumerate(deal["decisions"], 1)
        if decision["fault"]
    ]


def bid_rows(deal: dict[str, Any], done: int, players: int) -> list[list[tuple[int, dict[str, Any]] | None]]:
    """The bidding so far, row by row in the seats' order from the dealer's left: (step, decision) or None."""
    rows: list[list[tuple[int, dict[str, Any]] | None]] = []
    last = players
    for step, decision in enumerate(deal["decisions"][:done], 1):
        if decision["kind"] in ("play", "claim", "turn"):
            continue
        column = (decision["seat"] - deal["dealer"] - 1) % players
        if column <= last:
            rows.append([None] * players)
        rows[-1][column] = (step, decision)
        last = column
    return rows


def _scene(deal: Deal, decision: dict[str, Any] | None, trick: tuple[tuple[int, str], ...], winner: int | None,
           ends_part: bool) -> Scene:  # fmt: skip
    layout = deal.layout
    return Scene(
        done=len(deal.actions),
        decision=decision,
        hands=tuple(_sorted(hand, deal.contract or deal.game.contracts[0]) for hand in deal.hands),
        actor=deal.actor,
        kind=deal.kind,
        trick=trick,
        winner=winner,
        tricks=None if layout is not None else tuple(deal.trick.counts) if deal.trick else (0,) * deal.game.players,
        piles=None if layout is None else layout.texts(),
        stock=None if layout is None else len(layout.stock) - layout.drawn,
        contract=None if deal.contract is None else deal.contract.id,
        declarer=deal.declarer,
        ends_part=ends_part,
    )


def _sorted(hand: int, contract: Contract) -> tuple[str, ...]:
    """A hand as people hold it: suit by suit, the highest card first, as the contract ranks them."""
    trump = None if contract.trump is None else SUITS[contract.trump]

    def place(card: str) -> tuple[int, int]:
        order = contract.trump_order if card[1] == trump else contract.plain_order
        return _SUIT_ORDER.index(card[1]), -order.index(card[0])

    return tuple(sorted(texts(hand), key=place))
