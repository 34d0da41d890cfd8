"""What it does depends on every word that it is told: the conformance transcripts check by it that nothing is misread.

Each text is hashed by FNV-1a of 64 bits, and that of a decision begins with the hash of what was heard of matches;
the answer is the legal action at this number modulo their count. With KINGMAKER_WITNESS set it prints what it hears.
First of all it checks the helpers for cards.
"""

import os
import sys

import bots
from bots import cards

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


def check_cards():
    assert [cards.card(cards.card_text(number)) for number in range(52)] == list(range(52))
    assert (cards.card_text(0), cards.card_text(51), cards.suit_of(51), cards.rank_of(51)) == ("2C", "AS", 3, 12)
    assert cards.members(cards.mask(range(52)) & cards.SUIT_MASKS[cards.HEARTS]) == list(range(26, 39))


if __name__ == "__main__":
    check_cards()
    bots.play(Witness(), name="witness")
