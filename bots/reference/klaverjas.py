"""What a Klaverjas player knows: the values of the cards, the bonus, the count so far, when to claim, what to name."""

from __future__ import annotations

from dataclasses import dataclass, field

from bots.observation import Observation
from referee.rules.cards import RANKS, SUIT_MASKS, members, of_rank
from referee.rules.trick import KLAVERJAS_PLAIN, KLAVERJAS_TRUMP, beaten_by

_PLAIN = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
_TRUMP = {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3}
_MARRIAGE = of_rank("K") | of_rank("Q")
#: Points of a deal, the last trick's ten included.
ALL_POINTS = 162


@dataclass(frozen=True)
class Trumps:
    """The deal with one suit as trump.

    ``worth``: by card; ``beats``: by card, the cards that beat it; ``marriage``: its king and queen.
    """

    suit: int
    worth: tuple[int, ...] = field(init=False)
    beats: tuple[int, ...] = field(init=False)
    marriage: int = field(init=False)

    def __post_init__(self) -> None:
        values = tuple((_TRUMP if card // 13 == self.suit else _PLAIN).get(RANKS[card % 13], 0) for card in range(52))
        object.__setattr__(self, "worth", values)
        object.__setattr__(self, "beats", beaten_by(KLAVERJAS_PLAIN, KLAVERJAS_TRUMP, self.suit))
        object.__setattr__(self, "marriage", _MARRIAGE & SUIT_MASKS[self.suit])


TRUMPS = {f"trump:{suit}": Trumps(number) for number, suit in enumerate("CDHS")}


def bonus(trumps: Trumps, cards: int) -> int:
    """The bonus in a set of up to four cards of one trick; four alike are left out, they hardly happen."""
    runs = (cards & cards >> 1 & cards >> 2).bit_count()
    points = (0, 20, 50)[runs]
    return points + 20 if cards & trumps.marriage == trumps.marriage else points


def best_of(trumps: Trumps, trick: list[tuple[int, int]]) -> int:
    """The seat whose card wins, from (seat, card) in order."""
    seat, best = trick[0]
    for other, card in trick[1:]:
        if trumps.beats[best] >> card & 1:
            seat, best = other, card
    return seat


def claim(observation: Observation) -> str:
    """Claim a bonus, unless one's own side are the makers and fail, as it looks: then the others would get it."""
    mine, theirs, still_open = count(observation)
    makers = observation.declarer is not None and (observation.declarer - observation.seat) % 2 == 0
    return "leave" if makers and mine + 0.8 * still_open <= theirs else "claim"


def count(observation: Observation) -> tuple[int, int, int]:
    """Points of one's own side and of the other, bonuses included, and those still open; while a claim is asked.

    The bonus in question is counted as claimed.
    """
    trumps = TRUMPS[observation.contract or "trump:C"]
    claimed = observation.action("claim")
    sums = [0, 0]
    still_open, winner, extra = ALL_POINTS, 0, 0
    trick: list[tuple[int, int]] = []
    for seat, action in observation.history:
        if action < 52:
            trick.append((seat, action))
            if len(trick) == 4:
                winner = best_of(trumps, trick) & 1
                points = sum(trumps.worth[card] for _, card in trick)
                extra = bonus(trumps, sum(1 << card for _, card in trick))
                sums[winner] += points
                still_open -= points
                trick = []
        elif action == claimed:
            sums[winner] += extra
    sums[winner] += extra
    return sums[winner], sums[1 - winner], still_open


#: What trump cards and plain cards are worth to whoever names the trump, in points.
_AS_TRUMP = {"J": 35, "9": 22, "A": 16, "T": 14, "K": 12, "Q": 11, "8": 10, "7": 10}
_AS_PLAIN = {"A": 14, "T": 5, "K": 1}


def best_trump(hand: int, options: dict[str, int]) -> str:
    """The name of the trump that promises most."""
    return max(options, key=lambda name: (strength(hand, TRUMPS[name].suit), name))


def strength(hand: int, trump: int) -> float:
    """Points that a hand promises with this trump, up to a constant."""
    return sum((_AS_TRUMP if card // 13 == trump else _AS_PLAIN).get(RANKS[card % 13], 0) for card in members(hand))
