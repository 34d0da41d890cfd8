"""docs/rules/king-simple.md, clause by clause."""

import pytest

from tests.rules.tables import dealt, do, finish, game, legal, table

NAME = "king.simple"
NEGATIVES = ["no_tricks", "no_jacks", "no_queens", "no_hearts", "no_king_of_hearts", "no_last_two", "nothing"]
POSITIVES = ["tricks", "jacks", "queens", "hearts", "king_of_hearts", "last_two", "everything"]
HEARTS_NOT_LED = [4, 5, 7, 11, 12, 14]
#: Deal, and what one player scores who takes all tricks of these three: the king of hearts, two jacks, a queen.
ALL_TAKEN = ("AC AD KH", "2C 2D JH", "3C QD JS", "4C 4D 4S")


def takes_all(number: int, **options) -> int:
    """What seat 0 scores for three tricks with KH and JH, JS, QD; tricks 2 and 3 are the last two."""
    deal = do(table(NAME, number, *ALL_TAKEN, **options), "AC 2C 3C 4C", "AD 2D QD 4D", "KH JH JS 4S")
    assert deal.over
    assert deal.scores()[1:] == [0, 0, 0]
    return deal.scores()[0]


def test_rulebook_match_fourteen_deals_32_cards_eight_each():
    settled = game(NAME)
    assert [settled.programme.plan(number).contract.id for number in range(1, 15)] == NEGATIVES + POSITIVES
    assert settled.programme.plan(15) is None
    assert (len(settled.deck), settled.hand_size) == (32, 8)


def test_rulebook_match_highest_total_wins_and_totals_add_up_to_0():
    assert not game(NAME).lower_is_better
    for last_two in (6, 8):
        assert game(NAME, last_two=last_two).match_total == 0
        totals = [sum(finish(dealt(NAME, number, last_two=last_two))) for number in range(1, 15)]
        assert sum(totals) == 0
        assert totals[7:] == [-total for total in totals[:7]]


@pytest.mark.parametrize("number", range(1, 15))
def test_rulebook_match_never_a_trump_and_the_seat_after_the_dealer_leads(number):
    deal = dealt(NAME, number, dealer=1)
    assert deal.contract.trump is None
    assert (deal.kind, deal.actor) == ("play", 2)


@pytest.mark.parametrize("number", range(1, 15))
def test_rulebook_match_every_deal_is_played_to_the_end(number):
    for seed in range(5):
        deal = dealt(NAME, number, seed=seed)
        finish(deal)
        assert len(deal.actions) == 32


@pytest.mark.parametrize("number", range(1, 15))
def test_rulebook_match_who_cannot_follow_plays_any_card(number):
    deal = table(NAME, number, "7C 8C", "9H TD", "JC QC", "KC AC")
    assert legal(do(deal, "7C")) == "TD 9H"


@pytest.mark.parametrize(
    ("number", "points"),
    [
        (1, -2 * 3),
        (2, -4 * 2),
        (3, -4 * 1),
        (4, -2 * 2),
        (5, -16),
        (6, -6 * 2),
        (7, -2 * 3 - 4 * 2 - 4 - 2 * 2 - 16 - 6 * 2),
        (8, 2 * 3),
        (9, 4 * 2),
        (10, 4 * 1),
        (11, 2 * 2),
        (12, 16),
        (13, 6 * 2),
        (14, 2 * 3 + 4 * 2 + 4 + 2 * 2 + 16 + 6 * 2),
    ],
)
def test_rulebook_table_points(number, points):
    assert takes_all(number) == points


@pytest.mark.parametrize("number", range(1, 15))
def test_rulebook_table_whether_hearts_may_be_led(number):
    deal = table(NAME, number, "7C 8H", "9C TC", "JC QC", "KC AC")
    assert legal(deal) == ("7C" if number in HEARTS_NOT_LED else "7C 8H")


@pytest.mark.parametrize("number", HEARTS_NOT_LED)
def test_rulebook_table_hearts_may_be_led_from_a_hand_of_hearts_alone(number):
    assert legal(table(NAME, number, "7H KH", "9C TC", "JC QC", "KC AC")) == "7H KH"


@pytest.mark.parametrize("number", HEARTS_NOT_LED)
def test_rulebook_table_hearts_may_be_discarded_at_once(number):
    assert legal(do(table(NAME, number, "7C 8C", "9H TD", "JC QC", "KC AC"), "7C")) == "TD 9H"


@pytest.mark.parametrize(("number", "points"), [(7, -18), (14, 18)])
def test_rulebook_king_of_hearts_counts_18_in_deals_7_and_14(number, points):
    with_king = do(table(NAME, number, "AH", "KH", "7H", "8H"), "AH KH 7H 8H").scores()
    with_queen_less = do(table(NAME, number, "AH", "9S", "7H", "8H"), "AH 9S 7H 8H").scores()
    assert with_king[0] - with_queen_less[0] == points


def test_rulebook_decision_1_deal_7_costs_92_in_all():
    assert sum(finish(dealt(NAME, 7))) == -92
    assert sum(finish(dealt(NAME, 14))) == 92


def test_rulebook_decision_1_option_last_two_8_plays_the_96_point_form():
    assert sum(finish(dealt(NAME, 7, last_two=8))) == -96
    assert sum(finish(dealt(NAME, 14, last_two=8))) == 96
    assert sum(finish(dealt(NAME, 6, last_two=8))) == -16
    assert sum(finish(dealt(NAME, 13, last_two=8))) == 16


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 8, 9, 10, 11, 12])
def test_rulebook_decision_1_option_last_two_changes_no_other_deal(number):
    assert takes_all(number, last_two=8) == takes_all(number)


def test_rulebook_decision_2_the_dealer_passes_clockwise():
    assert [game(NAME).dealer(number) for number in range(1, 6)] == [0, 1, 2, 3, 0]
