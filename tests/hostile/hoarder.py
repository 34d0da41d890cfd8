"""Writes wherever it can until nothing fits any more; then plays on, or gives up if it is told to."""

import os
import sys

import bots


def fill(path):
    """Write a file without end; the error that ends it."""
    try:
        with open(path, "wb", buffering=0) as file:
            while file.write(b"x" * (1 << 20)):
                pass
    except OSError as error:
        return error.strerror
    return "done"


class Hoarder:
    asked = 0

    def decide(self, observation, legal):
        self.asked += 1
        if self.asked == 2:
            home = os.environ["HOME"]
            for path in (f"{home}/huge", f"{home}/more", f"{home}/most", "/dev/shm/huge", "/dev/huge", "/tmp/huge"):
                print(path.replace(home, "HOME"), fill(path), flush=True)
            if sys.argv[2:] == ["exit"]:
                os._exit(1)
        return legal[0]


bots.play(Hoarder())
