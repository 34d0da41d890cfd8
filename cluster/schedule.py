"""The schedule: a pure, lazy function of the tournament file and its seed."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, count, islice

from cluster.tournament import Tournament
from referee.rules.ruleset import Game

#: Four players: each bot sits once on each seat, and has each neighbour twice on either side.
KLEIN = ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0))
#: The three ways to pair opposite seats, as orders of a line-up.
PAIRINGS = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2))


@dataclass(frozen=True)
class Design:
    """How a block seats its line-up.

    ``seatings``: for each game, the place of the line-up that each seat gets. ``orders``: orders of the line-up
    that take turns over the blocks. ``places``: bots in a line-up.
    """

    places: int
    seatings: tuple[tuple[int, ...], ...]
    orders: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Block:
    """The unit of evidence: the same seed played by the same bots in several seatings.

    ``index``: its place in the schedule. ``lineup``: bots by place. ``seatings``: for each game the place of each seat.
    """

    index: int
    id: str
    lineup: tuple[str, ...]
    seatings: tuple[tuple[int, ...], ...]
    seed: bytes

    def match_id(self, game: int) -> str:
        """The name of one match."""
        return f"{self.id}-{game}"

    def players(self, game: int) -> tuple[str, ...]:
        """The bots of one match by seat."""
        return tuple(self.lineup[place] for place in self.seatings[game])


def design(game: Game, partners: str = "same") -> Design:
    """The design of a game's blocks: teams swap, four players sit in Klein seatings, others rotate.

    ``partners``: whether one bot holds all seats of a team (``same``) or each seat has its own bot (``mixed``), each pair
    of which is partnered in a third of the blocks.
    """
    teams = len(set(game.teams))
    if teams < game.players and partners == "mixed":
        return Design(game.players, KLEIN[:2], PAIRINGS)
    if teams < game.players:
        swaps = tuple(tuple((team + turn) % teams for team in game.teams) for turn in range(teams))
        return Design(teams, swaps, (tuple(range(teams)),))
    if game.players == len(KLEIN):
        return Design(game.players, KLEIN, PAIRINGS)
    places = range(game.players)
    return Design(game.players, tuple(tuple((s + turn) % len(places) for s in places) for turn in places), (tuple(places),))


def lineups(bots: Sequence[str], places: int) -> Iterator[tuple[str, ...]]:
    """Every set of so many bots; where fewer enter, every one with repeats in which each bot sits."""
    if len(bots) >= places:
        return combinations(bots, places)
    return (chosen for chosen in combinations_with_replacement(bots, places) if len(set(chosen)) == len(bots))


def blocks(tournament: Tournament) -> Iterator[Block]:
    """All blocks of the tournament, in order; the line-ups take turns, and each takes its orders in turn."""
    return islice(_endless(tournament), tournament.blocks)


def bot_seed(key: bytes, block: str, game: int, seat: int) -> int:
    """64 bits for a bot's own randomness, unrelated to the cards and to every other seat."""
    digest = hmac.digest(key, f"bot/{block}/{game}/{seat}".encode(), "sha256")
    return int.from_bytes(digest[:8], "big")


def _endless(tournament: Tournament) -> Iterator[Block]:
    plan = design(tournament.game(), tournament.partners)
    names = [bot.name for bot in tournament.bots]
    key, tournament_id = tournament.key, tournament.id
    index = 0
    for replica in count():
        order = plan.orders[replica % len(plan.orders)]
        for lineup in lineups(names, plan.places):
            seated = tuple(lineup[place] for place in order)
            name = json.dumps([tournament_id, seated, plan.seatings, replica]).encode()
            block_id = hashlib.sha256(name).hexdigest()[:16]
            seed = hmac.digest(key, f"block/{block_id}".encode(), "sha256")
            yield Block(index, block_id, seated, plan.seatings, seed)
            index += 1


