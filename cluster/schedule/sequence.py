"""From line-ups to blocks: their ids and seeds, and fields that change on the way."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from itertools import islice, pairwise

from cluster.schedule.lineups import SOURCES
from cluster.schedule.seating import Block, Design, design
from cluster.tournament import Tournament


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
