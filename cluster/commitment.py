"""What is told of a tournament's seed before it is used, so that nobody can choose another one afterwards."""

from __future__ import annotations

import hashlib


def commitment(seed: int | str) -> str:
    """64 hex digits: SHA-256 of ``kingmaker/season/1`` and the seed as a text. It hides only a seed that nobody can guess."""
    return hashlib.sha256(b"kingmaker/season/1" + str(seed).encode()).hexdigest()
