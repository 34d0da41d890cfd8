"""The pages with much to show, and with many who look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from benchmarks import pages
from benchmarks.million import synthesise
from tests.dashboard.browsing import WIDTHS, opened, served, window
from tests.dashboard.test_browser import PAGES, match_ids


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty thousand matches; `python -m benchmarks.pages` measures with a million."""
    folder = tmp_path_factory.mktemp("many")
    synthesise(folder, 40_000)
    return folder


@pytest.fixture(scope="module")
def address(many: Path) -> Iterator[str]:
    with served(many) as url:
        yield url


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_with_many_matches(browser: Browser, address: str, many: Path, width: int) -> None:
    problems: list[str] = []
    with window(browser, width, problems) as page:
        page.goto(address)
        page.get_by_text("40,000 matches").wait_for(timeout=240_000)  # the first time all of it is summed up
        for path, title in [*PAGES.items(), (f"replay?match={match_ids(many)[-1]}", "Replay"), ("matches?bots=bot-03&order=Worst+first", "Matches")]:
            opened(page, address, path, title)
    assert problems == []


@pytest.mark.long
@pytest.mark.timeout(600)
def test_sessions_that_are_closed_leave_nothing_behind(browser: Browser, results: Path) -> None:
    with pages.served(results) as (url, server):
        assert pages.growth(browser, url, server, sessions=20) < 60  # MiB; a leak of all that a session holds is more
