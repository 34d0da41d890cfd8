"""What perfect play of the same cards would have given: points lost by each decision, with all hands known.

The values come from the solver, a program that answers lines (bots/solver). Its perfect play is that of two sides: a team
against the other, or one seat against all the others.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from cluster import batch
from cluster.records import mark_parts, unpack
from cluster.store import DamagedResults, Store
from referee.rules import registry
from referee.rules.deal import Deal
from referee.rules.errors import KingmakerError
from referee.rules.match import Match

#: What answers the lines; cluster knows a bot by its command alone.
COMMAND = (sys.executable, "-P", "-m", "bots.reference.solver")
FILE = "analysis.parquet"
SCHEMA = pl.Schema({
    "match_id": pl.String, "ruleset": pl.String, "deal": pl.UInt16, "step": pl.UInt16, "contract": pl.String, "seat": pl.UInt8, "bot": pl.String,
    "action": pl.String, "best": pl.String, "value": pl.Int32, "lost": pl.Int32,
})  # fmt: skip


class NoAnalyst(KingmakerError):
    """The solver cannot be asked, or does not understand; the text says what it said."""


class Analyst:
    """The solver, as a process that answers lines."""

    def __init__(self, command: tuple[str, ...] = COMMAND) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
        )

    def values(self, deal: Deal) -> dict[int, int]:
        """What the side of the seat to act scores after each legal action, with perfect play from there.

        Less what the other side scores, where there are two.

        Raises:
            NoAnalyst: no answer, or one that is none.
        """
        legal = deal.legal()
        try:
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            self.process.stdin.write(_question(deal, legal))
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
        except BrokenPipeError:
            answer = ""
        if not answer:
            why = self.process.communicate()[1].strip() or "it has ended"
            raise NoAnalyst(f"the solver, which looks for perfect play, gives no answer: {why}; `make solver` in the checkout builds it (needs Rust)")
        if answer.startswith("error"):
            raise NoAnalyst(f"the solver does not understand a decision: {answer}")
        return dict(zip(legal, map(int, answer.split(",")), strict=True))

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def analyse(row: Mapping[str, Any], analyst: Analyst, cards: int) -> pl.DataFrame:
    """Every free choice in the tricks of a stored match, made with at most so many cards in hand.

    ``row``: a row of the `replays` table. What the referee played in a bot's place is left out.
    """
    match = Match(registry.ruleset(row["ruleset"]).game(json.loads(row["options"])), row["seed"])
    rows = []
    for action, mark in zip(unpack("H", row["actions"]), unpack("B", row["marks"]), strict=True):
        deal = match.deal
        if deal.trick is not None and not any(mark_parts(mark)) and _is_choice(deal, cards):
            rows.append(_judged(deal, action, analyst.values(deal), row))
        match.apply(action)
    return pl.DataFrame(rows, schema=SCHEMA)


def stored(store: Store) -> pl.DataFrame:
    """All that was analysed in a results folder.

    Raises:
        DamagedResults: the file is none of ours.
    """
    path = store.folder / FILE
    if not path.exists():
        return pl.DataFrame(schema=SCHEMA)
    again = "remove it, and `kingmaker analyse` makes it anew"
    try:
        found = pl.read_parquet(path, glob=False)
    except batch.UNREADABLE as error:
        raise DamagedResults(f"{path}: {error}; {again}") from None
    if found.schema != SCHEMA:
        raise DamagedResults(f"{path}: not the columns that this version writes; {again}")
    return found


def keep(store: Store, frames: Iterator[pl.DataFrame]) -> pl.DataFrame:
    """Add analyses to those of the folder; each is on the disk before the next is begun, whole or not at all.

    Whoever else analyses matches of the folder meanwhile loses nothing, and what was judged twice is there once.
    """
    for frame in frames:
        with open(store.folder / f".{FILE}.lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            known = pl.concat([stored(store), frame]).unique(
                ["match_id", "deal", "step"], keep="first", maintain_order=True
            )
            data = io.BytesIO()
            known.write_parquet(data)
            temporary = store.folder / f".{FILE}.{os.getpid()}"
            batch.write_file(temporary, data.getvalue())
            os.replace(temporary, store.folder / FILE)
            batch.sync(Path(store.folder))
    return stored(store)


def losses(analysed: pl.DataFrame) -> pl.DataFrame:
    """By bot and contract: points lost a match, decisions, points lost by one, and the share of decisions that lost some.

    ``others_a_decision``: what the other bots lost by a decision in that contract; null where nobody else met it.
    """
    matches = analysed.group_by("bot").agg(pl.struct("match_id", "seat").n_unique().alias("matches"))
    their_loss, their_decisions = (pl.col(name).sum().over("contract") - pl.col(name) for name in ("lost", "decisions"))
    return (
        analysed.group_by("bot", "contract")
        .agg(
            pl.len().alias("decisions").cast(pl.Int64),
            pl.col("lost").sum().cast(pl.Int64),
            (pl.col("lost") > 0).mean().alias("share"),
        )
        .join(matches, on="bot")
        .with_columns(
            (pl.col("lost") / pl.col("matches")).alias("lost_a_match"),
            (pl.col("lost") / pl.col("decisions")).alias("lost_a_decision"),
            (their_loss / their_decisions).fill_nan(None).alias("others_a_decision"),
        )
        .sort("bot", "lost_a_match", "contract", descending=[False, True, False])
    )


def _is_choice(deal: Deal, cards: int) -> bool:
    assert deal.actor is not None
    return deal.hands[deal.actor].bit_count() <= cards and len(deal.legal()) > 1


def _judged(deal: Deal, action: int, values: Mapping[int, int], row: Mapping[str, Any]) -> dict[str, Any]:
    best = max(values, key=lambda each: (values[each], each == action))
    text = deal.game.actions.text
    assert deal.contract is not None
    assert deal.actor is not None
    return {
        "match_id": row["match_id"], "ruleset": row["ruleset"], "deal": deal.number, "step": len(deal.actions) + 1,
        "contract": deal.contract.id, "seat": deal.actor, "bot": row["players"][deal.actor], "action": text(action), "best": text(best),
        "value": values[action], "lost": values[best] - values[action],
    }  # fmt: skip


def _question(deal: Deal, legal: list[int]) -> str:
    """A position as the solver's line (bots/solver/README.md)."""
    assert deal.contract is not None
    words = {
        "ruleset": deal.game.ruleset,
        **{f"option.{name}": json.dumps(setting) for name, setting in deal.game.options.items()},
        "seat": deal.actor, "dealer": deal.dealer, "kind": deal.kind, "contract": deal.contract.id,
        "actions": ",".join(map(str, deal.actions)), "seats": ",".join(map(str, deal.seats)),
        "legal": ",".join(map(str, legal)), "hands": ",".join(map(str, deal.dealt.hands)),
    }  # fmt: skip
    if deal.declarer is not None:
        words["declarer"] = deal.declarer
    return "solve " + " ".join(f"{key}={word}" for key, word in words.items()) + "\n"
