"""The pages in a real browser, on a desk and on a phone."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from dashboard import reading
from dashboard.reading import Snapshot
from tests.dashboard.browsing import WIDTHS, choose, complaints, opened, served, settled, window
from tests.dashboard.folders import EVIL, add, judge, tournament

PAGES = {"": "Standings", "bot": "Bot", "pairs": "Head to head", "contracts": "Contracts", "matches": "Matches",
         "replay": "Replay", "tournament": "Tournament", "rules": "Rules"}  # fmt: skip


@pytest.fixture(scope="module")
def address(results: Path) -> Iterator[str]:
    with served(results) as url:
        yield url


@pytest.fixture(scope="module")
def corner_address(corner: Path) -> Iterator[str]:
    with served(corner) as url:
        yield url


def match_ids(folder: Path) -> list[str]:
    now = reading.reader(folder).snapshot()
    assert isinstance(now, Snapshot)
    return now.matches.sort("block", "game").select("match_id").collect()["match_id"].to_list()


@pytest.mark.parametrize(
    ("width", "scheme"),
    [(1280, "light"), pytest.param(390, "dark", marks=pytest.mark.slow), pytest.param(1280, "dark", marks=pytest.mark.slow), pytest.param(390, "light", marks=pytest.mark.slow)],
)
def test_every_page_is_whole_and_can_be_read_by_all(
    browser: Browser, address: str, results: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    problems: list[str] = []
    found: dict[str, list[str]] = {}
    with window(browser, width, problems, scheme) as page:
        for path, title in [*PAGES.items(), (f"replay?match={match_ids(results)[0]}&deal=7&step=9", "Replay")]:
            opened(page, address, path, title)
            for hint in page.locator(".km-swipe:not(details *)").all():
                expect(hint).to_be_visible(visible=width < 480)
            if told := complaints(page):
                found[path] = told
    assert found == {}
    assert problems == []


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_of_an_empty_folder(browser: Browser, tmp_path: Path, width: int) -> None:
    add(tmp_path, tournament("king.auction", 4), 0, 0)
    problems: list[str] = []
    with served(tmp_path) as address, window(browser, width, problems) as page:
        for path, title in PAGES.items():
            opened(page, address, path, title)
            if path not in ("rules", "tournament"):
                expect(page.get_by_text("No block is finished yet")).to_be_visible()
    assert problems == []


def test_addresses_can_be_shared(browser: Browser, address: str) -> None:
    problems: list[str] = []
    with window(browser, 1280, problems) as page:
        page.goto(f"{address}/bot?bot=steady")
        settled(page, "Bot")
        expect(page.get_by_role("combobox", name="Bot")).to_have_value("steady")
        choose(page, "Bot", EVIL)
        settled(page, "Bot")
        shared = page.url
        page.goto("about:blank")
        page.goto(shared)
        settled(page, "Bot")
        expect(page.get_by_role("combobox", name="Bot")).to_have_value(EVIL)
        page.goto(f"{address}/contracts?contract=No+king+of+hearts")
        settled(page, "Contracts")
        expect(page.get_by_role("combobox", name="Contract")).to_have_value("No king of hearts")
        page.goto(f"{address}/matches?bots=steady&to=-1")
        settled(page, "Matches")
        expect(page.get_by_role("spinbutton", name="to", exact=True)).to_have_value("-1")
    assert problems == []


def test_a_table_is_saved_as_csv(browser: Browser, address: str) -> None:
    problems: list[str] = []
    with window(browser, 1280, problems) as page:
        opened(page, address, "", "Standings")
        with page.expect_download() as download:
            page.get_by_role("button", name="Standings as CSV").click()
        lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("bot,rating,low,high")
    assert len(lines) == 5
    assert problems == []


@pytest.mark.parametrize("width", WIDTHS)
def test_open_a_match_and_step(browser: Browser, address: str, results: Path, width: int) -> None:
    match_id = match_ids(results)[0]
    problems: list[str] = []
    with window(browser, width, problems) as page:
        page.goto(f"{address}/replay?match={match_id}")
        settled(page, "Replay")
        cards = page.locator(".km-fan .km-card")
        expect(cards).to_have_count(52)
        page.get_by_role("button", name="Next", exact=False).first.click()
        expect(cards).to_have_count(51)
        expect(page.locator(".km-trick .km-card")).to_have_count(1)
        page.get_by_role("button", name="Trick").last.click()
        expect(cards).to_have_count(48)
        expect(page.locator(".km-best")).to_have_count(1)
        page.get_by_role("button", name="Back", exact=False).click()
        expect(cards).to_have_count(49)
        settled(page, "Replay")
        fits = "() => { const t = document.querySelector('.km-table'); return t.scrollWidth <= t.clientWidth; }"
        assert page.evaluate(fits)
        expect(page.get_by_text("Score sheet")).to_be_visible()
    assert problems == []


def test_a_row_of_the_list_opens_its_match(browser: Browser, address: str, results: Path) -> None:
    problems: list[str] = []
    with window(browser, 1280, problems) as page:
        page.goto(f"{address}/matches")
        settled(page, "Matches")
        table = page.get_by_test_id("stDataFrame")
        table.scroll_into_view_if_needed()
        expect(table.locator("canvas").first).to_be_visible()
        table.click(position={"x": 18, "y": 52})
        expect(page.locator(".km-table")).to_be_visible()
        assert "match=" in page.url
        page.get_by_role("link", name="All matches").click()
        expect(page.get_by_text("Score sheet")).to_have_count(0)
        expect(page.get_by_test_id("stDataFrame")).to_have_count(1)
    assert problems == []


def test_the_arrow_keys_step(browser: Browser, address: str, results: Path) -> None:
    match_id = match_ids(results)[1]
    problems: list[str] = []
    with window(browser, 1280, problems) as page:
        page.goto(f"{address}/replay?match={match_id}&deal=1&step=2")
        settled(page, "Replay")
        expect(page.locator(".km-trick .km-card")).to_have_count(2)
        page.keyboard.press("ArrowRight")
        try:
            expect(page.locator(".km-trick .km-card")).to_have_count(3, timeout=15_000)
        except AssertionError:  # a key that comes before the page listens is lost
            page.keyboard.press("ArrowRight")
            expect(page.locator(".km-trick .km-card")).to_have_count(3)
    assert problems == []


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_points_lost_are_marked_and_summed_up(browser: Browser, tmp_path: Path, width: int) -> None:
    add(tmp_path, tournament("king.simple", 1), 0, 1)
    match_id = match_ids(tmp_path)[0]
    judge(tmp_path, match_id)
    problems: list[str] = []
    with served(tmp_path) as address, window(browser, width, problems) as page:
        page.goto(f"{address}/replay?match={match_id}")
        settled(page, "Replay")
        page.get_by_role("button", name="Next loss").click()
        expect(page.get_by_text("perfect play of the same cards was")).to_be_visible()
        expect(page.get_by_text("Points lost against perfect play of the same cards:")).to_be_visible()
        settled(page, "Replay")
        assert complaints(page) == []
        page.goto(f"{address}/bot?bot=steady")
        settled(page, "Bot")
        expect(page.get_by_role("heading", name="Points lost against perfect play")).to_be_visible()
        expect(page.get_by_text("points a match in")).to_be_visible()
        assert complaints(page) == []
    assert problems == []


@pytest.mark.slow
def test_pages_that_are_killed_come_back_the_same_and_leave_the_results_alone(browser: Browser, results: Path, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    shutil.copytree(results, folder, ignore=shutil.ignore_patterns("digest"))
    stored, told = _files(folder), []
    for _ in range(2):
        with served(folder, signal.SIGKILL) as url, window(browser, 1280, []) as page:
            opened(page, url, "", "Standings")
            expect(page.get_by_text("12 of 16 blocks")).to_be_visible()
            with page.expect_download() as download:
                page.get_by_role("button", name="Standings as CSV").click()
            told.append(Path(download.value.path()).read_text())
    assert told[0] == told[1]
    assert _files(folder) == stored


def _files(folder: Path) -> dict[str, bytes]:
    """All that a tournament wrote; the pages keep their sums beside it."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and "digest" not in path.parts}


@pytest.mark.parametrize("width", WIDTHS)
def test_kings_in_the_corner(browser: Browser, corner: Path, corner_address: str, width: int) -> None:
    match_id = match_ids(corner)[0]
    problems: list[str] = []
    with window(browser, width, problems) as page:
        page.goto(f"{corner_address}/replay?match={match_id}&deal=1&step=1")
        settled(page, "Replay")
        expect(page.locator(".km-pile")).to_have_count(9)
        page.get_by_role("button", name="Turn").last.click()
        settled(page, "Replay")
    assert problems == []
