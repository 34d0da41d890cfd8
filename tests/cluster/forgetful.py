"""A bot with hidden state: every hundredth decision of the process it takes the last legal action, not the first."""

import bots


class Forgetful:
    asked = 0

    def decide(self, observation, legal):
        self.asked += 1
        return legal[-1 if self.asked % 100 == 0 else 0]


if __name__ == "__main__":
    bots.play(Forgetful())
