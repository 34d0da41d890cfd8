"""A deal in progress: small, mutable, cheap to copy, like ``chess.Board``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from referee.rules.cards import members
from referee.rules.contract import Contract
from referee.rules.dealing import Dealt
from referee.rules.errors import IllegalAction
from referee.rules.trick import Trick

if TYPE_CHECKING:
    from referee.rules.bidding import Bidding
    from referee.rules.layout import Layout
    from referee.rules.ruleset import Game


class Phase(Protocol):
    """One part of a deal, such as an auction. A phase is a value without state: what happens stands in the deal."""

    def begin(self, deal: Deal) -> None:
        """Set ``deal.actor`` and ``deal.kind``, or pass on to the next phase."""

    def legal(self, deal: Deal) -> int:
        """The set of legal actions; never empty."""

    def apply(self, deal: Deal, action: int) -> None:
        """Carry out a legal action."""

    def describe(self) -> str:
        """What happens in it, for people."""


class Deal:
    """One deal in progress.

    ``actor``: the seat to act, ``kind``: what sort of choice (``play``, ``bid``, …); both None once it is ``over``.
    ``hands``: a set of cards a seat. ``contract``: None until it is chosen. ``declarer``: the seat that plays the
    deal, where somebody does. ``actions`` and ``seats``: what was done, and by whom. ``bidding``, ``trick``,
    ``layout``: the state of the auction, the tricks, the piles, as far as this deal has them. ``bonuses``: the bonus
    of each trick that held one: (winner, points, claimed). ``phase``: the part that the deal is in, ``later``: those
    to come.
    """

    __slots__ = (
        "_mask", "_scores", "actions", "actor", "bidding", "bonuses", "contract", "dealer", "dealt", "declarer", "game",
        "hands", "kind", "later", "layout", "leader", "number", "phase", "seats", "trick",
    )  # fmt: skip

    def __init__(
        self, game: Game, phases: Sequence[Phase], contract: Contract | None, number: int, dealer: int, dealt: Dealt
    ) -> None:
        self.game = game
        self.number = number
        self.dealer = dealer
        self.dealt = dealt
        self.hands = list(dealt.hands)
        self.contract = contract
        self.declarer: int | None = None
        self.leader = (dealer + 1) % game.players
        self.actions: list[int] = []
        self.seats: list[int] = []
        self.bidding: Bidding | None = None
        self.trick: Trick | None = None
        self.layout: Layout | None = None
        self.bonuses: list[tuple[int, int, bool]] = []
        self.actor: int | None = None
        self.kind: str | None = None
        self.later: Sequence[Phase] = phases
        self.phase: Phase
        self._mask = 0
        self._scores: list[int] | None = None
        self.next_phase()

    @property
    def over(self) -> bool:
        """Nothing is left to decide."""
        return self.actor is None

    def legal(self) -> list[int]:
        """The legal actions, ascending; empty only when the deal is over."""
        return members(self._mask or self.legal_mask())

    def legal_mask(self) -> int:
        """The legal actions as a set."""
        if not self._mask and self.actor is not None:
            self._mask = self.phase.legal(self)
        return self._mask

    def apply(self, action: int) -> None:
        """Carry out an action of the seat to act.

        Raises:
            IllegalAction: it is not legal; the deal is as it was.
        """
        mask = self._mask or self.legal_mask()
        if action < 0 or not mask >> action & 1:
            raise IllegalAction(self._complaint(action))
        self._mask = 0
        self.actions.append(action)
        self.seats.append(self.actor)  # type: ignore[arg-type]  # somebody is to act, else nothing were legal
        self.phase.apply(self, action)

    def scores(self) -> list[int]:
        """The scores of the deal by seat, payments included.

        Raises:
            IllegalAction: the deal is not over.
        """
        if self._scores is None:
            raise IllegalAction("the deal is not over: it has no scores yet")
        return list(self._scores)

    def copy(self) -> Deal:
        """An independent copy."""
        other = Deal.__new__(Deal)
        other.game, other.number, other.dealer, other.dealt = self.game, self.number, self.dealer, self.dealt
        other.contract, other.declarer, other.leader = self.contract, self.declarer, self.leader
        other.actor, other.kind, other.phase, other.later = self.actor, self.kind, self.phase, self.later
        other._mask, other._scores = self._mask, self._scores
        other.hands = self.hands[:]
        other.actions = self.actions[:]
        other.seats = self.seats[:]
        other.bonuses = self.bonuses[:]
        other.trick = self.trick and self.trick.copy()
        other.bidding = self.bidding and self.bidding.copy()
        other.layout = self.layout and self.layout.copy()
        return other

    def next_phase(self) -> None:
        """Go on to the next phase (for phases)."""
        self.phase, *self.later = self.later
        self.phase.begin(self)

    def finish(self, scores: list[int]) -> None:
        """End the deal with these scores, and settle what an auction made due (for phases)."""
        if self.bidding is not None and self.bidding.sold:
            price = self.bidding.price(self)
            scores = scores[:]
            scores[self.bidding.bidder] -= price
            scores[self.dealer] += price
        self._scores = scores
        self.actor = self.kind = None

    def _complaint(self, action: int) -> str:
        texts = self.game.actions
        known = 0 <= action < len(texts)
        name = texts.text(action) if known else f"action {action}"
        if self.actor is None:
            return f"{name} comes after the end of the deal"
        return f"{name} is not legal; legal: {' '.join(texts.names(self.legal_mask()))}"
