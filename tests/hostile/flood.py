"""Prints without end."""

import os

import bots


class Flood:
    def decide(self, observation, legal):
        while True:
            os.write(1, b"x" * 65536)


bots.play(Flood())
