"""Planner: deals the hidden cards anew, plays every choice out on the same cards, and takes what came out best."""

from __future__ import annotations

from random import Random
from typing import Protocol

from bots.observation import Observation
from bots.reference.allowance import Allowance
from bots.reference.choices import distinct
from bots.reference.contest import AHEAD, Contest
from bots.reference.greedy import GreedyBot
from bots.reference.inside import Inside
from bots.reference.piles import PileTrials
from bots.reference.thumbs import thumbs
from referee.rules.deal import Deal
from referee.rules.ruleset import Game
from referee.rules.sampling import Worlds, worlds

#: With so many cards in its hand the planner searches to the end instead of playing out.
EXACT = 3
#: Guesses among which the one is taken that explains best what the others have said.
GUESSES = 4


class Trials(Protocol):
    """A decision to be tried out on guesses at the hidden cards.

    ``ahead``: how far ahead of the usual choice another must come out, in standard errors.
    """

    ahead: float

    def deal_anew(self, rng: Random) -> None:
        """Guess again."""

    def outcome(self, action: int) -> tuple[list[int], int]:
        """The scores by seat after an action on the cards of this guess, and how many actions that took."""


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
        like = guesses.sample(rng)
        trials: Trials = TrickTrials(guesses, observation, self.policy) if like.layout is None else PileTrials(like)
        contest = Contest(usual, distinct(like, legal, usual), trials.ahead)
        while len(contest.open) > 1:
            trials.deal_anew(rng)
            values = {}
            for action in contest.open:
                scores, nodes = trials.outcome(action)
                values[action] = value(observation.game, scores, observation.seat)
                if not allowance.spend(nodes):
                    return contest.best()
            contest.enter(values)
        return contest.best()


class TrickTrials:
    """What the choices of a seat come to when the deal is played on by rules of thumb, and to the end near it."""

    ahead = AHEAD

    def __init__(self, guesses: Worlds, outside: Observation, policy: GreedyBot) -> None:
        self.guesses = guesses
        self.outside = outside
        self.policy = policy
        self.world: Deal

    def deal_anew(self, rng: Random) -> None:
        """Take a deal in which the others had reason to say what they have said."""
        world = self.guesses.sample(rng)
        said = [n for n, action in enumerate(world.actions) if action >= 52 and world.seats[n] != self.outside.seat]
        fewest = self._surprises(world) if said else 0
        self.world = world
        for _ in range(GUESSES - 1):
            if not fewest:
                break
            world = self.guesses.sample(rng)
            surprises = self._surprises(world)
            if surprises < fewest:
                self.world, fewest = world, surprises

    def outcome(self, action: int) -> tuple[list[int], int]:
        """The scores when the deal is played on, exactly near its end, and how many actions that took."""
        deal = self.world.copy()
        deal.apply(action)
        if deal.trick is not None and max(hand.bit_count() for hand in deal.hands) <= EXACT:
            return search(deal)
        before = len(deal.actions)
        while deal.actor is not None and deal.trick is None:
            legal = deal.legal()
            usual = legal[0] if len(legal) == 1 else self.policy.decide(Inside(deal, self.outside), legal)
            deal.apply(usual)
        play_out(deal)
        return deal.scores(), 1 + len(deal.actions) - before

    def _surprises(self, world: Deal) -> int:
        """How often another player said something else than greedy would have said with these cards."""
        deal = world.game.start(world.number, world.dealer, world.dealt)
        surprises = 0
        for seat, action in zip(world.seats, world.actions, strict=True):
            if deal.kind == "play":
                break
            legal = deal.legal()
            if seat != self.outside.seat and len(legal) > 1:
                surprises += self.policy.decide(Inside(deal, self.outside), legal) != action
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
