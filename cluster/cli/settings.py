"""Settings that several commands share."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from referee.rules.errors import ConfigError

OptionOption = Annotated[list[str] | None, typer.Option("--option", metavar="K=V", help="An option of the ruleset.")]


def options_of(given: list[str] | None) -> dict[str, Any]:
    """Read options such as ``first_dealer=2`` and ``roem=auto``.

    Raises:
        ConfigError: a text without an equals sign.
    """
    options = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"--option {text}: an option is NAME=VALUE, as first_dealer=2")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options
