"""Greedy at Klaverjas: what the side wins or loses in this trick, and what the rest of the hand will take."""

from __future__ import annotations

from bots.observation import Observation
from bots.reference.chances import HAS_NONE
from bots.reference.klaverjas import TRUMPS, Trumps, best_trump, bonus, claim
from bots.reference.situation import Situation
from bots.reference.suits import SuitTable, when_ruffed, when_trump
from referee.rules.cards import SUIT_OF
from referee.rules.trick import KLAVERJAS_PLAIN, KLAVERJAS_TRUMP

_RANKS = 0x1FFF
#: Points that come with a trick from each player after.
_FOLLOWS = 5.0
#: How much of its points a high card brings home for what falls below it.
_CAPTURES = 0.25


class Plan:
    """How greedy plays with one trump suit: a table for each suit."""

    def __init__(self, trumps: Trumps) -> None:
        self.trumps = trumps
        self.tables = [
            SuitTable(
                [float(worth) for worth in trumps.worth[13 * suit : 13 * suit + 13]],
                when_trump if suit == trumps.suit else when_ruffed,
                _CAPTURES,
                KLAVERJAS_TRUMP if suit == trumps.suit else KLAVERJAS_PLAIN,
            )
            for suit in range(4)
        ]


PLANS = {name: Plan(trumps) for name, trumps in TRUMPS.items()}


def decide(observation: Observation, legal: list[int]) -> int:
    """The action in any decision of the game."""
    kind = observation.kind
    if kind == "play":
        return best_card(observation, legal)
    if kind == "claim":
        return observation.action(claim(observation))
    options = {observation.text(action): action for action in legal}
    return options[best_trump(observation.hand_mask, options)]


def best_card(observation: Observation, legal: list[int]) -> int:
    """The legal card with the best balance for the side."""
    plan = PLANS[observation.contract or "trump:C"]
    trumps = plan.trumps
    now = Situation(observation, trumps.beats)
    on_table = sum(trumps.worth[card] for card in now.table) + _FOLLOWS * len(now.after)
    if now.left == 1:
        on_table += 10
    shown = sum(1 << card for card in now.table)
    losing: float | None = None
    best, best_score = legal[0], float("-inf")
    for card in legal:
        suit, shift = card // 13, card // 13 * 13
        table = plan.tables[suit]
        mine, rest = now.hand >> shift & _RANKS, now.unseen >> shift & _RANKS
        tricks, points = table.holding(mine, rest)
        tricks_after, points_after = table.holding(mine & ~(1 << card - shift), rest)
        gain = on_table + trumps.worth[card] + bonus(trumps, shown | 1 << card)
        if not now.led or trumps.beats[now.best] >> card & 1:
            chance = side_wins(now, trumps, card, True)
        elif losing is None:
            chance = losing = side_wins(now, trumps, now.best, (now.best_seat - now.seat) % 2 == 0)
        else:
            chance = losing
        score = (2 * chance - 1) * gain
        score += 8 * (tricks_after - tricks) + points_after - points
        if score > best_score:
            best, best_score = card, score
    return best


def side_wins(now: Situation, trumps: Trumps, best: int, ours: bool) -> float:
    """The chance that one's own side takes the trick, once this card of its own or of the other side is the best."""
    partner = (now.seat + 2) % 4
    chance = 1.0 if ours else 0.0
    for seat in now.after:
        over = beats(now, trumps, seat, best, now.led or SUIT_OF[best])
        if seat == partner:
            chance += (1 - chance) * over * 0.8
        else:
            chance *= 1 - over
    if not now.led:
        chance += (1 - chance) * 0.3
    return chance


def beats(now: Situation, trumps: Trumps, seat: int, best: int, led: int) -> float:
    """The chance that a seat has a card, and may play it, that beats the best one."""
    higher = trumps.beats[best] & now.unseen
    if now.void[seat] & led:
        return 1 - HAS_NONE[2][(higher & ~now.void[seat]).bit_count()]
    in_suit = 1 - HAS_NONE[2][(higher & led).bit_count()]
    ruffs = higher & ~led & ~now.void[seat]
    if not ruffs:
        return in_suit
    empty = HAS_NONE[2][(now.unseen & led).bit_count()]
    return in_suit + empty * (1 - HAS_NONE[2][ruffs.bit_count()])
