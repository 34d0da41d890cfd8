"""What holds for every ruleset with every option, whatever is played. No exemptions."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.cards import mask, members
from referee.rules.deal import Deal
from referee.rules.errors import BadNotation, IllegalAction, ImpossiblePosition
from referee.rules.match import Match
from referee.rules.position import answer, describe, read
from referee.rules.registry import RULESETS
from referee.rules.view import view
from tests.strategies import COMMON, GAMES, any_games, deals, games, play, play_match, seeds, values

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
rngs = st.integers(0, 2**32).map(random.Random)


def state(deal: Deal) -> tuple:
    """All that a deal in progress is, as a value that can be compared."""
    legal = deal.legal_mask()
    parts = [deal.trick, deal.bidding, deal.layout]
    inner = [part and {name: repr(getattr(part, name)) for name in type(part).__slots__} for part in parts]
    names = ("actor", "kind", "declarer", "leader", "hands", "actions", "seats", "bonuses", "dealt")
    outer = {name: repr(getattr(deal, name)) for name in names}
    contract, phase = deal.contract and deal.contract.id, type(deal.phase).__name__
    return inner, outer, legal, contract, phase, deal.scores() if deal.over else None


def held(deal: Deal) -> list[int]:
    """Every card that is in a hand, on the table, in a pile, taken or in the stock."""
    found = [card for hand in deal.hands for card in members(hand)]
    if deal.trick is not None:
        found += [card for taken in deal.trick.taken for card in members(taken)]
        if deal.kind != "claim":  # the trick on the table is taken already
            found += deal.trick.cards
    if deal.layout is not None:
        found += [card for pile in deal.layout.piles for card in pile] + list(deal.layout.stock[deal.layout.drawn :])
    return found


@given(deal=deals())
def test_legal_is_empty_only_when_the_deal_is_over(deal):
    assert bool(deal.legal()) is not deal.over
    assert (deal.actor is None) is deal.over
    assert (deal.kind is None) is deal.over
    assert deal.legal() == sorted(set(deal.legal())) == members(deal.legal_mask())


@given(deal=deals())
def test_every_legal_action_applies_and_is_noted(deal):
    before = state(deal)
    for action in deal.legal():
        after = deal.copy()
        after.apply(action)
        assert after.actions == [*deal.actions, action]
        assert after.seats == [*deal.seats, deal.actor]
    assert state(deal) == before


@given(deal=deals(), beyond=st.integers(-1000, 1000))
def test_any_other_number_is_illegal_and_changes_nothing(deal, beyond):
    before = state(deal)
    legal = set(deal.legal())
    for action in [*range(-2, len(deal.game.actions) + 2), beyond]:
        if action not in legal:
            with pytest.raises(IllegalAction, match=r"is not legal; legal: |comes after the end of the deal"):
                deal.apply(action)
    assert state(deal) == before


@given(deal=deals(), rng=rngs)
def test_a_copy_is_independent(deal, rng):
    before = state(deal)
    copy = deal.copy()
    assert state(copy) == before
    play(copy, rng)
    assert state(deal) == before
    kept = state(copy)
    play(deal, rng)
    assert state(copy) == kept


@given(deal=deals())
def test_replaying_the_actions_gives_the_same_state(deal):
    again = deal.game.start(deal.number, deal.dealer, deal.dealt)
    for seat, action in zip(deal.seats, deal.actions, strict=True):
        assert again.actor == seat
        again.apply(action)
    assert state(again) == state(deal)


@given(deal=deals())
def test_cards_are_conserved(deal):
    assert sorted(held(deal)) == sorted(deal.game.deck)


@given(deal=deals())
def test_cards_played_come_from_the_hand_of_the_actor(deal):
    for seat in range(deal.game.players):
        played = mask(
            action for action, who in zip(deal.actions, deal.seats, strict=True) if who == seat and action < 52
        )
        if deal.layout is None:
            assert deal.dealt.hands[seat] == deal.hands[seat] | played
            assert not deal.hands[seat] & played


@given(deal=deals(), rng=rngs)
def test_a_deal_ends_with_scores_by_seat(deal, rng):
    play(deal, rng)
    scores = deal.scores()
    assert [type(score) for score in scores] == [int] * deal.game.players
    scores[0] += 1
    assert deal.scores() != scores  # what is handed out is a copy


@given(deal=deals(), rng=rngs)
def test_the_outcome_of_a_deal_is_a_word_or_nothing_for_each_seat(deal, rng):
    play(deal, rng)
    words = deal.contract.outcome(deal)
    assert len(words) == deal.game.players
    assert all(word is None or word.replace(" ", "").isalpha() for word in words)


@given(deal=deals())
def test_a_deal_has_no_scores_before_its_end(deal):
    if not deal.over:
        with pytest.raises(IllegalAction, match="not over"):
            deal.scores()


@given(deal=deals())
def test_contract_and_declarer_are_those_of_the_game(deal):
    assert deal.contract is None or deal.contract.id in deal.game.contract_ids
    assert deal.declarer is None or 0 <= deal.declarer < deal.game.players
    assert deal.contract is not None or deal.kind in ("bid", "answer", "reply", "choose")


@every_game
def test_action_texts_and_numbers_go_both_ways(game):
    table = game.actions
    assert len(set(table.texts)) == len(table)
    for number, text in enumerate(table.texts):
        assert table.text(number) == text
        assert table.number(text) == number
        assert table.mask(text) == 1 << number
        assert table.names(1 << number) == [text]
    for wrong in ("", "end:", "KH ", "+99", None, 3, ["KH"]):
        with pytest.raises(BadNotation, match="is no action of this ruleset"):
            table.number(wrong)
    for wrong in (-1, len(table)):
        with pytest.raises(BadNotation, match="is no action; actions are 0 to"):
            table.text(wrong)


@every_game
def test_a_match_ends_and_its_totals_are_the_sum_of_its_deals(game):
    match = play_match(Match(game, bytes(32)), random.Random(5))
    assert match.over
    assert game.programme.is_over(len(match.finished), match.totals)
    assert [deal.number for deal in match.finished] == list(range(1, len(match.finished) + 1))
    assert [deal.dealer for deal in match.finished] == [game.dealer(deal.number) for deal in match.finished]
    assert match.totals == [sum(column) for column in zip(*(deal.scores() for deal in match.finished), strict=True)]
    before = list(match.totals)
    with pytest.raises(IllegalAction, match="comes after the end of the deal"):
        match.apply(0)
    assert match.totals == before
    assert sorted(match.ranks()) == sorted(1 + sum(other < rank for other in match.ranks()) for rank in match.ranks())


@every_game
def test_a_match_ends_when_everybody_takes_the_first_legal_action(game):
    match = Match(game, bytes(32))
    while not match.over:
        match.apply(match.deal.legal()[0])
    assert match.over


@given(game=any_games(), seed=seeds)
@settings(max_examples=40)
def test_the_same_seed_gives_the_same_deals(game, seed):
    for number in (1, 2, 5):
        if game.programme.plan(number) is not None:
            assert game.dealt(seed, number) == game.dealt(seed, number)
            assert game.dealt(seed, number) != game.dealt(
                bytes(31) + b"\x01" if seed == bytes(32) else bytes(32), number
            )


# What scores add up to.

DEAL_TOTALS = {
    "king.auction": {"no_tricks": -260, "no_hearts": -260, "no_queens": -200, "no_men": -240, "no_king_of_hearts": -160,
                     "no_last_two": -180, "trump": 325, "no_trump": 325, "nulls": 325, "433": 325},
    "king.fetes": {"no_tricks": -260, "no_hearts": -260, "no_queens": -200, "no_men": -240, "no_king_of_hearts": -160,
                   "no_last_two": -180, "trump": 325, "nulls": 325, "433": 325},
    "king.simple": {"no_tricks": -16, "no_jacks": -16, "no_queens": -16, "no_hearts": -16, "no_king_of_hearts": -16,
                    "no_last_two": -12, "nothing": -92, "tricks": 16, "jacks": 16, "queens": 16, "hearts": 16,
                    "king_of_hearts": 16, "last_two": 12, "everything": 92},
}  # fmt: skip
SHORT_DECK = {"no_tricks": -160, "no_hearts": -160, "trump": 200, "no_trump": 200, "nulls": 200}
LONG_LAST_TWO = {"no_last_two": -16, "nothing": -96, "last_two": 16, "everything": 96}


def deal_total(deal: Deal) -> int:
    """What the scores of a King deal add up to by its page, payments included."""
    totals = dict(DEAL_TOTALS[deal.game.ruleset])
    if deal.game.options.get("deck") == 32:
        totals |= SHORT_DECK
    if deal.game.options.get("last_two") == 8:
        totals |= LONG_LAST_TWO
    return totals[deal.contract.id.partition(":")[0]]


kings = games.filter(lambda game: game.ruleset in DEAL_TOTALS)


@given(deal=deals(kings), rng=rngs)
def test_scores_of_a_king_deal_add_up(deal, rng):
    play(deal, rng)
    assert sum(deal.scores()) == deal_total(deal)


@given(game=kings, seed=seeds, rng=rngs)
@settings(max_examples=30)
def test_totals_of_a_king_match_add_up(game, seed, rng):
    match = play_match(Match(game, seed), rng)
    assert game.match_total == (-300 if game.options.get("deck") == 32 else 0)
    assert sum(match.totals) == game.match_total


def test_every_king_ruleset_declares_its_match_total():
    assert {game.ruleset for game in GAMES.values() if game.match_total is not None} == set(DEAL_TOTALS)


@given(deal=deals(games.filter(lambda game: len(set(game.teams)) < game.players)), rng=rngs)
def test_scores_of_a_klaverjas_deal_add_up(deal, rng):
    play(deal, rng)
    scores = deal.scores()
    assert scores[:2] == scores[2:]
    claimed = sum(points for _, points, is_claimed in deal.bonuses if is_claimed)
    makers = deal.declarer % 2
    all_tricks = sum(deal.trick.counts[makers::2]) == 8
    assert sum(scores[:2]) == 162 + claimed + 100 * all_tricks
    assert scores[makers] == 0 or scores[makers] > scores[1 - makers]
    if deal.game.options["roem"] == "auto":
        assert all(is_claimed for *_, is_claimed in deal.bonuses)
        assert all(action < 56 for action in deal.actions)


@given(deal=deals(games.filter(lambda game: game.turned)), rng=rngs)
def test_scores_of_kings_in_the_corner_are_the_counts_of_the_hands_but_the_lowest(deal, rng):
    play(deal, rng)
    counts = [sum(10 if card % 13 == 11 else 1 for card in members(hand)) for hand in deal.hands]
    assert deal.scores() == [0 if count == min(counts) else count for count in counts]


# Positions.


@given(deal=deals())
def test_a_position_is_read_as_it_is_described(deal):
    names = deal.game.actions.text
    texts = [[names(card) for card in members(hand)] for hand in deal.dealt.hands]
    position = {
        "ruleset": deal.game.ruleset,
        "options": dict(deal.game.options),
        "deal": deal.number,
        "dealer": deal.dealer,
        "hands": texts,
        "actions": [names(action) for action in deal.actions],
    }
    if deal.layout is not None:
        position |= {
            "turned": [names(card) for card in deal.dealt.turned],
            "stock": [names(c) for c in deal.dealt.stock],
        }
    assert answer(position) == describe(deal)
    assert state(read(position)) == state(deal)


@pytest.mark.parametrize("position", [None, [], "x", 3, {}, {"ruleset": None}, {"ruleset": "king.fetes"}])
def test_a_position_that_is_none_is_answered_with_an_error(position):
    assert list(answer(position)) == ["error"]


@every_game
def test_a_deal_outside_the_match_cannot_be_begun(game):
    for number in (0, -1):
        with pytest.raises(ImpossiblePosition, match=f"deal {number} is outside the match, which has "):
            game.start(number, 0, game.dealt(bytes(32), 1))


# Views.


@given(deal=deals())
def test_a_view_holds_what_the_seat_holds(deal):
    for seat in range(deal.game.players):
        seen = view(deal, seat)
        assert (seen.seat, seen.hand, seen.number, seen.dealer) == (seat, deal.hands[seat], deal.number, deal.dealer)
        assert seen.actions == tuple(deal.actions)
        assert seen.tricks == (() if deal.trick is None else tuple(deal.trick.counts))
        if seen.table:
            cards = [action for action in deal.actions if action < 52]
            assert list(seen.table) == cards[-len(seen.table) :]
        if seen.layout is not None:
            on_table = sum(map(len, seen.layout.piles)) + seen.layout.stock + sum(seen.layout.hand_sizes)
            assert on_table == len(deal.game.deck)


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_the_games_played_here_cover_every_option_value(ruleset):
    played = [game.options for game in GAMES.values() if game.ruleset == ruleset.id]
    for option in ruleset.options:
        if option.name not in COMMON:
            assert {options[option.name] for options in played} == set(values(option))
