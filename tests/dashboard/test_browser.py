"""The pages in a real browser, on a desk and on a phone."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, TimeoutError, expect, sync_playwright

from dashboard import reading
from dashboard.reading import Snapshot
from tests.dashboard.folders import EVIL, add, judge, tournament

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
#: All that is ours: the texts, the card table, the numbers; without the widgets that Streamlit draws.
AXE_RUN = """() => axe.run({
    include: [["[data-testid=stMain]"]],
    exclude: ["[data-testid=stDataFrame]", "[data-testid=stSelectbox]", "[data-testid=stMultiSelect]", "[data-testid=stNumberInput]",
              "[data-testid=stSlider]", "[data-testid=stButtonGroup]", "[data-testid=stVegaLiteChart]", "[data-testid=stProgress]",
              "[data-testid=stExpander] > details > summary", "[data-testid=stCheckbox]", "[data-testid=stTextInput]", "kbd"],
}, {resultTypes: ["violations"]})"""
PAGES = {"": "Standings", "bot": "Bot", "pairs": "Head to head", "contracts": "Contracts", "matches": "Matches",
         "replay": "Replay", "tournament": "Tournament", "rules": "Rules"}  # fmt: skip
WIDTHS = (1280, 390)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
#: Streamlit asks for these below the address of a page first, and finds them at the root then.
ASKED_TWICE = ("_stcore/health", "_stcore/host-config")
PATIENCE_S = 30
expect.set_options(timeout=PATIENCE_S * 1000)
OVERFLOW = """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
    .map(element => element.scrollWidth - window.innerWidth)"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no chromium on this machine")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield started
        started.close()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The pages on a folder, as the command line starts them; their address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "cluster.cli", "dashboard", str(folder), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_for(f"http://127.0.0.1:{port}/_stcore/health", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
    with socket.socket() as left, pytest.raises(ConnectionRefusedError):  # with the command the pages have ended
        left.connect(("127.0.0.1", port))


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE_S
    while True:
        assert server.poll() is None, "streamlit has ended"
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE_S):
                return
        except (urllib.error.URLError, ConnectionError):
            assert time.monotonic() < end, "streamlit does not answer"
            time.sleep(0.1)


@pytest.fixture(scope="module")
def address(results: Path) -> Iterator[str]:
    with served(results) as url:
        yield url


@pytest.fixture(scope="module")
def corner_address(corner: Path) -> Iterator[str]:
    with served(corner) as url:
        yield url


@contextmanager
def window(browser: Browser, width: int, problems: list[str], scheme: Literal["light", "dark"] = "light") -> Iterator[Page]:
    """A page of this width; what the console complains of is added to the problems."""

    def told(message: ConsoleMessage) -> None:
        if message.type == "error" and not message.location.get("url", "").endswith(ASKED_TWICE):
            problems.append(f"{message.text} {message.location}")

    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_S * 1000)
    page.on("console", told)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append("a name was run as a script"))
    yield page
    context.close()


def settled(page: Page, title: str) -> None:
    """The page of this title is there, whole, and no wider than the window."""
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    assert page.get_by_test_id("stException").count() == 0
    assert max(page.evaluate(OVERFLOW)) <= 0
    assert page.locator("img[src=x]").count() == 0


def choose(page: Page, label: str, option: str) -> None:
    """Choose from a list; a chart that is still finding its height can close the list, as any scrolling does."""
    box, choice = page.get_by_role("combobox", name=label), page.get_by_role("option", name=option)
    for _ in range(8):
        box.click()
        try:
            choice.click(timeout=4000)
        except TimeoutError:
            page.keyboard.press("Escape")
        else:
            break
    expect(box).to_have_value(option)


def match_ids(folder: Path) -> list[str]:
    now = reading.reader(folder).snapshot()
    assert isinstance(now, Snapshot)
    return now.matches.sort("block", "game").select("match_id").collect()["match_id"].to_list()


def complaints(page: Page) -> list[str]:
    """What axe finds serious or critical on what is ours: not in Streamlit's own widgets, which we cannot mend."""
    page.add_script_tag(path=AXE)
    found = page.evaluate(AXE_RUN)
    return [
        f"{one['id']} ({one['impact']}): {node['target']} {node['html'][:160]}"
        for one in found["violations"] if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]  # fmt: skip


def opened(page: Page, address: str, path: str, title: str) -> None:
    page.goto(f"{address}/{path}")
    settled(page, title)
    for chart in page.locator("[data-testid=stVegaLiteChart]:visible").all():
        expect(chart.locator("canvas, svg").first).to_be_attached()
    settled(page, title)


@pytest.mark.parametrize(
    ("width", "scheme"),
    [(1280, "light"), (390, "dark"), pytest.param(1280, "dark", marks=pytest.mark.slow), pytest.param(390, "light", marks=pytest.mark.slow)],
)
def test_every_page_is_whole_and_can_be_read_by_all(
    browser: Browser, address: str, results: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    problems: list[str] = []
    found: dict[str, list[str]] = {}
    with window(browser, width, problems, scheme) as page:
        for path, title in [*PAGES.items(), (f"replay?match={match_ids(results)[0]}&deal=7&step=9", "Replay")]:
            opened(page, address, path, title)
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
