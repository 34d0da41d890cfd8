"""What a hand is worth to its holder before the first trick of a positive deal of the Kings.

The figures are least squares over 6,000 deals that four greedy bots played; they leave one trick of chance.
"""

from __future__ import annotations

from dataclasses import dataclass

from bots.reference.suits import SuitTable, when_ducking

_RANKS = 0x1FFF


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Tricks for what a hand holds.

    ``base``: for any hand; ``trumps``: for each; ``honours``: for ace, king, queen, jack and ten of trumps. In plain
    suits: ``ace``; ``king`` and ``bare_king``; ``queen`` with two cards beside it; ``jack`` with three; ``long``: each
    card beyond the fourth; ``short``: a void, a singleton, a doubleton, and what can be ruffed there.
    """

    base: float
    trumps: float = 0.0
    honours: tuple[float, ...] = ()
    ace: float
    king: float
    bare_king: float
    queen: float
    jack: float = 0.0
    long: float = 0.0
    short: tuple[float, ...] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Deck:
    """The figures for one size of hand: the player's own with a trump, another's, without trump, and for nulls."""

    mine: Figures
    theirs: Figures
    no_trump: Figures
    start: int
    nulls: tuple[float, float, float]


LONG = Deck(
    mine=Figures(
        base=-1.85, trumps=0.80, honours=(0.87, 0.86, 0.76, 0.55, 0.41),
        ace=0.96, king=0.68, bare_king=0.15, queen=0.43, short=(0.28, 0.09, 0.08),
    ),
    theirs=Figures(
        base=-0.58, trumps=0.50, honours=(0.93, 0.81, 0.60, 0.40, 0.27),
        ace=0.91, king=0.52, bare_king=0.22, queen=0.32, short=(0.30, 0.10, 0.03),
    ),
    no_trump=Figures(base=0.0, ace=1.0, king=1.0, bare_king=0.2, queen=0.75, jack=0.48, long=0.35),
    start=325,
    nulls=(0.15, 0.98, 0.24),
)  # fmt: skip
SHORT = Deck(
    mine=Figures(
        base=-1.76, trumps=0.61, honours=(0.93, 0.84, 0.44, 0.25, 0.07),
        ace=0.78, king=0.47, bare_king=0.40, queen=0.30, short=(0.81, 0.54, 0.29),
    ),
    theirs=Figures(
        base=-0.46, trumps=0.42, honours=(0.97, 0.69, 0.36, 0.20, 0.09),
        ace=0.57, king=0.33, bare_king=0.32, queen=0.17, short=(0.06, 0.06, 0.08),
    ),
    no_trump=Figures(base=-0.15, ace=1.22, king=0.69, bare_king=0.08, queen=0.42, jack=0.40, long=0.70),
    start=200,
    nulls=(-0.06, 1.10, 0.25),
)  # fmt: skip
_NULLS = SuitTable((0.0,) * 13, when_ducking, 0.0)


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
    deck = LONG if hand.bit_count() == 13 else SHORT
    weights = [(13 - ranks.bit_count()) ** 2 for ranks in suits]
    theirs = sum(weights[trump] * trump_tricks(suits, trump, deck.theirs) for trump in range(4)) / sum(weights)
    avoided = nulls_tricks(suits, deck)
    return Worth(
        trumps=tuple(25 * trump_tricks(suits, trump, deck.mine) for trump in range(4)),
        no_trump=25 * trump_tricks(suits, None, deck.no_trump),
        nulls=deck.start - 75 * avoided,
        others_trump=25 * theirs,
        others_nulls=deck.start - 75 * (avoided + 0.3),
    )


def trump_tricks(suits: list[int], trump: int | None, figures: Figures) -> float:
    """Tricks with this trump, or without."""
    tricks = figures.base
    for suit, ranks in enumerate(suits):
        if suit != trump:
            tricks += plain_tricks(ranks, figures)
            continue
        tricks += figures.trumps * ranks.bit_count()
        for place, points in enumerate(figures.honours):
            if ranks >> 12 - place & 1:
                tricks += points
    return tricks


def plain_tricks(ranks: int, figures: Figures) -> float:
    """Tricks of a plain suit, by its high cards, its length, and what can be ruffed."""
    length = ranks.bit_count()
    tricks = figures.short[length] if length < 3 else figures.long * max(0, length - 4)
    if ranks >> 12 & 1:
        tricks += figures.ace
    if ranks >> 11 & 1:
        tricks += figures.king if length > 1 else figures.bare_king
    if ranks >> 10 & 1 and length > 2:
        tricks += figures.queen
    if ranks >> 9 & 1 and length > 3:
        tricks += figures.jack
    return tricks


def nulls_tricks(suits: list[int], deck: Deck) -> float:
    """Tricks that will be taken although they are not wanted."""
    all_ranks = _RANKS if deck is LONG else 0x1FE0
    risk = sum(_NULLS.holding(ranks, all_ranks & ~ranks)[0] for ranks in suits)
    base, each, more = deck.nulls
    return max(0.0, base + each * risk + more * max(0.0, risk - 2.5))
