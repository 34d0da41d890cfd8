"""The order of play of a list that goes on: who comes new is placed soon, nobody is left out, open questions get the most."""

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.schedule import Blocks, design_of
from cluster.schedule.adaptive import BASE, compared
from cluster.schedule.ladder import PLACED_AFTER, Names, next_lineups
from cluster.tournament import Tournament
from tests.cluster import luck
from tests.cluster.fakes import a_tournament

ROUND = 12


class List:
    """A list whose matches are luck and strength; ``field``: who plays now."""

    def __init__(self, field: list[str], strength: dict[str, float], ruleset: str = "king.simple", seed: int = 1) -> None:
        self.field, self.strength = field, strength
        self.tournament: Tournament = a_tournament(tuple(field), schedule="balanced", ruleset=ruleset)
        self.design = design_of(self.tournament)
        self.past: list[Names] = []
        self.matches: pl.DataFrame | None = None
        self._rng = np.random.default_rng(seed)

    def round(self, size: int = ROUND) -> list[Names]:
        comparison = None if self.matches is None else compared(self.matches)
        coming = next_lineups(self.field, self.past, comparison, self.design, size)
        make = Blocks(self.tournament)
        blocks = [make.block(len(self.past) + at, lineup, len(self.past) + at) for at, lineup in enumerate(coming)]
        played = luck.played(self._rng, blocks, self.strength)
        self.matches = played if self.matches is None else pl.concat([self.matches, played])
        self.past += coming
        return coming


def spread(names: str, low: float = -2.0, high: float = 2.0) -> dict[str, float]:
    return dict(zip(names, np.linspace(high, low, len(names)).tolist(), strict=True))


def meetings(lineups: list[Names]) -> Counter[frozenset[str]]:
    return Counter(frozenset(pair) for lineup in lineups for pair in combinations(lineup, 2))


@settings(max_examples=40, deadline=None)
@given(
    bots=st.integers(1, 12), gone=st.integers(0, 3), rounds=st.integers(0, 4), size=st.integers(1, 20),
    ruleset=st.sampled_from(["king.simple", "klaverjas.amsterdam"]), seed=st.integers(0, 99),
)  # fmt: skip
def test_every_line_up_is_of_the_field_and_follows_from_what_was(bots: int, gone: int, rounds: int, size: int, ruleset: str, seed: int) -> None:
    names = "abcdefghijklmno"[: bots + gone]
    ladder = List(list(names), spread(names), ruleset, seed)
    if len(names) > 1:
        for _ in range(rounds):
            ladder.round(5)
    ladder.field = ladder.field[:bots]
    comparison = None if ladder.matches is None else compared(ladder.matches)
    coming = next_lineups(ladder.field, ladder.past, comparison, ladder.design, size)
    assert len(coming) == size
    for lineup in coming:
        assert len(lineup) == ladder.design.places
        assert set(lineup) <= set(ladder.field), "nobody who has gone"
        assert len(set(lineup)) == min(bots, ladder.design.places)
    assert next_lineups(ladder.field, list(ladder.past), comparison, ladder.design, size) == coming


def test_a_list_begins_balanced() -> None:
    ladder = List(list("abcdefgh"), spread("abcdefgh"))
    while len(ladder.past) < BASE * 28 // 6 - ROUND:
        ladder.round()
    met = meetings(ladder.past)
    assert len(met) == 28
    assert max(met.values()) - min(met.values()) <= 2


@pytest.mark.parametrize("ruleset", ["king.simple", "klaverjas.amsterdam"])
def test_a_newcomer_is_placed_soon_against_all_of_the_field(ruleset: str) -> None:
    old = "abcdefgh"
    strength = spread(old) | {"new": 0.3}
    ladder = List(list(old), strength, ruleset)
    while len(ladder.past) < 320:
        ladder.round(40)
    ladder.field.append("new")
    before = len(ladder.past)
    first = ladder.round()
    assert sum("new" in lineup for lineup in first) >= 0.7 * len(first)
    while sum("new" in lineup for lineup in ladder.past) < PLACED_AFTER:
        ladder.round()
    assert len(ladder.past) - before <= PLACED_AFTER / 0.7 + ROUND, "it is placed within a few rounds"
    met = meetings([lineup for lineup in ladder.past[before:] if "new" in lineup])
    assert min(met[frozenset(("new", bot))] for bot in old) >= 2, "by all of the order, not by its ends"
    later = [lineup for _ in range(10) for lineup in ladder.round()]
    seats = Counter(name for lineup in later for name in lineup)
    assert min(seats[bot] for bot in old) > 0.1 * len(later) * ladder.design.places / 4, "then the others have their turn too"


def test_many_newcomers_share_what_is_theirs() -> None:
    old, new = "abcd", [f"new {n}" for n in range(6)]
    ladder = List(list(old), spread(old) | dict.fromkeys(new, 0.0))
    while len(ladder.past) < 60:
        ladder.round()
    ladder.field += new
    for _ in range(3):
        ladder.round()
    blocks = Counter(name for lineup in ladder.past for name in lineup if name in new)
    assert max(blocks.values()) - min(blocks.values()) <= 3
    assert min(blocks.values()) >= 4


def test_what_is_open_gets_most_and_the_rest_is_not_forgotten() -> None:
    """c and d are near each other, all others far apart."""
    strength = dict(zip("abcdefgh", (3.0, 2.0, 1.02, 0.98, 0.0, -1.0, -2.0, -3.0), strict=True))
    ladder = List(list("abcdefgh"), strength)
    while len(ladder.past) < 100:
        ladder.round()
    before = len(ladder.past)
    for _ in range(16):
        ladder.round()
    later = ladder.past[before:]
    met = meetings(later)
    assert met[frozenset("cd")] > 0.5 * len(later)
    assert min(met[frozenset(pair)] for pair in combinations("abcdefgh", 2)) >= 3


def test_who_comes_back_goes_on_from_what_it_had() -> None:
    ladder = List(list("abcdefgh"), spread("abcdefgh", -6, 6))
    while len(ladder.past) < 320:
        ladder.round(40)
    ladder.field.remove("c")
    assert not any("c" in lineup for lineup in ladder.round())
    ladder.field.insert(2, "c")
    later = [lineup for _ in range(4) for lineup in ladder.round()]
    assert 0 < sum("c" in lineup for lineup in later) < 0.7 * len(later), "it is no newcomer"
