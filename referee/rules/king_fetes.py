"""`king.fetes`: six negatives and four fêtes (docs/rules/king-fetes.md)."""

from collections.abc import Mapping

from referee.rules import king
from referee.rules.actions import ActionTable
from referee.rules.auction import PASS, Answers, Auction, no_sale
from referee.rules.bidding import Bidding, Ladder
from referee.rules.cards import DECK_52, SUITS
from referee.rules.choosing import (
    Choice,
    Choose,
    by_minus_bidder,
    by_owner,
    by_plus_bidder,
    declarer_leads,
    either,
    next_to_dealer_leads,
    next_to_declarer_leads,
)
from referee.rules.contract import Contract, when_taken
from referee.rules.obligations import (
    first_trick,
    follow_suit,
    king_of_hearts,
    leading,
    no_hearts,
    no_king_of_hearts,
    not_,
    overtrump,
    void,
    when,
)
from referee.rules.ruleset import FixedProgramme, Game, Plan, Ruleset, Value, common_options
from referee.rules.trickplay import TrickPlay

_NO_HEARTS = (when(leading, no_hearts), follow_suit, when(first_trick, not_(leading), no_hearts))
_NO_KING = (
    when(leading, no_hearts),
    when(leading, first_trick, no_king_of_hearts),
    follow_suit,
    when(void, first_trick, no_king_of_hearts),
    when(void, not_(first_trick), king_of_hearts),
)

NEGATIVES = (
    Contract(id="no_tricks", tally=king.tricks(-20)),
    Contract(id="no_hearts", tally=king.hearts(-20), obligations=_NO_HEARTS, stop=when_taken(king.HEART_CARDS)),
    Contract(id="no_queens", tally=king.queens(-50), stop=when_taken(king.QUEENS)),
    Contract(id="no_men", tally=king.men(-30), stop=when_taken(king.MEN)),
    Contract(
        id="no_king_of_hearts",
        tally=king.king_of_hearts(-160),
        obligations=_NO_KING,
        stop=when_taken(king.KING_OF_HEARTS),
    ),
    Contract(id="no_last_two", tally=king.last_two(-90)),
)
TRUMPS = king.trump_contracts((follow_suit, overtrump))
NULLS = king.nulls(13)

_PLUS = [f"+{tricks}" for tricks in range(1, 14)]
_MINUS = [f"-{tricks}" for tricks in range(1, 4)]
ACTIONS = ActionTable(
    [PASS, *_PLUS, *_MINUS, "accept", "raise", "eight_or_nulls", "give_up", "decline"]
    + [f"trump:{suit}:{leader}" for suit in SUITS for leader in ("self", "next")]
    + ["nulls:self", "nulls:next", "nulls", "433"]
)

_BIDS = king.bids(
    _PLUS + _MINUS,
    [25 * n for n in range(1, 14)] + [75 * n for n in range(1, 4)],
    plus_price=king.per_trick_bid(25),
    minus_price=king.per_trick_bid(75),
)
LADDER = Ladder(_BIDS, ACTIONS)


def _always(bidding: Bidding) -> bool:
    """Against every bid."""
    return True


def _against_six_or_seven(bidding: Bidding) -> bool:
    """Only against +6 or +7."""
    return bidding.bid is not None and bidding.bid.text in ("+6", "+7")


ANSWERS = Answers(
    ladder=LADDER,
    owner={"accept": _always, "raise": _always, "eight_or_nulls": _against_six_or_seven},
    no_higher="give_up",
    after_no_higher=no_sale,
    ultimatum="+8",
    declined=NULLS,
)

_NAMES_TRUMP = either(by_plus_bidder, by_owner)
CHOICES = (
    *(Choice(f"{trump.id}:self", trump, _NAMES_TRUMP, declarer_leads) for trump in TRUMPS),
    *(Choice(f"{trump.id}:next", trump, _NAMES_TRUMP, next_to_declarer_leads) for trump in TRUMPS),
    Choice("nulls:self", NULLS, by_minus_bidder, declarer_leads),
    Choice("nulls:next", NULLS, by_minus_bidder, next_to_declarer_leads),
    Choice("nulls", NULLS, by_owner, next_to_dealer_leads),
    Choice("433", king.FOUR_THREE_THREE, by_owner, next_to_dealer_leads),
)

_NEGATIVE = (TrickPlay(),)
_FETE = (Auction(LADDER), ANSWERS, Choose(CHOICES), TrickPlay())


def _build(options: Mapping[str, Value]) -> Game:
    return Game(
        ruleset="king.fetes",
        version=1,
        options=options,
        players=4,
        teams=(0, 1, 2, 3),
        deck=DECK_52,
        packets=(1,) * 13,
        programme=FixedProgramme(tuple(Plan(_NEGATIVE, contract) for contract in NEGATIVES) + (Plan(_FETE),) * 4),
        actions=ACTIONS,
        contracts=(*NEGATIVES, *TRUMPS, NULLS, king.FOUR_THREE_THREE),
        match_total=0,
    )


KING_FETES = Ruleset(
    id="king.fetes",
    title="King with six negatives and four fêtes",
    page="king-fetes.md",
    options=common_options(4),
    build=_build,
)
