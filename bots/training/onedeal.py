"""One deal from its first card: chance draws its number and its cards one by one, then the players act."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

from referee.rules import registry
from referee.rules.cards import mask, members
from referee.rules.deal import Deal
from referee.rules.dealing import deal_out
from referee.rules.ruleset import Game
from referee.rules.sampling import sample
from referee.rules.view import View, view


def different(game: Game) -> int:
    """So many deals of a match differ by dealer or by what is played; the next one is like the first."""
    first, number = game.programme.plan(1), 1
    while (plan := game.programme.plan(number + 1)) is not None and (plan is not first or number % game.players):
        number += 1
    return number


class OneDeal:
    """A deal that begins before its cards are dealt.

    ``drawn``: what chance drew: the deal's number, counted from 0, then cards in the order in which they are dealt.
    ``deal``: the deal, once all cards are dealt; None before.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.drawn: list[int] = []
        self.deal: Deal | None = None

    def chances(self) -> list[int]:
        """What chance may draw next, each as likely as the others; empty once all cards are dealt."""
        if not self.drawn:
            return list(range(different(self.game)))
        return members(mask(self.game.deck) & ~mask(self.drawn[1:]))

    def draw(self, outcome: int) -> None:
        """Draw one of `chances`."""
        self.drawn.append(outcome)
        game = self.game
        if len(self.drawn) == len(game.deck) + 1:
            number = self.drawn[0] + 1
            dealer = game.dealer(number)
            dealt = deal_out(self.drawn[1:], game.players, dealer, game.packets, game.turned)
            self.deal = game.start(number, dealer, dealt)

    def resampled(self, seat: int, rng: Random) -> list[int]:
        """All that chance draws and the players do in another deal that looks the same to this seat."""
        assert self.deal is not None
        return course(self.game, view(self.deal, seat), rng)

    def __deepcopy__(self, memo: dict[int, Any]) -> OneDeal:
        other = OneDeal(self.game)
        other.drawn = self.drawn[:]
        other.deal = self.deal and self.deal.copy()
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        actions = self.deal.actions if self.deal else []
        return _replayed, (self.game.ruleset, dict(self.game.options), self.drawn, actions)


def course(game: Game, seen: View, rng: Random) -> list[int]:
    """What chance draws and the players do in a deal that looks like this to a seat; each such deal is as likely as any other."""
    dealt = sample(game, seen, rng).dealt
    places = deal_out(range(len(game.deck)), game.players, seen.dealer, game.packets, game.turned)
    cards = {
        place: card
        for where, hand in zip(places.hands, dealt.hands, strict=True)
        for place, card in zip(members(where), members(hand), strict=True)
    }
    hands = [cards[place] for place in range(len(cards))]
    number = _number(game, seen)
    return [number, *hands, *dealt.turned, *dealt.stock, *seen.actions]


def _number(game: Game, seen: View) -> int:
    """Which of the different deals this is, counted from 0."""
    return (seen.number - 1) % different(game)


def _replayed(ruleset: str, options: Mapping[str, Any], drawn: list[int], actions: list[int]) -> OneDeal:
    result = OneDeal(game_of(ruleset, tuple(options.items())))
    for outcome in drawn:
        result.draw(outcome)
    for action in actions:
        assert result.deal is not None
        result.deal.apply(action)
    return result


@cache
def game_of(ruleset: str, options: tuple[tuple[str, Any], ...]) -> Game:
    """The game of a ruleset with these options, made once.

    Raises:
        UnknownRuleset: there is no such ruleset, option or value.
    """
    return registry.ruleset(ruleset).game(dict(options))
