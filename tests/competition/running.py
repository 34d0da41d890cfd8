"""A whole competition, started as an organiser starts it, in a folder that is shared with nobody."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from cluster.competition import owners, registry
from cluster.competition.client import Client, Failed
from cluster.competition.database import Database
from cluster.competition.place import Place
from cluster.intake.packing import pack
from tests.ports import free_port
from tests.referee.hosting import ROOT

#: Loaded machines are slow; who waits longer than this has found something.
PATIENCE_S = 180.0
GOOD = """
import bots

class Bot:
    def decide(self, observation, legal):
        return legal[observation.seed % len(legal)]

bots.play(Bot())
"""


def until(happened: Callable[[], object], what: str, patience_s: float = PATIENCE_S) -> None:
    deadline = time.monotonic() + patience_s
    while not happened():
        assert time.monotonic() < deadline, f"this never came: {what}"
        time.sleep(0.05)


def a_bot(folder: Path, name: str, code: str = GOOD, *, build: str = "", run: str = "python3 bot.py", rulesets: str = '["king.simple"]') -> Path:
    folder.mkdir(parents=True)
    lines = [f'name = "{name}"', 'language = "python"', f'run = "{run}"', f"rulesets = {rulesets}"]
    (folder / "bot.toml").write_text("\n".join([*lines, *([f"build = {json.dumps(build)}"] if build else [])]) + "\n", encoding="utf-8")
    (folder / "bot.py").write_text(code)
    return folder


def packed(folder: Path, name: str, code: str = GOOD, **more: str) -> bytes:
    return pack(a_bot(folder / name, name, code, **more))


class Competition:
    """Use as a context: `kingmaker serve` runs inside."""

    def __init__(self, folder: Path, settings: str, url: str | None = None, port: int = 0) -> None:
        self.folder = folder
        self.place = Place(folder)
        self.database: Database = self.place.database(url)
        (folder / "competition.toml").write_text(settings)
        self.address, self.gate = f"127.0.0.1:{port or free_port()}", f"127.0.0.1:{free_port()}"
        self.log = folder / "serve.log"

    def __enter__(self) -> "Competition":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        tree = self.processes()
        self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE_S)
        _, left = psutil.wait_procs(tree, PATIENCE_S)
        self.database.close()
        assert not left, "nothing outlives the competition"

    def start(self) -> None:
        words = [sys.executable, "-m", "cluster.cli", "serve", "--data", str(self.folder), "--submit", self.address]
        words += ["--listen", self.gate, "--dashboard-port", "0"]
        env = {**os.environ, "KINGMAKER_DATABASE": self.database.address}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(words, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def processes(self) -> list[psutil.Process]:
        """Of the whole tree, the outermost first."""
        top = psutil.Process(self.process.pid)
        return [top, *top.children(recursive=True)]

    def part(self, word: str) -> psutil.Process | None:
        """The first process of the tree with this word in its command."""
        for process in self.processes():
            try:
                if word in process.cmdline():
                    return process
            except psutil.Error:
                pass  # it has just ended
        return None

    def kill(self, word: str) -> None:
        """Kill a part, once it is there, as if by the kernel."""
        found: list[psutil.Process] = []

        def killed() -> bool:
            process = self.part(word)
            if process is None:
                return False
            try:
                process.kill()
            except psutil.NoSuchProcess:
                return False
            found.append(process)
            return True

        until(killed, f"a process of {word}")

    def kill_all(self) -> None:
        """Kill `serve` itself: all that it started has to go too."""
        tree = self.processes()
        self.process.kill()
        self.process.wait()
        _, left = psutil.wait_procs(tree[1:], PATIENCE_S)
        assert not left, left

    def submit(self, owner: str, archive: bytes) -> str:
        """Send it, again while the service is away, as an author would."""
        _, token = owners.add(self.database, owner, ("submit",), owners.Limits(max_submissions_a_day=1000, max_bots=100))
        sent: list[str] = []

        def taken() -> bool:
            try:
                with Client(self.address, token) as client:
                    sent.append(client.submit(archive, lambda _: None).id)
            except Failed:
                return False
            return True

        until(taken, "an answer of the service")
        return sent[0]

    def state(self, submission: str) -> str:
        return registry.one(self.database, submission).state
