"""docs/rules/king-fetes.md, clause by clause."""

import pytest

from referee.rules.errors import IllegalAction
from tests.rules.tables import bids, dealt, do, finish, game, legal, table

NAME = "king.fetes"
PLUS = [f"+{number}" for number in range(1, 14)]
MINUS = ["-1", "-2", "-3"]
HANDS = ("2C 3C", "4C 5C", "6C 7C", "8C 9C")


def fete(*actions: str, hands=HANDS):
    """Deal 10 owned by seat 3: seats 0, 1 and 2 bid."""
    return do(table(NAME, 10, *hands, dealer=3), *actions)


def points(bid: str) -> int:
    return (25 if bid[0] == "+" else 75) * int(bid[1:])


# The match.


def test_rulebook_match_ten_deals_six_negative_then_four_fetes():
    plans = [game(NAME).programme.plan(number) for number in range(1, 11)]
    names = [plan.contract and plan.contract.id for plan in plans]
    negatives = ["no_tricks", "no_hearts", "no_queens", "no_men", "no_king_of_hearts", "no_last_two"]
    assert names == negatives + [None] * 4
    assert game(NAME).programme.plan(11) is None


def test_rulebook_match_13_cards_each_highest_total_wins_totals_add_up_to_0():
    assert game(NAME).hand_size == 13
    assert not game(NAME).lower_is_better
    assert game(NAME).match_total == 0


@pytest.mark.parametrize("number", range(1, 7))
@pytest.mark.parametrize("dealer", range(4))
def test_rulebook_match_the_seat_after_the_dealer_leads(number, dealer):
    assert dealt(NAME, number, dealer=dealer).actor == (dealer + 1) % 4


# Negative deals.


def test_rulebook_deal_1_costs_20_per_trick():
    assert finish(table(NAME, 1, "2C 3C", "4C 5C", "6C 7C", "8C 9C")) == [0, 0, 0, -40]


def test_rulebook_deal_1_does_not_end_early_and_anything_may_be_led():
    deal = dealt(NAME, 1)
    assert len(deal.legal()) == 13
    finish(deal)
    assert len(deal.actions) == 52


def test_rulebook_deal_2_costs_20_per_heart():
    deal = table(NAME, 2, "2C 3C", "4C 5C", "6C 7H", "8H 9C")
    assert do(deal, "2C 4C 6C 9C", "8H 3C 5C 7H").scores() == [0, 0, 0, -40]


def test_rulebook_deal_2_hearts_may_not_be_led_while_the_leader_holds_another_suit():
    assert legal(table(NAME, 2, "2H 3S", "4C 5C", "6C 7C", "8C 9C")) == "3S"


def test_rulebook_deal_2_hearts_may_be_led_from_a_hand_of_hearts():
    assert legal(table(NAME, 2, "2H 3H", "4C 5C", "6C 7C", "8C 9C")) == "2H 3H"


def test_rulebook_deal_2_hearts_may_not_be_led_on_later_tricks_either():
    deal = table(NAME, 2, "AC 3H 4D", "4C 5C 2D", "6C 7C 3D", "8C 9C 5D")
    assert legal(do(deal, "AC 4C 6C 8C")) == "4D"


def test_rulebook_deal_2_hearts_may_not_be_discarded_on_the_first_trick():
    deal = do(table(NAME, 2, "2C 3C", "4H 5D", "6C 7C", "8C 9C"), "2C")
    assert legal(deal) == "5D"
    with pytest.raises(IllegalAction, match="4H is not legal; legal: 5D"):
        do(deal, "4H")


def test_rulebook_deal_2_hearts_may_be_discarded_later():
    deal = table(NAME, 2, "2C 3C AC", "4H 5D 4C", "6C 7C 8S", "8C 9C 9S")
    assert legal(do(deal, "AC 4C 6C 8C", "2C")) == "5D 4H"


def test_rulebook_deal_3_costs_50_per_queen():
    assert finish(table(NAME, 3, "2C 3C", "QC QD", "6C 7C", "8C KC")) == [0, -100, 0, 0]


def test_rulebook_deal_4_costs_30_per_king_or_jack():
    assert finish(table(NAME, 4, "JC 3D", "4C KS", "6C QD", "8C QH")) == [-30, 0, -30, 0]


def test_rulebook_deal_5_costs_160():
    deal = table(NAME, 5, "2D AC", "4C KH", "6H 7C", "8C 9C")
    assert do(deal, "AC 4C 7C 8C", "2D KH").trick.cards
    assert do(deal, "6H 9C").scores() == [-160, 0, 0, 0]


def test_rulebook_deal_5_hearts_may_not_be_led_while_the_leader_holds_another_suit():
    assert legal(table(NAME, 5, "2H 3S", "4C 5C", "6C 7C", "8C 9C")) == "3S"
    assert legal(table(NAME, 5, "2H 3H", "4C 5C", "6C 7C", "8C 9C")) == "2H 3H"


def test_rulebook_deal_5_who_cannot_follow_must_play_the_king_of_hearts():
    deal = do(table(NAME, 5, "2D AC", "4C KH", "6H 7C", "8C 9C"), "AC 4C 7C 8C", "2D")
    assert legal(deal) == "KH"
    deal = do(table(NAME, 5, "2D AC 3D", "4C KH 5S", "6H 7C 7S", "8C 9C 9S"), "AC 4C 7C 8C", "2D")
    assert legal(deal) == "KH"


def test_rulebook_deal_5_who_can_follow_need_not_play_the_king_of_hearts():
    deal = table(NAME, 5, "AC 2H", "4C 5C", "6C 7C", "8C 9C")
    assert legal(do(deal, "AC")) == "4C 5C"
    deal = do(table(NAME, 5, "AC 2H 3H", "4C KH 5H", "6C 6H 7H", "8C 8H 9H"), "AC 4C 6C 8C", "2H")
    assert legal(deal) == "5H KH"


def test_rulebook_deal_5_on_the_first_trick_the_king_may_not_be_discarded():
    assert legal(do(table(NAME, 5, "AC 2H", "KH 5D", "6C 7C", "8C 9C"), "AC")) == "5D"


def test_rulebook_deal_6_costs_90_for_each_of_the_last_two_tricks():
    deal = dealt(NAME, 6)
    scores = finish(deal)
    assert len(deal.actions) == 52
    assert scores == [-90 * deal.trick.winners[11:].count(seat) for seat in range(4)]


@pytest.mark.parametrize(
    ("number", "hands", "actions"),
    [
        (3, ("QC 2C", "QD 3C", "QH 4C", "QS 5C"), "QC 3C 4C 5C 2C QD QH QS"),
        (5, ("AC 2D 2C", "4C KH 3C", "6H 7C 4D", "8C 9C 5C"), "AC 4C 7C 8C 2D KH 4D 5C"),
    ],
)
def test_rulebook_ends_early_at_the_end_of_the_trick_with_the_last_card_that_costs(number, hands, actions):
    deal = do(table(NAME, number, *hands), actions)
    assert deal.over


@pytest.mark.parametrize(("number", "costly"), [(2, "H"), (3, "Q"), (4, "KJ"), (5, None)])
def test_rulebook_ends_early_not_a_trick_sooner_or_later(number, costly):
    for seed in range(10):
        deal = dealt(NAME, number, seed=seed)
        finish(deal)
        played = [deal.game.actions.text(action) for action in deal.actions]
        costs = [i for i, text in enumerate(played) if (text == "KH" if costly is None else set(text) & set(costly))]
        assert len(played) == (max(costs) // 4 + 1) * 4


@pytest.mark.parametrize(("number", "total"), [(1, -260), (2, -260), (3, -200), (4, -240), (5, -160), (6, -180)])
def test_rulebook_negative_deals_add_up(number, total):
    for seed in range(5):
        assert sum(finish(dealt(NAME, number, seed=seed))) == total


# The fêtes: bids.


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


def test_rulebook_bids_are_plus_1_to_13_and_minus_1_to_3():
    assert sorted(bids(fete()).split()) == sorted(PLUS + MINUS)


@pytest.mark.parametrize("standing", PLUS + MINUS)
def test_rulebook_bids_exceed_by_strictly_more_points(standing):
    higher = [bid for bid in PLUS + MINUS if points(bid) > points(standing)]
    assert sorted(bids(fete(standing)).split()) == sorted(higher)


def test_rulebook_bids_a_match_from_a_nearer_seat():
    assert "+3" in legal(fete("+1 +3 pass")).split()
    assert "-1" not in legal(fete("+1 +3 pass")).split()


def test_rulebook_bids_no_match_from_a_farther_seat():
    assert "+3" not in legal(fete("+3")).split()


def test_rulebook_bids_a_match_becomes_the_standing_bid():
    deal = fete("+1 -3 pass -3")
    assert (deal.actor, "-3" in legal(deal).split()) == (1, False)
    assert do(deal, "pass accept").declarer == 0


def test_rulebook_bids_a_pass_is_final():
    deal = fete("pass +1 +2 +3")
    assert deal.actor == 2
    assert do(deal, "pass").kind == "answer"


def test_rulebook_bids_end_when_all_but_the_standing_bidder_have_passed():
    deal = fete("+1 +2 pass pass")
    assert (deal.kind, deal.actor, deal.bidding.bidder) == ("answer", 3, 1)


def test_rulebook_bids_end_when_all_three_passed():
    assert fete("pass pass pass").kind == "choose"


def test_rulebook_bids_the_standing_bidder_is_not_asked():
    assert do(fete("+1 pass +2"), "+2").actor == 2
    assert fete("pass pass +1").kind == "answer"


# The owner's answer.


def test_rulebook_answer_actions():
    assert legal(fete("+1 pass pass")) == "accept raise"


def test_rulebook_answer_accept():
    deal = fete("pass +1 pass accept")
    assert (deal.kind, deal.actor, deal.declarer) == ("choose", 1, 1)


def test_rulebook_answer_raise_a_bid_of_strictly_more_points_or_give_up():
    deal = fete("pass -2 pass raise")
    assert (deal.kind, deal.actor) == ("reply", 1)
    assert set(legal(deal).split()) == {"+7", "+8", "+9", "+10", "+11", "+12", "+13", "-3", "give_up"}


def test_rulebook_answer_the_owner_answers_a_raised_bid_anew():
    deal = fete("pass +1 pass raise +3")
    assert (deal.kind, deal.actor, legal(deal)) == ("answer", 3, "accept raise")


def test_rulebook_answer_give_up_then_no_bid_is_retained():
    deal = fete("pass +1 pass raise give_up")
    assert (deal.kind, deal.actor, deal.declarer) == ("choose", 3, 3)
    assert finish(do(deal, "nulls")) == [325, 325, 325, 325 - 150]


def test_rulebook_answer_raise_of_the_highest_bid_can_only_be_given_up():
    deal = fete("+13 pass pass")
    assert legal(deal) == "accept raise"
    assert legal(do(deal, "raise")) == "give_up"


@pytest.mark.parametrize("bid", PLUS + MINUS)
def test_rulebook_answer_ultimatum_only_against_plus_6_and_plus_7(bid):
    assert ("eight_or_nulls" in legal(fete(bid, "pass pass")).split()) is (bid in ("+6", "+7"))


def test_rulebook_answer_ultimatum_after_a_raise():
    assert legal(fete("+5 pass pass raise +6")) == "accept raise eight_or_nulls"


def test_rulebook_answer_ultimatum_is_answered_with_8_or_decline():
    deal = fete("pass +6 pass eight_or_nulls")
    assert (deal.kind, deal.actor, legal(deal)) == ("reply", 1, "+8 decline")


def test_rulebook_answer_ultimatum_8_is_accepted():
    deal = fete("pass +6 pass eight_or_nulls +8")
    assert (deal.kind, deal.actor, deal.declarer) == ("choose", 1, 1)
    assert finish(do(deal, "trump:S:self")) == [0, -200, 0, 50 + 200]


# Who plays it.

SUITED = [f"trump:{suit}:{leader}" for suit in "CDHS" for leader in ("self", "next")]


def test_rulebook_plays_1_a_plus_bidder_names_trump_and_leader():
    assert legal(fete("+1 pass pass accept")).split() == SUITED


def test_rulebook_plays_1_a_minus_bidder_plays_nulls_and_names_the_leader():
    deal = fete("-1 pass pass accept")
    assert (deal.kind, legal(deal)) == ("choose", "nulls:self nulls:next")


@pytest.mark.parametrize(("choice", "leader"), [("trump:H:self", 1), ("trump:H:next", 2)])
def test_rulebook_plays_1_the_bidder_or_the_seat_after_him_leads(choice, leader):
    deal = fete("pass +1 pass accept", choice)
    assert (deal.actor, deal.contract.id, deal.declarer) == (leader, "trump:H", 1)


@pytest.mark.parametrize(("choice", "leader"), [("nulls:self", 1), ("nulls:next", 2)])
def test_rulebook_plays_1_the_same_in_a_bidders_nulls(choice, leader):
    deal = fete("pass -1 pass accept", choice)
    assert (deal.actor, deal.contract.id, deal.declarer) == (leader, "nulls", 1)


@pytest.mark.parametrize("bid", PLUS)
def test_rulebook_plays_1_a_plus_bid_is_paid_in_full(bid):
    scores = finish(fete("pass", bid, "pass accept trump:S:next"))
    assert scores == [0, -points(bid), 0, 50 + points(bid)]


@pytest.mark.parametrize("bid", MINUS)
def test_rulebook_plays_1_a_minus_bid_is_paid_in_full_whatever_the_owner_takes(bid):
    scores = finish(fete("pass", bid, "pass accept nulls:next"))
    assert scores == [325, 325 - points(bid), 325, 325 - 150 + points(bid)]


def test_rulebook_plays_2_decline_the_owner_plays_nulls_nobody_pays_the_next_seat_leads():
    deal = fete("pass +7 pass eight_or_nulls decline")
    assert (deal.kind, deal.actor, deal.declarer, deal.contract.id) == ("play", 0, 3, "nulls")
    assert finish(deal) == [325, 325, 325, 325 - 150]


def test_rulebook_plays_3_the_owner_names_nulls_a_trump_and_leader_or_433():
    assert legal(fete("pass pass pass")).split() == [*SUITED, "nulls", "433"]
    assert legal(fete("+1 +2 +3 pass pass raise give_up")).split() == [*SUITED, "nulls", "433"]


@pytest.mark.parametrize(("choice", "leader"), [("nulls", 0), ("trump:D:self", 3), ("trump:D:next", 0)])
def test_rulebook_plays_3_who_leads(choice, leader):
    deal = fete("pass pass pass", choice)
    assert (deal.actor, deal.declarer) == (leader, 3)


def test_rulebook_plays_3_433_nothing_is_played():
    deal = fete("pass pass pass 433")
    assert deal.over
    assert deal.scores() == [75, 75, 75, 100]
    assert (deal.contract.id, deal.declarer) == ("433", 3)


def test_rulebook_fete_with_trump_25_per_trick():
    assert finish(fete("pass pass pass trump:S:next", hands=("2C AD", "4C 5D", "9C 7C", "8C 9D"))) == [25, 0, 0, 25]


def test_rulebook_nulls_325_less_75_per_trick():
    deal = dealt(NAME, 10)
    scores = finish(do(deal, "pass pass pass nulls"))
    assert scores == [325 - 75 * tricks for tricks in deal.trick.counts]


def test_rulebook_fetes_add_up_to_325():
    for choice in [*SUITED, "nulls", "433"]:
        assert sum(finish(do(dealt(NAME, 7), "pass pass pass", choice))) == 325
    assert sum(finish(do(dealt(NAME, 7), "+13 pass pass accept trump:D:self"))) == 325
    assert sum(finish(do(dealt(NAME, 7), "-3 pass pass accept nulls:self"))) == 325


# Play with trump: spades; seat 0 leads.


def trumps(*hands: str):
    return fete("pass pass pass trump:S:next", hands=hands)


def test_rulebook_trump_who_can_follow_must():
    assert legal(do(trumps("2C 3C", "4C AS", "6C 7C", "8C 9C"), "2C")) == "4C"


def test_rulebook_trump_led_a_follower_must_play_higher_if_possible():
    assert legal(do(trumps("5S 3C", "4S AS", "6C 7C", "8C 9C"), "5S")) == "AS"
    assert legal(do(trumps("5S 3C", "7S 2C", "6S 9S", "8C 9C"), "5S 7S")) == "9S"


def test_rulebook_trump_led_a_follower_without_a_higher_one_plays_any_trump():
    assert legal(do(trumps("AS 3C", "4S 2S", "6C 7C", "8C 9C"), "AS")) == "2S 4S"


def test_rulebook_trump_led_without_a_trump_any_card():
    assert legal(do(trumps("AS 3C", "4D 2C", "6C 7C", "8C 9C"), "AS")) == "2C 4D"


def test_rulebook_trump_who_cannot_follow_must_trump():
    assert legal(do(trumps("2C 3C", "4D AS", "6C 7C", "8C 9C"), "2C")) == "AS"


def test_rulebook_trump_who_cannot_follow_must_trump_higher_if_possible():
    assert legal(do(trumps("2C 3C", "4D 5S", "7S 3S", "8C 9C"), "2C 5S")) == "7S"


def test_rulebook_trump_who_has_no_higher_one_plays_any_card():
    assert legal(do(trumps("2C 3C", "4D 9S", "7S 6D", "8C 9C"), "2C 9S")) == "6D 7S"


def test_rulebook_trump_following_a_plain_suit_there_is_no_duty_to_play_high():
    assert legal(do(trumps("5C 3C", "4C 9C", "6C 7C", "8C TC"), "5C")) == "4C 9C"


# Decisions.


def test_rulebook_decision_1_a_hand_of_hearts_may_discard_one_on_the_first_trick_of_deal_2():
    assert legal(do(table(NAME, 2, "2C 3C", "4H 5H", "6C 7C", "8C 9C"), "2C")) == "4H 5H"


def test_rulebook_decision_2_plus_bids_end_at_13_and_nulls_bids_at_3():
    assert {"+14", "-4"}.isdisjoint(game(NAME).actions.texts)


def test_rulebook_decision_3_strictly_more_points():
    assert "-1" not in legal(fete("+3")).split()
    assert "-3" in legal(fete("+8")).split()
    assert "-3" not in legal(fete("+9")).split()
    assert "+3" not in legal(fete("-1")).split()


def test_rulebook_decision_4_a_nearer_seat_that_passed_cannot_match():
    assert fete("pass +3").actor == 2
    assert fete("pass +3 pass").kind == "answer"


def test_rulebook_decision_4_the_nearer_seat_has_priority():
    deal = fete("+1 +2 +3 +3 +4 pass +4")
    assert (deal.actor, deal.bidding.bidder) == (1, 0)
    assert "+4" not in legal(deal).split()


def test_rulebook_decision_5_a_leader_of_thirteen_hearts_leads_another_one():
    hearts = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
    deal = table(NAME, 5, hearts, *(hearts.replace("H", suit) for suit in "CDS"))
    assert legal(deal).split() == [heart for heart in hearts.split() if heart != "KH"]


def test_rulebook_decision_5_a_follower_of_a_heart_lead_may_play_the_king():
    assert legal(do(table(NAME, 5, "2H 3H", "4H KH", "6C 7C", "8C 9C"), "2H")) == "4H KH"


def test_rulebook_decision_5_a_follower_must_play_the_king_if_it_is_his_only_heart():
    assert legal(do(table(NAME, 5, "2H 3H", "4C KH", "6C 7C", "8C 9C"), "2H")) == "KH"


def test_rulebook_decision_5_on_later_tricks_a_hand_of_hearts_may_lead_the_king():
    deal = do(table(NAME, 5, "AC KH 2H", "4C 5C 2D", "6C 7C 3D", "8C 9C 5D"), "AC 4C 6C 8C")
    assert legal(deal) == "2H KH"
