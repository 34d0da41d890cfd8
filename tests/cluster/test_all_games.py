"""Every ruleset with every value of its options, played over the wire by bots in Python and in Node, and told again."""

import hashlib
import io
import shutil
from pathlib import Path

import polars as pl
import pytest

from cluster import schedule, tournament
from cluster.arena import Arena
from cluster.replays import replay
from referee.rules import position, registry
from referee.rules.ruleset import Value

ROOT = Path(__file__).resolve().parents[2]
NODE = "node bots/node/random.js"


def games() -> list[tuple[str, dict[str, Value]]]:
    """Each ruleset as it is, and with each other value of each option (of ranges: the ends)."""
    found = []
    for ruleset in registry.RULESETS.values():
        found.append((ruleset.id, {}))
        for option in ruleset.options:
            values = option.values if not isinstance(option.values, range) else (option.values[0], option.values[-1])
            short = {"target": 50} if option.name == "players" else {}
            found += [(ruleset.id, {option.name: value} | short) for value in values if value != option.default]
    return [(name, {**options, "target": 120} if options.get("target") == 10000 else options) for name, options in found]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is missing")
@pytest.mark.parametrize(("ruleset", "options"), games(), ids=str)
def test_a_block_is_played_without_a_fault_and_told_as_the_page_says(ruleset: str, options: dict[str, Value]) -> None:
    bots = [{"name": name} for name in ("greedy", "cautious", "random")] + [
        {"name": "node", "command": NODE, "cwd": str(ROOT)}
    ]
    settings = tournament.parse(
        {"ruleset": ruleset, "options": options, "seed": "all", "blocks": 2, "bots": bots, "clocks": {"budget_ms": 10_000}, "isolation": "trusted"},
        "test",
    )
    blocks = list(schedule.blocks(settings))
    node_plays = [block for block in blocks if "node" in block.lineup] or [
        next(block for block in schedule.blocks(settings.model_copy(update={"blocks": 50})) if "node" in block.lineup)
    ]
    arena = Arena(settings)
    try:
        chunk = arena.play(node_plays)
    finally:
        arena.close()
    assert chunk.faults == 0
    rows = pl.read_parquet(io.BytesIO(chunk.files["replays"])).to_dicts()
    assert len(rows) == len(node_plays) * len(blocks[0].seatings)
    for row in rows:
        check(replay(row))


def check(told: dict) -> None:
    """Each deal follows from its own cards and actions, by the rules oracle."""
    assert hashlib.sha256(bytes.fromhex(told["seed"])).hexdigest() == told["commitment"]
    totals = [0] * len(told["players"])
    for deal in told["deals"]:
        asked = {"ruleset": told["ruleset"], "options": told["options"], "deal": deal["number"], "dealer": deal["dealer"]}
        asked |= {key: deal[key] for key in ("hands", "turned", "stock") if key in deal}
        taken: list[str] = []
        for decision in deal["decisions"]:
            here = position.answer(asked | {"actions": taken})
            assert [here["seat"], here["kind"], here["legal"]] == [decision["seat"], decision["kind"], decision["legal"]]
            assert decision["action"] in decision["legal"]
            assert decision["forced"] == (len(decision["legal"]) == 1 and not told["options"]["ask_forced"])
            assert decision["fault"] is None
            taken.append(decision["action"])
        end = position.answer(asked | {"actions": taken})
        assert end["scores"] == deal["scores"]
        assert end["contract"] == deal["contract"]
        totals = [total + score for total, score in zip(totals, deal["scores"], strict=True)]
        assert totals == deal["totals"]
    assert totals == told["totals"]
