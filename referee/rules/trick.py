"""The tricks of a deal in progress, and how cards beat one another."""

from functools import cache

from referee.rules.cards import RANKS, SUIT_MASKS, SUIT_OF

#: Ranks from the lowest to the highest.
KING_ORDER = RANKS
KLAVERJAS_PLAIN = "23456789JQKTA"
KLAVERJAS_TRUMP = "2345678Q" + "KTA9J"


@cache
def beaten_by(plain: str, trumps: str, trump: int | None) -> tuple[int, ...]:
    """For each card, the set of cards that beat it once it is the best on the table.

    ``plain``, ``trumps``: ranks from the lowest to the highest in a plain suit and in the trump suit.
    """
    table = []
    for number in range(52):
        suit = number // 13
        order = trumps if suit == trump else plain
        above = order[order.index(RANKS[number % 13]) + 1 :]
        mask = sum(1 << 13 * suit + RANKS.index(rank) for rank in above)
        if trump is not None and suit != trump:
            mask |= SUIT_MASKS[trump]
        table.append(mask)
    return tuple(table)


class Trick:
    """The trick on the table and the tricks taken before it.

    To an obligation this is the situation: ``player`` and ``hand`` (who is to play, and what he holds),
    ``led`` (the mask of the suit led, 0 when leading), ``cards`` (on the table, in order), ``leader``,
    ``best`` (the seat whose card is winning), ``beating`` (the cards that would beat it, 0 when leading),
    ``number`` (from 1) and ``trumps`` (their mask, 0 without).
    To a tally it is what was taken: ``taken`` (a set of cards a seat), ``counts`` (tricks a seat),
    ``winners`` (of each trick, in order), ``size`` (tricks that a whole deal has).
    """

    __slots__ = (
        "beaten_by", "beating", "best", "cards", "counts", "hand", "leader", "led", "number", "player", "size",
        "taken", "trumps", "winners",
    )  # fmt: skip

    def __init__(self, players: int, size: int, trump: int | None, table: tuple[int, ...]) -> None:
        self.beaten_by = table
        self.trumps = 0 if trump is None else SUIT_MASKS[trump]
        self.size = size
        self.number = 1
        self.cards: list[int] = []
        self.led = self.beating = self.hand = 0
        self.leader = self.best = self.player = 0
        self.taken = [0] * players
        self.counts = [0] * players
        self.winners: list[int] = []

    def play(self, seat: int, card: int) -> None:
        """Put a card on the table."""
        if not self.led:
            self.led = SUIT_OF[card]
            self.leader = self.best = seat
            self.beating = self.beaten_by[card]
        elif self.beating >> card & 1:
            self.best = seat
            self.beating = self.beaten_by[card]
        self.cards.append(card)

    def take(self) -> int:
        """Give the full trick to the winning seat, and return it; its cards stay to be looked at until `clear`."""
        winner = self.best
        bits = 0
        for card in self.cards:
            bits |= 1 << card
        self.taken[winner] |= bits
        self.counts[winner] += 1
        self.winners.append(winner)
        return winner

    def clear(self) -> None:
        """Make room for the next trick."""
        self.cards = []
        self.led = self.beating = 0
        self.number += 1

    def copy(self) -> "Trick":
        """An independent copy."""
        other = Trick.__new__(Trick)
        other.beaten_by, other.trumps, other.size, other.number = self.beaten_by, self.trumps, self.size, self.number
        other.led, other.beating, other.hand = self.led, self.beating, self.hand
        other.leader, other.best, other.player = self.leader, self.best, self.player
        other.cards = self.cards[:]
        other.taken = self.taken[:]
        other.counts = self.counts[:]
        other.winners = self.winners[:]
        return other
