"""What is kept of a match: rows for each match and seat and for each deal and seat, and a compact replay.

The columns are documented in docs/results.md.
"""

from __future__ import annotations

import io
import json
import sys
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from cluster.schedule import Block
from cluster.statistics import reduced
from cluster.statistics.tallies import KEYS, SUMS, tally
from referee.faults import FAULT_BITS, FORCED, SUBSTITUTE, Fault
from referee.isolation.tiers import TRUSTED, Standing
from referee.rules import dealing
from referee.rules.deal import Deal
from referee.table import Table

if TYPE_CHECKING:
    from referee.host import ProcessLog

MATCHES: Mapping[str, Any] = {
    "tournament_id": pl.String, "block": pl.UInt32, "block_id": pl.String, "game": pl.UInt8, "games": pl.UInt8,
    "match_id": pl.String, "ruleset": pl.String, "seat": pl.UInt8, "team": pl.UInt8, "bot": pl.String,
    "total": pl.Int32, "rank": pl.UInt8, "deals": pl.UInt16, "forfeited": pl.Boolean, "faults": pl.UInt16,
    "illegal": pl.UInt16, "malformed": pl.UInt16, "timeout": pl.UInt16, "disconnect": pl.UInt16,
    "decisions": pl.UInt32, "charged_ms": pl.Float64, "slowest_ms": pl.Float64, "attempt": pl.UInt8,
    "ending": pl.String, "tier": pl.String, "weakness": pl.String, "match_hash": pl.String,
}  # fmt: skip
DEALS: Mapping[str, Any] = {
    "block": pl.UInt32, "block_id": pl.String, "game": pl.UInt8, "match_id": pl.String, "deal": pl.UInt16,
    "dealer": pl.UInt8, "contract": pl.String, "declarer": pl.UInt8, "seat": pl.UInt8, "bot": pl.String,
    "score": pl.Int32, "paid": pl.Int32, "tricks": pl.UInt8, "bonus": pl.Int32, "bonus_left": pl.Int32,
    "outcome": pl.String,
}  # fmt: skip
REPLAYS: Mapping[str, Any] = {
    "tournament_id": pl.String, "block": pl.UInt32, "block_id": pl.String, "game": pl.UInt8, "match_id": pl.String,
    "ruleset": pl.String, "options": pl.String, "players": pl.List(pl.String), "seed": pl.Binary,
    "commitment": pl.Binary, "actions": pl.Binary, "marks": pl.Binary, "charged_us": pl.Binary,
    "forfeits": pl.List(pl.UInt8), "match_hash": pl.String,
}  # fmt: skip
LOGS: Mapping[str, Any] = {
    "block_id": pl.String, "bot": pl.String, "copy": pl.UInt8, "lane": pl.UInt8, "code": pl.Int16,
    "stdout": pl.String, "stderr": pl.String,
}  # fmt: skip
TALLIES: Mapping[str, Any] = {"block_id": pl.String, **KEYS, **SUMS}
PLAYED: Mapping[str, Any] = {"block_id": pl.String, **reduced.PLAYED}
SCHEMAS = {
    "matches": MATCHES, "deals": DEALS, "blocks": reduced.BLOCKS, "played": PLAYED, "tallies": TALLIES, "replays": REPLAYS,
    "logs": LOGS,
}  # fmt: skip
_FAULTS = [fault for fault in Fault if fault is not Fault.NONE]


@dataclass(frozen=True)
class Played:
    """A block that was played to its end: its tables by game, how often it was tried, and how its bots were isolated."""

    block: Block
    tables: tuple[Table, ...]
    attempt: int = 1
    standings: Mapping[str, Standing] = field(default_factory=dict)


def frames(tournament_id: str, played: Iterable[Played], logs: Iterable[ProcessLog] = ()) -> dict[str, pl.DataFrame]:
    """The rows of some blocks, a frame for each table of the results."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in SCHEMAS}
    first = ""
    for one in played:
        first = first or one.block.id
        for game, table in enumerate(one.tables):
            shared = {
                "tournament_id": tournament_id, "block": one.block.index, "block_id": one.block.id, "game": game,
                "match_id": table.spec.match_id, "ruleset": table.spec.game.ruleset, "match_hash": table.record_hash(),
            }  # fmt: skip
            rows["matches"] += _match_rows(one, table, shared)
            for deal in table.match.finished:
                rows["deals"] += _deal_rows(table, deal, shared)
            rows["replays"].append(shared | _replay(table))
    rows["logs"] = [{"block_id": first, **vars(log)} for log in logs]
    made = {
        name: pl.DataFrame([{key: row[key] for key in schema} for row in rows[name]], schema=dict(schema))
        for name, schema in SCHEMAS.items()
    }
    return made | derived(made["matches"], made["deals"], first)


def derived(matches: pl.DataFrame, deals: pl.DataFrame, first: str) -> dict[str, pl.DataFrame]:
    """The tables of a batch that follow from the others, for whoever does not want to read all of it; ``first``: its name."""
    named = pl.lit(first).alias("block_id")
    return {
        "blocks": reduced.reduce_blocks(matches),
        "played": reduced.reduce_played(matches).select(named, pl.all()),
        "tallies": tally(deals).select(named, pl.all()),
    }


def parquet(frame: pl.DataFrame) -> bytes:
    """A frame as a Parquet file."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def unpack(kind: str, data: bytes) -> array[int]:
    """Read a packed column of a replay; ``kind``: H for actions, B for marks, I for charges."""
    numbers = array(kind)
    numbers.frombytes(data)
    return _little_endian(numbers)


def _match_rows(played: Played, table: Table, shared: dict[str, Any]) -> list[dict[str, Any]]:
    charged, slowest = _thinking(table)
    ranks, teams = table.ranks(), table.spec.game.teams
    return [
        shared
        | {
            "games": len(played.tables), "seat": seat, "team": teams[seat], "bot": bot, "rank": ranks[seat],
            "total": table.match.totals[seat], "deals": len(table.match.finished), "attempt": played.attempt,
            "forfeited": seat in table.forfeits, "faults": len(table.faults[seat]),
            "decisions": table.asked[seat], "charged_ms": charged[seat], "slowest_ms": slowest[seat],
        }
        | {"ending": table.endings[seat] or None, "tier": standing.tier, "weakness": ", ".join(standing.weaknesses) or None}
        | {fault.name.lower(): table.faults[seat].count(fault) for fault in _FAULTS}
        for seat, bot in enumerate(table.spec.players)
        for standing in [played.standings.get(bot, Standing(TRUSTED))]
    ]  # fmt: skip


def _deal_rows(table: Table, deal: Deal, shared: dict[str, Any]) -> list[dict[str, Any]]:
    scores = deal.scores()
    trick, contract = deal.trick, deal.contract
    assert contract is not None
    outcomes = contract.outcome(deal)
    paid = [0] * len(scores)
    if deal.bidding is not None and deal.bidding.sold:
        price = deal.bidding.price(deal)
        paid[deal.bidding.bidder] += price
        paid[deal.dealer] -= price
    return [
        shared
        | {
            "deal": deal.number, "dealer": deal.dealer, "contract": contract.id, "outcome": outcomes[seat],
            "declarer": deal.declarer, "seat": seat, "bot": bot, "score": scores[seat], "paid": paid[seat],
            "tricks": None if trick is None else trick.counts[seat],
            "bonus": sum(points for winner, points, claimed in deal.bonuses if claimed and winner == seat),
            "bonus_left": sum(points for winner, points, claimed in deal.bonuses if not claimed and winner == seat),
        }
        for seat, bot in enumerate(table.spec.players)
    ]  # fmt: skip


def _replay(table: Table) -> dict[str, Any]:
    spec = table.spec
    return {
        "options": json.dumps(dict(spec.game.options), sort_keys=True), "players": list(spec.players),
        "seed": spec.seed, "commitment": dealing.commitment(spec.seed), "forfeits": sorted(table.forfeits),
        "actions": _little_endian(array("H", table.actions)).tobytes(), "marks": table.marks.tobytes(),
        "charged_us": _little_endian(table.charged_us).tobytes(),
    }  # fmt: skip


def _thinking(table: Table) -> tuple[list[float], list[float]]:
    """Milliseconds charged to each seat: in all, and for its slowest decision."""
    players = table.spec.game.players
    total, slowest = [0] * players, [0] * players
    for seat, charge in zip(table.seats, table.charged_us, strict=True):
        total[seat] += charge
        slowest[seat] = max(slowest[seat], charge)
    return [us / 1000 for us in total], [us / 1000 for us in slowest]


def _little_endian(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers


def mark_parts(mark: int) -> tuple[bool, bool, str | None]:
    """What a mark says: forced, played by the substitute, and the fault's word or None."""
    return bool(mark & FORCED), bool(mark & SUBSTITUTE), Fault(mark & FAULT_BITS).text
