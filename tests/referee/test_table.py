"""The table alone: who is asked, what time costs, what a fault does."""

import random
from dataclasses import replace

import pytest

from referee.faults import FAULT_BITS, FORCED, SUBSTITUTE, Clocks, Fault
from referee.rules.match import Match
from referee.rules.registry import RULESETS
from referee.table import Table
from tests.referee.scene import CLOCKS, KING, spec
from tests.strategies import GAMES

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
MS = 1000
BUDGET, BANK, MARGIN = CLOCKS.budget_ms * MS, CLOCKS.bank_ms * MS, CLOCKS.margin_ms * MS


def begun(**changes) -> Table:
    table = Table(spec(**changes))
    table.advance()
    return table


def to_the_end(table: Table, rng: random.Random | None = None, charge_us: int = 0) -> Table:
    while table.advance() is not None:
        legal = table.match.deal.legal()
        table.answer(rng.choice(legal) if rng else legal[0], charge_us)
    return table


def first_of(seat: int, **changes) -> Table:
    """A table that waits for this seat for the first time."""
    table = Table(spec(**changes))
    while table.advance() != seat:
        table.answer(table.match.deal.legal()[0], 0)
    return table


def charge(table: Table, us: int) -> tuple[Fault, int, int]:
    """Answer in so many microseconds; return the fault, what was charged, and what the bank has left."""
    seat = table.seat
    table.answer(table.match.deal.legal()[0], us)
    assert table.charged_us[-1] == table.last_charge_us[seat]
    return table.last_fault[seat], table.last_charge_us[seat], table.bank_us[seat]


# Who is asked.


@every_game
def test_every_decision_is_asked_forced_or_the_end(game):
    table = Table(spec(game))
    rng = random.Random(1)
    asked = 0
    while (seat := table.advance()) is not None:
        assert table.seat == seat == table.match.deal.actor
        assert len(table.match.deal.legal()) > 1
        assert table.advance() == seat or pytest.fail("asking again changed who is asked")
        asked += 1
        table.asked[seat] -= 1  # the second `advance`
        table.answer(rng.choice(table.match.deal.legal()), 0)
    assert table.over
    assert table.seat is None
    assert sum(table.asked) == asked == sum(mark == 0 for mark in table.marks)
    assert {*table.marks} <= {0, FORCED}
    assert (
        len(table.actions)
        == len(table.marks)
        == len(table.charged_us)
        == sum(len(d.actions) for d in table.match.finished)
    )


def test_forced_decisions_are_not_asked():
    table = to_the_end(Table(spec()), random.Random(1))
    forced = [mark & FORCED for mark in table.marks]
    assert all(forced[32 * deal + 28 : 32 * deal + 32] == [FORCED] * 4 for deal in range(14))  # the last trick
    assert sum(table.asked) == len(forced) - sum(map(bool, forced))


def test_ask_forced_asks_every_decision():
    table = to_the_end(Table(spec(RULESETS["king.simple"].game({"ask_forced": True}))), random.Random(1))
    assert not any(table.marks)
    assert table.asked == [8 * 14] * 4


@every_game
def test_the_record_replays(game):
    rng = random.Random(2)
    table = Table(spec(game, max_faults=5))
    while table.advance() is not None:
        if rng.random() < 0.01:
            table.fault(rng.choice(list(Fault)[1:]))
        else:
            table.answer(rng.choice(table.match.deal.legal()), 0)
    match = Match(game, table.spec.seed)
    for action in table.actions:
        match.apply(action)
    assert match.over
    assert match.totals == table.match.totals


# What time costs. A decision has 100 ms, a match has 1,000 ms above that, and 50 ms are forgiven.


@pytest.mark.parametrize(
    ("us", "fault", "charged", "bank"),
    [
        (0, Fault.NONE, 0, BANK),
        (1, Fault.NONE, 1, BANK),
        (BUDGET, Fault.NONE, BUDGET, BANK),
        (BUDGET + 1, Fault.NONE, BUDGET, BANK),
        (BUDGET + MARGIN, Fault.NONE, BUDGET, BANK),
        (BUDGET + MARGIN + 1, Fault.NONE, BUDGET + MARGIN + 1, BANK - MARGIN - 1),
        (BUDGET + BANK, Fault.NONE, BUDGET + BANK, 0),
        (BUDGET + BANK + 1, Fault.NONE, BUDGET + BANK, 0),
        (BUDGET + BANK + MARGIN, Fault.NONE, BUDGET + BANK, 0),
        (BUDGET + BANK + MARGIN + 1, Fault.TIMEOUT, BUDGET + BANK + MARGIN + 1, 0),
    ],
)
def test_budget_then_margin_then_bank(us, fault, charged, bank):
    assert charge(begun(), us) == (fault, charged, bank)


def test_the_bank_is_one_for_the_whole_match_of_a_seat():
    table = first_of(2)
    for left in (700, 400, 100):
        assert charge(table, BUDGET + 300 * MS) == (Fault.NONE, BUDGET + 300 * MS, left * MS)
        while table.advance() != 2:
            table.answer(table.match.deal.legal()[0], 0)
    assert charge(table, BUDGET + 300 * MS) == (Fault.TIMEOUT, BUDGET + 300 * MS, 0)
    assert [table.bank_us[seat] for seat in (0, 1, 3)] == [BANK] * 3


def test_an_empty_bank_leaves_budget_and_margin():
    table = begun(clocks=replace(CLOCKS, bank_ms=0))
    assert charge(table, BUDGET + MARGIN) == (Fault.NONE, BUDGET, 0)
    table.advance()
    assert charge(table, BUDGET + MARGIN + 1)[0] is Fault.TIMEOUT


def test_a_late_illegal_answer_is_late_and_an_illegal_one_in_time_costs_its_time():
    table = begun()
    seat = table.seat
    table.answer(999, BUDGET + BANK + MARGIN + 1)
    assert table.faults[seat] == [Fault.TIMEOUT]
    table = begun()
    table.answer(999, BUDGET + MARGIN + 5)
    assert (table.faults[seat], table.bank_us[seat]) == ([Fault.ILLEGAL], BANK - MARGIN - 5)


def test_times_beyond_32_bits_are_charged_as_the_most_that_is_recorded():
    clocks = Clocks(budget_ms=2**40, bank_ms=0)
    table = begun(clocks=clocks)
    assert charge(table, 2**35) == (Fault.NONE, 2**32 - 1, 0)


# What a fault does.


@pytest.mark.parametrize("fault", [Fault.MALFORMED, Fault.TIMEOUT, Fault.DISCONNECT])
def test_the_first_legal_action_is_played_in_place_of_an_answer(fault):
    table = begun()
    seat, first = table.seat, table.match.deal.legal()[0]
    table.fault(fault, 7)
    assert (table.actions[-1], table.marks[-1], table.charged_us[-1]) == (first, fault, 7)
    assert table.faults[seat] == [fault]
    assert table.last_fault[seat] is fault
    assert not table.forfeits
    while table.advance() != seat:
        table.answer(table.match.deal.legal()[0], 0)
    table.answer(table.match.deal.legal()[0], 0)
    assert table.last_fault[seat] is Fault.NONE
    assert table.faults[seat] == [fault]


@pytest.mark.parametrize("action", [52, 53, 255, 2**16, 2**31, 2**32 - 1, "held by another"])
def test_an_action_that_is_not_legal_is_a_fault_and_the_table_is_as_if_the_default_had_been_answered(action):
    table, good = begun(), begun()
    seat = table.seat
    if action == "held by another":
        action = next(card for card in range(52) if not table.match.deal.hands[seat] >> card & 1)
    table.answer(action, 7)
    good.answer(good.match.deal.legal()[0], 7)
    assert table.faults[seat] == [Fault.ILLEGAL]
    assert table.match.deal.hands == good.match.deal.hands
    assert table.actions == good.actions
    assert table.record_hash() != good.record_hash()


def test_the_third_fault_forfeits_and_a_substitute_plays_to_the_end():
    table = Table(spec())
    rng = random.Random(3)
    while (seat := table.advance()) is not None:
        if seat == 1:
            table.fault(Fault.ILLEGAL)
        else:
            table.answer(rng.choice(table.match.deal.legal()), 0)
    assert table.faults == [[], [Fault.ILLEGAL] * 3, [], []]
    assert table.asked[1] == 3
    assert table.forfeits == {1}
    seats = [seat for deal in table.match.finished for seat in deal.seats]
    by_mark = {
        mark: {seat for seat, m in zip(seats, table.marks, strict=True) if m == mark} for mark in set(table.marks)
    }
    assert by_mark == {0: {0, 2, 3}, Fault.ILLEGAL: {1}, FORCED: {0, 1, 2, 3}, SUBSTITUTE: {1}}
    assert all(mark & FAULT_BITS == mark & ~(FORCED | SUBSTITUTE) for mark in table.marks)


def test_who_forfeits_ranks_last_and_the_points_stand():
    table = Table(spec(max_faults=1))
    while (seat := table.advance()) is not None:
        legal = table.match.deal.legal()
        table.fault(Fault.TIMEOUT) if seat == 1 else table.answer(legal[-1], 0)
    others = [total for seat, total in enumerate(table.match.totals) if seat != 1]
    ranks = table.ranks()
    assert ranks[1] == 4
    assert [rank for seat, rank in enumerate(ranks) if seat != 1] == [
        1 + sum(x > total for x in others) for total in others
    ]
    assert table.match.totals == [
        sum(points) for points in zip(*(deal.scores() for deal in table.match.finished), strict=True)
    ]


def test_one_of_a_team_forfeits_for_both():
    table = Table(spec(RULESETS["klaverjas.rotterdam"].game(), max_faults=1))
    while (seat := table.advance()) is not None:
        table.fault(Fault.TIMEOUT) if seat == 2 else table.answer(table.match.deal.legal()[0], 0)
    assert table.forfeits == {2}
    assert table.ranks() == [3, 1, 3, 1]


@pytest.mark.parametrize("most", [1, 2, 5])
def test_max_faults_is_the_match_s_own(most):
    table = Table(spec(max_faults=most))
    while (seat := table.advance()) is not None:
        table.fault(Fault.DISCONNECT) if seat == 0 else table.answer(table.match.deal.legal()[0], 0)
    assert len(table.faults[0]) == most


# The hash of the record.


@every_game
def test_the_hash_depends_on_what_was_decided_and_not_on_times(game):
    quick, slow = Table(spec(game)), Table(spec(game, clocks=Clocks(budget_ms=5000)))
    for table, us in ((quick, 0), (slow, 4_000_000)):
        to_the_end(table, random.Random(4), us)
    assert quick.charged_us != slow.charged_us
    assert quick.record_hash() == slow.record_hash()
    assert len(quick.record_hash()) == 64


def test_the_hash_tells_apart_seed_line_up_options_actions_and_faults():
    game = RULESETS["king.simple"].game
    tables = [
        to_the_end(Table(spec()), random.Random(5)),
        to_the_end(Table(spec()), random.Random(6)),
        to_the_end(Table(spec(seed=b"\1" * 32)), random.Random(5)),
        to_the_end(Table(spec(players=("a", "b", "c", "d"))), random.Random(5)),
        to_the_end(Table(spec(game({"first_dealer": 1}))), random.Random(5)),
    ]
    one = begun()
    one.fault(Fault.TIMEOUT)
    tables += [to_the_end(one), to_the_end(Table(spec()))]
    assert one.actions == tables[-1].actions
    assert len({table.record_hash() for table in tables}) == len(tables)


def test_king_is_what_these_tests_think_it_is():
    assert (KING.players, KING.hand_size) == (4, 8)
