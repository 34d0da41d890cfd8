"""Leaves processes behind that have left its session, its tree, its environment; each bears the bot's argument."""

import os
import signal
import subprocess
import sys
import time

import bots


def daemon(environment: dict[str, str]) -> None:
    """Fork twice, in sessions of their own; the second one lives for ever, with our stdout."""
    if (child := os.fork()) == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            code = "import time; time.sleep(1000)"
            os.execve(sys.executable, [sys.executable, "-S", "-c", code, sys.argv[1]], environment)
        os._exit(0)
    os.waitpid(child, 0)


daemon(dict(os.environ))
daemon({})
subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(1000)", sys.argv[1]], start_new_session=True)


class Daemons:
    asked = 0

    def decide(self, observation, legal):
        self.asked += 1
        if self.asked == 3 and sys.argv[2:] == ["exit"]:
            time.sleep(0.1)
            os._exit(0)
        return legal[0]


bots.play(Daemons())
