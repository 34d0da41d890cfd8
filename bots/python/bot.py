"""Any legal action; the seed comes with the decision, so that the same match plays the same again."""

import bots


class MyBot:
    def decide(self, observation, legal):
        return legal[observation.seed % len(legal)]


if __name__ == "__main__":
    bots.play(MyBot(), name="random")
