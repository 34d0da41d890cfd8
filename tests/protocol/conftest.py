"""What all tests of the service need."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path: that of a socket may have 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="test-") as name:
        yield Path(name)
