"""What is at stake in each contract, by its name: the one table by which the reference bots know the Kings' contracts."""

from __future__ import annotations

from dataclasses import dataclass, field

from referee.rules.cards import CLUBS, DIAMONDS, HEARTS, SPADES, members, of_rank
from referee.rules.trick import KING_ORDER, beaten_by

_HEARTS = 0x1FFF << 13 * HEARTS
_QUEENS, _JACKS, _KINGS = of_rank("Q"), of_rank("J"), of_rank("K")
_KING_OF_HEARTS = _KINGS & _HEARTS


@dataclass(frozen=True, kw_only=True)
class Stakes:
    """Points for what is taken in a contract.

    ``trick``: for each trick. ``cards``: a set of cards and the points for each of them, any number of times.
    ``last``: for each of the last two tricks. ``trump``: a suit, or None.

    ``worth``: the points for each card. ``costly``: all that counts is better not taken. ``beats``: by card, the
    cards that beat it.
    """

    trick: float = 0.0
    cards: tuple[tuple[int, float], ...] = ()
    last: float = 0.0
    trump: int | None = None
    worth: tuple[float, ...] = field(init=False)
    counting: int = field(init=False)
    costly: bool = field(init=False)
    beats: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        worth = [0.0] * 52
        for cards, points in self.cards:
            for card in members(cards):
                worth[card] += points
        total = self.trick + self.last + sum(worth)
        object.__setattr__(self, "worth", tuple(worth))
        object.__setattr__(self, "counting", sum(1 << card for card in range(52) if worth[card]))
        object.__setattr__(self, "costly", total < 0)
        object.__setattr__(self, "beats", beaten_by(KING_ORDER, KING_ORDER, self.trump))


#: The Kings' contracts. The rulesets differ in points for the same name, but not in what counts against what.
CONTRACTS = {
    "no_tricks": Stakes(trick=-20),
    "no_hearts": Stakes(cards=((_HEARTS, -20),)),
    "no_queens": Stakes(cards=((_QUEENS, -50),)),
    "no_jacks": Stakes(cards=((_JACKS, -50),)),
    "no_men": Stakes(cards=((_KINGS | _JACKS, -30),)),
    "no_king_of_hearts": Stakes(cards=((_KING_OF_HEARTS, -160),)),
    "no_last_two": Stakes(last=-90),
    "nothing": Stakes(trick=-20, last=-60, cards=((_JACKS | _QUEENS, -40), (_HEARTS, -20), (_KING_OF_HEARTS, -160))),
    "tricks": Stakes(trick=20),
    "hearts": Stakes(cards=((_HEARTS, 20),)),
    "queens": Stakes(cards=((_QUEENS, 50),)),
    "jacks": Stakes(cards=((_JACKS, 50),)),
    "king_of_hearts": Stakes(cards=((_KING_OF_HEARTS, 160),)),
    "last_two": Stakes(last=90),
    "everything": Stakes(trick=20, last=60, cards=((_JACKS | _QUEENS, 40), (_HEARTS, 20), (_KING_OF_HEARTS, 160))),
    "trump:C": Stakes(trick=25, trump=CLUBS),
    "trump:D": Stakes(trick=25, trump=DIAMONDS),
    "trump:H": Stakes(trick=25, trump=HEARTS),
    "trump:S": Stakes(trick=25, trump=SPADES),
    "no_trump": Stakes(trick=25),
    "nulls": Stakes(trick=-75),
}
