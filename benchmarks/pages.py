"""The pages under load: how soon they are there, what sessions leave behind, and what viewers cost a running tournament.

`python -m benchmarks.pages DIR [SESSIONS [VIEWERS]]`; DIR: a results folder, for instance that of `benchmarks.million`. While the viewers
look on, half of its batches come in again one by one, as from a tournament that runs. The browsers' own work is not counted:
viewers sit at machines of their own.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import psutil
from playwright.sync_api import Browser, Page, sync_playwright

PAGES = {"": "Standings", "bot": "Bot", "pairs": "Head to head", "contracts": "Contracts", "matches": "Matches",
         "replay": "Replay", "tournament": "Tournament"}  # fmt: skip
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
PATIENCE_MS = 300_000
#: How long the viewers look on, and how often a batch comes in meanwhile, in seconds.
WATCH_S, BATCH_S = 240.0, 2.0
#: Streamlit keeps what a browser that has gone had for two minutes, lest it come back.
LINGER_S = 130.0


def main() -> None:
    folder = Path(sys.argv[1])
    given = [int(number) for number in sys.argv[2:4]]
    sessions, viewers = [*given, *(50, 20)[len(given) :]]
    for name, value in measure(folder, sessions, viewers):
        print(f"{name:45} {value:12,.3f}", flush=True)


def measure(folder: Path, sessions: int, viewers: int) -> Iterator[tuple[str, float]]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        with served(folder) as (address, server):
            start = time.perf_counter()
            page = opened(browser, address)
            yield "pages_first_s", time.perf_counter() - start
            yield from page_times(page)
            page.context.close()
            yield "pages_server_mib", resident(server)
            yield "pages_growth_mib", growth(browser, address, server, sessions)
        with tempfile.TemporaryDirectory() as place:
            yield f"pages_{viewers}_viewers_cpu_share", watched(browser, folder, Path(place) / "running", viewers)
        browser.close()


def page_times(page: Page) -> Iterator[tuple[str, float]]:
    """Seconds from a click in the navigation until the page is whole; the middle of five."""
    for path, title in PAGES.items():
        times = []
        for _ in range(5):
            other = "Rules"
            page.get_by_role("link", name=other, exact=True).first.click()
            settled(page, other)
            start = time.perf_counter()
            page.get_by_role("link", name=title, exact=True).first.click()
            settled(page, title)
            times.append(time.perf_counter() - start)
        yield f"pages_{path or 'standings'}_s", median(times)


def growth(browser: Browser, address: str, server: psutil.Process, sessions: int) -> float:
    """MiB that the server grew by over so many sessions that have gone; as many before warm it up."""
    before, grown = 0.0, 0.0
    for _ in range(2):
        for number in range(sessions):
            opened(browser, f"{address}/{list(PAGES)[number % len(PAGES)]}").context.close()
        time.sleep(LINGER_S)
        opened(browser, address).context.close()  # whoever comes finds out that the others have gone
        before, grown = resident(server), resident(server) - before
    return grown


def watched(browser: Browser, folder: Path, running: Path, viewers: int) -> float:
    """The share of this machine's processors that the pages take while so many viewers watch batches come in."""
    batches = sorted((folder / "batches").iterdir())
    (running / "batches").mkdir(parents=True)
    shutil.copy(folder / "tournament.json", running)
    half = len(batches) // 2
    for batch in batches[:half]:
        (running / "batches" / batch.name).symlink_to(batch)
    with served(running) as (address, server):
        pages = [opened(browser, f"{address}/{list(PAGES)[number % len(PAGES)]}") for number in range(viewers)]
        start, used = time.perf_counter(), spent(server)
        for batch in batches[half : half + int(WATCH_S / BATCH_S)]:
            (running / "batches" / batch.name).symlink_to(batch)
            pages[0].wait_for_timeout(1000 * BATCH_S)  # the pages look by themselves
        share = (spent(server) - used) / (time.perf_counter() - start) / (psutil.cpu_count() or 1)
        for page in pages:
            page.context.close()
    return share


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    """The pages on a folder, as the command line starts them: their address, and the process that serves them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app = Path(__file__).parents[1] / "dashboard" / "app.py"
    options = ["--server.address", "127.0.0.1", "--server.port", str(port), "--server.headless", "true",
               "--browser.gatherUsageStats", "false", "--server.fileWatcherType", "none"]  # fmt: skip
    command = [sys.executable, "-m", "streamlit", "run", str(app), *options, "--", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(f"{address}/_stcore/health")
            yield address, psutil.Process(server.pid)
        finally:
            server.terminate()


def _wait(url: str) -> None:
    end = time.monotonic() + PATIENCE_MS / 1000
    while True:
        try:
            urllib.request.urlopen(url, timeout=10).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
        else:
            return


def opened(browser: Browser, address: str) -> Page:
    """A page in a session of its own, whole, with the numbers and not the word that they are being made."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(address)
    page.get_by_text("blocks ·").first.wait_for()
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    return page


def settled(page: Page, title: str) -> None:
    page.get_by_role("heading", name=title, level=1).wait_for()
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")


def resident(server: psutil.Process) -> float:
    return sum(one.memory_info().rss for one in [server, *server.children(recursive=True)]) / (1 << 20)


def spent(server: psutil.Process) -> float:
    times = [one.cpu_times() for one in [server, *server.children(recursive=True)]]
    return sum(one.user + one.system for one in times)


if __name__ == "__main__":
    main()
