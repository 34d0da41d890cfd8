"""Cycles and schedules: who meets whom, how often, and on which side of the table."""

from collections import Counter
from itertools import combinations, islice
from typing import Any

import numpy as np
import psutil
import pytest

from cluster.schedule import Block, blocks
from cluster.schedule.cycles import Balancer, cycle
from cluster.schedule.designs import DESIGNS
from tests.cluster.fakes import a_tournament, all_blocks


def names(number: int) -> tuple[str, ...]:
    return tuple(f"b{bot:03}" for bot in range(number))


def plan(bots: int, count: int, **settings: Any) -> list[Block]:
    return all_blocks(a_tournament(names(bots), blocks=count, **settings))


def met(played: list[Block]) -> Counter[frozenset[str]]:
    return Counter(frozenset(pair) for block in played for pair in combinations(sorted(set(block.lineup)), 2))


def opposite(played: list[Block]) -> Counter[frozenset[str]]:
    return Counter(frozenset(block.lineup[place::2]) for block in played for place in (0, 1))


def seats(played: list[Block]) -> Counter[str]:
    return Counter(bot for block in played for bot in set(block.lineup))


@pytest.mark.parametrize("bots", DESIGNS)
def test_five_to_twenty_five_bots_meet_exactly_equally_often(bots: int) -> None:
    design = DESIGNS[bots]
    tables = cycle(bots, 4)
    assert sorted(tables) == sorted(design.tables())
    for first in (0, 1):  # the first cycle, and a later one with other numbers
        played = plan(bots, (first + 1) * len(tables))[first * len(tables) :]
        assert met(played) == {frozenset(pair): design.meets for pair in combinations(names(bots), 2)}
        assert opposite(played) == {frozenset(pair): design.meets // 3 for pair in combinations(names(bots), 2)}


@pytest.mark.parametrize("bots", [5, 8, 13, 21, 25, 26, 31, 60])
def test_nobody_waits_long(bots: int) -> None:
    """Everybody has sat after one block more than it takes, and in any beginning about as often as everybody else."""
    count = 4 * bots
    played = plan(bots, count)
    assert len(seats(played[: -(-bots // 4) + 1])) == bots
    for end in range(1, count):
        seen = seats(played[:end])
        assert max(seen.values()) - min(seen.get(name, 0) for name in names(bots)) <= 3


@pytest.mark.parametrize(("bots", "places"), [(26, 4), (40, 4), (5, 3), (12, 3)])
def test_the_balancer_keeps_pairs_within_one_of_their_mean(bots: int, places: int) -> None:
    tables = list(cycle(bots, places))
    pairs = Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))
    assert len(pairs) == bots * (bots - 1) // 2
    assert {5, 6, 7} >= set(pairs.values())
    if places == 4:
        across = Counter(frozenset(table[place::2]) for table in tables for place in (0, 1))
        assert max(across.values()) <= 4


@pytest.mark.parametrize(("meetings", "most_off"), [(1, 2), (3, 2), (20, 2)])
def test_the_balancer_goes_on_as_long_as_anybody_likes(meetings: int, most_off: int) -> None:
    balancer = Balancer(17, 4)
    for _ in range(meetings * 17 * 16 // 12):
        balancer.next()
    counts = balancer.met[np.triu_indices(17, 1)]
    assert np.abs(counts - counts.mean()).max() <= most_off + 0.5


@pytest.mark.slow
def test_two_hundred_bots(capsys: pytest.CaptureFixture[str]) -> None:
    played = plan(200, 10_000)
    counts = Counter(met(played).values())
    print(f"\n200 bots, 10,000 blocks: pairs by meetings {dict(sorted(counts.items()))}")
    assert sum(counts.values()) == 200 * 199 // 2
    assert max(counts) - min(counts) <= 3
    assert len(seats(played[:51])) == 200


@pytest.mark.parametrize("bots", [5, 6])
def test_pairs_play_in_rounds(bots: int) -> None:
    """At tables of two everybody plays once a round, or sits out in turn."""
    pairs = bots * (bots - 1) // 2
    played = plan(bots, 2 * pairs, ruleset="klaverjas.amsterdam")
    for start in range(0, 2 * pairs, bots // 2):
        assert set(seats(played[start : start + bots // 2]).values()) == {1}
    assert set(met(played).values()) == {2}


def test_mixed_partners_are_balanced_too() -> None:
    played = plan(8, 14, ruleset="klaverjas.rotterdam", partners="mixed")
    partners = Counter(frozenset(row[seat::2]) for block in played for row in [block.players(0)] for seat in (0, 1))
    assert set(partners.values()) == {1}
    assert set(met(played).values()) == {3}


@pytest.mark.parametrize(("bots", "ruleset"), [(2, "king.fetes"), (4, "king.fetes"), (9, "king.fetes"), (9, "klaverjas.amsterdam")])
def test_in_a_gauntlet_the_first_meets_all_others_equally(bots: int, ruleset: str) -> None:
    played = plan(bots, 240, ruleset=ruleset, schedule="gauntlet")
    assert all(names(bots)[0] in block.lineup for block in played)
    counts = seats(played)
    assert counts.pop(names(bots)[0]) == 240
    assert max(counts.values()) - min(counts.values()) <= 6
    if ruleset == "king.fetes" and bots > 4:
        mine = [number for pair, number in opposite(played).items() if names(bots)[0] in pair]
        assert len(mine) == bots - 1
        assert max(mine) - min(mine) <= 12


def test_a_duel_takes_turns_side_by_side_and_opposite() -> None:
    rows = [[block.players(game) for game in range(len(block.seatings))] for block in plan(2, 4, schedule="duel")]
    a, b = names(2)
    assert rows[0] == [(a, b, a, b), (b, a, b, a)] == rows[2]
    assert rows[1] == [(a, a, b, b), (b, b, a, a)] == rows[3]


@pytest.mark.parametrize(("settings", "games"), [
    ({"ruleset": "klaverjas.amsterdam"}, 2), ({"ruleset": "kings_corner", "options": {"players": 2}}, 2),
    ({"ruleset": "kings_corner", "options": {"players": 3}}, 3), ({"ruleset": "kings_corner", "options": {"players": 4}}, 2),
])  # fmt: skip
def test_in_every_game_a_duel_gives_both_every_seat(settings: dict[str, Any], games: int) -> None:
    played = plan(2, 2, schedule="duel", **settings)
    sat = Counter((seat, bot) for block in played for game in range(games) for seat, bot in enumerate(block.players(game)))
    assert len(set(sat.values())) == 1


def test_in_a_null_test_all_games_of_a_block_are_one() -> None:
    settings = a_tournament(names(4), blocks=3, schedule="null")
    for block in blocks(settings):
        seeds = {block.bot_seeds(settings.key, game) for game in range(4)}
        assert len(seeds) == 1
        assert len(set(seeds.pop())) == 4


@pytest.mark.parametrize("schedule", ["balanced", "all", "gauntlet"])
@pytest.mark.parametrize("bots", [3, 7, 26])
def test_every_block_has_its_own_id_and_an_earlier_end_changes_nothing(bots: int, schedule: str) -> None:
    long = plan(bots, 700, schedule=schedule)
    assert len({block.id for block in long}) == 700
    assert plan(bots, 30, schedule=schedule) == long[:30]


def test_who_joins_or_leaves_changes_nothing_before() -> None:
    bots = [{"name": name, "command": "x"} for name in names(7)]
    steady = a_tournament(blocks=90).model_validate({**a_tournament(blocks=90).model_dump(), "bots": bots[:6]})
    changing = [*bots[:5], bots[5] | {"leaves": 60}, bots[6] | {"joins": 30}]
    moving = steady.model_validate({**steady.model_dump(), "bots": changing})
    before, after = all_blocks(steady), all_blocks(moving)
    assert before[:30] == after[:30]
    assert [block.index for block in after] == list(range(90))
    assert len({block.id for block in after}) == 90
    fields = [set(seats(after[start : start + 30])) for start in (0, 30, 60)]
    assert fields == [set(names(6)), set(names(7)), set(names(7)) - {names(7)[5]}]


def test_names_do_not_decide_who_meets_whom() -> None:
    one = plan(9, 40)
    other = all_blocks(a_tournament([name.replace("b", "x") for name in names(9)], blocks=40))
    assert [[name[1:] for name in block.lineup] for block in one] == [[name[1:] for name in block.lineup] for block in other]


@pytest.mark.slow
@pytest.mark.parametrize("bots", [8, 30])
def test_planning_ten_million_matches_holds_constant_memory(bots: int) -> None:
    process = psutil.Process()
    coming = blocks(a_tournament(names(bots), blocks=2_500_000))
    for _ in islice(coming, 10_000):
        pass
    before = process.memory_info().rss
    assert sum(len(block.seatings) for block in coming) + 40_000 == 10_000_000
    grown = process.memory_info().rss - before
    print(f"\nplanning 10,000,000 matches of {bots} bots: memory grew by {grown / 1e6:.1f} MB")
    assert grown < 20e6
