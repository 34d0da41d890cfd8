"""Plays stored matches again, through the same table that played them, and says where they differ from what is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from cluster import records
from cluster.records import unpack
from cluster.schedule import Block
from cluster.tournament import Tournament
from referee.faults import FAULT_BITS, Clocks, Fault
from referee.rules import dealing
from referee.table import MatchSpec, Table

#: A charge was settled when it was made: playing again asks no clock.
_NO_CLOCK = Clocks(budget_ms=1 << 40)
#: What the platform alone knows of a match.
_NOT_RETRACED = ("attempt", "ending", "tier", "weakness")


class Differs(Exception):
    """A stored match that does not follow from the tournament and its own actions; the text says at which point."""


def block_problems(tournament: Tournament, block: Block, stored: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Say what of a block is not as it has to be; nothing when all is well.

    ``stored``: its rows of the tables matches, deals and replays.
    """
    rows = stored["replays"].sort("game").to_dicts()
    if [row["game"] for row in rows] != list(range(len(block.seatings))):
        yield f"block {block.id}: replays of the games {[row['game'] for row in rows]}, it has {len(block.seatings)}"
        return
    tables = []
    for row in rows:
        try:
            tables.append(retraced(tournament, block, row))
        except Differs as difference:
            yield f"match {row['match_id']}: {difference}"
    if len(tables) == len(rows):
        again = records.frames(tournament.id, [records.Played(block, tuple(tables))])
        for name in ("replays", "matches", "deals"):
            yield from _differences(name, again[name], stored[name])


def retraced(tournament: Tournament, block: Block, row: Mapping[str, Any]) -> Table:
    """Play one stored match again; deals, forced plays, faults and forfeits follow anew.

    Raises:
        Differs: seed, players or actions are not what they have to be.
    """
    game = row["game"]
    if row["seed"] != block.seed:
        raise Differs("its seed does not follow from the tournament's, so these are other deals")
    if row["commitment"] != dealing.commitment(block.seed):
        raise Differs("its commitment is not the hash of its seed")
    if tuple(row["players"]) != block.players(game):
        raise Differs(f"it was played by {', '.join(row['players'])}; scheduled are {', '.join(block.players(game))}")
    table = Table(MatchSpec(
        match_id=block.match_id(game), game=tournament.game(), seed=block.seed, players=block.players(game),
        bot_seeds=block.bot_seeds(tournament.key, game), clocks=_NO_CLOCK, max_faults=tournament.max_faults,
    ))  # fmt: skip
    actions, marks, charges = (unpack(kind, row[name]) for kind, name in (("H", "actions"), ("B", "marks"), ("I", "charged_us")))
    if not len(actions) == len(marks) == len(charges):
        raise Differs(f"it has {len(actions)} actions, {len(marks)} marks and {len(charges)} charges")
    while table.advance() is not None:
        at = len(table.actions)
        if at >= len(actions):
            raise Differs(f"its {at} actions end before the match does")
        _answer(table, at, actions[at], marks[at], charges[at])
    played = zip(actions, marks, table.actions, table.marks, strict=False)
    for at, (action, mark, right, right_mark) in enumerate(played, 1):
        if (action, mark) != (right, right_mark):
            raise Differs(f"action {at} is {action} with mark {mark}; by the rules it is {right} with mark {right_mark}")
    if len(actions) != len(table.actions):
        raise Differs(f"it has {len(actions)} actions; the match is over after {len(table.actions)}")
    return table


def _answer(table: Table, at: int, action: int, mark: int, charge: int) -> None:
    """Give the stored answer to the seat that is asked; or its fault, which plays the first legal action."""
    try:
        fault = Fault(mark & FAULT_BITS)
    except ValueError:
        raise Differs(f"action {at + 1} has the unknown mark {mark}") from None
    if fault is not Fault.NONE:
        table.fault(fault, charge)
        return
    deal = table.match.deal
    if action not in deal.legal():
        names = ", ".join(deal.game.actions.names(deal.legal_mask()))
        raise Differs(f"action {at + 1} is number {action}, which is not legal; legal are {names}")
    table.answer(action, charge)


def _differences(name: str, again: pl.DataFrame, stored: pl.DataFrame) -> Iterator[str]:
    """The first value of a block's rows that is stored otherwise than it comes out."""
    order = [key for key in ("game", "deal", "seat") if key in again.columns]
    columns = [column for column in again.columns if column not in _NOT_RETRACED]
    right, found = (frame.select(columns).sort(order).rows() for frame in (again, stored))
    if len(right) != len(found):
        yield f"block {again['block_id'][0]}: {len(found)} rows of {name}, there should be {len(right)}"
        return
    for one, other in zip(right, found, strict=True):
        for column, value, seen in zip(columns, one, other, strict=True):
            if value != seen:
                yield f"{_place(columns, one)}: {column} in {name} is {_shown(seen)}; it comes out as {_shown(value)}"
                return


def _place(columns: Sequence[str], row: Sequence[Any]) -> str:
    told = dict(zip(columns, row, strict=True))
    return "match " + ", ".join([told["match_id"], *(f"{key} {told[key]}" for key in ("deal", "seat") if key in told)])


def _shown(value: Any) -> str:
    return value.hex()[:16] + "…" if isinstance(value, bytes) else repr(value)
