"""Cautious at Klaverjas: sure winners first, points to a partner who cannot be beaten, else nothing of value."""

from __future__ import annotations

from bots.observation import Observation
from bots.reference.klaverjas import TRUMPS, Trumps, bonus, claim, strength
from bots.reference.situation import Situation

Key = tuple[float, ...]


def decide(observation: Observation, legal: list[int]) -> int:
    """The action in any decision of the game."""
    kind = observation.kind
    if kind == "claim":
        return observation.action(claim(observation))
    if kind == "choose":
        return longest_trump(observation, legal)
    trumps = TRUMPS[observation.contract or "trump:C"]
    now = Situation(observation, trumps.beats)
    if not now.led:
        rule = lead
    elif (now.best_seat - now.seat) % 2 == 0 and not beaters(now, trumps, now.best):
        rule = feed
    else:
        rule = take
    return max(legal, key=lambda card: rule(now, trumps, card))


def longest_trump(observation: Observation, legal: list[int]) -> int:
    """The longest suit; of equal ones the strongest."""
    hand = observation.hand_mask

    def key(action: int) -> Key:
        suit = TRUMPS[observation.text(action)].suit
        return ((hand >> 13 * suit & 0x1FFF).bit_count(), strength(hand, suit))

    return max(legal, key=key)


def beaters(now: Situation, trumps: Trumps, card: int) -> int:
    """The cards that players after may still beat it with."""
    rest = 0
    for seat in now.after:
        if seat != (now.seat + 2) % 4:
            rest |= trumps.beats[card] & now.unseen & ~now.void[seat]
    return rest & (0x1FFF << card // 13 * 13 if not now.led else -1)


def lead(now: Situation, trumps: Trumps, card: int) -> Key:
    """A card that its suit cannot beat, of the plain suits first; else the cheapest of the longest suit."""
    sure = not beaters(now, trumps, card)
    is_trump = card // 13 == trumps.suit
    length = (now.hand >> card // 13 * 13 & 0x1FFF).bit_count()
    return (sure, not is_trump, trumps.worth[card] if sure else -trumps.worth[card], length)


def feed(now: Situation, trumps: Trumps, card: int) -> Key:
    """The partner has the trick: the most points, but no trump that is not asked for."""
    shown = sum(1 << other for other in now.table)
    spent = 15 if card // 13 == trumps.suit else 0
    return (trumps.worth[card] + bonus(trumps, shown | 1 << card) - spent,)


def take(now: Situation, trumps: Trumps, card: int) -> Key:
    """The best card that wins for sure; else the cheapest."""
    wins = trumps.beats[now.best] >> card & 1 and not beaters(now, trumps, card)
    is_trump = card // 13 == trumps.suit
    if wins:
        return (1, not is_trump, trumps.worth[card] if not is_trump else -trumps.worth[card])
    return (0, -trumps.worth[card], not is_trump)
