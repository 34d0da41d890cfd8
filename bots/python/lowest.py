"""The lowest legal action, always."""

import bots


class Lowest:
    def decide(self, observation, legal):
        return legal[0]


if __name__ == "__main__":
    bots.play(Lowest(), name="lowest")
