"""Dies by a signal at its first decision."""

import os
import signal

import bots


class Killed:
    def decide(self, observation, legal):
        os.kill(os.getpid(), signal.SIGKILL)


bots.play(Killed())
