"""The trial of a built bot: it plays against itself and the reference bots, from every seat, and has to do so without a fault."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from cluster import schedule
from cluster.arena import Arena
from cluster.competition.registry import Version
from cluster.competition.settings import FIELD, LadderSettings, Settings
from cluster.tournament import BotEntry, Tournament, parse

#: Of what a bot printed, so much is told to its author.
PRINTED = 4000


@dataclass(frozen=True)
class Verdict:
    """How one trial went; ``problems``: a sentence each, ``printed``: what the bot printed, if it had any."""

    what: str
    matches: int
    problems: tuple[str, ...]
    printed: str


def entry(version: Version, folder: Path, settings: Settings) -> BotEntry:
    """A version as a bot of a tournament."""
    return BotEntry(name=version.player, command=version.run, cwd=str(folder.resolve()), isolation=settings.isolation)


def trials(bot: BotEntry, rulesets: tuple[str, ...], settings: Settings) -> Iterator[tuple[str, Tournament]]:
    """What is played, in words and as tournaments: in each list of the rulesets that the bot names."""
    for ladder in lists_of(rulesets, settings):
        name = " ".join([ladder.ruleset, *(f"{key}={value}" for key, value in ladder.options.items())])
        for what, field, blocks in (("itself", (), 1), ("the reference bots", FIELD, settings.trial_blocks)):
            seed = hashlib.sha256(f"trial/{bot.name}/{name}/{what}".encode()).hexdigest()
            data = {
                "name": "trial", "ruleset": ladder.ruleset, "options": dict(ladder.options), "seed": seed, "blocks": blocks,
                "schedule": "gauntlet" if field else "all", "clocks": settings.clocks.model_dump(),
                "limits": settings.limits.model_dump(), "bots": [bot.model_dump(), *({"name": other} for other in field)],
            }  # fmt: skip
            yield f"{name} against {what}", parse(data, "trial")


def lists_of(rulesets: tuple[str, ...], settings: Settings) -> list[LadderSettings]:
    """The lists in which a bot plays."""
    return [ladder for ladder in settings.ladders if ladder.ruleset in rulesets]


def held(what: str, tournament: Tournament) -> Verdict:
    """Play a trial.

    Raises:
        PlatformError, IsolationError: it could not be played; that says nothing of the bot.
    """
    bot = tournament.bots[0].name
    arena = Arena(tournament)
    try:
        chunk = arena.play(list(schedule.blocks(tournament)))
    finally:
        arena.close()
    matches, logs = (pl.read_parquet(io.BytesIO(chunk.files[name])) for name in ("matches", "logs"))
    mine = matches.filter((pl.col("bot") == bot) & ((pl.col("faults") > 0) | pl.col("forfeited")))
    problems = [_problem(row) for row in mine.sort("block", "game", "seat").iter_rows(named=True)]
    said = logs.filter(pl.col("bot") == bot)
    printed = "\n".join(text.strip() for text in [*said["stderr"], *said["stdout"]] if text and text.strip())
    return Verdict(what, chunk.matches, tuple(problems), printed[-PRINTED:] if problems else "")


def _problem(row: dict[str, object]) -> str:
    kinds = [f"{row[kind]} × {kind}" for kind in ("illegal", "malformed", "timeout", "disconnect") if row[kind]]
    ending = f" (its process: {row['ending']})" if row.get("ending") else ""
    return f"match {row['match_id']}, seat {row['seat']}: {', '.join(kinds) or 'forfeited'}{ending}"
