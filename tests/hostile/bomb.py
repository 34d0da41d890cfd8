"""Starts processes without end: before it plays, which it then does without them; or in the middle, and then gives up."""

import os
import signal
import sys
import time

import bots


def explode():
    """Fork until it is refused; the children, who sleep for ever."""
    children = []
    while True:
        try:
            child = os.fork()
        except OSError as error:
            print(f"{len(children)} processes, then {error.strerror}", flush=True)
            return children
        if child == 0:
            time.sleep(1000)
            os._exit(0)
        children.append(child)


class Bomb:
    asked = 0

    def decide(self, observation, legal):
        self.asked += 1
        if self.asked == 2 and sys.argv[2:] == ["exit"]:
            explode()
            os._exit(7)
        return legal[0]


if sys.argv[2:] != ["exit"]:
    for child in explode():
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
bots.play(Bomb())
