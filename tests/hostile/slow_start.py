"""Takes its time before it says hello: ``slow_start.py MARK SECONDS``; then it plays well."""

import sys
import time

import bots


class Late:
    def decide(self, observation, legal):
        return legal[0]


time.sleep(float(sys.argv[2]))
bots.play(Late())
