"""A real browser on the pages, as a desk and as a phone have it."""

from __future__ import annotations

import signal
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
from playwright.sync_api import Browser, ConsoleMessage, Page, TimeoutError, expect

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
#: All that is ours: the texts, the card table, the numbers; without the widgets that Streamlit draws.
AXE_RUN = """() => axe.run({
    include: [["[data-testid=stMain]"]],
    exclude: ["[data-testid=stDataFrame]", "[data-testid=stSelectbox]", "[data-testid=stMultiSelect]", "[data-testid=stNumberInput]",
              "[data-testid=stSlider]", "[data-testid=stButtonGroup]", "[data-testid=stVegaLiteChart]", "[data-testid=stProgress]",
              "[data-testid=stExpander] > details > summary", "[data-testid=stCheckbox]", "[data-testid=stTextInput]", "kbd"],
}, {resultTypes: ["violations"]})"""
WIDTHS = (1280, 390)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
#: Streamlit asks for these below the address of a page first, and finds them at the root then.
ASKED_TWICE = ("_stcore/health", "_stcore/host-config")
PATIENCE_S = 30
expect.set_options(timeout=PATIENCE_S * 1000)
#: What is new fades in, and is pale until then.
FADED_IN = """() => Promise.all(document.getAnimations().filter(one => one instanceof CSSTransition)
    .map(one => one.finished.catch(() => null)))"""
OVERFLOW = """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
    .map(element => element.scrollWidth - window.innerWidth)"""


@contextmanager
def served(folder: Path, ending: signal.Signals = signal.SIGTERM) -> Iterator[str]:
    """The pages on a folder, as the command line starts them; their address. In the end they get this signal."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "cluster.cli", "dashboard", str(folder), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_for(f"http://127.0.0.1:{port}/_stcore/health", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.send_signal(ending)
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


@contextmanager
def window(browser: Browser, width: int, problems: list[str], scheme: Literal["light", "dark"] = "light") -> Iterator[Page]:
    """A page of this width; what the console complains of is added to the problems."""

    def told(message: ConsoleMessage) -> None:
        of_a_chart = message.type == "warning" and message.text.startswith("WARN")
        if of_a_chart or (message.type == "error" and not message.location.get("url", "").endswith(ASKED_TWICE)):
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


def complaints(page: Page) -> list[str]:
    """What axe finds serious or critical on what is ours: not in Streamlit's own widgets, which we cannot mend."""
    page.add_script_tag(path=AXE)
    page.evaluate(FADED_IN)
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
