"""Settings that several commands share."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Annotated, Any

import typer

from cluster.cli.output import say
from cluster.texts import plain
from referee.rules.errors import ConfigError

DaysOption = Annotated[float | None, typer.Option("--days", min=0.0, help="How long the token is valid; default: for ever.")]
OptionOption = Annotated[list[str] | None, typer.Option("--option", metavar="K=V", help="An option of the ruleset.")]


def lifetime(days: float | None) -> timedelta | None:
    """How long a token is valid; None: for ever."""
    return None if days is None else timedelta(days=days)


def tell_token(token: str, whose: str) -> None:
    """Print a new token, the only time that it can be."""
    print(token)
    say(f"The token of {plain(whose)}; it cannot be shown again.")


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
