"""Has a bug."""

import bots


class Raises:
    def decide(self, observation, legal):
        return {}[observation.seat]


bots.play(Raises())
