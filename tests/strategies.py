"""Hypothesis strategies for the rules: games of every ruleset and option, deals in progress, views."""

import random
from collections.abc import Iterator
from itertools import product

from hypothesis import strategies as st

from referee.rules.deal import Deal
from referee.rules.match import Match
from referee.rules.registry import RULESETS
from referee.rules.ruleset import Game, Option, Ruleset, Value

#: The options that every ruleset has.
COMMON = ("first_dealer", "ask_forced")


def values(option: Option) -> list[Value]:
    """All values of an option; of a long range the first, the default and the last."""
    if len(option.values) <= 12:
        return list(option.values)
    return [option.values[0], option.default, option.values[-1]]


def variants(ruleset: Ruleset) -> Iterator[dict[str, Value]]:
    """Options that cover every combination of a ruleset's own options; the common ones have their defaults."""
    own = [option for option in ruleset.options if option.name not in COMMON]
    for combination in product(*map(values, own)):
        yield {option.name: value for option, value in zip(own, combination, strict=True)}


#: Every ruleset with every combination of its own options, as pytest parameters: an id, and the game.
GAMES: dict[str, Game] = {
    " ".join([ruleset.id, *(f"{name}={value}" for name, value in options.items())]): ruleset.game(options)
    for ruleset in RULESETS.values()
    for options in variants(ruleset)
}

seeds = st.binary(min_size=32, max_size=32)
games = st.sampled_from(list(GAMES.values()))


@st.composite
def options_of(draw: st.DrawFn, ruleset: Ruleset) -> dict[str, Value]:
    """Any options of a ruleset, a dealer who sits at the table included."""
    drawn = {option.name: draw(st.sampled_from(option.values)) for option in ruleset.options}
    players = ruleset.game({name: value for name, value in drawn.items() if name != "first_dealer"}).players
    return drawn | {"first_dealer": draw(st.integers(0, players - 1))}


@st.composite
def any_games(draw: st.DrawFn) -> Game:
    """A game of any ruleset with any options."""
    ruleset = draw(st.sampled_from(list(RULESETS.values())))
    return ruleset.game(draw(options_of(ruleset)))


def play(deal: Deal, rng: random.Random, actions: int | None = None) -> Deal:
    """Play so many legal actions at random, or to the end of the deal."""
    while not deal.over and (actions is None or actions > 0):
        deal.apply(rng.choice(deal.legal()))
        actions = None if actions is None else actions - 1
    return deal


def play_match(match: Match, rng: random.Random) -> Match:
    """Play a match to its end at random."""
    while not match.over:
        match.apply(rng.choice(match.deal.legal()))
    return match


@st.composite
def deals(draw: st.DrawFn, games: st.SearchStrategy[Game] = games) -> Deal:
    """A deal of any number in any state that legal play reaches, over included."""
    game = draw(games)
    number = draw(st.integers(1, 14).filter(lambda number: game.programme.plan(number) is not None))
    deal = game.deal(draw(seeds), number)
    return play(deal, random.Random(draw(st.integers(0, 2**32))), draw(st.integers(0, 120)))
