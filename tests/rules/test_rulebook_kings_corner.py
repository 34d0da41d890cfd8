"""docs/rules/kings-corner.md, clause by clause. Seat 0 begins unless said otherwise."""

import pytest

from referee.rules.cards import members
from referee.rules.errors import IllegalAction
from referee.rules.match import Match
from referee.rules.view import view
from tests.rules.tables import cards, dealt, do, ended, game, legal, table

NAME = "kings_corner"
SEED = bytes(32)
#: Turned cards on which nothing of low diamonds or clubs can be built, and that fit one another nowhere.
TURNED = "2C 4C 6C 8C"


def corner(*hands: str, turned: str = TURNED, stock: str = "", dealer: int = -1, **options):
    dealer = dealer if dealer >= 0 else len(hands) - 1
    return table(NAME, 1, *hands, dealer=dealer, turned=turned, stock=stock, players=len(hands), **options)


def piles(deal) -> dict[str, str]:
    return {place: " ".join(pile) for place, pile in deal.layout.texts().items() if pile}


# Setting up a round.


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rulebook_players_two_three_or_four_each_for_self(players):
    settled = game(NAME, players=players)
    assert (settled.players, settled.teams, len(settled.deck)) == (players, tuple(range(players)), 52)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rulebook_setup_seven_cards_each_and_four_turned(players):
    given = game(NAME, players=players).dealt(SEED, 1)
    assert [hand.bit_count() for hand in given.hands] == [7] * players
    assert len(given.turned) == 4
    assert len(given.stock) == 52 - 4 - 7 * players


def test_rulebook_setup_turned_onto_n_e_s_w_in_that_order_corners_empty():
    assert piles(corner("2D", "3D")) == {"N": "2C", "E": "4C", "S": "6C", "W": "8C"}


@pytest.mark.parametrize(("turned", "corner_place"), [(0, "NE"), (1, "SE"), (2, "SW"), (3, "NW")])
def test_rulebook_setup_a_turned_king_goes_to_its_corner_and_its_side_stays_empty(turned, corner_place):
    words = TURNED.split()
    words[turned] = "KC"
    expected = dict(zip("NESW", TURNED.split(), strict=True))
    del expected["NESW"[turned]]
    assert piles(corner("2D", "3D", turned=" ".join(words))) == {**expected, corner_place: "KC"}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rulebook_turns_the_seat_after_the_dealer_begins_and_they_go_clockwise(players):
    for dealer in range(players):
        deal = dealt(NAME, 1, dealer=dealer, players=players)
        for step in range(1, 2 * players):
            assert (deal.actor, deal.kind) == ((dealer + step) % players, "turn")
            do(deal, "end")


# A turn.


def test_rulebook_turn_begins_with_the_top_card_of_the_stock():
    deal = corner("2D", "3D", stock="TH JH QH")
    assert members(deal.hands[0]) == sorted(cards("2D TH"))
    assert members(deal.hands[1]) == cards("3D")
    do(deal, "end")
    assert members(deal.hands[1]) == sorted(cards("3D JH"))
    assert deal.layout.open(deal).stock == 1


def test_rulebook_turn_begins_without_a_card_when_the_stock_is_empty():
    deal = do(corner("2D", "3D", stock="TH"), "end")
    assert members(deal.hands[1]) == cards("3D")


def test_rulebook_turn_the_drawn_card_is_known_to_the_drawer_alone():
    deal = corner("2D", "3D", "4D", stock="TH JH QH")
    other = corner("2D", "3D", "4D", stock="JH TH QH")
    assert view(deal, 0) != view(other, 0)
    assert view(deal, 1) == view(other, 1)
    assert view(deal, 2) == view(other, 2)
    assert view(deal, 1).layout.hand_sizes == (2, 1, 1)


def test_rulebook_turn_the_draw_is_no_action():
    assert corner("2D", "3D", stock="TH JH").actions == []


def test_rulebook_turn_any_number_of_actions_in_any_order_and_ends_with_end():
    deal = corner("TD 9C 5H 2D", "3D 4D 6D 7D", turned="JC TC QD 6H")
    do(deal, "move:N:S place:TD:S place:9C:S place:5H:N")
    assert deal.actor == 0
    assert do(deal, "end").actor == 1


def test_rulebook_place_one_rank_lower_and_of_the_other_colour():
    deal = corner("7D 7C 7S 7H 9D", "3D 4D 6D 7D AD", turned="8C TC QC 3C")
    assert legal(deal) == "end place:7D:N place:7H:N place:9D:E"
    deal = corner("7D 7C 7S 7H 9D", "3D 4D 6D 7D AD", turned="8D TD QD 3D")
    assert legal(deal) == "end place:7C:N place:7S:N"


@pytest.mark.parametrize("wrong", ["8D", "9H", "9S", "6D", "6C", "7C", "AD"])
def test_rulebook_place_nothing_else_on_a_pile(wrong):
    deal = corner(f"{wrong} 2C", "3D 4D", turned="8S TC QC KC")
    assert f"place:{wrong}:N" not in legal(deal).split()


def test_rulebook_place_goes_on_top_and_leaves_the_hand():
    deal = do(corner("7D 2H", "3D 4D", turned="8C TC QC 3C"), "place:7D:N")
    assert piles(deal)["N"] == "8C 7D"
    assert members(deal.hands[0]) == cards("2H")


def test_rulebook_place_any_card_but_a_king_onto_an_empty_side():
    deal = corner("AD 7C QS KH", "3D 4D 6D 7D", turned="KC 2C 2S 2D")
    assert {text for text in legal(deal).split() if text.endswith(":N")} == {"place:AD:N", "place:7C:N", "place:QS:N"}


def test_rulebook_place_a_king_only_onto_an_empty_corner():
    deal = corner("AD 7C QH KH", "3D 4D 6D 7D")
    corners = {f"place:KH:{place}" for place in ("NE", "SE", "SW", "NW")}
    assert {text for text in legal(deal).split() if len(text.split(":")[-1]) == 2} == corners


def test_rulebook_place_onto_a_corner_pile_as_onto_any():
    deal = corner("QD QC QH QS", "3D 4D 6D 7D", turned="KC 2C 2S 2D")
    assert {text for text in legal(deal).split() if text.endswith(":NE")} == {"place:QD:NE", "place:QH:NE"}


def test_rulebook_move_a_whole_pile_whose_bottom_card_fits():
    deal = do(corner("9D 2D", "3D 4D", turned="JD TC QD 3C"), "place:9D:E")
    assert "move:E:N" in legal(deal).split()
    do(deal, "move:E:N")
    assert piles(deal) == {"N": "JD TC 9D", "S": "QD", "W": "3C"}


def test_rulebook_move_onto_a_corner_pile():
    deal = do(corner("2D 4S", "3D 4D", turned="KC QD 2C 3S"), "move:E:NE")
    assert piles(deal) == {"NE": "KC QD", "S": "2C", "W": "3S"}


def test_rulebook_move_not_by_its_top_card():
    deal = do(corner("7D 2D", "3D 4D", turned="8S 8C TC QC"), "place:7D:N")
    assert not any(text.startswith("move:N") for text in legal(deal).split())


@pytest.mark.parametrize("turned", ["9D TD QC 2C", "9D JS QC 2C", "9C TC 2D 4D", "TC 9C 2D 4D"])
def test_rulebook_move_only_one_rank_lower_and_of_the_other_colour(turned):
    assert "move" not in legal(corner("AS 2S", "3S 4S", turned=turned))


def test_rulebook_move_from_is_then_empty_and_may_be_filled():
    deal = do(corner("AD 2D", "3D 4D", turned="8S 9D TC QC"), "move:N:E")
    assert "N" not in piles(deal)
    assert "place:AD:N" in legal(deal).split()


def test_rulebook_move_corner_piles_never_move():
    deal = corner("AD 2D", "3D 4D", turned="KC KD 2C 4C")
    assert not any(text.startswith("move") for text in legal(deal).split())
    assert not any(text.startswith(("move:NE", "move:SE", "move:SW", "move:NW")) for text in deal.game.actions.texts)


def test_rulebook_move_never_to_an_empty_place():
    deal = corner("AD 2D", "3D 4D", turned="KC 7D 2C 4C")
    assert not any(text.startswith("move") for text in legal(deal).split())


def test_rulebook_piles_nothing_can_be_built_on_an_ace():
    deal = corner("KC QD 2D KD", "3D 4D 5D 6D", turned="AC 4C 6C 8C")
    assert not any(text.endswith(":N") for text in legal(deal).split())


def test_rulebook_piles_ace_is_low_and_king_high():
    assert "place:AD:N" in legal(corner("AD 3D", "3S 4D")).split()
    assert "place:QD:NE" in legal(corner("QD 3D", "3S 4D", turned="KC 4C 6C 8C")).split()


def test_rulebook_turn_nobody_is_ever_obliged_to_play():
    deal = corner("7D AD", "3D 4D", turned="8C 2C QC 3C")
    assert len(deal.legal()) > 1
    assert do(deal, "end").actor == 1


def test_rulebook_turn_who_lays_his_last_card_ends_turn_and_round_at_once():
    deal = do(corner("7D", "3D", "KD", turned="8C TC QC 3C"), "place:7D:N")
    assert deal.over
    with pytest.raises(IllegalAction, match="end comes after the end of the deal"):
        do(deal, "end")


def test_rulebook_turn_a_round_can_end_in_its_first_turn_with_the_drawn_card():
    deal = do(corner("7D", "3D", turned="8C TC QC 3C", stock="9D 2S"), "place:7D:N place:9D:E")
    assert deal.scores() == [0, 1]


# The end of a round.


def test_rulebook_end_the_first_player_without_cards_wins():
    deal = do(corner("7D 6C", "KD 5D", "KH KS", turned="8C TC QC 3C"), "place:7D:N place:6C:N")
    assert deal.scores() == [0, 11, 20]


def test_rulebook_end_blocked_after_as_many_idle_turns_as_players_with_an_empty_stock():
    deal = do(corner("2D 3D", "KD 5D", "KH KS"), "end end")
    assert not deal.over
    assert do(deal, "end").over
    assert deal.scores() == [0, 11, 20]


def test_rulebook_end_blocked_turns_in_a_row_only():
    deal = corner("AS KD", "9H 2D", turned="8C TC QC 3C")
    do(deal, "end place:9H:E end")
    assert not deal.over
    assert not do(deal, "end").over
    assert do(deal, "end").over


def test_rulebook_end_blocked_a_move_counts_as_something_done():
    deal = do(corner("KD QC", "KH 2D", turned="9D TC JS 3C"), "end move:N:E end end")
    assert not deal.over
    assert do(deal, "end").over


def test_rulebook_end_blocked_the_turn_that_drew_the_last_card_counts_as_one_with_a_card():
    deal = do(corner("2D 3D", "KD 5D", stock="7S"), "end end")
    assert not deal.over
    assert do(deal, "end").over


def test_rulebook_end_not_blocked_while_the_stock_lasts():
    deal = do(corner("2D 3D", "KD 5D", stock="7S 9S TS JS"), "end end end end")
    assert not deal.over
    assert do(deal, "end end").over


def test_rulebook_end_blocked_equal_lowest_hands_share_the_win():
    deal = do(corner("2D 3D", "QD 5D", "KH KS"), "end end end")
    assert deal.scores() == [0, 0, 20]


def test_rulebook_end_counted_10_for_a_king_and_1_for_any_other_card():
    deal = do(corner("2D KC QC", "KD KH KS", "JD AD QD"), "end end end")
    assert deal.scores() == [12, 30, 0]


def test_rulebook_end_the_words_for_how_a_round_ended():
    won = do(corner("7D 6C", "KD 5D", "KH KS", turned="8C TC QC 3C"), "place:7D:N place:6C:N")
    assert won.contract.outcome(won) == ["won", "lost", "lost"]
    blocked = do(corner("2D 3D", "QD 5D", "KH KS"), "end end end")
    assert blocked.contract.outcome(blocked) == ["won blocked", "won blocked", "lost blocked"]


# The match.


def test_rulebook_match_default_is_one_round():
    programme = game(NAME).programme
    assert programme.is_over(1, [3, 0, 5, 2])


def test_rulebook_match_one_round_winners_first_the_others_by_their_hands():
    assert ended(Match(game(NAME), SEED), [3, 0, 12, 0]).ranks() == [3, 1, 4, 1]


@pytest.mark.parametrize("target", [25, 50, 75, 100])
def test_rulebook_match_target_rounds_until_a_total_reaches_it(target):
    programme = game(NAME, target=target).programme
    assert not programme.is_over(1, [target - 1, 0, 0, 3])
    assert programme.is_over(4, [target, 0, 0, 3])
    assert programme.is_over(4, [target + 9, 0, 0, 3])


def test_rulebook_match_target_the_deal_passes_clockwise():
    assert [game(NAME, target=50, players=3).dealer(number) for number in range(1, 5)] == [0, 1, 2, 0]


def test_rulebook_match_target_penalties_add_up_and_the_lowest_total_wins():
    assert ended(Match(game(NAME, target=25), SEED), [25, 7, 7, 0]).ranks() == [4, 2, 2, 1]
    match = Match(game(NAME, target=25, players=2), SEED)
    while not match.over:
        match.apply(match.deal.legal()[0])  # nobody ever lays a card
    assert match.totals == [sum(scores) for scores in zip(*(deal.scores() for deal in match.finished), strict=True)]
    assert (
        max(match.totals)
        >= 25
        > max(total - score for total, score in zip(match.totals, match.deal.scores(), strict=True))
    )


# Decisions.


def test_rulebook_decision_1_the_lowest_hand_is_counted_as_the_penalty():
    assert do(corner("2D 3D", "KD AD", "4D 6D"), "end end end").scores() == [0, 11, 0]


def test_rulebook_decision_2_which_corner_for_which_side():
    deal = corner("2D", "3D", turned="KC KD KH KS")
    assert piles(deal) == {"NE": "KC", "SE": "KD", "SW": "KH", "NW": "KS"}


def test_rulebook_decision_3_winners_of_a_blocked_round_take_no_penalty_everybody_else_does():
    deal = do(corner("2D 3D", "KD 5D", "QH KS", target=50), "end end end")
    assert deal.scores() == [0, 11, 11]


def test_rulebook_decision_4_without_target_a_match_is_one_round():
    assert game(NAME).options["target"] is None
    match = Match(game(NAME), SEED)
    while not match.over:
        match.apply(match.deal.legal()[0])
    assert len(match.finished) == 1
