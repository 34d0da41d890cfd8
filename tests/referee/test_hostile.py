"""Hostile bots in a real host with three good ones: each ends as its own recorded fault, and harms nobody."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
import pytest

from cluster.records import Played, frames
from cluster.schedule.seating import Block
from referee.faults import Fault
from referee.host import GRACE_S, Command, ProcessLog
from referee.launcher import HEAD_BYTES, TAIL_BYTES
from referee.table import Table
from tests import loop
from tests.referee.hosting import GOOD, ROOT, against, gone_within, host, hostile, marked, new_mark, play

#: What is recorded of each: its faults, and with which code its process ended while the host lived; None where it lives
#: on. Three faults are a forfeit.
EXPECTED: dict[str, tuple[list[Fault], int | None]] = {
    "illegal": ([Fault.ILLEGAL] * 3, None),
    "garbage": ([Fault.MALFORMED] * 3, None),
    "silent": ([Fault.TIMEOUT] * 3, None),
    "foreign": ([Fault.DISCONNECT] * 3, 1),
    "exits": ([Fault.DISCONNECT] * 3, 3),
    "raises": ([Fault.DISCONNECT] * 3, 1),
    "killed": ([Fault.DISCONNECT] * 3, -9),
    "leaves": ([Fault.DISCONNECT] * 3, -15),
    "early": ([Fault.DISCONNECT] * 3, 1),
    "newer": ([Fault.DISCONNECT] * 3, 1),
    "nowhere": ([Fault.DISCONNECT] * 3, 127),
    "no_program": ([Fault.DISCONNECT] * 3, 127),
    "no_command": ([Fault.DISCONNECT] * 3, 127),
    "twice": ([], None),
    "chatty": ([], None),
    "stubborn": ([], None),
    "daemons": ([], None),
    "daemons_exit": ([Fault.DISCONNECT] * 3, 0),
}
#: What they print that a person would look for.
PRINTED = {
    "exits": "that was enough",
    "raises": "KeyError",
    "early": "no time for games",
    "newer": "versions 1 to 1 are spoken here, not 2 to 2",
    "foreign": "10 messages that answer nothing",
    "nowhere": "cannot start '/no/such/command': No such file or directory",
    "no_program": "Exec format error",
    "no_command": "in '/no/such/folder': No such file or directory",
}


@dataclass
class Outcome:
    """All that is left of a host after the matches."""

    tables: dict[str, Table]
    logs: dict[str, list[ProcessLog]]
    close_s: float
    left_after_exit: bool
    left: bool
    folder: Path


def commands(mark: str, script: Path) -> dict[str, Command]:
    made = {name: hostile(name, mark) for name in EXPECTED if (ROOT / "tests" / "hostile" / f"{name}.py").exists()}
    python = made["silent"].words
    return made | {
        "daemons_exit": hostile("daemons", mark + "-exit", "exit"),
        "nowhere": Command(("/no/such/command", mark)),
        "no_program": Command((str(script), mark)),
        "no_command": Command(python, "/no/such/folder"),
    }


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """One host plays against all of them at once."""
    mark = new_mark()
    script = tmp_path_factory.mktemp("bots") / "no-program"
    script.write_text("\x7fnothing that could be run")
    script.chmod(0o755)

    async def main() -> Outcome:
        time = asyncio.get_running_loop().time
        async with host(commands(mark, script)) as house:
            tables = await play(house, *map(against, EXPECTED))
            left_after_exit = not await asyncio.to_thread(gone_within, 5, lambda: marked(mark + "-exit"))
            await asyncio.sleep(GRACE_S)  # those that ended their stream have so long to end
            logs = await house.take_logs()
            start = time()
        close_s = time() - start
        logs += await house.take_logs()
        by_bot = {bot: [log for log in logs if log.bot == bot] for bot in (*EXPECTED, *GOOD)}
        played = dict(zip(EXPECTED, tables, strict=True))
        left = not await asyncio.to_thread(gone_within, 1, lambda: marked(mark))
        return Outcome(played, by_bot, close_s, left_after_exit, left, house._folder)

    return loop.run(main(), 110)


every_bot = pytest.mark.parametrize("name", EXPECTED)


@every_bot
def test_the_faults_of_each_are_recorded_as_what_they_were(outcome, name):
    assert outcome.tables[name].faults[1] == EXPECTED[name][0]


@every_bot
def test_the_other_three_have_no_fault_and_get_their_points(outcome, name):
    table = outcome.tables[name]
    others = (0, 2, 3)
    assert table.over
    assert not any(table.faults[seat] for seat in others)
    scores = [deal.scores() for deal in table.match.finished]
    assert len(scores) == 10
    assert table.match.totals == [sum(points) for points in zip(*scores, strict=True)]
    forfeits = len(EXPECTED[name][0]) >= 3
    assert table.forfeits == ({1} if forfeits else set())
    if forfeits:
        totals, ranks = table.match.totals, table.ranks()
        assert ranks[1] == 4
        assert [ranks[seat] for seat in others] == [
            1 + sum(totals[other] > totals[seat] for other in others) for seat in others
        ]


@every_bot
def test_processes_end_as_they_ended_themselves(outcome, name):
    ended = [log.code for log in outcome.logs[name] if log.code is not None]
    code = EXPECTED[name][1]
    if code is not None:
        assert ended == [code]
    elif name == "stubborn":
        assert ended == [-9]
    else:
        assert ended == [0]


@pytest.mark.parametrize("name", PRINTED)
def test_what_they_print_is_kept(outcome, name):
    assert PRINTED[name] in "".join(log.stdout + log.stderr for log in outcome.logs[name])


def test_a_hundred_megabytes_are_capped_and_make_no_difference(outcome):
    for log in outcome.logs["chatty"]:
        for text in (log.stdout, log.stderr):
            assert len(text) < HEAD_BYTES + 2 * TAIL_BYTES + 100
            assert "\0" not in text
    first = outcome.logs["chatty"][0]
    assert "bytes left out" in first.stdout
    assert "bytes left out" in first.stderr
    assert "thinking" in "".join(log.stdout for log in outcome.logs["chatty"])
    chatty, silent = outcome.tables["chatty"], outcome.tables["twice"]  # both play the first legal action
    chatty.spec = replace(chatty.spec, players=silent.spec.players)
    assert chatty.record_hash() == silent.record_hash()


def test_every_seat_of_every_match_has_one_reason_and_they_add_up(outcome):
    """C8: counted by a query over the results, with all of these faults in them."""
    block = Block(0, "b", GOOD, (), b"")
    rows = frames("t", [Played(block, tuple(outcome.tables.values()))])["matches"]
    kinds = ["illegal", "malformed", "timeout", "disconnect"]
    assert (rows["faults"] == rows.select(kinds).sum_horizontal()).all()
    reasons = [pl.when(pl.col("forfeited") & (pl.col(kind) >= 3)).then(pl.lit(kind)) for kind in kinds]
    assert rows.select(pl.sum_horizontal(each.is_not_null() for each in reasons).max()).item() == 1
    counted = rows.select(pl.coalesce(*reasons, pl.lit("played")).value_counts()).unnest(pl.first()).rows()
    expected = Counter(faults[0].name.lower() if faults else "played" for faults, _ in EXPECTED.values())
    expected["played"] += 3 * len(EXPECTED)
    assert dict(counted) == expected
    assert sum(dict(counted).values()) == 4 * len(EXPECTED)


def test_good_bots_print_nothing_and_end_well(outcome):
    for bot in GOOD:
        assert [(log.code, log.stdout, log.stderr) for log in outcome.logs[bot]] == [(0, "", "")]


def test_a_bot_that_exits_leaves_nothing_while_the_host_lives(outcome):
    assert not outcome.left_after_exit


def test_the_end_depends_on_no_bot_and_nothing_is_left(outcome):
    assert outcome.close_s < GRACE_S + 3
    assert not outcome.left
    assert not outcome.folder.exists()
