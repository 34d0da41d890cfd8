"""Results folders for the pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from dashboard import reading
from tests.dashboard.browsing import FLAGS
from tests.dashboard.folders import add, tournament


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve of sixteen blocks of king.fetes, in two batches."""
    folder = tmp_path_factory.mktemp("fetes")
    game = tournament("king.fetes", 16)
    add(folder, game, 0, 6)
    add(folder, game, 6, 12)
    return folder


@pytest.fixture(scope="session")
def corner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three blocks of Kings in the Corner."""
    folder = tmp_path_factory.mktemp("corner")
    add(folder, tournament("kings_corner", 3), 0, 3)
    return folder


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test sees what another one has read, and no page shows old numbers because the machine is slow."""
    monkeypatch.setattr(reading, "PATIENCE_S", 60.0)
    monkeypatch.setattr(reading, "DUTY", float("inf"))
    yield
    reading.reader.cache_clear()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no chromium on this machine")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield started
        started.close()
