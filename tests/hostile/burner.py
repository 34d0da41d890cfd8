"""Burns all the processors it can get while it plays."""

import os

import bots

for _ in range(4):
    if os.fork() == 0:
        while True:
            pass


class Burner:
    def decide(self, observation, legal):
        return legal[0]


bots.play(Burner())
