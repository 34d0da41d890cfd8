"""Takes memory without end in the middle of a match."""

import bots


class Glutton:
    asked = 0

    def decide(self, observation, legal):
        self.asked += 1
        if self.asked == 3:
            eaten = []
            while True:
                eaten.append(bytearray(b"x") * (1 << 20))
        return legal[0]


bots.play(Glutton())
