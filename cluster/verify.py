"""Does a results folder hold what it says: every scheduled match once, as the rules and the seeds have it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import polars as pl

from cluster import batch as batches
from cluster import founded, retrace
from cluster.records import SCHEMAS, derived
from cluster.schedule import Block, design_of
from cluster.schedule.rounds import rounds
from cluster.statistics.blocks import block_table
from cluster.store import SEASON, DamagedResults, Store
from cluster.tournament import Tournament, parse
from referee.rules.errors import ConfigError

_Name = TypeVar("_Name", str, int)
_RATED = ["block", "block_id", "game", "games", "match_id", "team", "seat", "bot", "total", "rank"]


@dataclass
class Report:
    """What was counted, and what disagrees; ``planned`` is None where the plan cannot be read. ``notes``: what is no problem."""

    planned_blocks: int | None = None
    planned_matches: int | None = None
    stored_blocks: int = 0
    stored_matches: int = 0
    replays: int = 0
    rated_blocks: int = 0
    rated_matches: int = 0
    retraced_blocks: int = 0
    retraced_matches: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def verify(store: Store, sample: int | None = None) -> Report:
    """Check a results folder; ``sample``: play only so many blocks again, chosen by a fixed seed; None: all.

    Raises:
        NoResults: the folder holds none.
    """
    report = Report()
    plan = store.plan
    try:
        tournament = parse({key: value for key, value in plan.items() if key not in ("format", "tournament_id")}, "tournament.json")
    except ConfigError as error:
        report.problems.append(f"the plan cannot be: {error}")
        return report
    if plan.get("tournament_id") != tournament.id:
        report.problems.append(f"tournament.json: its id is {plan.get('tournament_id')!r}; game and seed come to {tournament.id!r}")
    whole, matches = _read(store, report)
    planned = _planned(tournament, matches, store, report)
    _count(matches, planned, report)
    if tournament.schedule == "ladder":
        report.problems += _lineups(tournament, whole, planned, store, sample, report)
    chosen = _chosen(sorted(planned.keys() & set(matches["block_id"])), sample)
    for batch in whole:
        report.problems += _retrace(tournament, batch, planned, chosen, report)
    return report


def _read(store: Store, report: Report) -> tuple[list[Path], pl.DataFrame]:
    """The batches that can be read, and what their matches came to."""
    whole, frames, seen = [], [pl.DataFrame(schema={key: SCHEMAS["matches"][key] for key in _RATED})], dict[str, str]()
    for batch in store.batches():
        problem = batches.problem(batch)
        if problem is not None:
            report.problems.append(f"batch {batch.name}: {problem}")
            continue
        frame = pl.read_parquet(batch / "matches.parquet", columns=_RATED, glob=False)
        for block in frame["block_id"].unique(maintain_order=True):
            if block in seen:
                report.problems.append(f"block {block} is in batch {seen[block]} and again in batch {batch.name}")
            seen[block] = batch.name
        report.problems += _derived(batch)
        whole.append(batch)
        frames.append(frame)
        report.replays += pl.scan_parquet(batch / "replays.parquet", glob=False).select(pl.len()).collect().item()
    return whole, pl.concat(frames)


def _derived(batch: Path) -> Iterator[str]:
    """Which tables are not what follows from matches and deals: the ratings are made from them."""
    tables = {name: pl.read_parquet(batch / f"{name}.parquet", glob=False) for name in ("matches", "deals", "blocks", "played", "tallies")}
    first = batch.name.partition("-")[0]
    for name, frame in derived(tables["matches"], tables["deals"], first).items():
        if not frame.equals(tables[name]):
            yield f"batch {batch.name}: its table {name} does not follow from its matches and deals"


def _planned(tournament: Tournament, matches: pl.DataFrame, store: Store, report: Report) -> dict[str, Block]:
    """The blocks of the plan that are there, by id; what is missing is reported."""
    there = set(matches["block_id"])
    planned: dict[str, Block] = {}
    blocks, missing, first = 0, 0, None
    try:
        for coming in rounds(tournament, lambda: matches.unique(["match_id", "seat"], maintain_order=True), store.lineups):
            blocks += coming.size
            for block in coming.blocks:
                if block.id in there:
                    planned[block.id] = block
                else:
                    missing += 1
                    first = first or block
            if missing:
                break  # what would come next depends on what is missing
    except (ConfigError, DamagedResults) as error:
        report.problems.append(f"the schedule cannot be: {error}")
    if first is not None and tournament.schedule == "ladder" and first.index + missing == blocks and not (store.folder.parent / SEASON).exists():
        report.notes.append(f"{missing} of {blocks} blocks, the list's last round, are still to be played; `kingmaker serve` plays them")
    elif first is not None:
        report.problems.append(
            f"{missing} of {blocks} planned blocks are not there, the first is number {first.index}, {first.id}; playing "
            "into the folder again plays what is missing"
        )
    extra = sorted(there - planned.keys())
    if extra:
        report.problems.append(f"{len(extra)} blocks are not in the plan, such as {extra[0]}")
    report.planned_blocks = blocks
    report.planned_matches = blocks * len(design_of(tournament).seatings)
    return planned


def _lineups(
    tournament: Tournament, whole: list[Path], planned: dict[str, Block], store: Store, sample: int | None, report: Report
) -> Iterator[str]:
    """Work out again who sits in the rounds of a list, as far as all that was played before them is there."""
    try:
        written = store.written()[: tournament.blocks]
    except DamagedResults:
        return  # that is told already
    places = {name: block.index for name, block in planned.items()}
    there = sorted(places.values())
    starts = [start for start in founded.rounds(written) if there[:start] == list(range(start))]
    chosen = _chosen(starts, sample)
    files = [batch / "blocks.parquet" for batch in whole]
    if chosen and files:
        yield from founded.unfounded(tournament, written, pl.read_parquet(files, glob=False), places, chosen)
    first = min(starts, default=len(written))
    told = f"; of the first {first} blocks it was not written" if first else ""
    report.notes.append(f"the line-ups of {len(chosen)} of {len(starts)} rounds were worked out again; who could play in each is the organiser's word{told}")


def _count(matches: pl.DataFrame, planned: dict[str, Block], report: Report) -> None:
    """Count matches in files and ratings."""
    report.stored_blocks = matches["block_id"].n_unique()
    report.stored_matches = matches.select("match_id", "seat").filter(pl.col("seat") == 0).height
    if report.replays != report.stored_matches:
        report.problems.append(f"{report.stored_matches} matches have results, {report.replays} have replays")
    once = matches.unique(["match_id", "seat"], maintain_order=True)
    alone = once.filter(pl.col("bot").n_unique().over("block_id") == 1)["block_id"].unique()
    rated = {*block_table(once).blocks, *alone}  # a bot that only met itself has nothing to be rated by
    report.rated_blocks = len(rated)
    report.rated_matches = once.filter((pl.col("seat") == 0) & pl.col("block_id").is_in(rated)).height
    if report.rated_blocks != report.stored_blocks:
        report.problems.append(f"{report.stored_blocks} blocks are stored, the ratings count {report.rated_blocks}")


def _chosen(blocks: list[_Name], sample: int | None) -> set[_Name]:
    if sample is None or sample >= len(blocks):
        return set(blocks)
    return set(random.Random(len(blocks)).sample(blocks, sample))


def _retrace(
    tournament: Tournament, batch: Path, planned: dict[str, Block], chosen: set[str], report: Report
) -> Iterator[str]:
    """Play the chosen blocks of a batch again."""
    ids = pl.read_parquet(batch / "replays.parquet", columns=["block_id"], glob=False)["block_id"].unique(maintain_order=True)
    wanted = [block for block in ids if block in chosen]
    if not wanted:
        return
    tables = {name: pl.read_parquet(batch / f"{name}.parquet", glob=False) for name in ("matches", "deals", "replays")}
    for block in wanted:
        rows = {name: frame.filter(pl.col("block_id") == block) for name, frame in tables.items()}
        yield from retrace.block_problems(tournament, planned[block], rows)
        report.retraced_blocks += 1
        report.retraced_matches += rows["replays"].height
