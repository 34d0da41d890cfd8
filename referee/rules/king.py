"""What the three Kings share: the tallies of their negative deals and the bids of their positive ones."""

from collections.abc import Callable, Sequence

from referee.rules.bidding import Bid
from referee.rules.cards import HEARTS, SUIT_MASKS, SUITS, card, of_rank
from referee.rules.contract import Contract, Tally, at_once, last_tricks, per_card, per_trick
from referee.rules.deal import Deal
from referee.rules.obligations import Obligation
from referee.rules.trick import Trick

HEART_CARDS = SUIT_MASKS[HEARTS]
QUEENS = of_rank("Q")
JACKS = of_rank("J")
MEN = of_rank("K") | JACKS
KING_OF_HEARTS = 1 << card("KH")


def tricks(points: int) -> Tally:
    """Points for each trick."""
    return per_trick(points)


def hearts(points: int) -> Tally:
    """Points for each heart."""
    return per_card(points, HEART_CARDS, "for each heart")


def queens(points: int) -> Tally:
    """Points for each queen."""
    return per_card(points, QUEENS, "for each queen")


def jacks(points: int) -> Tally:
    """Points for each jack."""
    return per_card(points, JACKS, "for each jack")


def men(points: int) -> Tally:
    """Points for each king or jack."""
    return per_card(points, MEN, "for each king or jack")


def king_of_hearts(points: int) -> Tally:
    """Points for the king of hearts."""
    return per_card(points, KING_OF_HEARTS, "for the king of hearts")


def last_two(points: int) -> Tally:
    """Points for each of the last two tricks."""
    return last_tricks(2, points)


def trump_contracts(obligations: Sequence[Obligation]) -> tuple[Contract, ...]:
    """+25 for each trick, with each suit as trump."""
    return tuple(
        Contract(id=f"trump:{suit}", tally=per_trick(25), obligations=tuple(obligations), trump=number)
        for number, suit in enumerate(SUITS)
    )


def nulls(tricks_of_deal: int) -> Contract:
    """Each player starts with 25 for each trick of the deal, and loses 75 for each trick he takes."""

    def settlement(deal: Deal, counts: list[int]) -> list[int]:
        return [25 * tricks_of_deal + count for count in counts]

    settlement.__doc__ = f"Each player starts with {25 * tricks_of_deal}."
    return Contract(id="nulls", tally=per_trick(-75), settlement=settlement)


def _four_three_three_three(deal: Deal, counts: list[int]) -> list[int]:
    """Nothing is played: the owner scores 100, each other player 75."""
    return [100 if seat == deal.dealer else 75 for seat in range(len(counts))]


FOUR_THREE_THREE = Contract(id="433", settlement=_four_three_three_three, stop=at_once)


def tricks_taken(deal: Deal, seat: int) -> int:
    """Tricks that a seat took in this deal."""
    trick: Trick | None = deal.trick
    return 0 if trick is None else trick.counts[seat]


def bids(
    texts: Sequence[str],
    strengths: Sequence[int],
    plus_price: Callable[[int], Callable[[Deal], int]],
    minus_price: Callable[[int], Callable[[Deal], int]],
    minus_contract: Contract | None = None,
) -> tuple[Bid, ...]:
    """Bids from their texts, such as ``+3`` and ``-1``."""
    result = []
    for text, strength in zip(texts, strengths, strict=True):
        is_plus, number = text[0] == "+", int(text[1:])
        price = (plus_price if is_plus else minus_price)(number)
        contract = None if is_plus else minus_contract
        result.append(Bid(text=text, strength=strength, is_plus=is_plus, price=price, contract=contract))
    return tuple(result)


def per_trick_bid(points: int) -> Callable[[int], Callable[[Deal], int]]:
    """A bid is paid in full: so many points for each trick bid."""

    def of_number(number: int) -> Callable[[Deal], int]:
        def price(deal: Deal) -> int:
            return points * number

        return price

    return of_number
