"""`king.auction`: six negatives and four auctioned positive deals (docs/rules/king-auction.md)."""

from collections.abc import Callable, Mapping

from referee.rules import king
from referee.rules.actions import ActionTable
from referee.rules.auction import PASS, Answers, Auction, stand
from referee.rules.bidding import Bidding, Ladder
from referee.rules.cards import DECK_32, DECK_52, SUITS
from referee.rules.choosing import Choice, Choose, by_owner, by_plus_bidder, either, next_to_dealer_leads
from referee.rules.contract import Contract
from referee.rules.deal import Deal, Phase
from referee.rules.obligations import follow_suit, leading, no_hearts, no_king_of_hearts, when
from referee.rules.ruleset import FixedProgramme, Game, Option, Plan, Ruleset, Value, common_options
from referee.rules.trickplay import TrickPlay

NEGATIVES = (
    Contract(id="no_tricks", tally=king.tricks(-20)),
    Contract(id="no_hearts", tally=king.hearts(-20), obligations=(when(leading, no_hearts), follow_suit)),
    Contract(id="no_queens", tally=king.queens(-50)),
    Contract(id="no_men", tally=king.men(-30)),
    Contract(
        id="no_king_of_hearts",
        tally=king.king_of_hearts(-160),
        obligations=(when(leading, no_king_of_hearts), follow_suit),
    ),
    Contract(id="no_last_two", tally=king.last_two(-90)),
)
TRUMPS = king.trump_contracts((follow_suit,))
NO_TRUMP = Contract(id="no_trump", tally=king.tricks(25))

_BIDS = ("+1", "+2", "+3", "-1", "+4", "+5", "+6", "-2", "+7", "+8")
ACTIONS = ActionTable(
    [PASS, *_BIDS, "accept", "refuse", "raise", "eight_or_nulls", "stand", "decline"]
    + [f"trump:{suit}" for suit in SUITS]
    + ["no_trump", "nulls", "433"]
)


def _owners_tricks(points: int) -> Callable[[int], Callable[[Deal], int]]:
    """A bid bears the owner's tricks: so many points for each, up to the number bid."""

    def of_number(number: int) -> Callable[[Deal], int]:
        def price(deal: Deal) -> int:
            return points * min(number, king.tricks_taken(deal, deal.dealer))

        return price

    return of_number


def _always(bidding: Bidding) -> bool:
    """Against every bid."""
    return True


def _below_the_highest(bidding: Bidding) -> bool:
    """Not against +8."""
    return bidding.bid is not None and bidding.bid.text != "+8"


def _before_a_stand(bidding: Bidding) -> bool:
    """Not against +8, nor after a `stand`."""
    return _below_the_highest(bidding) and not bidding.stood


def _owner_after_few_bids(deal: Deal) -> bool:
    """The owner, when fewer than three bids were made."""
    return by_owner(deal) and deal.bidding is not None and deal.bidding.made < 3


def _sale(nulls: Contract, no_game: tuple[Choice, ...]) -> tuple[Phase, ...]:
    bids = king.bids(
        _BIDS,
        range(1, len(_BIDS) + 1),
        plus_price=king.per_trick_bid(25),
        minus_price=_owners_tricks(75),
        minus_contract=nulls,
    )
    ladder = Ladder(bids, ACTIONS)
    answers = Answers(
        ladder=ladder,
        owner={
            "accept": _always,
            "refuse": _always,
            "raise": _before_a_stand,
            "eight_or_nulls": _below_the_highest,
        },
        no_higher="stand",
        after_no_higher=stand,
        ultimatum="+8",
        declined=nulls,
    )
    with_tricks = either(by_plus_bidder, by_owner)
    choices = (
        *(Choice(contract.id, contract, with_tricks, next_to_dealer_leads) for contract in (*TRUMPS, NO_TRUMP)),
        Choice("nulls", nulls, by_owner, next_to_dealer_leads),
        *no_game,
    )
    return (Auction(ladder), answers, Choose(choices), TrickPlay())


_NULLS = {52: king.nulls(13), 32: king.nulls(8)}
_NO_GAME = {52: (Choice("433", king.FOUR_THREE_THREE, _owner_after_few_bids, next_to_dealer_leads),), 32: ()}
_DECKS = {52: DECK_52, 32: DECK_32}
_SALES = {size: _sale(_NULLS[size], _NO_GAME[size]) for size in _DECKS}
_MATCH_TOTALS = {52: 0, 32: -300}


def _build(options: Mapping[str, Value]) -> Game:
    size = options["deck"]
    assert isinstance(size, int)
    return Game(
        ruleset="king.auction",
        version=1,
        options=options,
        players=4,
        teams=(0, 1, 2, 3),
        deck=_DECKS[size],
        packets=(1,) * (size // 4),
        programme=FixedProgramme(
            tuple(Plan((TrickPlay(),), contract) for contract in NEGATIVES) + (Plan(_SALES[size]),) * 4
        ),
        actions=ACTIONS,
        contracts=(*NEGATIVES, *TRUMPS, NO_TRUMP, _NULLS[size], *(choice.contract for choice in _NO_GAME[size])),
        match_total=_MATCH_TOTALS[size],
    )


KING_AUCTION = Ruleset(
    id="king.auction",
    title="King with auctioned positive deals",
    page="king-auction.md",
    options=(
        Option(name="deck", values=(52, 32), default=52, help="how many cards are played with; 32 are 7 to ace"),
        *common_options(4),
    ),
    build=_build,
)
