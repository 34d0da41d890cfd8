"""Cautious: a player by rules of thumb, who ducks, sheds high cards early and buys only what is cheap.

Each rule is a key by which the legal cards are ordered; the highest key is played.
"""

from __future__ import annotations

from bots.observation import Observation
from bots.reference import auction, cautious_team, corner
from bots.reference.situation import Situation
from bots.reference.stakes import CONTRACTS, Stakes

_TEMPER = auction.Temper(margin=40.0, greed=-15.0)
_TASTE = corner.Taste(move=30.0, chain=0.0, closed=0.0, height=-0.5)
Key = tuple[float, ...]


class CautiousBot:
    """Takes no chances."""

    def decide(self, observation: Observation, legal: list[int]) -> int:
        """The action that risks least."""
        kind = observation.kind
        if kind == "turn":
            return corner.decide(observation, legal, _TASTE)
        if observation.ruleset.startswith("klaverjas."):
            return cautious_team.decide(observation, legal)
        if kind != "play":
            return auction.decide(observation, legal, _TEMPER)
        stakes = CONTRACTS[observation.contract or "no_tricks"]
        now = Situation(observation, stakes.beats)
        return play(now, stakes, legal)


def play(now: Situation, stakes: Stakes, legal: list[int]) -> int:
    """The card that the rules of thumb prefer."""
    if not now.led:
        rule = lead_low if stakes.costly else lead_winners
    elif not legal_follows(now, legal):
        rule = throw_danger if stakes.costly else throw_rubbish
    elif stakes.costly:
        rule = duck
    else:
        rule = take_cheaply
    return max(legal, key=lambda card: rule(now, stakes, card))


def legal_follows(now: Situation, legal: list[int]) -> bool:
    """The legal cards follow suit, or are trumps that could win."""
    return any(now.led >> card & 1 for card in legal)


def above(now: Situation, stakes: Stakes, card: int) -> int:
    """How many unseen cards beat this one."""
    return (now.unseen & stakes.beats[card]).bit_count()


def length(now: Situation, card: int) -> int:
    """How many cards of its suit the hand holds."""
    return (now.hand >> card // 13 * 13 & 0x1FFF).bit_count()


def lead_low(now: Situation, stakes: Stakes, card: int) -> Key:
    """A card that somebody must beat, from a short suit; nothing that counts."""
    suit = 0x1FFF << card // 13 * 13
    below = (now.unseen & suit & ~stakes.beats[card]).bit_count()
    over = above(now, stakes, card)
    return (over > 0, stakes.worth[card] >= 0, below == 0, -length(now, card), over - below, card % 13)


def duck(now: Situation, stakes: Stakes, card: int) -> Key:
    """The highest card that does not win; if it must win, the highest as last player, else the lowest."""
    wins = stakes.beats[now.best] >> card & 1
    rank = card % 13
    if not wins:
        return (2, -stakes.worth[card], rank)
    free = not trick_costs(now, stakes) and stakes.worth[card] >= 0
    if not now.after or free:
        return (1, stakes.worth[card], rank)
    return (1, stakes.worth[card], -rank)


def trick_costs(now: Situation, stakes: Stakes) -> bool:
    """Whether the trick holds something that counts."""
    if stakes.trick or (stakes.last and now.left <= 2):
        return True
    return any(stakes.worth[card] for card in now.table)


def throw_danger(now: Situation, stakes: Stakes, card: int) -> Key:
    """What counts against its taker, then the highest of the shortest suit."""
    risk = above(now, stakes, card)
    return (-stakes.worth[card], risk < 3, -risk, -length(now, card))


def lead_winners(now: Situation, stakes: Stakes, card: int) -> Key:
    """Sure winners, of trumps last; then low from the shortest suit."""
    sure = above(now, stakes, card) == 0 or not now.unseen & stakes.beats[card] & (0x1FFF << card // 13 * 13)
    trump = card // 13 == stakes.trump
    return (sure, not trump, -length(now, card), -(card % 13))


def take_cheaply(now: Situation, stakes: Stakes, card: int) -> Key:
    """With the lowest winner as last player, with a sure winner before; else the lowest card."""
    wins = stakes.beats[now.best] >> card & 1
    sure = wins and (not now.after or above(now, stakes, card) == 0)
    return (bool(sure), -stakes.worth[card] if not sure else stakes.worth[card], -(card % 13))


def throw_rubbish(now: Situation, stakes: Stakes, card: int) -> Key:
    """A trump if it wins, the lowest that does; else the lowest card of the longest suit."""
    wins = stakes.beats[now.best] >> card & 1
    return (bool(wins), -stakes.worth[card], -(card % 13), length(now, card))
