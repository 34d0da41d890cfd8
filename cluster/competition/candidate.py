"""One submission on its way: unpacked, built in the sandbox, tried, and let into the ladder or rejected.

Runs as a process of its own, so that whatever a stranger's archive does to it, the worker lives on::

    KINGMAKER_DATABASE=URL python -m cluster.competition.candidate DATA SUBMISSION

It ends with 0 when the submission has an end, with another status when the platform failed. A second run after a death at any
moment comes to the same end.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from cluster import manifest as manifests
from cluster.competition import registry
from cluster.competition import settings as all_settings
from cluster.competition.database import DATABASE, Database
from cluster.competition.place import Place
from cluster.competition.registry import NotTaken, Submission, Version
from cluster.competition.schema import State
from cluster.competition.settings import Settings
from cluster.intake import archives, trees
from cluster.intake.archives import ArchiveLimits, ArchiveRefused
from cluster.intake.build import BuildLimits, build
from cluster.manifest import Manifest
from referee.processes import LauncherClient
from referee.rules.errors import ConfigError

#: Of what a build printed, so much is told to its author.
PRINTED = 4000


class Rejected(Exception):
    """Why a submission does not play, for its author."""


def bring(place: Place, database: Database, submission: Submission, settings: Settings) -> None:
    """Bring a submission to its end.

    Raises:
        PlatformError, IsolationError, OSError: it has none yet; that says nothing of it.
    """
    work = place.work / submission.id
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        version = _built(place, database, submission, work, settings)
        _try(place, database, submission, version, settings)
        registry.activate(database, submission.id, version)
    except Rejected as rejection:
        registry.move(database, submission.id, (State.BUILDING, State.VALIDATING), State.REJECTED, f"rejected: {rejection}")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _built(place: Place, database: Database, submission: Submission, work: Path, settings: Settings) -> Version:
    """Unpack and build; the version's folder is there afterwards, whole."""
    begun = State.BUILDING if submission.state is State.RECEIVED else submission.state
    registry.move(database, submission.id, (submission.state,), begun, "begun", attempt=True)
    try:
        limits = ArchiveLimits(packed_mb=(submission.size >> 20) + 1)  # more than its owner may send was not taken
        tree = archives.unpack(place.upload(submission.id), work / "source", limits)
        source = manifests.root(work / "source")
        manifest = manifests.read(source).in_competition()
        version = registry.enter_version(database, submission, manifest, tree.digest)
    except (ArchiveRefused, NotTaken, ConfigError) as error:
        raise Rejected(str(error).replace(f"{work / 'source'}{os.sep}", "")) from None
    final = place.version(version.id, version.tree)
    if not final.exists():
        _build(source, work / "built", manifest, settings, database, submission)
        final.parent.mkdir(exist_ok=True)
        os.sync()  # the name below must not be on the disk before what it names
        os.rename(work / "built", final)
    return version


def _build(source: Path, target: Path, manifest: Manifest, settings: Settings, database: Database, submission: Submission) -> None:
    if manifest.build is None:
        trees.copy(source, target)
        return
    reads = [str(settings.packages.resolve())] if settings.packages else []
    words = ("/bin/sh", "-c", f"{_exports(settings)}{manifest.build}")

    async def run() -> None:
        launcher = LauncherClient()
        await launcher.open()
        try:
            limits = BuildLimits(wall_s=settings.build_s)
            built = await build(launcher, source, words, target, tier=settings.isolation, reads=reads, limits=limits)
        finally:
            await launcher.close()
        printed = f"{built.stdout}{built.stderr}".strip()[-PRINTED:]
        if not built.succeeded:
            raise Rejected(f"the build `{manifest.build}` failed: {built.why}\n{printed}")
        registry.note(database, submission.id, f"built{f': {printed}' if printed else ''}")

    asyncio.run(run())


def _try(place: Place, database: Database, submission: Submission, version: Version, settings: Settings) -> None:
    """Play all trials of a built bot."""
    from cluster.competition import trial  # takes its time, which what is refused before need not wait for

    registry.move(database, submission.id, (State.BUILDING,), State.VALIDATING, f"built as {version.player}; now its trials")
    bot = trial.entry(version, place.version(version.id, version.tree), settings)
    if obstacle := bot.obstacle():
        raise Rejected(f"it cannot be started: {obstacle}")
    for what, tournament in trial.trials(bot, version.rulesets, settings):
        verdict = trial.held(what, tournament)
        if verdict.problems:
            told = "\n".join(verdict.problems[:5])
            printed = f"\nWhat it printed:\n{verdict.printed}" if verdict.printed else ""
            raise Rejected(f"{what}: it has faults in {len(verdict.problems)} of {verdict.matches} matches\n{told}{printed}")
        registry.note(database, submission.id, f"{what}: {verdict.matches} matches without a fault")


def _exports(settings: Settings) -> str:
    """What lets pip and npm find packages where there is no network."""
    if settings.packages is None:
        return ""
    place = settings.packages.resolve()
    return (
        f"export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_FIND_LINKS='{place}/wheels' npm_config_offline=true "
        f"npm_config_cache=\"$HOME/npm\" npm_config_update_notifier=false; "
        f"if [ -d '{place}/npm' ]; then cp -r '{place}/npm' \"$HOME/npm\"; fi; "
    )


def main(words: Sequence[str]) -> None:
    """Bring the submission that the command line names to its end."""
    data, chosen = words
    place = Place(Path(data))
    database = Database(os.environ.pop(DATABASE))
    settings = all_settings.load(place.folder)
    submission = registry.one(database, chosen)
    bring(place, database, submission, settings)


if __name__ == "__main__":
    main(sys.argv[1:])
