"""What a hand is worth to its holder before the first trick of a positive deal of the Kings.

The figures are least squares over 6,000 deals that four greedy bots played; they leave one trick of chance.
"""

from __future__ import annotations

from dataclasses import dataclass

from bots.reference.suits import SuitTable, when_ducking

_RANKS = 0x1FFF
#: Tricks for ace, king, queen, jack and ten of trumps and for each trump; for a plain ace, a bare king, a guarded
#: king, a queen with two guards; for a void, a singleton and a doubleton.
_MINE = ((0.80, 0.80, 0.69, 0.55, 0.43), 0.79, (0.95, 0.23, 0.67, 0.40), (0.34, 0.10, 0.07))
_THEIRS = ((0.87, 0.77, 0.58, 0.41, 0.29), 0.53, (0.92, 0.20, 0.51, 0.32), (0.46, 0.18, 0.04))
_NULLS = SuitTable((0.0,) * 13, when_ducking, 0.0)

Figures = tuple[tuple[float, ...], float, tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True)
class Worth:
    """Points that a hand may expect.

    ``trumps``: by suit, when its holder plays with it as trump; ``nulls``: when he plays nulls; ``others_trump``,
    ``others_nulls``: when somebody else does.
    """

    trumps: tuple[float, ...]
    no_trump: float
    nulls: float
    others_trump: float
    others_nulls: float

    @property
    def plus(self) -> float:
        """With the best trump."""
        return max(*self.trumps, self.no_trump)

    def of(self, choice: str) -> float:
        """Of a choice such as ``trump:S:self``, ``nulls`` or ``433``."""
        if choice.startswith("trump:"):
            return self.trumps["CDHS".index(choice[6])]
        return {"no_trump": self.no_trump, "433": 100.0}.get(choice, self.nulls)


def worth(hand: int) -> Worth:
    """Look at a full hand."""
    suits = [hand >> 13 * suit & _RANKS for suit in range(4)]
    lengths = [ranks.bit_count() for ranks in suits]
    mine = tuple(25 * (trump_tricks(suits, trump, _MINE) - 1.72) for trump in range(4))
    weights = [(13 - length) ** 2 for length in lengths]
    theirs = sum(weights[trump] * (trump_tricks(suits, trump, _THEIRS) - 0.65) for trump in range(4)) / sum(weights)
    avoided = nulls_tricks(suits)
    return Worth(mine, 0.0, 325 - 75 * avoided, 25 * theirs, 325 - 75 * (avoided + 0.5))


def trump_tricks(suits: list[int], trump: int, figures: Figures) -> float:
    """Tricks with this trump, up to a constant."""
    honours, each, plain, short = figures
    tricks = each * suits[trump].bit_count()
    for place, points in enumerate(honours):
        if suits[trump] >> 12 - place & 1:
            tricks += points
    for suit, ranks in enumerate(suits):
        if suit != trump:
            tricks += plain_tricks(ranks, plain, short)
    return tricks


def plain_tricks(ranks: int, plain: tuple[float, ...], short: tuple[float, ...]) -> float:
    """Tricks of a plain suit, by its high cards and by what can be ruffed."""
    ace, bare_king, king, queen = plain
    length = ranks.bit_count()
    tricks = short[length] if length < 3 else 0.0
    if ranks >> 12 & 1:
        tricks += ace
    if ranks >> 11 & 1:
        tricks += king if length > 1 else bare_king
    if ranks >> 10 & 1 and length > 2:
        tricks += queen
    return tricks


def nulls_tricks(suits: list[int]) -> float:
    """Tricks that will be taken although they are not wanted."""
    risk = sum(_NULLS.holding(ranks, _RANKS & ~ranks)[0] for ranks in suits)
    return 0.35 + 0.43 * risk + 0.54 * max(0.0, risk - 2.5)
