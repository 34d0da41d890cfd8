"""Blocks, and how their games seat a line-up."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from cluster.schedule.cycles import PAIRINGS
from referee.rules.ruleset import Game

#: Four players: each bot sits once on each seat, and has each neighbour twice on either side.
KLEIN = ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0))


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
    ``repeats``: its games are one and the same game but for the names, down to the bots' own random numbers.
    """

    index: int
    id: str
    lineup: tuple[str, ...]
    seatings: tuple[tuple[int, ...], ...]
    seed: bytes
    repeats: bool = False

    def match_id(self, game: int) -> str:
        """The name of one match."""
        return f"{self.id}-{game}"

    def players(self, game: int) -> tuple[str, ...]:
        """The bots of one match by seat."""
        return tuple(self.lineup[place] for place in self.seatings[game])

    def bot_seeds(self, key: bytes, game: int) -> tuple[int, ...]:
        """Each seat's seed for its bot's own randomness in one match, under the tournament's key."""
        source = 0 if self.repeats else game
        return tuple(bot_seed(key, self.id, source, seat) for seat in range(len(self.seatings[game])))


def bot_seed(key: bytes, block: str, game: int, seat: int) -> int:
    """64 bits for a bot's own randomness, unrelated to the cards and to every other seat."""
    digest = hmac.digest(key, f"bot/{block}/{game}/{seat}".encode(), "sha256")
    return int.from_bytes(digest[:8], "big")


def design(game: Game, partners: str = "same", *, duel: bool = False) -> Design:
    """The design of a game's blocks: teams swap, four players sit in Klein seatings, others rotate.

    ``partners``: whether one bot holds all seats of a team (``same``) or each seat has its own bot (``mixed``), each pair
    of which is partnered in a third of the blocks. ``duel``: two bots twice each at tables of four, whose two games
    mirror each other.
    """
    teams = len(set(game.teams))
    if teams < game.players and partners == "mixed":
        return Design(game.players, KLEIN[:2], PAIRINGS)
    if teams < game.players:
        swaps = tuple(tuple((team + turn) % teams for team in game.teams) for turn in range(teams))
        return Design(teams, swaps, (tuple(range(teams)),))
    if game.players == len(KLEIN):
        return Design(game.players, (KLEIN[0], KLEIN[3]) if duel else KLEIN, PAIRINGS)
    places = range(game.players)
    return Design(game.players, tuple(tuple((s + turn) % len(places) for s in places) for turn in places), (tuple(places),))
