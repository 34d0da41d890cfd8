"""Planner: deals the hidden cards anew, plays every choice out on the same cards, and takes what came out best."""

from __future__ import annotations

from random import Random

from bots.observation import Observation
from bots.reference.allowance import Allowance
from bots.reference.choices import distinct
from bots.reference.contest import Contest
from bots.reference.greedy import GreedyBot
from bots.reference.inside import Inside
from bots.reference.thumbs import thumbs
from referee.rules.deal import Deal
from referee.rules.ruleset import Game
from referee.rules.sampling import Worlds, worlds

#: With so many cards in its hand the planner searches to the end instead of playing out.
EXACT = 3
#: Guesses among which the one is taken that explains best what the others have said.
GUESSES = 4


class PlannerBot:
    """Simulates; ``nodes``: simulated actions for a decision, instead of the time that the referee gives."""

    def __init__(self, nodes: int | None = None) -> None:
        self.nodes = nodes
        self.policy = GreedyBot()

    def decide(self, observation: Observation, legal: list[int]) -> int:
        """The action with the best outcome over the simulated deals."""
        if len(legal) == 1:
            return legal[0]
        allowance = Allowance(observation, self.nodes)
        usual = self.policy.decide(observation, legal)
        guesses = worlds(observation.game, observation.view)
        rng = observation.random
        if not allowance.spend(1):
            return usual
        contest = Contest(usual, distinct(guesses.sample(rng), legal, usual))
        while len(contest.open) > 1:
            world = self._likely(guesses, rng, observation)
            values = {}
            for action in contest.open:
                deal = world.copy()
                deal.apply(action)
                scores, nodes = self._outcome(deal, observation)
                values[action] = value(deal.game, scores, observation.seat)
                if not allowance.spend(nodes):
                    return contest.best()
            contest.enter(values)
        return contest.best()

    def _outcome(self, deal: Deal, outside: Observation) -> tuple[list[int], int]:
        """The scores when the deal is played on, exactly near its end, and how many actions that took."""
        if deal.trick is not None and max(hand.bit_count() for hand in deal.hands) <= EXACT:
            return search(deal)
        before = len(deal.actions)
        while deal.actor is not None and deal.trick is None:
            legal = deal.legal()
            usual = legal[0] if len(legal) == 1 else self.policy.decide(Inside(deal, outside), legal)
            deal.apply(usual)
        play_out(deal)
        return deal.scores(), 1 + len(deal.actions) - before

    def _likely(self, guesses: Worlds, rng: Random, outside: Observation) -> Deal:
        """A deal in which the others had reason to say what they have said."""
        world = guesses.sample(rng)
        said = [n for n, action in enumerate(world.actions) if action >= 52 and world.seats[n] != outside.seat]
        if world.layout is not None or not said:
            return world
        best, fewest = world, self._surprises(world, outside)
        for _ in range(GUESSES - 1):
            if not fewest:
                break
            world = guesses.sample(rng)
            surprises = self._surprises(world, outside)
            if surprises < fewest:
                best, fewest = world, surprises
        return best

    def _surprises(self, world: Deal, outside: Observation) -> int:
        """How often another player said something else than greedy would have said with these cards."""
        deal = world.game.start(world.number, world.dealer, world.dealt)
        surprises = 0
        for seat, action in zip(world.seats, world.actions, strict=True):
            if deal.kind == "play":
                break
            legal = deal.legal()
            if seat != outside.seat and len(legal) > 1:
                surprises += self.policy.decide(Inside(deal, outside), legal) != action
            deal.apply(action)
        return surprises


def value(game: Game, scores: list[int], seat: int) -> float:
    """How far a seat's side is ahead of the others, in points."""
    team = game.teams[seat]
    others = [score for other, score in zip(game.teams, scores, strict=True) if other != team]
    ahead = scores[seat] - sum(others) / len(others)
    return -ahead if game.lower_is_better else ahead


def search(deal: Deal) -> tuple[list[int], int]:
    """The scores when everybody sees all cards and plays for himself to the end, and how many actions were tried."""
    tried = 1
    while deal.actor is not None:
        legal = deal.legal()
        if len(legal) == 1:
            deal.apply(legal[0])
            tried += 1
            continue
        seat, best, most = deal.actor, [0], float("-inf")
        for action in legal:
            after = deal.copy()
            after.apply(action)
            scores, more = search(after)
            tried += more
            ahead = value(deal.game, scores, seat)
            if ahead > most:
                best, most = scores, ahead
        return best, tried
    return deal.scores(), tried


def play_out(deal: Deal) -> None:
    """Let everybody play on to the end, by rules of thumb."""
    while deal.actor is not None:
        legal = deal.legal_mask()
        if legal & legal - 1 and deal.trick is not None and deal.kind == "play":
            assert deal.contract is not None
            deal.apply(thumbs(deal.contract, deal.game.teams).card(deal, deal.trick, legal))
        else:
            deal.apply((legal & -legal).bit_length() - 1)
