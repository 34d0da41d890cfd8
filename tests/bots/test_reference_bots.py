"""The reference bots in whole matches of every ruleset, in this process and by the referee's own messages."""

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from statistics import mean, stdev
from typing import cast

import pytest

from bots import Match, Observation, Ruleset
from bots.client import Bot
from bots.reference import BOTS, bot
from referee.rules import registry
from referee.rules.ruleset import Game, Value
from referee.table import MatchSpec, Table
from referee.v1 import decision_pb2
from referee.wire import DecisionEncoder, match_start, ruleset_info

RULESETS = sorted(registry.RULESETS)
#: Variants beside the default options.
GAMES: list[tuple[str, Mapping[str, Value]]] = [
    *((name, {}) for name in RULESETS),
    ("king.auction", {"deck": 32}),
    ("king.simple", {"last_two": 8}),
    ("king.fetes", {"ask_forced": True}),
    ("klaverjas.amsterdam", {"roem": "auto", "target": 1000}),
    ("kings_corner", {"players": 2, "target": 50}),
    ("kings_corner", {"players": 3}),
]
KLEIN = ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0))
BLOCKS = 30
#: Bots that search get so little here that a match takes a second.
NODES = {"planner": 100}
#: The solver is a program of its own, and has tests of its own.
HERE = [name for name in BOTS if name != "solver"]


@cache
def player(name: str) -> Bot:
    return cast(Bot, bot(name, NODES.get(name)))


def new_table(game: Game, seed: bytes, names: Sequence[str]) -> Table:
    bot_seeds = tuple(random.Random(seed + bytes([seat])).getrandbits(64) for seat in range(game.players))
    return Table(MatchSpec(match_id="test", game=game, seed=seed, players=tuple(names), bot_seeds=bot_seeds))


def decisions(table: Table, names: Sequence[str]) -> Iterator[tuple[Observation, int]]:
    """Play a match to its end; every observation with what the bot answered."""
    game = table.spec.game
    ruleset = Ruleset(ruleset_info(1, game))
    matches = [Match(match_start(table, seat, 1, 1), ruleset) for seat in range(game.players)]
    encoder = DecisionEncoder(table)
    while (seat := table.advance()) is not None:
        message = decision_pb2.Decision.FromString(encoder.encode(1))
        observation = Observation(message, matches[seat])
        action = player(names[seat]).decide(observation, observation.legal)
        yield observation, action
        table.answer(action, 0)


@pytest.mark.parametrize("name", HERE)
@pytest.mark.parametrize(("ruleset", "options"), GAMES, ids=str)
def test_every_answer_is_legal(name: str, ruleset: str, options: Mapping[str, Value]) -> None:
    game = registry.ruleset(ruleset).game(options)
    names = ([name, "random"] * 2)[: game.players]
    for number in range(1 if name in NODES else 4):
        table = new_table(game, bytes([number]) * 32, names)
        for observation, action in decisions(table, names):
            assert action in observation.legal, (observation, action)
        assert not any(table.faults)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_same_match_is_played_again(ruleset: str) -> None:
    game = registry.ruleset(ruleset).game()
    names = list(BOTS)[:4]
    records = []
    for _ in range(2):
        player.cache_clear()  # nothing that a bot remembers makes a difference
        table = new_table(game, b"same" * 8, names)
        for _ in decisions(table, names):
            pass
        records.append(table.record_hash())
    assert records[0] == records[1]


def test_random_is_the_remainder_of_the_seed() -> None:
    table = new_table(registry.ruleset("king.fetes").game(), bytes(32), ["random"] * 4)
    for observation, action in decisions(table, ["random"] * 4):
        assert action == observation.legal[observation.seed % len(observation.legal)]


def margins(game: Game, name: str, other: str) -> list[float]:
    """By block: how many points a match ``name`` is ahead of ``other``, two seats each."""
    seeds = random.Random(f"{game.ruleset} {name} {other}")
    result = []
    for _ in range(BLOCKS):
        seed = seeds.randbytes(32)
        ahead = []
        for seating in KLEIN:
            names = [(name, other)[place % 2] for place in seating]
            table = new_table(game, seed, names)
            for _ in decisions(table, names):
                pass
            by_name = {
                n: mean(t for t, held in zip(table.match.totals, names, strict=True) if held == n) for n in names
            }
            ahead.append(by_name[name] - by_name[other])
        result.append(mean(ahead) * (-1 if game.lower_is_better else 1))
    return result


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("name", ["greedy", "cautious"])
def test_it_beats_random_beyond_doubt(name: str, ruleset: str) -> None:
    ahead = margins(registry.ruleset(ruleset).game(), name, "random")
    assert mean(ahead) > 5 * stdev(ahead) / BLOCKS**0.5, (mean(ahead), stdev(ahead) / BLOCKS**0.5)
