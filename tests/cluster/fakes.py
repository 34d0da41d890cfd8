"""Matches without bots: tables that are answered in this process, and a `play` for `cluster.run` made of them."""

import io
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import polars as pl

from cluster import records, schedule, tournament
from cluster.arena import Arena, Chunk
from cluster.schedule import Block
from cluster.tournament import Tournament
from referee.table import MatchSpec, Table


def a_tournament(bots: Sequence[str] = ("lowest", "random"), **settings: Any) -> Tournament:
    """A tournament of these bots; every name that is no reference bot's has a command that is never started."""
    entries = [
        {"name": name} if name in tournament.REFERENCE_BOTS else {"name": name, "command": "never started"} for name in bots
    ]
    return tournament.parse({"ruleset": "king.simple", "seed": "test", "blocks": 6, "bots": entries} | settings, "test")


def play_table(spec: MatchSpec) -> Table:
    """Play a match: a bot named ``lowest`` takes the first legal action, all others any one, by the decision's seed."""
    table = Table(spec)
    while (seat := table.advance()) is not None:
        legal = table.match.deal.legal()
        rng = random.Random(table.decision_seed())
        table.answer(legal[0] if spec.players[seat] == "lowest" else rng.choice(legal), 1000 + legal[0])
    return table


def play_block(settings: Tournament, block: Block) -> records.Played:
    """Play all matches of a block."""
    game = settings.game()
    tables = [
        play_table(
            MatchSpec(
                match_id=block.match_id(number),
                game=game,
                seed=block.seed,
                players=block.players(number),
                bot_seeds=block.bot_seeds(settings.key, number),
            )
        )
        for number in range(len(block.seatings))
    ]
    return records.Played(block, tuple(tables))


def files_of(settings: Tournament, blocks: Sequence[Block]) -> dict[str, bytes]:
    """The files of a batch."""
    return parquets(records.frames(settings.id, [play_block(settings, block) for block in blocks]))


def parquets(frames: dict[str, pl.DataFrame]) -> dict[str, bytes]:
    """Frames as Parquet files."""
    files = {}
    for name, frame in frames.items():
        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        files[name] = buffer.getvalue()
    return files


def chunk(settings: Tournament, blocks: Sequence[Block]) -> Chunk:
    """What an arena would make of these blocks."""
    return Chunk(
        block_ids=tuple(block.id for block in blocks),
        matches=sum(len(block.seatings) for block in blocks),
        decisions=0,
        faults=0,
        files=files_of(settings, blocks),
    )


class FakePlay:
    """A `play` for `cluster.run` without Ray and without bots; ``asked``: the blocks that it was given, in order."""

    def __init__(self, settings: Tournament, stop_after: int | None = None) -> None:
        self.settings = settings
        self.stop_after = stop_after
        self.asked: list[str] = []
        self.sizes: list[int] = []

    def __call__(self, chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        for number, blocks in enumerate(chunks):
            if number == self.stop_after:
                raise KeyboardInterrupt
            self.asked += [block.id for block in blocks]
            self.sizes.append(len(blocks))
            yield chunk(self.settings, blocks)


def arena_play(arena: Arena, size: int | None = None) -> Callable[[Iterator[Sequence[Block]]], Iterator[Chunk]]:
    """A `play` for `cluster.run` with real bots in this process; ``size``: chunks of so many blocks instead."""

    def play(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk]:
        if size is None:
            yield from map(arena.play, chunks)
            return
        blocks = [block for given in chunks for block in given]
        for start in range(0, len(blocks), size):
            yield arena.play(blocks[start : start + size])

    return play


class Quiet:
    """Progress that is only remembered."""

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.begun: dict[str, int] = {}

    def begin(self, *, blocks: int, done: int, games: int) -> None:
        self.begun = {"blocks": blocks, "done": done, "games": games}

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def played(self, chunk: Chunk) -> None:
        pass


def all_blocks(settings: Tournament) -> list[Block]:
    """The whole schedule."""
    return list(schedule.blocks(settings))
