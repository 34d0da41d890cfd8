"""The tournament file: TOML, read into typed settings; whatever it does not know is an error that says where."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import sys
import tomllib
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from cluster import manifest
from referee.faults import Clocks
from referee.rules import registry
from referee.rules.errors import ConfigError, UnknownRuleset, nearest
from referee.rules.ruleset import Game

#: Bots that come with the project, by name; each is a command like any other, and may have arguments.
REFERENCE_BOTS = ("random", "greedy", "cautious", "lowest", "planner", "solver")
#: Those that have to be built first: the file that is then there, and what builds it.
BUILT_BOTS = {"solver": (Path(__file__).parents[1] / "bots" / "solver" / "target" / "release" / "solver", "make solver")}
#: Letters that would change the line that they stand in, or the letters around them.
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
#: What a value must be, by pydantic's name of the error.
_RIGHT = {
    "greater_than": "more than {gt}", "greater_than_equal": "at least {ge}", "less_than_equal": "at most {le}",
    "int_type": "a whole number", "int_from_float": "a whole number", "float_type": "a number", "string_type": "a text",
    "dict_type": "a table", "model_type": "a table with keys of its own", "literal_error": "{expected}",
    "tuple_type": "a list: [[bots]] begins each", "too_short": "a list of at least {min_length}",
    "string_too_short": "at least {min_length} letter long", "string_too_long": "at most {max_length} letters long",
    "finite_number": "a number",
}  # fmt: skip


def _name(name: str) -> str:
    name = unicodedata.normalize("NFC", name)
    strange = any(letter in _BIDI or unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in name)
    if strange or name != name.strip():
        raise ValueError("a name has no control characters, and no space at its ends")
    return name


def _system_text(text: str) -> str:
    if "\0" in text:
        raise ValueError("a command or folder has no NUL character")
    return text


def _seed(seed: object) -> object:
    if type(seed) not in (int, str) or (isinstance(seed, int) and seed.bit_length() > 256):
        raise ValueError("a seed is a text or a whole number of at most 256 bits")
    return seed


Count = Annotated[int, Field(ge=1, le=1_000_000_000, strict=True)]
Place = Annotated[int, Field(ge=0, le=1_000_000_000, strict=True)]
Milliseconds = Annotated[int, Field(ge=0, le=1_000_000_000, strict=True)]
Effect = Annotated[float, Field(ge=-5, le=5, strict=True)]
Error = Annotated[float, Field(ge=0.0001, le=0.4, strict=True)]
SystemText = Annotated[str, AfterValidator(_system_text)]
Isolation = Literal["trusted", "landlock", "bubblewrap", "oci"]


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BotEntry(_Settings):
    """One bot: its name in results, the command that starts it, and the folder it is started in.

    ``joins``, ``leaves``: the first block in which it may sit, and the first one in which it no more may.
    ``files``: what it needs from that folder on other machines; left out: all of it. ``isolation``: its tier, where it
    is not the tournament's; ``reads``: folders that it may read beyond its own and its runtime's. ``remote``: it has no
    command, but comes to `kingmaker serve` by itself.
    """

    name: Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_name)]
    command: SystemText | None = None
    remote: Annotated[bool, Field(strict=True)] = False
    cwd: SystemText | None = None
    joins: Place = 0
    leaves: Place | None = None
    files: tuple[SystemText, ...] | None = None
    isolation: Isolation | None = None
    reads: tuple[Annotated[SystemText, Field(pattern="^/")], ...] = ()

    @model_validator(mode="after")
    def _known(self) -> BotEntry:
        if self.remote and self.command is not None:
            raise ValueError("a remote bot has no command: leave out the one or the other")
        if self.command is None and not self.remote and self.name not in REFERENCE_BOTS:
            raise ValueError(f"{self.name!r} has no command and is no reference bot; {nearest(self.name, REFERENCE_BOTS)}")
        if self.command is not None and not _words(self.command):
            raise ValueError("the command is empty")
        return self

    @property
    def is_reference(self) -> bool:
        """It comes with the project, and plays the same wherever it is started."""
        return not self.remote and (self.command is None or _words(self.command)[0] in REFERENCE_BOTS)

    def plays(self, block: int) -> bool:
        """Whether it is in the field at this place of the schedule."""
        return self.joins <= block and (self.leaves is None or block < self.leaves)

    def words(self) -> tuple[str, ...]:
        """The words of the command."""
        if self.command is None or self.is_reference:
            # -P: the folder of a bot may hold a copy of the SDK, which is not ours
            return (sys.executable, "-P", "-m", "bots.reference", *_words(self.command or self.name))
        return tuple(_words(self.command))

    def obstacle(self) -> str | None:
        """Why the command cannot be started on this machine, or None."""
        if self.remote:
            return None
        file, how = BUILT_BOTS.get(_words(self.command or self.name)[0], (None, "")) if self.is_reference else (None, "")
        if file is not None and not file.exists():
            return f"bot {self.name!r} is not built: {how} (it needs Rust: cargo)"
        program, folder = self.words()[0], Path(self.cwd or ".")
        if not folder.is_dir():
            return f"bot {self.name!r}: no folder {str(folder)!r} to start it in"
        if shutil.which(folder / program if "/" in program else program) is None:
            where = "" if os.path.isabs(program) else f" in {str(folder)!r}" if "/" in program else " in PATH"
            return f"bot {self.name!r}: no program {program!r}{where} that can be run; its command is {self.command!r}"
        return None


class ClockSettings(_Settings):
    """Time in milliseconds: for a decision, above it for a match, and what a late answer is forgiven."""

    budget_ms: Count = 200
    bank_ms: Milliseconds = 5_000
    margin_ms: Milliseconds = 50

    def clocks(self) -> Clocks:
        """The value that the referee knows."""
        return Clocks(**self.model_dump())


class LimitSettings(_Settings):
    """What one process of an isolated bot may use; see `referee.isolation.limits.Limits`."""

    memory_mb: Annotated[int, Field(ge=16, le=1_000_000, strict=True)] = 512
    processes: Annotated[int, Field(ge=4, le=100_000, strict=True)] = 128
    cpu: Annotated[float, Field(ge=0.05, le=1_000, strict=True, allow_inf_nan=False)] = 1.0
    scratch_mb: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] = 64
    output_mb: Count = 4096


class DuelSettings(_Settings):
    """The two hypotheses of a duel, in standard deviations of a block's score, and the errors that are allowed."""

    t0: Effect = 0.0
    t1: Effect = 0.15
    alpha: Error = 0.05
    beta: Error = 0.05

    @model_validator(mode="after")
    def _apart(self) -> DuelSettings:
        if self.t1 - self.t0 < 0.01:
            raise ValueError(f"t1 is {self.t1}; it must be above t0, which is {self.t0}, by at least 0.01")
        return self


class Tournament(_Settings):
    """What is to be played.

    ``schedule``: how line-ups are found, see docs/tournaments.md. ``blocks``: blocks in all, or at most where results
    decide. ``tables``: matches that a bot plays at the same time on each
    worker. ``lanes``: processes of each bot among which the games of a block are shared out. ``partners``: in a game of
    teams, whether one bot plays all seats of a team, or each seat has a bot of its own. ``isolation``: the tier of all
    bots; left out, reference bots are trusted, and the others are not.
    """

    name: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_name)] = "tournament"
    ruleset: str
    options: dict[str, Any] = {}
    seed: Annotated[int | str, BeforeValidator(_seed)]
    schedule: Literal["balanced", "all", "gauntlet", "duel", "adaptive", "null", "ladder"] = "balanced"
    blocks: Count
    bots: Annotated[tuple[BotEntry, ...], Field(min_length=1)]
    clocks: ClockSettings = ClockSettings()
    duel: DuelSettings = DuelSettings()
    isolation: Isolation | None = None
    limits: LimitSettings = LimitSettings()
    partners: Literal["same", "mixed"] = "same"
    max_faults: Count = 3
    tables: Count = 64
    lanes: Annotated[int, Field(ge=1, le=4, strict=True)] = 1
    start_timeout_s: Annotated[float, Field(gt=0, le=86_400, strict=True, allow_inf_nan=False)] = 30.0

    @model_validator(mode="after")
    def _consistent(self) -> Tournament:
        game = self.game()
        if self.partners == "mixed" and len(set(game.teams)) == game.players:
            raise ValueError(f"partners is 'mixed', but in {game.ruleset} each plays for himself; leave it out")
        if self.lanes > 1 and any(bot.remote for bot in self.bots):
            raise ValueError("lanes is more than 1, but a remote bot has one process for each seat at a table; leave it out")
        seen: set[str] = set()
        for bot in self.bots:
            if bot.name.casefold() in seen:
                raise ValueError(f"two bots are called {bot.name!r}; names differ by more than upper and lower case")
            seen.add(bot.name.casefold())
        self._schedulable(game)
        return self

    def _schedulable(self, game: Game) -> None:
        number = len(self.bots)
        if self.schedule == "duel" and (number != 2 or self.partners == "mixed"):
            raise ValueError(f"a duel is between two bots, the new one first, and has no mixed partners; here are {number} bots")
        if self.schedule == "gauntlet" and number < 2:
            raise ValueError("a gauntlet needs a field: the first bot meets the others")
        if self.schedule == "null" and number not in (game.players, len(set(game.teams))):
            raise ValueError(f"a null test needs a copy for each of the {game.players} seats, or for each team")
        if self.schedule not in ("balanced", "all", "gauntlet", "ladder") and len(self.changes()) > 1:
            raise ValueError(f"with schedule {self.schedule!r} the field stays the same; leave out joins and leaves")
        first = self.bots[0]
        if self.schedule == "gauntlet" and not all(first.plays(start) for start in self.changes()):
            raise ValueError(f"in a gauntlet the first bot meets all others; {first.name!r} has to be there from the start to the end")
        for start in self.changes():
            if not any(bot.plays(start) for bot in self.bots):
                raise ValueError(f"from block {start} on no bot is in the field; check joins and leaves")

    def changes(self) -> list[int]:
        """The places in the schedule from which the field is another one than before; 0 is the first."""
        places = {place for bot in self.bots for place in (bot.joins, bot.leaves) if place is not None}
        return sorted({0} | {place for place in places if place < self.blocks})

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
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, or brackets without end
        raise ConfigError(f"{path}: not TOML: {error}") from None
    for bot in data.get("bots", []) if isinstance(data.get("bots"), list) else []:
        cwd = bot.get("cwd", "") if isinstance(bot, dict) else None
        if isinstance(cwd, str) and "\0" not in cwd:
            bot["cwd"] = str((path.parent / cwd).resolve())
    return parse(data, str(path))


def parse(data: dict[str, Any], where: str) -> Tournament:
    """Check the settings of a tournament; ``where`` names their source in errors.

    Raises:
        ConfigError: an unknown key or an impossible value.
    """
    try:
        return Tournament.model_validate(data)
    except ValidationError as error:
        raise ConfigError("\n".join(f"{where}: {_sentence(problem)}" for problem in _causes(error))) from None


def bot_name(text: str) -> str:
    """The name of a bot, as results may hold it.

    Raises:
        ConfigError: no name can be so.
    """
    try:
        return BotEntry(name=text, command="-").name
    except ValidationError as error:
        raise ConfigError(f"bot {text!r:.80}: {_sentence(error.errors()[0])}") from None


def named_bot(text: str) -> dict[str, Any]:
    """A bot as the command line names it: a reference name, a folder, a command, or ``NAME=COMMAND``.

    Raises:
        ConfigError: a single word that is neither a reference name nor a program; a folder's manifest is wrong.
    """
    name, equals, command = text.partition("=")
    if equals and name.strip() and " " not in name.strip() and "/" not in name:
        return {"name": name.strip(), "command": command}
    if text in REFERENCE_BOTS:
        return {"name": text}
    if Path(text, manifest.MANIFEST).is_file():
        bot = manifest.read(Path(text))
        return {"name": bot.name, "command": bot.run, "cwd": str(Path(text).resolve())}
    if text == Path(text).name and " " not in text and shutil.which(text) is None:
        raise ConfigError(f"no bot and no program {text!r}; {nearest(text, REFERENCE_BOTS)}")
    words = [word for word in _words(text) if not word.startswith("-")]
    if words[:1] and words[0] in REFERENCE_BOTS:
        return {"name": words[0], "command": text}
    files = [word for word in words[1:] if "/" in word or "." in word]  # after the interpreter, if there is one
    return {"name": Path((files or words[-1:] or [text])[0]).stem, "command": text}


def named_bots(texts: Sequence[str]) -> list[dict[str, Any]]:
    """The bots of a command line, started in the folder we are in; the second of a name becomes NAME-2.

    Raises:
        ConfigError: see `named_bot`.
    """
    bots: list[dict[str, Any]] = []
    for text in texts:
        bot = named_bot(text)
        bot.setdefault("command", bot["name"])
        base, number = bot["name"], 1
        while bot["name"].casefold() in {other["name"].casefold() for other in bots}:
            number += 1
            bot["name"] = f"{base}-{number}"
        bots.append({"cwd": str(Path.cwd()), **bot})
    return bots


def _causes(error: ValidationError) -> list[Any]:
    """The errors, without those that only follow from one further in."""
    problems = error.errors()
    places = [problem["loc"] for problem in problems]
    return [p for p in problems if not any(len(at) > len(p["loc"]) and at[: len(p["loc"])] == p["loc"] for at in places)]


def _sentence(problem: Any) -> str:
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"unknown key {place!r}; {nearest(str(problem['loc'][-1]), _keys(problem['loc'][:-1]))}"
    if problem["type"] == "missing":
        return f"key {place!r} is missing"
    given = problem["input"]
    shown = f"{given!r:.80}" if isinstance(given, int | float | str) else ""
    if problem["type"] in _RIGHT:
        right = _RIGHT[problem["type"]].format(**problem.get("ctx", {}))
        return f"{place} is {shown or 'something else'}; it must be {right}"
    message = problem["msg"].removeprefix("Value error, ")
    return f"{place}: {message}{f' (it is {shown})' if shown else ''}" if place else message


def _keys(place: tuple[Any, ...]) -> list[str]:
    models: dict[Any, type[BaseModel]] = {
        "bots": BotEntry, "clocks": ClockSettings, "duel": DuelSettings, "limits": LimitSettings,
    }  # fmt: skip
    model = models.get(place[0] if place else "", Tournament)
    return list(model.model_fields)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"command {command!r}: {error}") from None
