"""The pages of a competition: its lists, and the page on which an author submits."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from cluster.competition import seasons
from cluster.competition.schema import State
from tests.dashboard.browsing import choose, complaints, opened, served, settled, window
from tests.dashboard.contest import Contest

NAME = "<img src=x> [a](b) $x$ 国王"


@pytest.fixture
def contest(tmp_path: Path) -> Iterator[Contest]:
    with Contest(tmp_path / "c") as found:
        yield found


@pytest.fixture
def address(contest: Contest) -> Iterator[str]:
    with served(contest.place.folder) as url:
        yield url


def an_archive(content: bytes = b"print()\n") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        info = tarfile.TarInfo("bot.py")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def give_token(page: Page, token: str) -> None:
    page.get_by_label("Your token", exact=True).fill(token)
    page.get_by_label("Your token", exact=True).press("Enter")


def send(page: Page, name: str, data: bytes) -> None:
    page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "application/gzip", "buffer": data})
    expect(page.get_by_text(name, exact=True)).to_be_visible()
    page.get_by_role("button", name="Submit", exact=True).click()


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.slow), 390])
def test_an_author_sends_an_archive_and_reads_what_became_of_it(
    browser: Browser, contest: Contest, address: str, width: int
) -> None:
    archive, problems = an_archive(), list[str]()
    with window(browser, width, problems) as page:
        opened(page, address, "submit", "Submit")
        give_token(page, "km_nobody")
        expect(page.get_by_text("the token is unknown here")).to_be_visible()
        assert complaints(page) == []
        give_token(page, contest.token)
        send(page, "bot.tar.gz", archive)
        expect(page.get_by_text("has arrived")).to_be_visible()
        sent = contest.only()
        assert contest.place.upload(sent.id).read_bytes() == archive
        assert (sent.upload, sent.state, sent.owner) == (hashlib.sha256(archive).hexdigest(), State.RECEIVED, "Éva")
        assert f"submission={sent.id}" in page.url
        assert contest.token not in page.url
        contest.tried(NAME)
        expect(page.get_by_text(f"{NAME} v1 is validating")).to_be_visible()  # by itself, as all that follows
        contest.rejected("rejected: the build failed\n**what** <b>it</b> printed\u202e")
        expect(page.get_by_text(f"{NAME} v1 is rejected")).to_be_visible()
        expect(page.get_by_text("**what** <b>it</b> printed\\x202e")).to_be_visible()
        settled(page, "Submit")
        assert complaints(page) == []
    assert problems == []


def test_what_the_service_refuses_the_page_refuses_too(browser: Browser, contest: Contest, address: str) -> None:
    problems: list[str] = []
    with window(browser, 1280, problems) as page:
        opened(page, address, "submit", "Submit")
        give_token(page, contest.token)
        large = (1 << 20) + 1
        page.locator("input[type=file]").set_input_files({"name": "large.zip", "mimeType": "application/zip", "buffer": bytes(large)})
        expect(page.get_by_text("must be 1.0MB or smaller")).to_be_visible()
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.get_by_text("Choose an archive first")).to_be_visible()
        assert list(contest.place.uploads.iterdir()) == []
    assert problems == []


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.slow), 390])
def test_a_viewer_chooses_a_list_and_shares_its_address(browser: Browser, contest: Contest, address: str, width: int) -> None:
    titles = {ladder.slug: ladder.title for ladder in seasons.all_ladders(contest.database)}
    simple, corner = titles["king.simple"], titles["kings_corner-target=50"]
    problems: list[str] = []
    with window(browser, width, problems) as page:
        opened(page, address, "", "Standings")
        expect(page.get_by_text("3 blocks")).to_be_visible()
        choose(page, "List", simple)
        expect(page.get_by_text("2 blocks")).to_be_visible()
        assert "list=king.simple" in page.url
        shared = page.url
        page.goto("about:blank")
        page.goto(shared)
        settled(page, "Standings")
        expect(page.get_by_role("combobox", name="List")).to_have_value(simple)
        expect(page.get_by_text("2 blocks")).to_be_visible()
        page.goto(f"{address}/bot?bot=steady&list=king.simple")
        settled(page, "Bot")
        page.get_by_role("link", name="All its matches").click()
        settled(page, "Matches")
        expect(page.get_by_role("combobox", name="List")).to_have_value(simple)
        assert "list=king.simple" in page.url
        page.goto(f"{address}/contracts?list=kings_corner-target%3D50")
        settled(page, "Contracts")
        expect(page.get_by_role("combobox", name="List")).to_have_value(corner)
        expect(page.get_by_text("Nothing has been played in this list yet")).to_be_visible()
    assert problems == []


def test_a_list_stays_chosen_from_page_to_page(browser: Browser, contest: Contest, address: str) -> None:
    problems: list[str] = []
    simple = next(ladder.title for ladder in seasons.all_ladders(contest.database) if ladder.slug == "king.simple")
    with window(browser, 1280, problems) as page:
        opened(page, address, "?list=king.simple", "Standings")
        for name in ("Contracts", "Tournament", "Standings"):
            page.get_by_role("link", name=name, exact=True).click()
            settled(page, name)
            expect(page.get_by_role("combobox", name="List")).to_have_value(simple)
            assert "list=king.simple" in page.url
            expect(page.get_by_text("between rounds")).to_have_count(int(name == "Tournament"))
        page.get_by_role("link", name="Rules", exact=True).click()
        settled(page, "Rules")
        expect(page.get_by_role("combobox", name="Ruleset")).to_have_value(simple)
    assert problems == []


def test_a_bot_s_page_has_its_versions(browser: Browser, contest: Contest, address: str) -> None:
    problems: list[str] = []
    with window(browser, 390, problems) as page:
        opened(page, address, "bot?bot=ace+v1&list=king.simple", "Bot")
        expect(page.get_by_role("heading", name="Versions")).to_be_visible()
        expect(page.get_by_text("ace is by <b>Bob</b>.")).to_be_visible()
        with page.expect_download() as download:
            page.get_by_role("button", name="Versions as CSV").click()
        lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
        assert [line.split(",")[1:3] for line in lines[1:]] == [["ace v1", "does not play"], ["ace v2", "plays"]]
        assert complaints(page) == []
        choose(page, "Bot", "random")
        expect(page.get_by_role("heading", name="Versions")).to_have_count(0)
    assert problems == []


def test_the_page_says_what_to_start_where_there_is_no_competition(browser: Browser, results: Path) -> None:
    problems: list[str] = []
    with served(results) as url, window(browser, 1280, problems) as page:
        opened(page, url, "submit", "Submit")
        expect(page.get_by_text("kingmaker serve")).to_be_visible()
        expect(page.get_by_role("link", name="Submit")).to_have_count(0)
    assert problems == []
