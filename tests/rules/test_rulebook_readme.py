"""docs/rules/README.md, paragraph by paragraph. The verifiable deals are in test_dealing.py."""

import itertools

import pytest

from referee.rules.cards import ALL_CARDS, CARD_TEXTS, DECK_32, DECK_52, card, mask, members, texts
from referee.rules.errors import BadNotation, UnknownRuleset
from referee.rules.match import Match
from referee.rules.registry import RULESETS, ruleset
from tests.rules.tables import do, ended, finish, game, legal, table

SEED = bytes(32)

# The table of rulesets.


@pytest.mark.parametrize(
    ("name", "players", "teams", "cards", "deals"),
    [
        ("king.auction", 4, 4, 52, 10),
        ("king.fetes", 4, 4, 52, 10),
        ("king.simple", 4, 4, 32, 14),
        ("klaverjas.amsterdam", 4, 2, 32, None),
        ("klaverjas.rotterdam", 4, 2, 32, None),
        ("kings_corner", 4, 4, 52, None),
    ],
)
def test_rulebook_table_of_rulesets(name, players, teams, cards, deals):
    settled = game(name)
    assert (settled.players, len(set(settled.teams)), len(settled.deck)) == (players, teams, cards)
    if deals is not None:
        assert settled.programme.plan(deals) is not None
        assert settled.programme.plan(deals + 1) is None


def test_rulebook_table_of_rulesets_is_complete():
    assert sorted(RULESETS) == [
        "king.auction", "king.fetes", "king.simple", "kings_corner", "klaverjas.amsterdam", "klaverjas.rotterdam",
    ]  # fmt: skip


# Cards.


@pytest.mark.parametrize(("text", "number"), [("2C", 0), ("AC", 12), ("2D", 13), ("KH", 37), ("2S", 39), ("AS", 51)])
def test_rulebook_cards_are_numbered_13_times_suit_plus_rank(text, number):
    assert card(text) == number
    assert CARD_TEXTS[number] == text


def test_rulebook_cards_have_a_text_for_every_number():
    assert [card(text) for text in CARD_TEXTS] == list(range(52))


def test_rulebook_cards_a_set_is_a_mask():
    assert mask([card("2C"), card("AS")]) == 1 << 51 | 1
    assert members(1 << 51 | 1) == [0, 51]
    assert texts(1 << 37 | 1) == ["2C", "KH"]
    assert mask(DECK_52) == ALL_CARDS


def test_rulebook_cards_a_32_card_deck_keeps_the_numbers_of_7_to_ace():
    assert [CARD_TEXTS[number] for number in DECK_32[:8]] == ["7C", "8C", "9C", "TC", "JC", "QC", "KC", "AC"]
    assert len(DECK_32) == 32


@pytest.mark.parametrize("text", ["", "K", "HK", "10H", "kh", "KH ", "1H", "KX", 37, None, ["KH"]])
def test_rulebook_cards_nothing_else_is_a_card(text):
    with pytest.raises(BadNotation, match="is no card"):
        card(text)


# Seats.


@pytest.mark.parametrize("name", list(RULESETS))
def test_rulebook_seats_seat_0_deals_first_and_the_deal_passes_clockwise(name):
    settled = game(name)
    assert [settled.dealer(number) for number in range(1, 7)] == [0, 1, 2, 3, 0, 1]


@pytest.mark.parametrize("name", list(RULESETS))
def test_rulebook_seats_first_dealer_says_otherwise(name):
    settled = game(name, first_dealer=2)
    assert [settled.dealer(number) for number in range(1, 5)] == [2, 3, 0, 1]
    assert Match(settled, SEED).deal.dealer == 2


def test_rulebook_seats_with_two_players():
    settled = game("kings_corner", players=2)
    assert [settled.dealer(number) for number in range(1, 5)] == [0, 1, 0, 1]


# Trick play.


def test_rulebook_tricks_go_clockwise():
    deal = table("king.simple", 1, "7C 8C", "9C TC", "JC QC", "KC AC")
    assert do(deal, "7C 9C JC KC").seats == [0, 1, 2, 3]


def test_rulebook_tricks_leader_leads_any_card():
    assert legal(table("king.simple", 1, "7C 8D 9H", "TC TD TH", "JC JD JH", "QC QD QH")) == "7C 8D 9H"


def test_rulebook_tricks_must_follow_the_led_suit():
    deal = do(table("king.simple", 1, "7C 8D 9H", "TC TD TH", "JC JD JH", "QC QD QH"), "8D")
    assert legal(deal) == "TD"


def test_rulebook_tricks_highest_card_of_the_led_suit_wins_without_a_trump():
    deal = table("king.simple", 1, "9C 7D", "AD KD", "JC 8D", "TC QD")
    assert do(deal, "9C AD JC TC").actor == 2
    assert deal.trick.counts == [0, 0, 1, 0]


def test_rulebook_tricks_highest_trump_wins():
    deal = do(table("king.auction", 7, "2C 3C", "2S 3D", "4C 5C", "3S 4D", dealer=3), "pass pass pass trump:S")
    assert do(deal, "2C 2S 4C 3S").actor == 3


def test_rulebook_tricks_winner_leads_the_next():
    deal = do(table("king.simple", 1, "7C 8C", "9C TC", "JC QC", "KC AC"), "7C TC JC KC")
    assert (deal.actor, legal(deal)) == (3, "AC")


def test_rulebook_tricks_cards_rank_from_ace_to_2():
    order = "AKQJT98765432"
    for high, low in itertools.pairwise(order):
        deal = table("king.auction", 1, f"{low}C", f"{high}C", "2D", "3D")
        assert do(deal, f"{low}C {high}C 2D 3D").scores() == [0, -20, 0, 0]


# Forced decisions: the table plays them; here they are ordinary decisions with one action.


def test_rulebook_forced_decisions_have_one_legal_action():
    deal = do(table("king.simple", 1, "7C", "8C", "9C", "TC"), "7C")
    assert legal(deal) == "8C"


# Options.


@pytest.mark.parametrize("name", list(RULESETS))
def test_rulebook_options_common_to_all(name):
    options = {option.name: option for option in ruleset(name).options}
    assert list(options["first_dealer"].values) == [0, 1, 2, 3]
    assert options["first_dealer"].default == 0
    assert list(options["ask_forced"].values) == [False, True]
    assert options["ask_forced"].default is False


@pytest.mark.parametrize(
    ("name", "option", "default", "right", "wrong"),
    [
        ("king.auction", "deck", 52, [52, 32], [51, 52.0, "52", True, None, [52]]),
        ("king.simple", "last_two", 6, [6, 8], [7, 6.0, "6", False, None, {}]),
        ("klaverjas.amsterdam", "target", 501, [1, 501, 10000], [0, 10001, 501.0, "501", True, None, -1]),
        ("klaverjas.rotterdam", "target", 501, [1, 1500, 10000], [0, 10001, 501.5, "501", True, None, []]),
        ("klaverjas.amsterdam", "roem", "choice", ["choice", "auto"], ["Auto", "", 0, True, None]),
        ("klaverjas.rotterdam", "roem", "choice", ["choice", "auto"], ["never", 1, False, None]),
        ("kings_corner", "players", 4, [4, 3, 2], [1, 5, 4.0, "4", True, None]),
        ("kings_corner", "target", None, [None, 25, 50, 75, 100], [0, 60, 50.0, "50", False]),
        ("king.fetes", "first_dealer", 0, [0, 1, 2, 3], [-1, 4, 0.0, "0", False, None]),
        ("king.fetes", "ask_forced", False, [False, True], [0, 1, "false", None]),
    ],
)
def test_rulebook_options_table(name, option, default, right, wrong):
    assert game(name).options[option] == default
    for value in right:
        assert game(name, **{option: value}).options[option] == value
    for value in wrong:
        with pytest.raises(UnknownRuleset, match=rf"option '{option}' is .*; it may be "):
            game(name, **{option: value})


def test_rulebook_options_an_unknown_option_is_named_with_what_would_be_right():
    with pytest.raises(UnknownRuleset, match=r"king\.auction has no option 'decks'; did you mean 'deck'\?"):
        game("king.auction", decks=52)
    with pytest.raises(UnknownRuleset, match=r"king\.fetes has no option 'trumps'; known: first_dealer, ask_forced"):
        game("king.fetes", trumps="yes")


def test_rulebook_options_an_unknown_value_is_named_with_what_would_be_right():
    with pytest.raises(UnknownRuleset, match="option 'deck' is 40; it may be 52 or 32"):
        game("king.auction", deck=40)
    with pytest.raises(UnknownRuleset, match="option 'target' is 0; it may be a whole number from 1 to 10000"):
        game("klaverjas.amsterdam", target=0)
    with pytest.raises(UnknownRuleset, match="option 'target' is 60; it may be null or 25 or 50 or 75 or 100"):
        game("kings_corner", target=60)


def test_rulebook_options_an_unknown_ruleset_is_named_with_what_would_be_right():
    with pytest.raises(UnknownRuleset, match=r"no ruleset 'king\.auctions'; did you mean 'king\.auction'\?"):
        ruleset("king.auctions")
    with pytest.raises(UnknownRuleset, match=r"no ruleset 7; known: king\.auction, "):
        ruleset(7)


def test_rulebook_options_first_dealer_sits_at_the_table():
    with pytest.raises(UnknownRuleset, match="option 'first_dealer' is 2; it may be a seat from 0 to 1"):
        game("kings_corner", players=2, first_dealer=2)


# Scores and ranks by seat.


def test_rulebook_scores_partners_carry_their_teams_score():
    deal = do(table("klaverjas.amsterdam", 1, "7C", "8C", "AC", "TC"), "trump:S")
    assert finish(deal) == [31, 0, 31, 0]  # dealer 3 makes; seat 2 takes 21 and 10 for the last trick
    assert deal.declarer == 3


def test_rulebook_ranks_partners_share_their_teams_rank():
    match = ended(Match(game("klaverjas.amsterdam"), SEED), [510, 300, 510, 300])
    assert match.ranks() == [1, 3, 1, 3]


# Forfeits.


def test_rulebook_forfeits_a_seat_ranks_behind_every_seat_that_did_not():
    match = ended(Match(game("king.fetes"), SEED), [100, 0, -50, -50])
    assert match.ranks(forfeits=[0]) == [4, 1, 2, 2]


def test_rulebook_forfeits_several_tie():
    match = ended(Match(game("king.fetes"), SEED), [100, 0, -50, -50])
    assert match.ranks(forfeits=[0, 2]) == [3, 1, 3, 2]


def test_rulebook_forfeits_klaverjas_partner_ranks_with_it():
    match = ended(Match(game("klaverjas.rotterdam"), SEED), [510, 300, 510, 300])
    assert match.ranks(forfeits=[2]) == [3, 1, 3, 1]


def test_rulebook_forfeits_points_stand():
    match = ended(Match(game("king.fetes"), SEED), [100, 0, -50, -50])
    match.ranks(forfeits=[0])
    assert match.totals == [100, 0, -50, -50]


# Ties.


def test_rulebook_ties_share_the_rank():
    match = ended(Match(game("king.fetes"), SEED), [7, 5, 5, -17])
    assert match.ranks() == [1, 2, 2, 4]


def test_rulebook_ties_lowest_total_first_where_points_are_penalties():
    match = ended(Match(game("kings_corner", target=50), SEED), [7, 5, 5, 60])
    assert match.ranks() == [3, 1, 1, 4]
