"""A seventh ruleset: Barbu's no tricks, no hearts and no queens in three deals. Nothing but this file knows of it."""

import random
from collections.abc import Mapping

from referee.rules import king, registry
from referee.rules.actions import ActionTable
from referee.rules.cards import DECK_52
from referee.rules.contract import Contract
from referee.rules.match import Match
from referee.rules.obligations import follow_suit, leading, no_hearts, when
from referee.rules.position import answer
from referee.rules.ruleset import FixedProgramme, Game, Plan, Ruleset, Value, common_options
from referee.rules.sampling import sample
from referee.rules.sheet import sheet
from referee.rules.trickplay import TrickPlay
from referee.rules.view import view
from tests.strategies import play_match

CONTRACTS = (
    Contract(id="no_tricks", tally=king.tricks(-2)),
    Contract(id="no_hearts", tally=king.hearts(-2), obligations=(when(leading, no_hearts), follow_suit)),
    Contract(id="no_queens", tally=king.queens(-6)),
)


def build(options: Mapping[str, Value]) -> Game:
    return Game(
        ruleset="barbu.three",
        version=1,
        options=options,
        players=4,
        teams=(0, 1, 2, 3),
        deck=DECK_52,
        packets=(1,) * 13,
        programme=FixedProgramme(tuple(Plan((TrickPlay(),), contract) for contract in CONTRACTS)),
        actions=ActionTable(),
        contracts=CONTRACTS,
        match_total=-26 - 26 - 24,
    )


BARBU = Ruleset(id="barbu.three", title="three deals of Barbu", page="barbu.md", options=common_options(4), build=build)


def test_a_match_is_played_and_its_totals_add_up():
    for seed in range(10):
        match = play_match(Match(BARBU.game(), bytes([seed] * 32)), random.Random(seed))
        assert [len(deal.actions) for deal in match.finished] == [52] * 3
        assert sum(match.totals) == match.game.match_total


def test_hearts_may_not_be_led_in_the_second_deal_alone():
    hearts = 0x1FFF << 26
    for number, allowed in ((1, True), (2, False), (3, True)):
        deal = BARBU.game().deal(bytes(32), number)
        assert bool(deal.legal_mask() & hearts) is allowed


def test_views_samples_and_the_sheet_need_nothing_more():
    game = BARBU.game({"first_dealer": 2})
    deal = game.deal(bytes(32), 1)
    deal.apply(deal.legal()[0])
    assert view(sample(game, view(deal, 0), random.Random(1)), 0) == view(deal, 0)
    assert [row.id for row in sheet(BARBU).contracts] == ["no_tricks", "no_hearts", "no_queens"]


def test_entering_it_in_the_registry_is_enough_for_positions(monkeypatch):
    monkeypatch.setitem(registry.RULESETS, BARBU.id, BARBU)
    suits = [[f"{rank}{suit}" for rank in "23456789TJQKA"] for suit in "CDHS"]
    position = {"ruleset": "barbu.three", "deal": 1, "dealer": 3, "hands": suits, "actions": ["AC", "2D"]}
    assert answer(position)["seat"] == 2
    assert answer(position)["trick"] == [["AC", 0], ["2D", 1]]
