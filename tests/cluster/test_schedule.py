"""The schedule: pure, lazy, and fair to every seat."""

import tracemalloc
from collections import Counter
from itertools import combinations, islice
from typing import Any

import pytest

from cluster.schedule import KLEIN, Block, blocks, bot_seed, design
from cluster.schedule.lineups import sets
from cluster.tournament import Tournament
from referee.rules.registry import RULESETS
from tests.cluster.fakes import a_tournament, all_blocks

NAMES = ("ada", "bob", "cyd", "dan", "eve", "fay", "gus")


def seated(block: Block) -> list[tuple[str, ...]]:
    return [block.players(game) for game in range(len(block.seatings))]


def plan(bots: int = 4, count: int = 60, **settings: Any) -> list[Block]:
    return all_blocks(a_tournament(NAMES[:bots], blocks=count, **settings))


def test_the_same_file_gives_the_same_schedule() -> None:
    assert plan(6) == plan(6)


def test_more_blocks_keep_the_earlier_ones() -> None:
    assert plan(5, 200)[:30] == plan(5, 30)


def test_ten_million_blocks_cost_no_memory_and_begin_as_fewer_do() -> None:
    huge = a_tournament(NAMES, blocks=10_000_000)
    coming = blocks(huge)
    first = list(islice(coming, 200))
    tracemalloc.start()
    try:
        for _ in islice(coming, 10_000):
            pass
        assert tracemalloc.get_traced_memory()[1] < 200_000  # 20 bytes a block would already be too much
    finally:
        tracemalloc.stop()
    assert first == plan(7, 200)


def test_ids_and_seeds_are_all_different() -> None:
    played = plan(7, 2000)
    assert len({block.id for block in played}) == 2000
    assert len({block.seed for block in played}) == 2000
    assert all(len(block.seed) == 32 for block in played)
    assert [block.index for block in played] == list(range(2000))
    assert len({block.match_id(game) for block in played for game in range(4)}) == 8000


def test_a_block_does_not_depend_on_the_others() -> None:
    """The line-up of the first four bots has the same id and cards whoever else has entered."""
    alone, crowd = plan(4, 3, schedule="all"), plan(7, 3 * 35, schedule="all")
    same = {block.id: block.seed for block in crowd}
    for block in alone:
        assert same[block.id] == block.seed


def test_another_seed_gives_other_cards() -> None:
    assert not {b.seed for b in plan(seed=1)} & {b.seed for b in plan(seed=2)}
    assert plan(seed=1) == plan(seed="1")


def test_tables_lanes_and_clocks_change_nothing() -> None:
    assert plan() == plan(tables=3, lanes=4, clocks={"budget_ms": 1}, max_faults=1, name="other")


def test_bots_seeds_are_unrelated_to_the_cards_and_to_each_other() -> None:
    settings = a_tournament(NAMES[:4], blocks=50)
    seeds = [bot_seed(settings.key, b.id, game, seat) for b in blocks(settings) for game in range(4) for seat in range(4)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**64 for seed in seeds)
    assert not {int.from_bytes(b.seed[:8], "big") for b in blocks(settings)} & set(seeds)


def test_every_bot_sits_once_on_every_seat_of_a_block() -> None:
    for block in plan(6):
        assert [sorted(row) for row in zip(*seated(block), strict=True)] == [sorted(block.lineup)] * 4


def test_seatings_are_those_of_klein() -> None:
    block = plan()[0]
    assert KLEIN == ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0))
    assert block.seatings == KLEIN
    assert seated(block)[1] == ("bob", "ada", "dan", "cyd")


def test_the_three_ways_to_sit_opposite_take_turns() -> None:
    opposite = []
    for block in plan(4, 9):
        pairs = {frozenset((frozenset((row[0], row[2])), frozenset((row[1], row[3])))) for row in seated(block)}
        assert len(pairs) == 1
        opposite.append(pairs.pop())
    assert len(set(opposite[:3])) == 3
    assert opposite == opposite[:3] * 3


def test_all_line_ups_take_turns() -> None:
    played = plan(6, 45, schedule="all")
    assert Counter(frozenset(block.lineup) for block in played) == {frozenset(c): 3 for c in combinations(NAMES[:6], 4)}
    assert [set(block.lineup) for block in played[:15]] == [set(c) for c in combinations(NAMES[:6], 4)]


@pytest.mark.parametrize(
    ("bots", "expected"),
    [(1, ["aaaa"]), (2, ["aaab", "aabb", "abbb"]), (3, ["aabc", "abbc", "abcc"]), (4, ["abcd"])],
)
def test_fewer_than_four_bots_sit_more_than_once(bots: int, expected: list[str]) -> None:
    assert ["".join("abcd"[bot] for bot in lineup) for lineup in sets(bots, 4)] == expected
    for block in plan(bots, 9):
        assert set(block.lineup) == set(NAMES[:bots])
        assert Counter(name for row in seated(block) for name in row) == {
            name: 4 * block.lineup.count(name) for name in block.lineup
        }


def test_two_teams_swap() -> None:
    for block in plan(4, 12, ruleset="klaverjas.amsterdam"):
        (a, b), rows = block.lineup, seated(block)
        assert rows == [(a, b, a, b), (b, a, b, a)]
    assert Counter(frozenset(b.lineup) for b in plan(4, 12, ruleset="klaverjas.rotterdam")) == {
        frozenset(pair): 2 for pair in combinations(NAMES[:4], 2)
    }


def test_mixed_partners_change() -> None:
    played = plan(4, 9, ruleset="klaverjas.amsterdam", partners="mixed")
    partners: Counter[frozenset[str]] = Counter()
    for block in played:
        rows = seated(block)
        assert len(rows) == 2
        assert all(set(row) == set(NAMES[:4]) for row in rows)
        for name in NAMES[:4]:
            teams = {row.index(name) % 2 for row in rows}
            assert teams == {0, 1}, "each bot plays either side of a block's deals"
        partners.update({frozenset(row[seat::2]) for row in rows for seat in (0, 1)})
    assert partners == {frozenset(pair): 3 for pair in combinations(NAMES[:4], 2)}


@pytest.mark.parametrize("players", [2, 3])
def test_two_and_three_players_rotate(players: int) -> None:
    for block in plan(4, 12, ruleset="kings_corner", options={"players": players}):
        rows = seated(block)
        assert len(rows) == players
        assert [sorted(column) for column in zip(*rows, strict=True)] == [sorted(block.lineup)] * players
        assert rows[1] == rows[0][1:] + rows[0][:1]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_design_seats_every_place_equally(ruleset: str) -> None:
    plan = design(RULESETS[ruleset].game())
    for column in zip(*plan.seatings, strict=True):
        assert set(Counter(column).values()) == {len(plan.seatings) // plan.places}
    for order in plan.orders:
        assert sorted(order) == list(range(plan.places))


def test_one_block_is_enough() -> None:
    assert len(all_blocks(Tournament.model_validate(a_tournament(NAMES, blocks=1).model_dump()))) == 1
