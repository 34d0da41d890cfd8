"""Fifty submissions at once, a third of them hostile: every one ends as it should, and nothing is harmed."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from cluster.competition import publishing, registry, seasons
from cluster.competition.schema import OPEN, State
from cluster.store import Store
from cluster.verify import verify
from tests.competition.hostile import ARCHIVES, BUILDS
from tests.competition.running import Competition, packed, until

SETTINGS = """
round_blocks = 2
trial_blocks = 1
build_s = 8
pause_s = 0.1
ladders = [{ruleset = "king.simple"}]
clocks = {budget_ms = 30000}
"""
DAEMON = "setsid sh -c 'trap \"\" TERM; sleep 1234567' > /dev/null 2>&1 & exit 0"


@pytest.mark.long
@pytest.mark.timeout(1500)
def test_fifty_submissions_at_once_a_third_of_them_hostile(tmp_path: Path) -> None:
    with Competition(tmp_path / "c", SETTINGS) as running:
        port = running.address.rpartition(":")[2]
        sent: dict[str, tuple[bytes, str]] = {}
        for name, (make, sentence) in ARCHIVES.items():
            sent[name] = make(), sentence
        for name, (command, sentence) in BUILDS.items():
            sent[name] = packed(tmp_path / "hostile", name, build=command.format(port=port)), sentence
        good = {f"bot {n}": packed(tmp_path / "good", f"bot {n}", build=DAEMON if n == 0 else "") for n in range(50 - len(sent))}
        left_before = set(Path(tempfile.gettempdir()).glob("km-build-*"))
        with ThreadPoolExecutor(50) as pool:
            hostile_ids = {name: pool.submit(running.submit, f"owner {i % 7}", data) for i, (name, (data, _)) in enumerate(sent.items())}
            good_ids = {name: pool.submit(running.submit, f"owner {i % 5}", data) for i, (name, data) in enumerate(good.items())}

        def all_ended() -> bool:
            return not any(each.state in OPEN for each in registry.of_owner(running.database, None))

        until(all_ended, "an end of all submissions", 1200)
        ends = {name: registry.one(running.database, each.result()) for name, each in (hostile_ids | good_ids).items()}
        assert {name: end.state for name, end in ends.items()} == dict.fromkeys(sent, State.REJECTED) | dict.fromkeys(good, State.ACTIVE)
        for name, (_, sentence) in sent.items():
            assert sentence in ends[name].log, name
            assert "the platform failed" not in ends[name].log, name
        assert not any("1234567" in " ".join(process.cmdline()) for process in _processes())
        assert set(Path(tempfile.gettempdir()).glob("km-build-*")) == left_before
        folder = running.place.results(seasons.ladder(running.database, "king.simple"), 1)
        until(lambda: set(Store(folder).table("matches")["bot"]) >= {f"{name} v1" for name in good}, "all of them in matches", 600)
        publishing.freeze(running.place, running.database)
        until(lambda: len(Store(folder).done()) == Store(folder).plan["blocks"], "the end of the season")
        matches = Store(folder).table("matches")
        assert matches["faults"].sum() == 0, "none of the good ones was harmed"
        assert verify(Store(folder), sample=4).problems == []


def _processes() -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            process.cmdline()
        except psutil.Error:
            continue
        found.append(process)
    return found
