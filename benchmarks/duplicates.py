"""What duplicate blocks are worth for each ruleset: `python -m benchmarks.duplicates [BLOCKS]`.

Four bots (greedy and cautious, twice each) play blocks over the whole path; printed is the variance of as many independent
matches over the variance of a block (`cluster.statistics.efficiency`), for points and for results, and the same for blocks
of a duel. docs/statistics.md has the table.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Any

import polars as pl

from cluster import schedule, tournament
from cluster.arena import Arena
from cluster.statistics.efficiency import block_worth
from referee.rules.registry import RULESETS

FIELD = ("greedy", "cautious", "greedy-2", "cautious-2")


def results(ruleset: str, names: Sequence[str], blocks: int, **settings: Any) -> pl.DataFrame:
    """The matches of so many blocks, whatever they say on the way."""
    data = {"ruleset": ruleset, "seed": "duplicates", "blocks": blocks, "clocks": {"budget_ms": 10_000}, "tables": 128,
            "bots": [{"name": name, "command": name.partition("-")[0]} for name in names]}  # fmt: skip
    plan = tournament.parse(data | settings, "benchmark")
    arena = Arena(plan)
    try:
        played = arena.play(list(schedule.blocks(plan)))
    finally:
        arena.close()
    return pl.read_parquet(io.BytesIO(played.files["matches"]))


def measured(ruleset: str, blocks: int, options: dict[str, Any]) -> None:
    kinds: dict[str, tuple[Sequence[str], dict[str, Any]]] = {
        "table": (FIELD, {}),
        "duel": (FIELD[:2], {"schedule": "duel"}),
    }
    for kind, (names, settings) in kinds.items():
        matches = results(ruleset, names, blocks, options=options, **settings)
        games = matches["games"][0]
        told = ", ".join(f"{name} {worth.efficiency:.2f} ({worth.low:.2f} … {worth.high:.2f})" for name, worth in block_worth(matches).items())
        print(f"{ruleset} {options or ''} {kind}: {matches['block_id'].n_unique()} blocks of {games}: {told}", flush=True)


def main() -> None:
    blocks = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    only = sys.argv[2:]
    for ruleset in RULESETS:
        if only and ruleset not in only:
            continue
        for options in ({"players": 2}, {"players": 3}, {"players": 4}) if ruleset == "kings_corner" else ({},):
            measured(ruleset, blocks, options)


if __name__ == "__main__":
    main()
