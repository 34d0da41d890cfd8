"""Perft: the numbers of legal sequences from small endings are what they were. tests/rules/perft.py writes them."""

from math import factorial

import pytest

from referee.rules.registry import RULESETS
from tests.rules.perft import FOLDER, count, wanted
from tests.rules.tables import do, table

WANTED = wanted()


def test_every_ruleset_has_counts_and_no_others_lie_about():
    assert {path.name for path in FOLDER.glob("*")} == set(WANTED)
    assert {name.split(" ")[0].removesuffix(".txt") for name in WANTED} == set(RULESETS)


@pytest.mark.parametrize("name", WANTED)
def test_counts(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == WANTED[name], "python -m tests.rules.perft writes it"


@pytest.mark.parametrize("name", WANTED)
def test_every_contract_of_the_ruleset_is_counted(name):
    ruleset, _, options = name.removesuffix(".txt").partition(" ")
    values = dict(option.split("=") for option in options.split())
    game = RULESETS[ruleset].game({key: int(value) if value.isdigit() else value for key, value in values.items()})
    counted = {line.split(";")[0] for line in WANTED[name].splitlines()[2:]}
    assert counted == {*game.contract_ids, "from the start"}


# Counts that can be had without a machine.


@pytest.mark.parametrize("cards", [1, 2, 3])
def test_suits_apart_everybody_plays_his_cards_in_any_order(cards):
    hands = (" ".join(f"{rank}{suit}" for rank in "234"[:cards]) for suit in "CDHS")
    lengths, complete, sums = count(table("king.auction", 1, *hands))
    assert complete == factorial(cards) ** 4
    assert lengths[0] == cards
    assert sums == [-20 * cards * complete, 0, 0, 0]


def test_one_suit_the_ace_takes_the_first_trick_and_its_holder_leads_again():
    """Two clubs each, the aces' holder leads: 2 cards each and then 1; without suits there is no choice but order."""
    lengths, complete, _ = count(table("king.auction", 1, "AC KC", "2C 3C", "4C 5C", "6C 7C"))
    assert lengths == [2, 4, 8, 16, 16, 16, 16, 16]
    assert complete == 16


def test_a_bonus_doubles_the_sequences():
    hands = ("AD 7C", "KD JC", "QD 9C", "7D KC")
    asked = count(do(table("klaverjas.amsterdam", 1, *hands, roem="choice"), "trump:S"))
    never = count(do(table("klaverjas.amsterdam", 1, *hands, roem="auto"), "trump:S"))
    assert asked[1] > never[1]
    assert len(asked[0]) == len(never[0]) + 1
