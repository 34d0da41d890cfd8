"""Results folders for the pages, played in this process: no bot, no gRPC, a second or less."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, cast

from cluster import analysis, schedule
from cluster.records import Played, frames
from cluster.run import plan_of
from cluster.store import Store, writer
from cluster.tournament import Tournament, parse
from referee.faults import Fault
from referee.rules.deal import Deal
from referee.table import MatchSpec, Table

#: A stranger's name that no page may take for anything but a text.
EVIL = "<img src=x onerror=alert(1)> [a](javascript:1) $x$"
FORMULA = "=1+1"
BOTS = ("random", "steady", EVIL, FORMULA)


def tournament(ruleset: str, blocks: int, bots: Sequence[str] = BOTS, **options: Any) -> Tournament:
    entries = [{"name": name} if name == "random" else {"name": name, "command": "random"} for name in bots]
    settings = {
        "ruleset": ruleset,
        "seed": 7,
        "blocks": blocks,
        "bots": entries,
        "options": options,
        "name": "A <b>cup</b>",
    }
    return parse(settings, "tests")


def play(game: Tournament, block: schedule.Block) -> Played:
    """Play a block: "steady" takes the first action, everybody else any; whose name is a formula also errs."""
    tables = []
    for number in range(len(block.seatings)):
        spec = MatchSpec(
            match_id=block.match_id(number), game=game.game(), seed=block.seed, players=block.players(number),
            bot_seeds=(1, 2, 3, 4)[: game.game().players],
        )  # fmt: skip
        tables.append(_play(Table(spec), Random(f"{block.id}{number}")))
    return Played(block, tuple(tables))


def _play(table: Table, chance: Random) -> Table:
    while (seat := table.advance()) is not None:
        legal, bot = table.match.deal.legal(), table.spec.players[seat]
        if bot == FORMULA and chance.random() < 0.02:
            table.fault(Fault.TIMEOUT, 250_000)
        else:
            table.answer(legal[0] if bot == "steady" else chance.choice(legal), chance.randrange(100, 900))
    return table


def add(folder: Path, game: Tournament, first: int, last: int) -> None:
    """Put the blocks ``first`` up to ``last`` of a tournament into its folder as one batch."""
    blocks = list(schedule.blocks(game))[first:last]
    with writer(folder) as store:
        store.create(plan_of(game))
        if blocks:
            tables = frames(game.id, [play(game, block) for block in blocks])
            store.write(f"{blocks[0].id}-{len(blocks)}", {name: _parquet(frame) for name, frame in tables.items()})


class Judge:
    """In place of the solver: an action is worth its number, so whoever plays the highest card loses nothing."""

    def values(self, deal: Deal) -> dict[int, int]:
        return {action: action for action in deal.legal()}


def judge(folder: Path, *match_ids: str) -> None:
    """Analyse these matches, as `kingmaker analyse` does."""
    store, by = Store(folder), Judge()
    analysis.keep(store, (analysis.analyse(store.replay(match), cast(Any, by), 7) for match in match_ids))


def _parquet(frame: Any) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()
