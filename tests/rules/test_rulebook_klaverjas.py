"""docs/rules/klaverjas.md, clause by clause. Spades are trump, seat 0 leads, and seat 3 is the maker, unless said otherwise."""

import itertools

import pytest

from referee.rules.match import Match
from tests.rules.tables import dealt, do, ended, finish, game, legal, table

AMSTERDAM, ROTTERDAM = "klaverjas.amsterdam", "klaverjas.rotterdam"
BOTH = pytest.mark.parametrize("name", [AMSTERDAM, ROTTERDAM])
SEED = bytes(32)


def spades(name: str, *hands: str, **options):
    return do(table(name, 1, *hands, dealer=3, **options), "trump:S")


def after(name: str, actions: str, *hands: str) -> str:
    return legal(do(spades(name, *hands, roem="auto"), actions))


# The match and the deal.


@BOTH
def test_rulebook_match_two_teams_seats_0_and_2_against_1_and_3(name):
    assert game(name).teams == (0, 1, 0, 1)


@BOTH
def test_rulebook_match_32_cards_in_packets_of_three_two_and_three(name):
    assert len(game(name).deck) == 32
    assert game(name).packets == (3, 2, 3)


@BOTH
def test_rulebook_match_target_is_501_by_default(name):
    assert game(name).options["target"] == 501
    assert not game(name).programme.is_over(3, [500, 400, 500, 400])
    assert game(name).programme.is_over(4, [501, 400, 501, 400])
    assert game(name, target=1000).programme.is_over(9, [400, 1000, 400, 1000])


@BOTH
@pytest.mark.parametrize("dealer", range(4))
def test_rulebook_trump_the_dealer_must_name_one_of_the_four_suits(name, dealer):
    deal = dealt(name, 1, dealer=dealer)
    assert (deal.kind, deal.actor, legal(deal)) == ("choose", dealer, "trump:C trump:D trump:H trump:S")
    do(deal, "trump:H")
    assert (deal.declarer, deal.contract.id) == (dealer, "trump:H")


@BOTH
@pytest.mark.parametrize("dealer", range(4))
def test_rulebook_lead_the_seat_after_the_dealer(name, dealer):
    deal = do(dealt(name, 1, dealer=dealer), "trump:H")
    assert (deal.kind, deal.actor) == ("play", (dealer + 1) % 4)


# Order and value of cards.


@BOTH
def test_rulebook_order_of_trumps(name):
    order = "J9ATKQ87"
    for high, low in itertools.pairwise(order):
        deal = spades(name, f"{low}S", f"{high}S", "7C", "8C", roem="auto")
        assert do(deal, f"{low}S {high}S 7C 8C").trick.counts == [0, 1, 0, 0]


@BOTH
def test_rulebook_order_of_plain_suits(name):
    order = "ATKQJ987"
    for high, low in itertools.pairwise(order):
        deal = spades(name, f"{low}D", f"{high}D", "7C", "8C", roem="auto")
        assert do(deal, f"{low}D {high}D 7C 8C").trick.counts == [0, 1, 0, 0]


@BOTH
@pytest.mark.parametrize(
    ("suit", "rank", "value"),
    [("S", rank, value) for rank, value in zip("J9ATKQ87", [20, 14, 11, 10, 4, 3, 0, 0], strict=True)]
    + [("D", rank, value) for rank, value in zip("ATKQJ987", [11, 10, 4, 3, 2, 0, 0, 0], strict=True)],
)
def test_rulebook_values(name, suit, rank, value):
    """Seat 3, a maker, takes a trick of three cards worth nothing and this one, and 10 for the last trick."""
    deal = spades(name, "7H", "8H", "9H", f"{rank}{suit}", roem="auto")
    do(deal, f"7H 8H 9H {rank}{suit}")
    winner = 1 if suit == "S" else 0
    assert deal.scores()[winner] == value + 10 + 20 + (100 if winner == 1 else 0)  # 7H 8H 9H is a run


@BOTH
def test_rulebook_values_add_up_to_152_and_the_last_trick_10(name):
    for seed in range(20):
        deal = dealt(name, 1, seed=seed, roem="choice")
        do(deal, "trump:C")
        while not deal.over:
            deal.apply(deal.legal()[-1])  # leave every bonus
        assert deal.scores()[0] + deal.scores()[1] in (162, 262)


# What may be played.


@BOTH
def test_rulebook_play_the_leader_leads_anything(name):
    assert legal(spades(name, "7C 8D JS", "9C TC JC", "QC KC AC", "7H 8H 9H")) == "7C 8D JS"


@BOTH
def test_rulebook_play_who_can_follow_suit_must(name):
    assert after(name, "7C", "7C 8D", "9C JS", "QC KC", "7H 8H") == "9C"


@BOTH
def test_rulebook_play_following_a_plain_suit_any_card_of_it(name):
    assert after(name, "JC", "JC 8D", "9C AC", "QC KC", "7H 8H") == "9C AC"


@BOTH
def test_rulebook_trump_led_a_follower_must_play_a_higher_trump(name):
    assert after(name, "QS", "QS 8D", "7S KS", "9C KC", "7H 8H") == "KS"


@BOTH
def test_rulebook_trump_led_higher_than_the_highest_one_in_the_trick(name):
    assert after(name, "QS TS", "QS 8D", "TS KC", "KS AS", "7H 8H") == "AS"


@BOTH
def test_rulebook_trump_led_higher_than_his_partners_too(name):
    assert after(name, "TS 7S", "TS 8D", "7S KC", "KS AS", "7H 8H") == "AS"


@BOTH
def test_rulebook_trump_led_otherwise_a_lower_trump(name):
    assert after(name, "JS", "JS 8D", "7S KS", "9C KC", "7H 8H") == "7S KS"
    assert after(name, "JS", "JS 8D", "7S KC", "9C TC", "7H 8H") == "7S"


@BOTH
def test_rulebook_trump_led_with_no_trump_any_card(name):
    assert after(name, "JS", "JS 8D", "7H KC", "9C TC", "8H 9H") == "KC 7H"


# A plain suit led, and the player cannot follow. Amsterdam.


def test_rulebook_amsterdam_opponents_plain_card_winning_must_trump():
    assert after(AMSTERDAM, "7D", "7D 8C 7H", "KC 7S JS", "9C TC QC", "8H 9H TH") == "7S JS"


def test_rulebook_amsterdam_opponents_trump_winning_must_go_higher():
    assert after(AMSTERDAM, "7D 9D QS", "7D 8C", "9D 9C", "QS TC", "7S KS") == "KS"


def test_rulebook_amsterdam_opponents_trump_winning_no_higher_must_discard_a_plain_card():
    assert after(AMSTERDAM, "7D 9D AS", "7D 8C", "9D 9C", "AS TC", "7S KC") == "KC"


def test_rulebook_amsterdam_opponents_trump_winning_only_lower_trumps_must_undertrump():
    assert after(AMSTERDAM, "7D 9D AS", "7D 8C", "9D 9C", "AS TC", "7S KS") == "7S KS"


def test_rulebook_amsterdam_opponent_winning_with_no_trump_any_card():
    assert after(AMSTERDAM, "7D", "7D 8C", "KC 7H", "9C TC", "8H 9H") == "KC 7H"
    assert after(AMSTERDAM, "7D 9D AS", "7D 8C", "9D 9C", "AS TC", "7H KC") == "KC 7H"


def test_rulebook_amsterdam_partners_plain_card_winning_any_card():
    assert after(AMSTERDAM, "AD 7D", "AD 8C", "7D 9C", "KC 7S", "8H 9H") == "KC 7S"


def test_rulebook_amsterdam_partners_trump_winning_any_card_but_a_lower_trump():
    assert after(AMSTERDAM, "7D TS 9D", "7D 8C 9H", "TS 9C 7H", "9D TC 8H", "7S AS KC") == "KC AS"


def test_rulebook_amsterdam_partners_trump_winning_only_lower_trumps():
    assert after(AMSTERDAM, "7D TS 9D", "7D 8C", "TS 9C", "9D TC", "7S KS") == "7S KS"


def test_rulebook_amsterdam_partners_trump_winning_only_trumps_some_higher():
    assert after(AMSTERDAM, "7D TS 9D", "7D 8C", "TS 9C", "9D TC", "7S AS") == "AS"


def test_rulebook_amsterdam_partners_trump_winning_lower_trumps_and_plain():
    assert after(AMSTERDAM, "7D TS 9D", "7D 8C", "TS 9C", "9D TC", "7S KC") == "KC"


# A plain suit led, and the player cannot follow. Rotterdam.


def test_rulebook_rotterdam_must_trump_if_he_can():
    assert after(ROTTERDAM, "7D", "7D 8C", "KC 7S", "9C TC", "8H 9H") == "7S"


def test_rulebook_rotterdam_must_trump_over_his_partner_too():
    assert after(ROTTERDAM, "AD 7D", "AD 8C", "7D 9C", "KC 7S", "8H 9H") == "7S"
    assert after(ROTTERDAM, "7D TS 9D", "7D 8C 9H", "TS 9C 7H", "9D TC 8H", "7S AS KC") == "AS"


def test_rulebook_rotterdam_higher_than_every_trump_in_the_trick_if_he_can():
    assert after(ROTTERDAM, "7D 9D QS", "7D 8C", "9D 9C", "QS TC", "7S KS") == "KS"


def test_rulebook_rotterdam_none_high_enough_must_undertrump():
    assert after(ROTTERDAM, "7D 9D AS", "7D 8C", "9D 9C", "AS TC", "7S KC") == "7S"
    assert after(ROTTERDAM, "7D TS 9D", "7D 8C", "TS 9C", "9D TC", "7S KC") == "7S"


def test_rulebook_rotterdam_with_no_trump_any_card():
    assert after(ROTTERDAM, "7D", "7D 8C", "KC 7H", "9C TC", "8H 9H") == "KC 7H"


# Bonus.


def bonus(cards: str, trump: str = "C") -> int:
    """The bonus of one trick, whose cards are led from seat 0 on; only the first must be followed, or nobody can."""
    deal = do(table(AMSTERDAM, 1, *cards.split(), dealer=3, roem="auto"), f"trump:{trump}", cards)
    return sum(points for _, points, _ in deal.bonuses)


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("AD KD QD 7D", 20),
        ("KD QD JD 7D", 20),
        ("9D JD TD 7D", 20),
        ("7D 8D 9D AD", 20),
        ("8D QD 9D 7D", 20),
        ("7D 8D 9D QH", 20),
        ("AD KD JD 7D", 0),
        ("AD KD 7D 8D", 0),
        ("QD JD QH JH", 0),
        ("AD 7D 8D QH", 0),
        ("KD QD 7H 8S", 0),
    ],
)
def test_rulebook_bonus_three_consecutive_cards_of_one_suit(cards, points):
    assert bonus(cards) == points


@pytest.mark.parametrize(("cards", "points"), [("AD KD QD JD", 50), ("TD 7D 9D 8D", 50), ("JD QD TD 9D", 50)])
def test_rulebook_bonus_four_consecutive_cards_of_one_suit(cards, points):
    assert bonus(cards) == points


@pytest.mark.parametrize(
    ("cards", "points"), [(" ".join(f"{rank}{suit}" for suit in "DHSC"), 100) for rank in "AKQT987"]
)
def test_rulebook_bonus_four_of_a_kind(cards, points):
    assert bonus(cards) == points


def test_rulebook_bonus_four_jacks():
    assert bonus("JD JH JS JC") == 200


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("KS QS 7S 9S", 20),
        ("7D KS QS 8D", 20),
        ("KS QS JS 7S", 40),
        ("AS KS QS 7S", 40),
        ("AS KS QS 7D", 40),
        ("KS QS JS TS", 70),
        ("AS KS QS JS", 70),
        ("QS JS TS 7S", 20),
        ("JS TS 9S 8S", 50),
    ],
)
def test_rulebook_bonus_king_and_queen_of_trump(cards, points):
    assert bonus(cards, trump="S") == points


def test_rulebook_bonus_consecutive_means_the_order_a_k_q_j_t_whatever_the_suit():
    assert bonus("JS TS 9S QD", trump="S") == 20
    assert bonus("JS 9S AS TD", trump="S") == 0
    assert bonus("AD TD KD 7H") == 0


#: Trick 1 is worth 18 and a bonus of 20 to seat 0, trick 2 is worth 16 to seat 3, a maker.
CLAIMING = ("AD 7C", "KD JC", "QD 9C", "7D KC")


@BOTH
def test_rulebook_bonus_the_winner_claims_or_leaves_it(name):
    deal = do(spades(name, *CLAIMING), "AD KD QD 7D")
    assert (deal.kind, deal.actor, legal(deal)) == ("claim", 0, "claim leave")


@BOTH
def test_rulebook_bonus_is_asked_at_once_with_the_trick_on_the_table_and_counted(name):
    deal = do(spades(name, *CLAIMING), "AD KD QD 7D")
    assert len(deal.trick.cards) == 4
    assert deal.trick.counts == [1, 0, 0, 0]
    do(deal, "claim")
    assert (deal.kind, deal.actor, legal(deal), deal.trick.cards) == ("play", 0, "7C", [])


@BOTH
def test_rulebook_bonus_is_not_asked_without_one(name):
    assert do(spades(name, "AD 7C", "KD 8C", "JD 9C", "7D TC"), "AD KD JD 7D").kind == "play"


@BOTH
@pytest.mark.parametrize(("choice", "points"), [("claim", 20), ("leave", 0)])
def test_rulebook_bonus_claimed_or_left(name, choice, points):
    deal = do(spades(name, *CLAIMING), "AD KD QD 7D", choice)
    assert finish(deal) == [34 + points, 0, 34 + points, 0]
    assert deal.bonuses == [(0, 20, choice == "claim")]


@BOTH
def test_rulebook_bonus_of_the_last_trick_is_asked_too(name):
    deal = do(spades(name, "AD", "KD", "QD", "7D"), "AD KD QD 7D")
    assert (deal.kind, deal.over) == ("claim", False)
    assert do(deal, "claim").over
    assert deal.scores() == [18 + 10 + 20, 0, 18 + 10 + 20, 0]


@BOTH
def test_rulebook_bonus_option_auto_always_claimed_never_asked(name):
    deal = do(spades(name, *CLAIMING, roem="auto"), "AD KD QD 7D")
    assert (deal.kind, deal.bonuses) == ("play", [(0, 20, True)])


@BOTH
def test_rulebook_bonus_option_choice_is_the_default(name):
    assert game(name).options["roem"] == "choice"


# The deal's score. Two tricks; seat 3 and seat 1 are the makers.


@BOTH
def test_rulebook_score_makers_with_more_than_the_opponents_each_team_its_own(name):
    deal = spades(name, "AD 7C", "KD 8C", "JD 9C", "7D JS", roem="auto")
    assert do(deal, "AD KD JD 7D", "7C 8C 9C JS").scores() == [17, 50, 17, 50]  # a run of three goes with JS


@BOTH
def test_rulebook_score_makers_with_less_score_nothing_and_the_opponents_all(name):
    deal = spades(name, "AD 7C", "KD 8C", "JD JC", "7D KC", roem="auto")
    assert do(deal, "AD KD JD 7D", "7C 8C JC KC").scores() == [17 + 16, 0, 17 + 16, 0]


@BOTH
def test_rulebook_score_makers_who_are_equal_have_not_made_it(name):
    deal = spades(name, "AD 7C", "KD KC", "JD 8C", "7D QC", roem="auto")
    do(deal, "AD KD JD 7D")  # 17 to seat 0
    do(deal, "7C KC 8C QC")  # 7 and 10 to seat 1
    assert deal.scores() == [34, 0, 34, 0]


@BOTH
def test_rulebook_score_opponents_of_failed_makers_score_all_claimed_by_both(name):
    deal = spades(name, "AD KC", "KD AC", "QD 7C", "7D TC", roem="choice")
    do(deal, "AD KD QD 7D claim")  # 18 and 20 to seat 0
    do(deal, "KC AC 7C TC")  # 25 and 10 to seat 1, a maker: 35 against 38
    assert deal.scores() == [73, 0, 73, 0]


@BOTH
def test_rulebook_score_a_bonus_that_was_left_counts_for_nobody(name):
    deal = spades(name, "AD KC", "KD AC", "QD 7C", "7D TC", roem="choice")
    do(deal, "AD KD QD 7D leave")
    do(deal, "KC AC 7C TC")  # 35 against 18
    assert deal.scores() == [18, 35, 18, 35]


@BOTH
def test_rulebook_score_makers_with_all_tricks_100_more(name):
    deal = spades(name, "7D 7C", "AD JS", "8D 9C", "KD TC", roem="auto")
    do(deal, "7D AD 8D KD", "JS 9C TC 7C")
    assert deal.scores() == [0, 15 + 30 + 10 + 100, 0, 155]


@BOTH
def test_rulebook_score_opponents_with_all_tricks_nothing_more(name):
    deal = spades(name, "AD JS", "7D 7C", "KD TC", "8D 9C", roem="auto")
    do(deal, "AD 7D KD 8D", "JS 7C TC 9C")
    assert deal.scores() == [55, 0, 55, 0]


@BOTH
def test_rulebook_score_all_eight_tricks_is_162_and_all_bonus_claimed_and_100(name):
    """A whole deal: seat 0 deals, names spades and holds them all."""
    held = ("7S 8S 9S TS JS QS KS AS", "7C 8C 9C TC JC QC KC AC", "7D 8D 9D TD JD QD KD AD", "7H 8H 9H TH JH QH KH AH")
    deal = do(table(name, 1, *held, dealer=0, roem="auto"), "trump:S")
    deal = do(deal, "7C 7D 7H 7S")  # seat 1 leads clubs, nobody else has any; seat 0 trumps
    while not deal.over:
        deal.apply(deal.legal()[0])
    claimed = sum(points for *_, points, _ in deal.bonuses)
    assert deal.scores() == [262 + claimed, 0, 262 + claimed, 0]
    assert claimed > 0


@BOTH
@pytest.mark.parametrize(
    ("hands", "tricks", "outcome"),
    [
        (("AD 7C", "KD 8C", "JD 9C", "7D JS"), "AD KD JD 7D 7C 8C 9C JS", "made"),
        (("AD 7C", "KD KC", "JD 8C", "7D QC"), "AD KD JD 7D 7C KC 8C QC", "nat"),
        (("7D 7C", "AD JS", "8D 9C", "KD TC"), "7D AD 8D KD JS 9C TC 7C", "pit"),
    ],
)
def test_rulebook_score_the_words_for_how_the_makers_fared(name, hands, tricks, outcome):
    deal = do(spades(name, *hands, roem="auto"), tricks)
    assert deal.contract.outcome(deal) == [None, outcome, None, outcome]


# The end of the match.


@BOTH
@pytest.mark.parametrize(
    ("totals", "is_over"),
    [
        ([500, 500, 500, 500], False),
        ([501, 0, 501, 0], True),
        ([0, 501, 0, 501], True),
        ([510, 505, 510, 505], True),
        ([505, 505, 505, 505], False),
        ([501, 501, 501, 501], False),
        ([501, 500, 501, 500], True),
    ],
)
def test_rulebook_end_after_the_first_deal_in_which_a_team_has_the_target_and_no_tie(name, totals, is_over):
    assert game(name).programme.is_over(7, totals) is is_over


@BOTH
def test_rulebook_end_the_higher_total_wins(name):
    assert ended(Match(game(name), SEED), [505, 510, 505, 510]).ranks() == [3, 1, 3, 1]


# Decisions.


@BOTH
def test_rulebook_decision_1_a_winner_may_leave_a_bonus(name):
    assert legal(do(spades(name, *CLAIMING), "AD KD QD 7D")) == "claim leave"


def test_rulebook_decision_2_king_and_queen_of_trump_can_stand_alone():
    assert bonus("7D KS QS 8D", trump="S") == 20


@BOTH
def test_rulebook_decision_3_another_deal_on_equal_totals_only(name):
    assert not game(name, target=100).programme.is_over(2, [162, 162, 162, 162])
    assert game(name, target=100).programme.is_over(2, [163, 162, 163, 162])


def test_rulebook_decision_4_runs_never_use_the_trump_order():
    assert bonus("JS 9S AS 7D", trump="S") == 0
    assert bonus("AS TS KS 7D", trump="S") == 0
