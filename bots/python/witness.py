"""What it does depends on every word that it is told: the conformance transcripts check by it that nothing is misread.

Each text is hashed by FNV-1a of 64 bits, and that of a decision begins with the hash of what was heard of matches;
the answer is the legal action at this number modulo their count. With KINGMAKER_WITNESS set it prints what it hears.
"""

import os
import sys

import bots

MASK = (1 << 64) - 1


def fnv(text, value=0xCBF29CE484222325):
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & MASK
    return value


class Witness:
    heard = fnv("")
    prints = "KINGMAKER_WITNESS" in os.environ

    def match_start(self, match):
        self.heard = self.listen(match)

    def decide(self, observation, legal):
        return legal[self.listen(observation) % len(legal)]

    def match_end(self, match, result):
        self.heard = self.listen(result)

    def listen(self, told):
        if self.prints:
            print(told, file=sys.stderr)
        return fnv(str(told), self.heard)


if __name__ == "__main__":
    bots.play(Witness(), name="witness")
