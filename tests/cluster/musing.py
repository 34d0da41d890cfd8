"""Plays the first legal action; as long as there is a file `still` in its folder it muses."""

import time
from pathlib import Path

import bots

STILL = Path("still")


class Musing:
    def decide(self, observation, legal):
        while STILL.exists():
            time.sleep(0.02)
        return legal[0]


bots.play(Musing())
