"""A competition for the pages: an owner with a token, and lists with matches; nothing runs but the pages."""

from __future__ import annotations

from pathlib import Path

from cluster.competition import owners, registry, seasons
from cluster.competition.database import Database
from cluster.competition.place import Place
from cluster.competition.registry import Submission
from cluster.competition.schema import State
from cluster.manifest import Manifest
from cluster.store import PLAN
from tests.dashboard.folders import BOTS, add, tournament


def _manifest(name: str) -> Manifest:
    return Manifest(name=name, language="python", run="python3 bot.py", rulesets=("king.simple",))


class Contest:
    """Use as a context. Two lists have matches, a third one has none."""

    def __init__(self, folder: Path) -> None:
        self.place = Place(folder)
        self.database: Database = self.place.database(None)
        seasons.current(self.database)
        _, self.token = owners.add(self.database, "Éva", ("submit",), owners.Limits(max_archive_bytes=1 << 20))
        for ruleset, blocks, bots in (("king.fetes", 3, BOTS), ("king.simple", 2, ("random", "steady", "ace v1", "ace v2"))):
            ladder = seasons.ladder(self.database, ruleset)
            folder = self.place.results(ladder, 1)
            add(folder, tournament(ruleset, blocks, bots), 0, blocks)
            text = (folder / PLAN).read_text(encoding="utf-8")
            (folder / PLAN).write_text(text.replace('"balanced"', '"ladder"'), encoding="utf-8")  # as the plan of a list says
        bob, _ = owners.add(self.database, "<b>Bob</b>", ("submit",))
        for version in (1, 2):
            sent = registry.receive(self.database, bob, f"{version}" * 64, 1)
            found = registry.enter_version(self.database, sent, _manifest("ace"), f"{version}" * 64)
            registry.move(self.database, sent.id, (State.RECEIVED,), State.VALIDATING, "")
            registry.activate(self.database, sent.id, found)
        seasons.ladder(self.database, "kings_corner", {"target": 50})

    def __enter__(self) -> Contest:
        return self

    def __exit__(self, *_: object) -> None:
        self.database.close()

    def only(self) -> Submission:
        """The one thing that Éva submitted."""
        (found,) = (each for each in registry.of_owner(self.database, None) if each.owner == "Éva")
        return found

    def tried(self, name: str) -> None:
        """What a worker does with it, up to its trials."""
        sent = self.only()
        registry.enter_version(self.database, sent, _manifest(name), "00" * 32)
        registry.move(self.database, sent.id, (State.RECEIVED,), State.VALIDATING, "now its trials")

    def rejected(self, why: str) -> None:
        registry.move(self.database, self.only().id, (State.VALIDATING,), State.REJECTED, why)
