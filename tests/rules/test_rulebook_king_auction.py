"""docs/rules/king-auction.md, clause by clause."""

import pytest

from referee.rules.cards import HEARTS, SUIT_MASKS, card
from referee.rules.errors import IllegalAction
from tests.rules.tables import dealt, do, finish, game, legal, table

NAME = "king.auction"
LADDER = ["+1", "+2", "+3", "-1", "+4", "+5", "+6", "-2", "+7", "+8"]
#: Two cards each: seat 0 leads in negative deals, and seat 3 owns the positive one.
HANDS = ("2C 3C", "4C 5C", "6C 7C", "8C 9C")


def auction(*actions: str, hands=HANDS, **options):
    """Deal 10 owned by seat 3: seats 0, 1 and 2 bid."""
    return do(table(NAME, 10, *hands, dealer=3, **options), *actions)


# The match.


def test_rulebook_match_ten_deals_six_negative_then_four_positive():
    plans = [game(NAME).programme.plan(number) for number in range(1, 11)]
    names = [plan.contract and plan.contract.id for plan in plans]
    negatives = ["no_tricks", "no_hearts", "no_queens", "no_men", "no_king_of_hearts", "no_last_two"]
    assert names == negatives + [None] * 4
    assert game(NAME).programme.plan(0) is None
    assert game(NAME).programme.plan(11) is None


def test_rulebook_match_13_cards_each_highest_total_wins():
    assert game(NAME).hand_size == 13
    assert not game(NAME).lower_is_better


@pytest.mark.parametrize("number", range(1, 11))
@pytest.mark.parametrize("dealer", range(4))
def test_rulebook_match_seat_after_the_dealer_leads_every_deal(number, dealer):
    deal = dealt(NAME, number, dealer=dealer)
    while deal.kind != "play":
        deal.apply(deal.legal()[0])
    assert deal.actor == (dealer + 1) % 4


def test_rulebook_match_seat_after_the_dealer_leads_also_when_a_bidder_plays():
    assert auction("+1 pass pass accept trump:C").actor == 0
    assert auction("pass +1 pass accept no_trump").actor == 0
    assert auction("pass pass -1 accept").actor == 0


def test_rulebook_play_who_cannot_follow_plays_any_card():
    deal = table(NAME, 10, "2C 3C", "4D 5S", "6C 7C", "8C 9C")
    assert legal(do(deal, "pass pass pass trump:S 2C")) == "4D 5S"


def test_rulebook_play_no_obligation_to_overtrump():
    deal = table(NAME, 10, "2C 3C", "4S 5D", "6D 7S", "8S 3S")
    do(deal, "pass pass pass trump:S 2C 4S")
    assert legal(deal) == "6D 7S"
    assert legal(do(deal, "7S")) == "3S 8S"


@pytest.mark.parametrize("number", range(1, 7))
def test_rulebook_play_all_thirteen_tricks_are_played(number):
    deal = dealt(NAME, number)
    finish(deal)
    assert len(deal.actions) == 52


# Negative deals.


def test_rulebook_deal_1_costs_20_per_trick():
    assert finish(table(NAME, 1, "2C 3C", "4C 5C", "6C 7C", "8C 9C")) == [0, 0, 0, -40]


def test_rulebook_deal_2_costs_20_per_heart():
    deal = table(NAME, 2, "2C 3C", "4C 5C", "6C 7H", "8H 9C")
    assert do(deal, "2C 4C 6C 9C", "8H 3C 5C 7H").scores() == [0, 0, 0, -40]


def test_rulebook_deal_2_hearts_may_not_be_led():
    deal = table(NAME, 2, "2C 3H", "4C 5C", "6C 7C", "8C 9C")
    assert legal(deal) == "2C"
    with pytest.raises(IllegalAction, match="3H is not legal; legal: 2C"):
        do(deal, "3H")


def test_rulebook_deal_2_hearts_may_be_led_by_a_leader_with_only_hearts():
    assert legal(table(NAME, 2, "2H 3H", "4C 5C", "6C 7C", "8C 9C")) == "2H 3H"


def test_rulebook_deal_2_hearts_may_be_discarded_on_the_first_trick():
    assert legal(do(table(NAME, 2, "2C 3C", "4H 5D", "6C 7C", "8C 9C"), "2C")) == "5D 4H"


def test_rulebook_deal_3_costs_50_per_queen():
    assert finish(table(NAME, 3, "2C 3C", "QC QD", "6C 7C", "8C KC")) == [0, -100, 0, 0]


def test_rulebook_deal_4_costs_30_per_king_or_jack():
    assert finish(table(NAME, 4, "JC 3D", "4C KS", "6C QD", "8C QH")) == [-30, 0, -30, 0]


def test_rulebook_deal_5_costs_160_for_the_king_of_hearts():
    deal = table(NAME, 5, "2H 3C", "4C KH", "6H 7C", "8C 9C")
    assert do(deal, "3C 4C 7C 8C", "9C 2H KH 6H").scores() == [0, 0, 0, -160]


def test_rulebook_deal_5_the_king_of_hearts_may_not_be_led():
    assert legal(table(NAME, 5, "KH 3H", "4C 5C", "6C 7C", "8C 9C")) == "3H"


def test_rulebook_deal_5_the_king_of_hearts_may_be_led_as_the_last_card():
    deal = table(NAME, 5, "KH AH", "4C 5C", "6C 7C", "8C 9C")
    assert legal(do(deal, "AH 4C 6C 8C")) == "KH"


def test_rulebook_deal_5_other_hearts_may_be_led():
    assert legal(table(NAME, 5, "2C 3H", "4C 5C", "6C 7C", "8C 9C")) == "2C 3H"


def test_rulebook_deal_5_the_king_of_hearts_may_be_discarded():
    assert legal(do(table(NAME, 5, "2C 3C", "KH 5D", "6C 7C", "8C 9C"), "2C")) == "5D KH"


def test_rulebook_deal_6_costs_90_for_each_of_the_last_two_tricks():
    deal = table(NAME, 6, "2C 5D AC", "4C 5C 2S", "6C 7C 3S", "8C 9C 4S")
    do(deal, "2C 4C 6C 8C", "9C AC 5C 7C")
    assert do(deal, "5D 2S 3S 4S").scores() == [-180, 0, 0, 0]
    deal = table(NAME, 6, "2C 5D AC", "4C 5C 2S", "6C 7C 3S", "8C 9C 4S")
    do(deal, "AC 4C 6C 8C", "2C 5C 7C 9C")
    assert do(deal, "4S 5D 2S 3S").scores() == [0, 0, 0, -180]


@pytest.mark.parametrize(("number", "total"), [(1, -260), (2, -260), (3, -200), (4, -240), (5, -160), (6, -180)])
def test_rulebook_negative_deals_add_up(number, total):
    assert sum(finish(dealt(NAME, number))) == total


# Positive deals: the bids.


@pytest.mark.parametrize("number", [7, 8, 9, 10])
@pytest.mark.parametrize("dealer", range(4))
def test_rulebook_bids_the_three_others_bid_beginning_after_the_owner(number, dealer):
    deal = dealt(NAME, number, dealer=dealer)
    seats = []
    while deal.kind == "bid":
        seats.append(deal.actor)
        do(deal, "pass")
    assert seats == [(dealer + step) % 4 for step in (1, 2, 3)]
    assert (deal.kind, deal.actor) == ("choose", dealer)


def test_rulebook_bids_are_plus_1_to_8_and_minus_1_and_2():
    deal = auction()
    assert (deal.kind, legal(deal)) == ("bid", " ".join(["pass", *LADDER]))


@pytest.mark.parametrize("place", range(len(LADDER)))
def test_rulebook_bids_rank(place):
    deal = auction(LADDER[place])
    assert legal(deal) == " ".join(["pass", *LADDER[place + 1 :]])


def test_rulebook_bids_8_is_the_highest():
    assert legal(auction("+8")) == "pass"


def test_rulebook_bids_a_match_from_a_nearer_seat():
    assert "+3" in legal(auction("+1 +3 pass")).split()


def test_rulebook_bids_no_match_from_a_farther_seat():
    assert "+3" not in legal(auction("+3")).split()
    assert "+3" not in legal(auction("pass +3")).split()


def test_rulebook_bids_a_match_becomes_the_standing_bid():
    deal = auction("+1 +3 pass +3")
    assert (deal.actor, "+3" in legal(deal).split()) == (1, False)
    deal = do(deal, "pass")
    assert (deal.kind, deal.actor) == ("answer", 3)
    assert do(deal, "accept").actor == 0


def test_rulebook_bids_a_match_can_be_made_of_8():
    deal = auction("+1 +8 pass")
    assert legal(deal) == "pass +8"


def test_rulebook_bids_a_pass_is_final():
    deal = auction("pass +1 +2 +3")
    assert deal.actor == 2
    assert do(deal, "pass").kind == "answer"


def test_rulebook_bids_end_when_all_but_the_standing_bidder_have_passed():
    deal = auction("+1 +2 pass pass")
    assert (deal.kind, deal.actor, deal.bidding.bidder) == ("answer", 3, 1)


def test_rulebook_bids_end_when_all_three_have_passed():
    assert auction("pass pass pass").kind == "choose"


def test_rulebook_bids_the_standing_bidder_is_not_asked():
    deal = auction("+1 pass +2")
    assert deal.actor == 0
    assert do(deal, "+2").actor == 2
    assert auction("pass pass +1").kind == "answer"


# The owner's answer.


def test_rulebook_answer_actions():
    assert legal(auction("+1 pass pass")) == "accept refuse raise eight_or_nulls"


def test_rulebook_answer_accept_the_bidder_plays():
    deal = auction("pass +1 pass accept")
    assert (deal.kind, deal.actor, deal.declarer) == ("choose", 1, 1)


def test_rulebook_answer_refuse_the_owner_plays():
    deal = auction("pass +1 pass refuse")
    assert (deal.kind, deal.actor, deal.declarer) == ("choose", 3, 3)


def test_rulebook_answer_raise_any_higher_bid_or_stand():
    deal = auction("pass +6 pass raise")
    assert (deal.kind, deal.actor, legal(deal)) == ("reply", 1, "-2 +7 +8 stand")


def test_rulebook_answer_after_a_higher_bid_the_owner_answers_again():
    deal = auction("pass +6 pass raise +7")
    assert (deal.kind, deal.actor, legal(deal)) == ("answer", 3, "accept refuse raise eight_or_nulls")


def test_rulebook_answer_after_a_stand_no_raise_again():
    deal = auction("pass +6 pass raise stand")
    assert (deal.kind, deal.actor, legal(deal)) == ("answer", 3, "accept refuse eight_or_nulls")
    assert auction("+6 pass pass raise -2 raise stand accept").contract.id == "nulls"


def test_rulebook_answer_no_raise_and_no_ultimatum_against_8():
    assert legal(auction("+8 pass pass")) == "accept refuse"
    assert legal(auction("+6 pass pass raise +8")) == "accept refuse"


def test_rulebook_answer_ultimatum_is_answered_with_8_or_decline():
    deal = auction("pass -1 pass eight_or_nulls")
    assert (deal.kind, deal.actor, legal(deal)) == ("reply", 1, "+8 decline")


def test_rulebook_answer_ultimatum_8_cannot_be_refused():
    deal = auction("pass -1 pass eight_or_nulls +8")
    assert (deal.kind, deal.actor, deal.declarer) == ("choose", 1, 1)
    assert legal(deal) == "trump:C trump:D trump:H trump:S no_trump"
    assert finish(do(deal, "no_trump")) == [0, -200, 0, 50 + 200]


def test_rulebook_answer_ultimatum_declined_the_owner_plays_nulls_and_nobody_pays():
    deal = auction("pass -1 pass eight_or_nulls decline")
    assert (deal.kind, deal.actor, deal.declarer, deal.contract.id) == ("play", 0, 3, "nulls")
    assert finish(deal) == [325, 325, 325, 325 - 150]


def test_rulebook_answer_without_a_bid_the_owner_chooses_at_once():
    deal = auction("pass pass pass")
    assert (deal.kind, deal.actor, deal.declarer) == ("choose", 3, 3)


# Choosing.

ALL_CHOICES = "trump:C trump:D trump:H trump:S no_trump nulls 433"


@pytest.mark.parametrize("choice", ALL_CHOICES.split()[:-1])
def test_rulebook_choose_owner_may_name_any(choice):
    assert auction("pass pass pass", choice).contract.id == choice


def test_rulebook_choose_bidder_with_a_plus_bid_names_a_trump_or_no_trump():
    assert legal(auction("+1 pass pass accept")) == "trump:C trump:D trump:H trump:S no_trump"


def test_rulebook_choose_bidder_with_a_minus_bid_plays_nulls_without_a_choice():
    deal = auction("-1 pass pass accept")
    assert (deal.kind, deal.contract.id, deal.declarer) == ("play", "nulls", 0)


def test_rulebook_choose_owner_who_refused_or_got_no_bid_may_name_any():
    assert legal(auction("pass pass pass")) == ALL_CHOICES
    assert legal(auction("+1 pass pass refuse")) == ALL_CHOICES


@pytest.mark.parametrize(
    ("actions", "available"),
    [
        ("pass pass pass", True),
        ("+1 pass pass refuse", True),
        ("+1 +2 pass pass refuse", True),
        ("+1 +2 +3 pass pass refuse", False),
        ("+1 +2 pass +2 pass refuse", False),
        ("+1 pass pass raise +2 refuse", True),
        ("+1 +2 pass pass raise +3 refuse", False),
        ("+1 pass pass raise +2 raise +3 refuse", False),
        ("+1 pass pass raise +2 raise stand refuse", True),
    ],
)
def test_rulebook_choose_433_with_fewer_than_three_bids(actions, available):
    assert ("433" in legal(auction(actions)).split()) is available


def test_rulebook_choose_433_nothing_is_played():
    deal = auction("pass pass pass 433")
    assert deal.over
    assert deal.scores() == [75, 75, 75, 100]
    assert (deal.contract.id, deal.declarer) == ("433", 3)


def test_rulebook_choose_433_after_a_refusal_nobody_pays():
    assert auction("+2 pass pass refuse 433").scores() == [75, 75, 75, 100]


# Scores and payment.


@pytest.mark.parametrize("choice", ["trump:S", "no_trump"])
def test_rulebook_scores_25_per_trick_to_whoever_takes_it(choice):
    assert finish(auction("pass pass pass", choice, hands=("2C AD", "4C 5D", "9C 7C", "8C 9D"))) == [25, 0, 0, 25]


def test_rulebook_scores_nulls_325_less_75_per_trick():
    deal = dealt(NAME, 10)
    scores = finish(do(deal, "pass pass pass nulls"))
    assert scores == [325 - 75 * tricks for tricks in deal.trick.counts]
    assert sum(scores) == 325


def test_rulebook_payment_of_a_plus_bid_whatever_the_bidder_took():
    assert finish(auction("+3 pass pass accept no_trump")) == [-75, 0, 0, 50 + 75]


def test_rulebook_payment_goes_to_the_owner_from_the_bidder_also_when_the_bidder_wins_tricks():
    hands = ("AC KC", "4C 5C", "6C 7C", "8C 9C")
    assert finish(auction("pass +1 pass accept no_trump", hands=hands)) == [50, -25, 0, 25]


@pytest.mark.parametrize(
    ("bid", "owners_tricks", "paid"),
    [("-1", 0, 0), ("-1", 1, 75), ("-1", 2, 75), ("-2", 0, 0), ("-2", 1, 75), ("-2", 2, 150)],
)
def test_rulebook_payment_of_a_minus_bid_bears_the_owners_tricks(bid, owners_tricks, paid):
    owner = {0: "3C 3D", 1: "AC 3D", 2: "AC AD"}[owners_tricks]
    deal = auction(bid, "pass pass accept", hands=("2C 2D", "KC KD", "6C 7D", owner))
    finish(deal)
    tricks = deal.trick.counts
    assert tricks[3] == owners_tricks
    expected = [325 - 75 * count for count in tricks]
    assert deal.scores() == [expected[0] - paid, expected[1], expected[2], expected[3] + paid]


def test_rulebook_payment_none_when_the_owner_refuses():
    assert finish(auction("+3 pass pass refuse no_trump")) == [0, 0, 0, 50]


def test_rulebook_scores_positive_deals_add_up_to_325():
    for choice in ALL_CHOICES.split():
        assert sum(finish(do(dealt(NAME, 7), "pass pass pass", choice))) == 325
    assert sum(finish(do(dealt(NAME, 7), "+3 pass pass accept trump:D"))) == 325
    assert sum(finish(do(dealt(NAME, 7), "-2 pass pass accept"))) == 325


# Option deck: 32.


def test_rulebook_deck_32_eight_cards_each_from_7_to_ace():
    deal = dealt(NAME, 1, deck=32)
    assert [hand.bit_count() for hand in deal.hands] == [8] * 4
    assert all(number % 13 >= card("7C") for hand in deal.hands for number in range(52) if hand >> number & 1)


def test_rulebook_deck_32_no_last_two_counts_tricks_7_and_8():
    deal = dealt(NAME, 6, deck=32)
    scores = finish(deal)
    assert scores == [-90 * deal.trick.winners[6:].count(seat) for seat in range(4)]


def test_rulebook_deck_32_nulls_start_at_200():
    deal = dealt(NAME, 7, deck=32)
    scores = finish(do(deal, "pass pass pass nulls"))
    assert scores == [200 - 75 * tricks for tricks in deal.trick.counts]


def test_rulebook_deck_32_no_433():
    deal = do(dealt(NAME, 7, deck=32), "pass pass pass")
    assert legal(deal) == "trump:C trump:D trump:H trump:S no_trump nulls"


def test_rulebook_deck_32_totals_add_up_to_minus_300():
    settled = game(NAME, deck=32)
    assert settled.match_total == -300
    assert game(NAME).match_total == 0
    negatives = sum(sum(finish(dealt(NAME, number, deck=32))) for number in range(1, 7))
    positives = sum(sum(finish(do(dealt(NAME, number, deck=32), "pass pass pass trump:C"))) for number in range(7, 11))
    assert negatives + positives == -300


# Decisions.


def test_rulebook_decision_1_the_left_neighbour_leads_in_deal_1():
    assert dealt(NAME, 1, dealer=0).actor == 1


def test_rulebook_decision_2_deal_2_counts_hearts_and_not_tricks_with_hearts():
    deal = dealt(NAME, 2)
    scores = finish(deal)
    assert scores == [-20 * (taken & SUIT_MASKS[HEARTS]).bit_count() for taken in deal.trick.taken]


@pytest.mark.parametrize("bid", LADDER[:-1])
def test_rulebook_decision_3_the_ultimatum_is_allowed_against_every_bid_below_8(bid):
    assert "eight_or_nulls" in legal(auction(bid, "pass pass")).split()


def test_rulebook_decision_3_only_the_bidder_answers_the_ultimatum():
    assert auction("+1 +2 pass pass eight_or_nulls").actor == 1


def test_rulebook_decision_4_fewer_than_three_bids_are_two_bids_made_whoever_made_them():
    assert "433" in legal(auction("+1 pass +2 pass refuse")).split()
    assert "433" not in legal(auction("+1 pass +2 +3 pass refuse")).split()


def test_rulebook_decision_5_a_bid_of_minus_3_does_not_exist():
    assert "-3" not in game(NAME).actions.texts
