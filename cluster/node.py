"""What a node must have in common with the driver, so that a match is the same wherever it is played."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path

from referee import rules


def facts() -> dict[str, str]:
    """What this machine would play with: the version, the rules, Python, gRPC; by the name that people read."""
    return {
        "kingmaker": version("kingmaker"),
        "the rules": rules_hash(),
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "grpcio": version("grpcio"),
    }


def rules_hash() -> str:
    """16 hex digits over the source of the rules."""
    digest = hashlib.sha256()
    for file in sorted(Path(str(rules.__file__)).parent.glob("*.py")):
        digest.update(f"{file.name}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def differences(theirs: dict[str, str], ours: dict[str, str]) -> list[str]:
    """A sentence for each thing that another node has otherwise."""
    return [f"{name} is {theirs.get(name)} there, {value} here" for name, value in ours.items() if theirs.get(name) != value]
