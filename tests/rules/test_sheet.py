"""The spec sheet: made from a ruleset's own data, so it cannot differ from it."""

import json
from dataclasses import asdict

import pytest

from referee.rules.errors import UnknownRuleset
from referee.rules.registry import RULESETS, ruleset
from referee.rules.sheet import sheet
from tests.strategies import GAMES, values


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_sheet_says_what_the_game_is(game):
    made = sheet(ruleset(game.ruleset), game.options)
    assert (made.id, made.players, made.teams, made.packets) == (game.ruleset, game.players, game.teams, game.packets)
    assert made.actions == game.actions.texts
    assert tuple(row.id for row in made.contracts) == game.contract_ids
    assert {row.name: row.value for row in made.options} == dict(game.options)
    assert len(made.deck) == len(game.deck)
    json.dumps(asdict(made))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_sheet_has_a_sentence_for_everything(game):
    made = sheet(ruleset(game.ruleset), game.options)
    sentences = [row.scoring for row in made.contracts] + [row.ends for row in made.contracts]
    sentences += [text for row in made.contracts for text in row.obligations]
    sentences += [phase for row in made.deals for phase in row.phases]
    for sentence in sentences:
        assert sentence[0].isupper() or sentence[0].isdigit(), sentence
        assert sentence.endswith("."), sentence
        assert "<function" not in sentence
    assert all(row.help for row in made.options)


@pytest.mark.parametrize("name", RULESETS)
def test_the_deals_of_a_sheet_follow_one_another(name):
    game = ruleset(name).game()
    rows = sheet(ruleset(name)).deals
    number = 1
    for row in rows:
        assert row.first == number
        for each in (row.first, row.last or row.first + 7):
            plan = game.programme.plan(each)
            assert row.contract == (plan.contract and plan.contract.id)
        number = (row.last or 0) + 1
    assert (game.programme.plan(number) is None) is (rows[-1].last is not None)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_text_names_every_contract_option_and_deal(game):
    text = sheet(ruleset(game.ruleset), game.options).text()
    for word in (game.ruleset, *game.contract_ids, *game.options):
        assert word in text
    for action in game.actions.texts[52:]:
        if ":" not in action:
            assert f": {action}" in text


def test_points_and_obligations_of_some_contracts():
    rows = {row.id: row for row in sheet(ruleset("king.fetes")).contracts}
    assert rows["no_hearts"].points == "-20 for each heart"
    assert rows["no_king_of_hearts"].points == "-160 for the king of hearts"
    assert rows["trump:S"].trump == "S"
    assert rows["nulls"].scoring == "Each player starts with 325."
    assert rows["no_king_of_hearts"].obligations == (
        "Leading the trick: anything but hearts.",
        "Leading the trick, on the first trick: anything but the king of hearts.",
        "Cards of the suit that was led.",
        "Void in the suit that was led, on the first trick: anything but the king of hearts.",
        "Void in the suit that was led, not on the first trick: the king of hearts.",
    )
    rows = {row.id: row for row in sheet(ruleset("king.simple")).contracts}
    assert rows["no_jacks"].points == "-4 for each jack"
    assert rows["jacks"].points == "+4 for each jack"
    assert rows["everything"].points.count(";") == 5
    (spades,) = [row for row in sheet(ruleset("klaverjas.rotterdam")).contracts if row.id == "trump:S"]
    assert (spades.order, spades.trump_order) == ("ATKQJ987", "J9ATKQ87")


def test_the_ladders_are_told_from_low_to_high():
    auction = sheet(ruleset("king.auction")).deals[-1].phases[0]
    assert "+1 < +2 < +3 < -1 < +4 < +5 < +6 < -2 < +7 < +8" in auction
    fete = sheet(ruleset("king.fetes")).deals[-1].phases[0]
    assert "+2 < +3 = -1 < +4" in fete


def test_options_change_the_sheet():
    long, short = sheet(ruleset("king.auction")), sheet(ruleset("king.auction"), {"deck": 32})
    assert (len(long.deck), len(short.deck)) == (52, 32)
    assert (long.match_total, short.match_total) == (0, -300)
    assert "433" in [row.id for row in long.contracts]
    assert "433" not in [row.id for row in short.contracts]
    assert sheet(ruleset("kings_corner"), {"players": 2}).players == 2


def test_a_wrong_option_is_an_error():
    with pytest.raises(UnknownRuleset, match="deck"):
        sheet(ruleset("king.auction"), {"deck": 40})


def test_option_rows_say_what_may_be_chosen():
    for each in RULESETS.values():
        for option, row in zip(each.options, sheet(each).options, strict=True):
            assert row.default == option.default
            for value in values(option):
                assert isinstance(option.values, range) or json.dumps(value) in row.values
