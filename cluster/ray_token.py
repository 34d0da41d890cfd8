"""The secret without which nobody gets into a Ray cluster. It has to be in the environment before Ray is imported."""

from __future__ import annotations

import os
import re
import secrets
import sys
from pathlib import Path

from referee.rules.errors import ConfigError


def prepare(address: str | None) -> None:
    """A fresh token for a cluster of our own; for one that is joined, see to it that there is one.

    Raises:
        ConfigError: ``address`` is none, or no token is given for the cluster there.
    """
    if address is not None and not re.fullmatch(r"auto|[^/\s]+:\d+", address):
        raise ConfigError(f"--address {address}: a cluster is named HOST:PORT, as `ray start --head` prints it, or auto")
    if os.environ.setdefault("RAY_AUTH_MODE", "token") != "token":
        return  # whoever switched it off, did so on purpose
    if "ray" in sys.modules and "RAY_AUTH_TOKEN" in os.environ:
        return  # Ray has read it, and will not read another one
    if address is None:
        os.environ.pop("RAY_AUTH_TOKEN_PATH", None)
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
        return
    if "RAY_AUTH_TOKEN" in os.environ:
        return
    file = Path(os.environ.get("RAY_AUTH_TOKEN_PATH", "~/.ray/auth_token")).expanduser()
    if not file.is_file():
        raise ConfigError(
            f"--address {address}: no token for this cluster; set RAY_AUTH_TOKEN, or RAY_AUTH_TOKEN_PATH to a file with "
            f"it (there is no {file}). Its nodes are started with RAY_AUTH_MODE=token and the same token: docs/cluster.md"
        )
