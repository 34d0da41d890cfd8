"""The worker takes one submission after another, and gives each to a process of its own (`cluster.competition.candidate`)."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import time

from cluster.competition import registry
from cluster.competition.children import die_with_parent
from cluster.competition.database import DATABASE, Database
from cluster.competition.place import Place
from cluster.competition.registry import Submission
from cluster.competition.schema import OPEN, State
from cluster.competition.settings import Settings

#: So often work on a submission may be begun before it is set aside.
MAX_ATTEMPTS = 12
#: No submission takes longer than this; its process is killed, and tried again.
CANDIDATE_S = 1800.0
log = logging.getLogger(__name__)


class Worker:
    """Use `step` again and again."""

    def __init__(self, place: Place, database: Database, settings: Settings) -> None:
        self._place = place
        self._database = database
        self._settings = settings
        for left in place.work.iterdir():
            shutil.rmtree(left, ignore_errors=True)

    def run(self) -> None:
        """Work for ever."""
        while True:
            if not self.step():
                time.sleep(self._settings.pause_s)

    def step(self) -> bool:
        """Bring one submission a step further; return whether there was one that could be."""
        submission = registry.next_open(self._database)
        if submission is None:
            return False
        if submission.attempts >= MAX_ATTEMPTS:
            self._set_aside(submission)
            return True
        words = [sys.executable, "-P", "-m", "cluster.competition.candidate", str(self._place.folder), submission.id]
        env = {**os.environ, DATABASE: self._database.address, "GRPC_ENABLE_FORK_SUPPORT": "0"}
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=die_with_parent, env=env
        )
        try:
            code = process.wait(CANDIDATE_S)
        except subprocess.TimeoutExpired:
            code = 1
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code != 0:
            log.warning("submission %s: its process ended with %s; it is tried again", submission.id, code)
            return False
        return True

    def _set_aside(self, submission: Submission) -> None:
        registry.move(
            self._database, submission.id, OPEN, State.REJECTED,
            f"set aside: the platform failed {submission.attempts} times while it was at it, which may or may not be the bot's "
            "doing; submit it again, or ask the organiser",
        )  # fmt: skip
