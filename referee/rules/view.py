"""All that one seat may know of a deal in progress: a list of what is allowed, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.rules.deal import Deal

if TYPE_CHECKING:
    from referee.rules.layout import OpenLayout


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """What a seat sees.

    ``hand``: its own cards as a set. ``actions`` and ``seats``: all that was done in this deal, which everybody
    saw. ``table``: the trick on the table, in order (the last cards of ``actions``). ``tricks``: taken so far by
    seat, empty where none are played. ``contract``: its id, None until it is known. ``layout``: the open piles,
    where the game has them.
    """

    seat: int
    number: int
    dealer: int
    hand: int
    contract: str | None
    declarer: int | None
    actions: tuple[int, ...]
    seats: tuple[int, ...]
    table: tuple[int, ...]
    tricks: tuple[int, ...]
    layout: OpenLayout | None


def view(deal: Deal, seat: int) -> View:
    """What ``seat`` sees of the deal now."""
    trick = deal.trick
    return View(
        seat=seat,
        number=deal.number,
        dealer=deal.dealer,
        hand=deal.hands[seat],
        contract=None if deal.contract is None else deal.contract.id,
        declarer=deal.declarer,
        actions=tuple(deal.actions),
        seats=tuple(deal.seats),
        table=() if trick is None else tuple(trick.cards),
        tricks=() if trick is None else tuple(trick.counts),
        layout=None if deal.layout is None else deal.layout.open(deal),
    )
