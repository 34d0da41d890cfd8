"""Line-ups: who sits together, block after block. Endless, lazy, and of constant memory.

A source yields line-ups of bots' numbers in the order of places, each with what tells it from its own repetitions.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator
from itertools import combinations, combinations_with_replacement, count

from cluster.schedule.cycles import Table, cycle
from cluster.schedule.seating import Design

Source = Iterator[tuple[Table, int]]
#: How two bots share a table, by its places.
_SHARED: dict[int, tuple[Table, ...]] = {2: ((0, 1),), 3: ((0, 0, 1), (1, 1, 0)), 4: ((0, 1, 0, 1), (0, 0, 1, 1))}


def sets(bots: int, places: int) -> Iterator[Table]:
    """Every set of so many bots; where fewer enter, every one with repeats in which each bot sits."""
    if bots >= places:
        return combinations(range(bots), places)
    return (chosen for chosen in combinations_with_replacement(range(bots), places) if len(set(chosen)) == bots)


def all_sets(bots: int, design: Design, key: bytes) -> Source:
    """Every set in turn; the orders of opposite seats change with each turn."""
    for turn in count():
        order = design.orders[turn % len(design.orders)]
        for lineup in sets(bots, design.places):
            yield tuple(lineup[place] for place in order), turn


def balanced(bots: int, design: Design, key: bytes) -> Source:
    """Cycles in which all meet equally often; each cycle gives the bots other numbers, drawn from the key.

    So an unfinished cycle favours nobody whom anybody could have known before.
    """
    if bots <= design.places:
        yield from all_sets(bots, design, key)
        return
    tables = cycle(bots, design.places)
    for turn in count():
        numbers = _shuffled(bots, key, turn)
        for at in range(len(tables)):
            yield tuple(numbers[bot] for bot in tables[at]), turn * len(tables) + at


def gauntlet(bots: int, design: Design, key: bytes) -> Source:
    """The first bot in every line-up, the others in balanced turns around it."""
    field = bots - 1
    rest = Design(design.places - 1, (), (tuple(range(design.places - 1)),))
    others: Source = balanced(field, rest, key) if rest.places > 1 else _singles(field, key)
    for number, (lineup, _) in enumerate(others):
        seated = (0, *(bot + 1 for bot in lineup))
        order = design.orders[number % len(design.orders)]
        yield tuple(seated[place] for place in order), number


def duel(bots: int, design: Design, key: bytes) -> Source:
    """Two bots, who share the places of a table: side by side and opposite in turn, or two to one in turn."""
    ways = _SHARED[design.places]
    for number in count():
        yield ways[number % len(ways)], number


#: The schedules that are known from the file alone, by name.
SOURCES: dict[str, Callable[[int, Design, bytes], Source]] = {
    "balanced": balanced, "all": all_sets, "gauntlet": gauntlet, "duel": duel, "null": all_sets,
}  # fmt: skip


def _singles(bots: int, key: bytes) -> Source:
    """Each bot in turn, in an order of the key's for each turn."""
    for turn in count():
        for at, bot in enumerate(_shuffled(bots, key, turn)):
            yield (bot,), turn * bots + at


def _shuffled(bots: int, key: bytes, turn: int) -> list[int]:
    return sorted(range(bots), key=lambda bot: hmac.digest(key, f"cycle/{turn}/{bot}".encode(), "sha256"))
