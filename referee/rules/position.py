"""A position in the words of docs/position.md: one deal, and what has been done in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.rules import registry
from referee.rules.cards import CARD_TEXTS, card, mask, texts
from referee.rules.deal import Deal
from referee.rules.dealing import Dealt
from referee.rules.errors import BadNotation, IllegalAction, ImpossiblePosition, RulesError, nearest
from referee.rules.ruleset import Game

_KEYS = ("ruleset", "options", "deal", "dealer", "hands", "turned", "stock", "actions")


def answer(position: object) -> dict[str, Any]:
    """What docs/position.md calls the output, or ``{"error": …}`` for a position that cannot be."""
    try:
        return describe(read(position))
    except RulesError as error:
        return {"error": str(error)}


def read(position: object) -> Deal:
    """Set up a deal and carry out its actions.

    Raises:
        RulesError: the position cannot be; the text names the place.
    """
    if not isinstance(position, dict):
        raise ImpossiblePosition("a position is a JSON object")
    for key in position:
        if key not in _KEYS:
            raise ImpossiblePosition(f"unknown key {key!r}; {nearest(str(key), _KEYS)}")
    game = _game(position)
    deal = game.start(_number(position, "deal", 1, None), _number(position, "dealer", 0, game.players - 1),
                      _dealt(game, position))  # fmt: skip
    for place, text in enumerate(_list(position, "actions", []), 1):
        try:
            deal.apply(game.actions.number(text))
        except (BadNotation, IllegalAction) as error:
            raise IllegalAction(f"action {place}: {error}") from None
    return deal


def describe(deal: Deal) -> dict[str, Any]:
    """A deal in progress in the words of the page."""
    seat = deal.actor
    result: dict[str, Any] = {
        "seat": seat,
        "kind": deal.kind,
        "legal": deal.game.actions.names(deal.legal_mask()),
        "hand": None if seat is None else texts(deal.hands[seat]),
    }
    if deal.layout is not None:
        result["piles"] = deal.layout.texts()
    else:
        trick = deal.trick
        table = [] if trick is None or seat is None else trick.cards
        first = 0 if trick is None else trick.leader
        result["trick"] = [[CARD_TEXTS[c], (first + i) % deal.game.players] for i, c in enumerate(table)]
        result["tricks"] = [0] * deal.game.players if trick is None else list(trick.counts)
    result["contract"] = None if deal.contract is None else deal.contract.id
    result["scores"] = deal.scores() if deal.over else None
    return result


def _game(position: Mapping[str, Any]) -> Game:
    if "ruleset" not in position:
        raise ImpossiblePosition(f"ruleset is missing; it is one of {', '.join(registry.RULESETS)}")
    ruleset = registry.ruleset(position["ruleset"])
    options = position.get("options", {})
    if not isinstance(options, dict):
        raise ImpossiblePosition("options is no object of names and values")
    if any(option.name == "players" for option in ruleset.options) and "players" not in options:
        options = {**options, "players": len(_list(position, "hands", None))}
    return ruleset.game(options)


def _dealt(game: Game, position: Mapping[str, Any]) -> Dealt:
    hands = _list(position, "hands", None)
    if len(hands) != game.players:
        raise ImpossiblePosition(f"{len(hands)} hands; this game has {game.players} players")
    seen: dict[int, str] = {}
    sets = tuple(mask(_cards(game, hand, f"hands[{seat}]", game.hand_size, seen)) for seat, hand in enumerate(hands))
    if not game.turned:
        for key in ("turned", "stock"):
            if position.get(key):
                raise ImpossiblePosition(f"{key} is for games with turned cards; {game.ruleset} has none")
        return Dealt(sets)
    turned = _cards(game, _list(position, "turned", None), "turned", game.turned, seen)
    stock = _cards(game, _list(position, "stock", None), "stock", len(game.deck) - len(seen), seen)
    return Dealt(sets, tuple(turned), tuple(stock))


def _cards(game: Game, given: object, where: str, size: int, seen: dict[int, str]) -> list[int]:
    if not isinstance(given, list):
        raise ImpossiblePosition(f"{where} is no list of cards")
    cards = []
    for text in given:
        try:
            number = card(text)
        except BadNotation as error:
            raise ImpossiblePosition(f"{where}: {error}") from None
        if number not in game.deck:
            raise ImpossiblePosition(f"{where}: {text} is not in this deck of {len(game.deck)} cards")
        if number in seen:
            raise ImpossiblePosition(f"{where}: {text} is in {seen[number]} already")
        seen[number] = where
        cards.append(number)
    if len(cards) != size:
        raise ImpossiblePosition(f"{where} has {len(cards)} cards, must have {size}")
    return cards


def _number(position: Mapping[str, Any], key: str, low: int, high: int | None) -> int:
    right = f"a whole number from {low}" + (f" to {high}" if high is not None else "")
    if key not in position:
        raise ImpossiblePosition(f"{key} is missing; it is {right}")
    value = position[key]
    if type(value) is not int or value < low or (high is not None and value > high):
        raise ImpossiblePosition(f"{key} is {value!r}; it is {right}")
    return value


def _list(position: Mapping[str, Any], key: str, default: Sequence[Any] | None) -> Sequence[Any]:
    value = position.get(key, default)
    if value is None and key not in position:
        raise ImpossiblePosition(f"{key} is missing; it is a list")
    if not isinstance(value, list):
        raise ImpossiblePosition(f"{key} is {value!r}; it is a list")
    return value
