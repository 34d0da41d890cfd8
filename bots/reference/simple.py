"""The two simplest bots: a floor for every rating, and a bot without any chance in it."""

from bots.observation import Observation


class RandomBot:
    """Any legal action; the seed comes with the decision, so the same match plays the same again."""

    def decide(self, observation: Observation, legal: list[int]) -> int:
        """Every legal action is as likely as another."""
        return legal[observation.seed % len(legal)]


class LowestBot:
    """The lowest legal action, always."""

    def decide(self, observation: Observation, legal: list[int]) -> int:
        """The first of the ascending list."""
        return legal[0]
