"""Names an action that there is not."""

import bots


class Illegal:
    def decide(self, observation, legal):
        return 2**32 - 1


bots.play(Illegal())
