"""A bot's folder: its manifest `bot.toml`, and new folders made from the kits of `bots/`."""

from __future__ import annotations

import re
import shutil
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from referee.rules.errors import ConfigError, nearest
from referee.rules.registry import RULESETS

MANIFEST = "bot.toml"
LANGUAGES = ("python", "node", "go", "rust", "java", "cpp")
#: What tools put into a kit's folder, and a kit's own tests.
_LEFT_OUT = shutil.ignore_patterns("node_modules", "target", "build", "dist", "test", "__pycache__", ".venv", "*.egg-info", "Cargo.lock")
#: The Python SDK, and the rules that it stands on; not at the top of the folder, where they would be taken for ours.
_PYTHON = ("bots/*.py", "bots/training/*.py", "referee/__init__.py", "referee/rules/**/*.py", "referee/v1/*.py*")

Text = Annotated[str, Field(min_length=1, max_length=1000)]


class InCompetition(BaseModel):
    """What is different in a competition, where a build has no network; an empty build is none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    build: Annotated[str, Field(max_length=1000)] | None = None
    run: Text | None = None


class Manifest(BaseModel):
    """What `bot.toml` says: the bot's name, how it is built and run in its folder, and the rulesets that it plays."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1, max_length=64)]
    language: Text
    build: Text | None = None
    run: Text
    rulesets: Annotated[tuple[Text, ...], Field(min_length=1)]
    competition: InCompetition = InCompetition()

    def in_competition(self) -> Manifest:
        """How it is built and run where it was submitted."""
        other = self.competition
        build = self.build if other.build is None else other.build or None
        return self.model_copy(update={"build": build, "run": other.run or self.run})


def read(folder: Path) -> Manifest:
    """The manifest of a bot's folder.

    Raises:
        ConfigError: it cannot be read, lacks or misspells a key, or names a ruleset that there is not.
    """
    path = folder / MANIFEST
    try:
        found = Manifest.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; `kingmaker new` makes a bot's folder with its {MANIFEST}") from None
    except ValidationError as error:
        raise ConfigError("\n".join(f"{path}: {_problem(each)}" for each in error.errors())) from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    for name in found.rulesets:
        if name not in RULESETS:
            raise ConfigError(f"{path}: no ruleset {name!r}; {nearest(name, RULESETS)}")
    return found


def root(folder: Path) -> Path:
    """The folder of the manifest in what an archive held: the top, or the only folder there."""
    inside = list(folder.iterdir())
    if not (folder / MANIFEST).exists() and len(inside) == 1 and (inside[0] / MANIFEST).is_file():
        return inside[0]
    return folder


def new(language: str, folder: Path) -> Manifest:
    """Make a bot's folder from the kit of a language; the bot is called like the folder.

    Raises:
        ConfigError: no such language, or something is there already.
    """
    if language not in LANGUAGES:
        raise ConfigError(f"no kit for {language!r}; {nearest(language, LANGUAGES)}")
    name = folder.resolve().name
    if not re.fullmatch(r"[\w][\w .+-]{0,63}", name):
        raise ConfigError(f"{name!r} is no name for a bot: letters, digits and . + - _, at most 64")
    spec = find_spec("bots")  # found, not imported: a bot is no part of ours
    if spec is None or spec.origin is None:
        raise ConfigError("the package bots, which holds the kits, is not installed: install kingmaker[core]")
    house = Path(spec.origin).parents[1]
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ConfigError(f"{folder} is there already; name a new folder, or an empty one")
        shutil.copytree(house / "bots" / language, folder, ignore=_LEFT_OUT, dirs_exist_ok=True)
        if language == "python":
            _copy(house, folder / "sdk", _PYTHON)
        path = folder / MANIFEST
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"(?m)^name = .*$", f'name = "{name}"', text, count=1), encoding="utf-8")
    except (OSError, shutil.Error) as error:
        raise ConfigError(f"{folder}: {error}") from None
    return read(folder)


def _copy(house: Path, folder: Path, patterns: tuple[str, ...]) -> None:
    for pattern in patterns:
        for source in house.glob(pattern):
            target = folder / source.relative_to(house)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def _problem(error: object) -> str:
    assert isinstance(error, dict)
    key = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return f"unknown key {key!r}; {nearest(key, Manifest.model_fields)}"
    return f"key {key!r}: {error['msg'].lower()}"
