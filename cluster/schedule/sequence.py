"""From line-ups to blocks: their ids and seeds, and fields that change on the way."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from cluster.schedule.lineups import SOURCES
from cluster.schedule.seating import Block, Design, design
from cluster.tournament import Tournament
from referee.rules.errors import ConfigError


def design_of(tournament: Tournament) -> Design:
    """How the blocks of a tournament seat their line-ups."""
    return design(tournament.game(), tournament.partners, duel=tournament.schedule == "duel")


def blocks(tournament: Tournament) -> Iterator[Block]:
    """All blocks of a schedule that the file alone decides, in order.

    Where bots join or leave, the line-ups begin anew with the bots of then; what came before stays what it was.
    """
    source, plan, make = SOURCES[tournament.schedule], design_of(tournament), Blocks(tournament)
    for start, end in pairwise([*tournament.changes(), tournament.blocks]):
        names = [bot.name for bot in tournament.bots if bot.plays(start)]
        for index, (lineup, turn) in enumerate(islice(source(len(names), plan, tournament.key), end - start), start):
            yield make.block(index, tuple(names[bot] for bot in lineup), [start, turn] if start else turn)


def written(tournament: Tournament, lineups: Sequence[tuple[str, ...]]) -> Iterator[Block]:
    """All blocks of a schedule whose line-ups are written down, block by block.

    Raises:
        ConfigError: some are missing, or seat somebody who does not play then.
    """
    if len(lineups) < tournament.blocks:
        raise ConfigError(
            f"the line-ups of {len(lineups)} of {tournament.blocks} blocks are written down; a list is played by `kingmaker serve`, "
            "which writes them"
        )
    make, field = Blocks(tournament), {bot.name: bot for bot in tournament.bots}
    for index, lineup in enumerate(lineups[: tournament.blocks]):
        if strangers := [name for name in lineup if name not in field or not field[name].plays(index)]:
            raise ConfigError(f"block {index}: its line-up, as it is written down, seats {strangers[0]!r}, who does not play then")
        yield make.block(index, lineup, index)


class Blocks:
    """Makes the blocks of one tournament: ids follow from game, seed, line-up and repetition, seeds from ids."""

    def __init__(self, tournament: Tournament) -> None:
        self._id, self._key = tournament.id, tournament.key
        self._seatings = design_of(tournament).seatings
        self._repeats = tournament.schedule == "null"

    def block(self, index: int, lineup: tuple[str, ...], repetition: object) -> Block:
        """One block; ``repetition`` tells it from others of the same line-up."""
        name = json.dumps([self._id, lineup, self._seatings, repetition]).encode()
        block_id = hashlib.sha256(name).hexdigest()[:16]
        seed = hmac.digest(self._key, f"block/{block_id}".encode(), "sha256")
        return Block(index, block_id, lineup, self._seatings, seed, self._repeats)
