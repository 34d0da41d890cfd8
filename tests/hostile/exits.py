"""Exits at its third decision; says so."""

import os

import bots


class Exits:
    asked = 0

    def decide(self, observation, legal):
        self.asked += 1
        if self.asked == 3:
            print("that was enough", flush=True)
            os._exit(3)
        return legal[0]


bots.play(Exits())
