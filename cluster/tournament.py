"""The tournament file: TOML, read into typed settings; whatever it does not know is an error that says where."""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
import tomllib
import unicodedata
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from referee.faults import Clocks
from referee.rules import registry
from referee.rules.errors import ConfigError, UnknownRuleset, nearest
from referee.rules.ruleset import Game

#: Bots that come with the project, by name; each is a command like any other.
REFERENCE_BOTS = ("random", "greedy", "cautious", "lowest")
Count = Annotated[int, Field(ge=1, strict=True)]


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BotEntry(_Settings):
    """One bot: its name in results, the command that starts it, and the folder it is started in."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    command: str | None = None
    cwd: str | None = None

    @field_validator("name")
    @classmethod
    def _plain(cls, name: str) -> str:
        name = unicodedata.normalize("NFC", name)
        if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name) or name != name.strip():
            raise ValueError("a name has no control characters, and no space at its ends")
        return name

    @model_validator(mode="after")
    def _known(self) -> BotEntry:
        if self.command is None and self.name not in REFERENCE_BOTS:
            raise ValueError(f"{self.name!r} has no command and is no reference bot; {nearest(self.name, REFERENCE_BOTS)}")
        if self.command is not None and not _words(self.command):
            raise ValueError("the command is empty")
        return self

    def words(self) -> tuple[str, ...]:
        """The words of the command."""
        if self.command is None or self.command in REFERENCE_BOTS:
            return (sys.executable, "-m", "bots.reference", self.command or self.name)
        return tuple(_words(self.command))


class ClockSettings(_Settings):
    """Time in milliseconds: for a decision, above it for a match, and what a late answer is forgiven."""

    budget_ms: Count = 200
    bank_ms: Annotated[int, Field(ge=0, strict=True)] = 5_000
    margin_ms: Annotated[int, Field(ge=0, strict=True)] = 50

    def clocks(self) -> Clocks:
        """The value that the referee knows."""
        return Clocks(**self.model_dump())


class Tournament(_Settings):
    """What is to be played.

    ``blocks``: blocks in all; the line-ups take turns. ``tables``: matches that a bot plays at the same time on each
    worker. ``lanes``: processes of each bot among which the games of a block are shared out. ``partners``: in a game of
    teams, whether one bot plays all seats of a team, or each seat has a bot of its own.
    """

    name: Annotated[str, Field(min_length=1, max_length=100)] = "tournament"
    ruleset: str
    options: dict[str, Any] = {}
    seed: int | str
    blocks: Count
    bots: Annotated[tuple[BotEntry, ...], Field(min_length=1)]
    clocks: ClockSettings = ClockSettings()
    partners: Literal["same", "mixed"] = "same"
    max_faults: Count = 3
    tables: Count = 64
    lanes: Annotated[int, Field(ge=1, le=4, strict=True)] = 1
    start_timeout_s: Annotated[float, Field(gt=0)] = 30.0

    @model_validator(mode="after")
    def _consistent(self) -> Tournament:
        game = self.game()
        if self.partners == "mixed" and len(set(game.teams)) == game.players:
            raise ValueError(f"partners is 'mixed', but in {game.ruleset} each plays for himself; leave it out")
        seen: dict[str, str] = {}
        for bot in self.bots:
            other = seen.setdefault(bot.name.casefold(), bot.name)
            if other is not bot.name:
                raise ValueError(f"two bots are called {bot.name!r}; names differ by more than upper and lower case")
        return self

    def game(self) -> Game:
        """The game with its options settled."""
        try:
            return registry.ruleset(self.ruleset).game(self.options)
        except UnknownRuleset as error:
            raise ValueError(str(error)) from None

    @property
    def id(self) -> str:
        """16 hex digits: the same for the same game and seed, whoever plays and however long."""
        game = self.game()
        decisive = [game.ruleset, game.version, dict(game.options), str(self.seed)]
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def key(self) -> bytes:
        """The secret from which the seeds of all blocks and bots follow."""
        return hashlib.sha256(b"kingmaker/tournament/1" + str(self.seed).encode()).digest()


def load(path: Path) -> Tournament:
    """Read a tournament file; a relative ``cwd`` of a bot, and a missing one, are taken from the file's folder.

    Raises:
        ConfigError: the file cannot be read, or holds what cannot be; the text names file and key.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    for bot in data.get("bots", []) if isinstance(data.get("bots"), list) else []:
        if isinstance(bot, dict) and isinstance(bot.get("cwd", ""), str):
            bot["cwd"] = str((path.parent / bot.get("cwd", "")).resolve())
    return parse(data, str(path))


def parse(data: dict[str, Any], where: str) -> Tournament:
    """Check the settings of a tournament; ``where`` names their source in errors.

    Raises:
        ConfigError: an unknown key or an impossible value.
    """
    try:
        return Tournament.model_validate(data)
    except ValidationError as error:
        raise ConfigError("\n".join(f"{where}: {_sentence(problem)}" for problem in error.errors())) from None


def named_bot(text: str) -> dict[str, Any]:
    """A bot as the command line names it: a reference name, a command, or ``NAME=COMMAND``."""
    name, equals, command = text.partition("=")
    if equals and name.strip() and " " not in name.strip() and "/" not in name:
        return {"name": name.strip(), "command": command}
    if text in REFERENCE_BOTS:
        return {"name": text}
    words = _words(text)
    return {"name": Path(words[-1]).stem if words else text, "command": text}


def _sentence(problem: Any) -> str:
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"unknown key {place!r}; {nearest(str(problem['loc'][-1]), _keys(problem['loc'][:-1]))}"
    if problem["type"] == "missing":
        return f"key {place!r} is missing"
    message = problem["msg"].removeprefix("Value error, ")
    given = problem["input"]
    shown = f" (it is {given!r})" if isinstance(given, int | float | str) else ""
    return f"{place}: {message}{shown}" if place else message


def _keys(place: tuple[Any, ...]) -> list[str]:
    models: dict[Any, type[BaseModel]] = {"bots": BotEntry, "clocks": ClockSettings}
    model = models.get(place[0] if place else "", Tournament)
    return list(model.model_fields)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"command {command!r}: {error}") from None
