"""Blocks, the unit of evidence: the small records from which everything is fitted.

A **side** is what plays against what: a bot on its own, two seats of one bot, or two bots as mixed partners.
Its strength is the mean strength of its members, so that one table serves games for self and games of teams.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse
from scipy.sparse import csgraph

from cluster.statistics.errors import UnknownBot

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_Number = TypeVar("_Number", np.float64, np.int64)


@dataclass(frozen=True, eq=False)
class Pairs:
    """What two sides did to each other in a block: a row per block and pair of sides, sorted; all arrays (R,)."""

    block: Ints  # index into BlockTable.blocks
    i: Ints  # index of a side; below the number of bots it is that bot
    j: Ints  # index of a side, i < j
    score: Floats  # results of i: 1 above, 1/2 level, 0 below j, summed and weighted
    count: Floats  # number of results, weighted; the weight is 1 where all tables have as many sides


@dataclass(frozen=True, eq=False)
class Places:
    """What a side scored in a block: a row per block and side, sorted; all arrays (P,)."""

    block: Ints  # index into BlockTable.blocks
    side: Ints  # index of a side
    places: Floats  # places of the line-up that the side takes: 2 where it plays for two
    points: Floats  # own score minus the table's mean, mean over the block's games, summed over the places
    size: Floats  # number of sides at the table


@dataclass(frozen=True, eq=False)
class BlockTable:
    """All rated blocks of one list; bit-equal for any order in which the results came in."""

    bots: tuple[str, ...]  # sorted
    blocks: tuple[str, ...]  # block ids, sorted; without the blocks in which a bot only met itself
    members: Ints  # (m, 2) bots of each side; the first n sides are the bots themselves, twice
    pairs: Pairs
    places: Places

    @property
    def weights(self) -> Floats:
        """The share of each bot in each side, (m, n); the first n rows are the identity."""
        sides = np.arange(len(self.members))
        weights = np.zeros((len(self.members), len(self.bots)))
        for member in self.members.T:
            weights[sides, member] += 0.5
        return weights

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides' names, (m,): a bot, or two joined by ``+``."""
        return tuple(self.bots[a] if a == b else f"{self.bots[a]}+{self.bots[b]}" for a, b in self.members)


def complete_blocks(matches: pl.DataFrame) -> pl.DataFrame:
    """Keep the rows of blocks of which every game is there: only these are rated."""
    return matches.filter(pl.col("game").n_unique().over("block_id") == pl.col("games"))


def block_table(matches: pl.DataFrame) -> BlockTable:
    """Reduce the results of one list to a table of blocks.

    ``matches``: a row per match and seat with ``block_id, game, games, team, seat, bot, total, rank``, each match
    once; ``games`` is the size of a complete block. Ranks count from 1, the best; equal ranks tie. A team is one seat
    or two, and ranks as its worse seat. Results count 1/(k-1) where the numbers of sides k differ within the list.
    Empty when no block is complete.

    Raises:
        ValueError: a team of more than two seats.
    Source: statistics.md §2 and §3.
    """
    rows = (
        complete_blocks(matches)
        .filter(pl.col("bot").n_unique().over("block_id") > 1)
        .select("block_id", "game", "team", "seat", "bot", "total", "rank")
        .sort("block_id", "game", "team", "seat")
    )
    bots = tuple(rows["bot"].unique().sort())
    teams = _teams(rows.with_columns(pl.col("bot").cast(pl.Enum(bots)).to_physical()))
    side, members = sides_of(teams.low, teams.high, len(bots))
    size = _sizes(teams)
    return BlockTable(
        bots=bots,
        blocks=tuple(rows["block_id"].unique().sort()),
        members=members,
        pairs=_pairs(teams, side, size, len(members)),
        places=_places(teams, side, size, len(members)),
    )


def shared_blocks(table: BlockTable) -> Ints:
    """Count the blocks in which two bots sat, (n, n); the diagonal counts those of one bot."""
    places, shape = table.places, (len(table.blocks), len(table.bots))
    bots = table.members[places.side].ravel()
    seated = sparse.csr_array((np.ones(bots.size, np.int64), (np.repeat(places.block, 2), bots)), shape=shape)
    seated.data[:] = 1  # a bot with several places sits in the block once
    shared: Ints = (seated.T @ seated).toarray()
    return shared


def groups(table: BlockTable) -> tuple[tuple[str, ...], ...]:
    """Part the bots into lists that have no opponent in common; one list where the schedule joins all."""
    found, label = csgraph.connected_components(shared_blocks(table) > 0, directed=False)
    return tuple(tuple(np.array(table.bots)[label == g].tolist()) for g in range(found))


def group_of(table: BlockTable, bot: str) -> BlockTable:
    """Cut a table down to the group of one bot; the table itself where that is everybody.

    Raises:
        UnknownBot: the bot sits in no rated block.
    """
    if bot not in table.bots:
        raise UnknownBot.named(bot, table.bots)
    group = next(group for group in groups(table) if bot in group)
    return table if len(group) == len(table.bots) else _cut(table, group)


def block_scores(table: BlockTable, first: str, second: str) -> dict[str, float]:
    """Give the mean pair score of ``first`` over ``second``, 0 to 1, by the id of every block that has both.

    Raises:
        UnknownBot: one of them sits in no rated block.
    """
    for bot in (first, second):
        if bot not in table.bots:
            raise UnknownBot.named(bot, table.bots)
    i, j = table.bots.index(first), table.bots.index(second)
    rows = np.flatnonzero((table.pairs.i == min(i, j)) & (table.pairs.j == max(i, j)))
    shares = table.pairs.score[rows] / table.pairs.count[rows]
    mine = shares if i < j else 1 - shares
    return {table.blocks[block]: float(share) for block, share in zip(table.pairs.block[rows], mine, strict=True)}


def block_contrasts(table: BlockTable, first: str, second: str) -> Floats:
    """Give the mean pair score of ``first`` over ``second`` minus 1/2 in every block that has both, in block order.

    Between -1/2 and 1/2; empty when they never met.

    Raises:
        UnknownBot: one of them sits in no rated block.
    """
    return np.array(list(block_scores(table, first, second).values())) - 0.5


@dataclass(frozen=True, eq=False)
class _Teams:
    """A row per match and team, sorted by block and game; all arrays (T,)."""

    block: Ints
    match: Ints
    low: Ints  # the lesser bot of the team
    high: Ints  # the greater bot, the same where one bot has the team
    rank: Ints
    total: Floats  # summed over the seats
    seats: Ints


def _teams(rows: pl.DataFrame) -> _Teams:
    block = rows["block_id"].rle_id().to_numpy().astype(np.int64)
    match = rows.select(pl.struct("block_id", "game").rle_id()).to_series().to_numpy().astype(np.int64)
    team, bot, rank = (rows[name].to_numpy().astype(np.int64) for name in ("team", "bot", "rank"))
    total = rows["total"].to_numpy().astype(np.float64)
    start = np.flatnonzero(np.diff(match, prepend=-1) | np.diff(team, prepend=-1))
    seats = np.diff(start, append=bot.size)
    if seats.size and seats.max() > 2:
        raise ValueError(f"a team of {seats.max()} seats in block {rows['block_id'][int(start[seats.argmax()])]}")
    return _Teams(
        block=block[start],
        match=match[start],
        low=_reduce(np.minimum, bot, start),
        high=_reduce(np.maximum, bot, start),
        rank=_reduce(np.maximum, rank, start),
        total=_reduce(np.add, total, start),
        seats=seats,
    )


def _reduce(how: np.ufunc, values: npt.NDArray[_Number], start: Ints) -> npt.NDArray[_Number]:
    reduced: npt.NDArray[_Number] = how.reduceat(values, start) if start.size else values  # reduceat refuses no rows
    return reduced


def sides_of(low: Ints, high: Ints, bots: int) -> tuple[Ints, Ints]:
    """Number the sides: the bots first, then the mixed partners that occur; (T,) sides and (m, 2) members."""
    code = low * bots + high
    mixed = np.unique(code[low != high])
    side = np.where(low == high, low, bots + np.searchsorted(mixed, code))
    alone = np.repeat(np.arange(bots)[:, None], 2, axis=1)
    return side, np.concatenate([alone, np.stack([mixed // max(bots, 1), mixed % max(bots, 1)], axis=1)])


def _sizes(teams: _Teams) -> Ints:
    """The number of sides at each team's table, (T,)."""
    return np.bincount(teams.match)[teams.match].astype(np.int64)


def _pairs(teams: _Teams, side: Ints, size: Ints, sides: int) -> Pairs:
    firsts, seconds = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for k in np.unique(size):
        table = np.flatnonzero(size == k).reshape(-1, k)
        a, b = np.triu_indices(k, 1)
        firsts.append(table[:, a].ravel())
        seconds.append(table[:, b].ravel())
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    ordered = side[first] < side[second]
    first, second = np.where(ordered, first, second), np.where(ordered, second, first)
    differ = side[first] != side[second]  # a side says nothing about itself
    first, second = first[differ], second[differ]
    score = (1 + np.sign(teams.rank[second] - teams.rank[first])) / 2
    key = (teams.block[first] * sides + side[first]) * sides + side[second]
    key, where, (score, count) = _sums(key, score, np.ones(key.size))
    weight = 1 / (size[first[where]] - 1) if np.unique(size).size > 1 else np.ones(key.size)
    return Pairs(key // sides // sides, key // sides % sides, key % sides, score * weight, count * weight)


def _places(teams: _Teams, side: Ints, size: Ints, sides: int) -> Places:
    key, where, (total, seats) = _sums(teams.block * sides + side, teams.total, teams.seats.astype(np.float64))
    block, k = key // sides, size[where].astype(np.float64)
    table_total = np.bincount(block, total)[block]
    table_seats = np.bincount(block, seats)[block]
    # Whole numbers up to the division: copies of a deterministic bot cancel to exactly 0.
    points = (total * table_seats - seats * table_total) * k / table_seats**2
    return Places(block, key % sides, seats * k / table_seats, points, k)


def _sums(key: Ints, *columns: Floats) -> tuple[Ints, Ints, list[Floats]]:
    """Sum the columns by key, in the order of the rows: keys, a row of each key, sums."""
    order = np.argsort(key, kind="stable")
    start = np.flatnonzero(np.diff(key[order], prepend=-1))
    return key[order][start], order[start], [_reduce(np.add, column[order], start) for column in columns]


def _cut(table: BlockTable, group: Collection[str]) -> BlockTable:
    """Keep a group of bots that met nobody else; a block is inside or outside as a whole."""
    bot = np.array([name in group for name in table.bots])
    side = bot[table.members[:, 0]] & bot[table.members[:, 1]]
    pairs, places = side[table.pairs.i], side[table.places.side]
    block = np.zeros(len(table.blocks), bool)
    block[table.places.block[places]] = True
    new_bot, new_side, new_block = (np.cumsum(kept) - 1 for kept in (bot, side, block))
    p, q = table.pairs, table.places
    i, j, side_of_place = new_side[p.i[pairs]], new_side[p.j[pairs]], new_side[q.side[places]]
    return BlockTable(
        bots=tuple(np.array(table.bots)[bot].tolist()),
        blocks=tuple(name for name, kept in zip(table.blocks, block, strict=True) if kept),
        members=new_bot[table.members[side]],
        pairs=Pairs(new_block[p.block[pairs]], i, j, p.score[pairs], p.count[pairs]),
        places=Places(new_block[q.block[places]], side_of_place, q.places[places], q.points[places], q.size[places]),
    )
