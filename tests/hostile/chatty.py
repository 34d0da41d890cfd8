"""Prints a hundred megabytes over both streams before it plays, and more while it does; ``chatty.py MARK MEGABYTES``: so many
on each."""

import os
import sys

import bots

MEGABYTES = int(sys.argv[2]) if sys.argv[2:] else 50
for _ in range(2 * MEGABYTES):
    noise = os.urandom(1 << 19)
    for stream in (1, 2):
        rest = memoryview(noise)
        while rest:
            rest = rest[os.write(stream, rest) :]


class Chatty:
    def decide(self, observation, legal):
        os.write(1, b"thinking \xff\xfe \0 ..." * 200)
        return legal[0]


bots.play(Chatty())
