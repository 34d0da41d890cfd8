"""Greedy: weighs for each card what it wins now against what the rest of the hand will take."""

from __future__ import annotations

from bots.observation import Observation
from bots.reference import auction, corner, greedy_team
from bots.reference.chances import HAS_NONE, WINS_IF_DUCKED, WINS_IF_FOUGHT
from bots.reference.situation import Situation
from bots.reference.stakes import CONTRACTS, Stakes
from bots.reference.suits import (
    SuitTable,
    at_the_end,
    when_ducking,
    when_fighting,
    when_ruffed,
    when_trump,
)
from referee.rules.cards import SUIT_OF

_RANKS = 0x1FFF


class Plan:
    """How greedy plays one contract: its stakes, and a table for each suit."""

    def __init__(self, stakes: Stakes) -> None:
        self.stakes = stakes
        self.tables = [self._table(suit) for suit in range(4)]

    def _table(self, suit: int) -> SuitTable:
        stakes = self.stakes
        worth = stakes.worth[13 * suit : 13 * suit + 13]
        if stakes.last and not stakes.trick:
            return SuitTable((stakes.last * 0.5,) * 13, at_the_end if stakes.costly else when_fighting, 0.0)
        if stakes.costly:
            return SuitTable(worth, when_ducking, 0.35)
        if stakes.trump is None:
            return SuitTable(worth, when_fighting, 0.35)
        return SuitTable(worth, when_trump if suit == stakes.trump else when_ruffed, 0.35)


_TASTE = corner.Taste()
_TEMPER = auction.Temper()
_PLANS = {name: Plan(stakes) for name, stakes in CONTRACTS.items()}


class GreedyBot:
    """Plays each decision for the most points to be expected."""

    def decide(self, observation: Observation, legal: list[int]) -> int:
        """The action that promises most."""
        kind = observation.kind
        if kind == "turn":
            return corner.decide(observation, legal, _TASTE)
        if observation.ruleset.startswith("klaverjas."):
            return greedy_team.decide(observation, legal)
        if kind == "play":
            plan = _PLANS[observation.contract or "no_tricks"]
            return best_card(Situation(observation, plan.stakes.beats), plan, legal)
        return auction.decide(observation, legal, _TEMPER)


def best_card(now: Situation, plan: Plan, legal: list[int]) -> int:
    """The legal card with the best balance."""
    stakes, tables = plan.stakes, plan.tables
    hand, unseen = now.hand, now.unseen
    trick = trick_worth(now, stakes)
    later = trick_later(now, stakes)
    best, best_score = legal[0], float("-inf")
    before: dict[int, float] = {}
    for card in legal:
        suit = card // 13
        shift = 13 * suit
        mine = hand >> shift & _RANKS
        rest = unseen >> shift & _RANKS
        table = tables[suit]
        if suit not in before:
            tricks, points = table.holding(mine, rest)
            before[suit] = later * tricks + points
        tricks, points = table.holding(mine & ~(1 << card - shift), rest)
        score = later * tricks + points - before[suit]
        if not now.led or stakes.beats[now.best] >> card & 1:
            gain = 1.5 * trick + stakes.worth[card] + falls(now, stakes, card)
            score += winning_chance(now, stakes, card, gain < 0) * gain
        if score > best_score:
            best, best_score = card, score
    return best


def trick_worth(now: Situation, stakes: Stakes) -> float:
    """Points in the trick so far."""
    worth = stakes.worth
    total = stakes.trick
    for card in now.table:
        total += worth[card]
    if stakes.last:
        if now.left <= 2:
            total += stakes.last
        elif now.left == 3:
            total += 0.2 * stakes.last
    return total


def trick_later(now: Situation, stakes: Stakes) -> float:
    """Points that a later trick brings, whatever wins it."""
    if not stakes.counting:
        return stakes.trick
    worth = stakes.worth
    rest = now.unseen & stakes.counting
    total = 0.0
    while rest:
        low = rest & -rest
        total += worth[low.bit_length() - 1]
        rest ^= low
    return stakes.trick + 0.5 * total / now.left


def falls(now: Situation, stakes: Stakes, card: int) -> float:
    """Points that the players after this one will add to the trick, if the card wins it."""
    if not now.after or not stakes.counting:
        return 0.0
    led = now.led or SUIT_OF[card]
    unseen = now.unseen
    worth = stakes.worth
    in_suit = unseen & led
    count = in_suit.bit_count()
    total = 0.0
    rest = in_suit & stakes.counting & ~stakes.beats[card]
    share = len(now.after) / 3 * (1.2 if stakes.costly else 0.3)
    while rest:
        low = rest & -rest
        total += share * worth[low.bit_length() - 1]
        rest ^= low
    other = unseen & stakes.counting & ~led
    if other:
        void = now.void
        empty = 0.0
        for seat in now.after:
            empty += 1.0 if void[seat] & led else HAS_NONE[2][count]
        if empty:
            most = worth[(other & -other).bit_length() - 1]
            total += empty * most * (0.4 if stakes.costly else 0.1)
    return total


def winning_chance(now: Situation, stakes: Stakes, card: int, ducked: bool) -> float:
    """The chance that a card, once it is the best on the table, stays it."""
    after = now.after
    if not after:
        return 1.0
    suit = SUIT_OF[card]
    holders, following = 3, len(after)
    for seat, cannot in enumerate(now.void):
        if cannot & suit and seat != now.seat:
            holders -= 1
            following -= seat in after
    unseen = now.unseen & suit
    higher = (unseen & stakes.beats[card]).bit_count()
    if not following:
        chance = 1.0
    elif ducked:
        chance = WINS_IF_DUCKED[holders - 1][following][higher][unseen.bit_count() - higher]
    else:
        chance = WINS_IF_FOUGHT[holders - 1][following][higher]
    if stakes.trump is not None:
        chance *= not_ruffed(now, stakes, card)
    return chance


def not_ruffed(now: Situation, stakes: Stakes, card: int) -> float:
    """The chance that nobody after beats the card by a trump without following suit."""
    led = now.led or SUIT_OF[card]
    trumps = stakes.beats[card] & ~SUIT_OF[card] if SUIT_OF[card] == led else stakes.beats[card]
    trumps &= now.unseen
    if not trumps:
        return 1.0
    has_no_trump = HAS_NONE[2][trumps.bit_count()]
    count = (now.unseen & led).bit_count()
    chance = 1.0
    for seat in now.after:
        empty = 1.0 if now.void[seat] & led else HAS_NONE[2][count]
        if not now.void[seat] & trumps:
            chance *= 1 - empty * (1 - has_no_trump)
    return chance
