"""How a competition is played: `competition.toml` in its folder, which may be missing."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from cluster.tournament import ClockSettings, Isolation, LimitSettings
from referee.rules import registry as rulesets
from referee.rules.errors import ConfigError, UnknownRuleset

FILE = "competition.toml"

#: Those that play in every list, and that a new bot has to play with.
FIELD = ("random", "greedy", "cautious")


#: What a decision of a remote bot may take: a round trip, and the thinking.
REMOTE_BUDGET_MS = 1_000


class LadderSettings(BaseModel):
    """A list: a ruleset, and options such as a match's length."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ruleset: str
    options: dict[str, Any] = {}

    @model_validator(mode="after")
    def _known(self) -> LadderSettings:
        try:
            rulesets.ruleset(self.ruleset).game(dict(self.options))
        except (UnknownRuleset, ConfigError) as error:
            raise ValueError(str(error)) from None
        return self


class Settings(BaseModel):
    """``ladders``: left out, each ruleset has one, with its usual options. ``isolation``: the tier of what was submitted.

    ``remote``: the lists of remote bots, whose clocks are ``remote_clocks``; left out, one of king.fetes; none at all: ``[]``.

    ``packages``: a folder that builds may read, with wheels in ``wheels/`` and npm's cache in ``npm/``. ``build_s``: seconds
    that a build may take. ``trial_blocks``: blocks against the reference bots, of each ruleset, before a bot is taken.
    ``round_blocks``: blocks that a list plays before the next one has its turn. ``pause_s``: between two looks at the registry.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    ladders: tuple[LadderSettings, ...] = tuple(LadderSettings(ruleset=name) for name in rulesets.RULESETS)
    remote: tuple[LadderSettings, ...] = (LadderSettings(ruleset="king.fetes"),)
    isolation: Isolation = "bubblewrap"
    clocks: ClockSettings = ClockSettings()
    remote_clocks: ClockSettings = ClockSettings(budget_ms=REMOTE_BUDGET_MS)
    limits: LimitSettings = LimitSettings()
    packages: Path | None = None
    build_s: Annotated[float, Field(gt=0, le=3600)] = 180.0
    trial_blocks: Annotated[int, Field(ge=1, le=100)] = 2
    round_blocks: Annotated[int, Field(ge=1, le=1000)] = 12
    pause_s: Annotated[float, Field(gt=0, le=60)] = 1.0


def load(folder: Path) -> Settings:
    """The settings in a competition's folder.

    Raises:
        ConfigError: an unknown key or an impossible value.
    """
    path = folder / FILE
    if not path.exists():
        return Settings()
    try:
        return Settings.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except ValidationError as error:
        told = (f"{path}: {'.'.join(map(str, each['loc']))}: {each['msg'].removeprefix('Value error, ')}" for each in error.errors())
        raise ConfigError("\n".join(told)) from None
    except ValueError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
