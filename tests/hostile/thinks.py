"""Takes its time over every decision: ``thinks.py MARK cpu|sleep MILLISECONDS``."""

import sys
import time

import bots

HOW, SECONDS = sys.argv[2], float(sys.argv[3]) / 1000


class Thinks:
    def decide(self, observation, legal):
        if HOW == "sleep":
            time.sleep(SECONDS)
        end = time.thread_time() + SECONDS
        while HOW == "cpu" and time.thread_time() < end:
            pass
        return legal[0]


bots.play(Thinks())
