"""The conversation with one bot process, without I/O: what is sent, what counts as an answer, whose time it was."""

import pytest

from referee import wire
from referee.faults import Fault
from referee.link import MAX_STRIKES, STALE_FOR_EACH, STALE_MORE
from referee.rules.registry import RULESETS
from tests.referee.scene import CLOCKS, Scene, answers, asked, batch, charged, faults

BUDGET, BANK, MARGIN = (ms / 1000 for ms in (CLOCKS.budget_ms, CLOCKS.bank_ms, CLOCKS.margin_ms))
ALLOWANCE = BUDGET + BANK


# What is sent.


def test_the_first_message_brings_rulesets_and_starts_and_the_next_does_not():
    scene = Scene()
    scene.start(3)
    link = next(link for link in scene.links if link.ready)
    seat = scene.links.index(link)
    first = scene.send(link)
    assert [info.id for info in first.rulesets] == ["king.simple"]
    assert [(start.match, start.ruleset, start.seat) for start in first.match_starts] == [
        (n, 1, seat) for n in (1, 2, 3)
    ]
    assert [(decision.match, decision.number) for decision in first.decisions] == [(1, 1), (2, 1), (3, 1)]
    assert not link.ready
    scene.answer(link, *first.decisions)
    again = scene.play(until=link)
    assert not again.rulesets
    assert not again.match_starts
    assert [(decision.match, decision.number) for decision in again.decisions] == [(1, 2), (2, 2), (3, 2)]


def test_a_start_comes_together_with_the_first_decision():
    scene = Scene()
    scene.start()
    told = 0
    while ready := [link for link in scene.links if link.ready]:
        sent = scene.send(ready[0])
        assert [start.match for start in sent.match_starts] == [d.match for d in sent.decisions if d.number == 1]
        told += len(sent.match_starts)
        scene.answer(ready[0], *sent.decisions)
    assert told == 4


def test_every_ruleset_gets_a_number_of_its_own():
    scene = Scene()
    fetes = RULESETS["king.fetes"].game()
    scene.start(2)
    scene.start(2, game=fetes)
    sent = scene.send(next(link for link in scene.links if link.ready))
    assert [(info.ruleset, info.id) for info in sent.rulesets] == [(1, "king.simple"), (2, "king.fetes")]
    assert [start.ruleset for start in sent.match_starts] == [1, 1, 2, 2]


def test_a_batch_holds_256_decisions_and_the_next_one_waits_for_its_answers():
    scene, sittings, link, decisions = asked(1)
    scene.start(300)
    for one in scene.links:
        one.outgoing.asks.clear()
    link.outgoing.asks = [sitting.places[1] for sitting in sittings] * 300
    scene.answer(link, *decisions)
    assert link.ready
    assert len(batch(link.message()).decisions) == wire.MAX_BATCH == 256
    assert not link.ready
    assert len(link.outgoing.asks) == 44


def test_ends_are_told_and_nothing_of_a_match_is_after_its_end():
    scene = Scene()
    (sitting,) = scene.start()
    assert scene.play() is None
    assert scene.over == [sitting]
    assert not any(link.ready for link in scene.links)
    scene.room.end(sitting)
    for link in scene.links:
        sent = scene.send(link)
        assert [end.match_id for end in sent.match_ends] == ["m"]
        assert sent.match_ends[0].seed == bytes(32)
        assert not link.ready
        assert not link.places
    scene.room.end(sitting)
    assert not any(link.ready for link in scene.links)


# Whose time it was.


def test_the_clock_runs_from_sending_to_answer():
    scene, (sitting,), link, decisions = asked()
    scene.answer(link, *decisions, after_ms=70)
    assert charged(sitting) == 70
    assert link.deadline() is None


def test_nothing_runs_while_nothing_is_open():
    scene, (sitting,), link, decisions = asked()
    scene.answer(link, *decisions, after_ms=10)
    scene.now += 500
    sent = scene.play(until=link)
    scene.now += 0.030
    scene.answer(link, *sent.decisions)
    assert charged(sitting) == 30


def test_answers_that_come_together_share_the_span():
    scene, sittings, link, decisions = asked(4)
    scene.answer(link, *decisions, after_ms=80)
    assert [charged(sitting) for sitting in sittings] == [20] * 4


def test_an_answer_is_charged_from_the_one_before_and_the_shares_add_up():
    scene, sittings, link, decisions = asked(4)
    scene.answer(link, decisions[2], after_ms=10)
    scene.answer(link, decisions[0], decisions[3], after_ms=40)
    scene.answer(link, decisions[1], after_ms=35)
    assert [charged(sitting) for sitting in sittings] == [20, 35, 10, 20]


def test_a_share_above_the_budget_is_taken_from_each_match_s_bank():
    scene, sittings, link, decisions = asked(2)
    scene.answer(link, *decisions, after_ms=600)
    assert [charged(sitting) for sitting in sittings] == [300, 300]
    assert [sitting.table.bank_us[1] for sitting in sittings] == [800_000, 800_000]
    assert not any(faults(sitting) for sitting in sittings)


@pytest.mark.parametrize(("late_ms", "charge", "bank"), [(0, 100, 1000), (50, 100, 1000), (51, 151, 949)])
def test_late_within_the_margin_costs_the_budget(late_ms, charge, bank):
    scene, (sitting,), link, decisions = asked()
    scene.now = 0.5  # where sums of milliseconds are exact enough
    link.busy_since = 0.5
    scene.answer(link, *decisions, after_ms=100 + late_ms - 0.0001)
    assert (charged(sitting), round(sitting.table.bank_us[1] / 1000)) == (charge, bank)


def test_a_decision_is_overdue_after_budget_bank_and_margin():
    scene, (sitting,), link, _ = asked()
    assert link.deadline() == pytest.approx(scene.now + ALLOWANCE + MARGIN)
    scene.now += ALLOWANCE + MARGIN
    link.overdue(scene.now)
    assert faults(sitting) == [Fault.TIMEOUT]
    assert charged(sitting) == 1100
    assert sitting.table.bank_us[1] == 0
    assert link.deadline() is None
    scene.play(until=link)
    assert link.deadline() == pytest.approx(scene.now + BUDGET + MARGIN)


def test_until_one_message_could_answer_all_in_time_nothing_is_overdue_then_the_oldest_first():
    scene, sittings, link, decisions = asked(3)
    assert link.deadline() == pytest.approx(scene.now + 3 * ALLOWANCE + MARGIN)
    scene.answer(link, decisions[1], after_ms=100)
    assert link.deadline() == pytest.approx(scene.now + 2 * ALLOWANCE + MARGIN)
    scene.now = link.deadline()
    link.overdue(scene.now)
    assert [faults(sitting) for sitting in sittings] == [[Fault.TIMEOUT], [], []]
    assert link.deadline() == pytest.approx(scene.now)  # the time of both has passed
    link.overdue(scene.now)
    assert [faults(sitting) for sitting in sittings] == [[Fault.TIMEOUT], [], [Fault.TIMEOUT]]


def test_a_pause_of_the_referee_is_nobody_s_time():
    scene, (sitting,), link, decisions = asked()
    before = link.deadline()
    scene.now += 0.7
    link.pause(0.65)
    assert link.deadline() == pytest.approx(before + 0.65)
    scene.answer(link, *decisions, after_ms=10)
    assert charged(sitting) == 60
    link.pause(1.0)
    assert link.deadline() is None


def test_a_pause_never_makes_time_negative():
    scene, (sitting,), link, decisions = asked()
    link.pause(0.5)
    scene.answer(link, *decisions)
    assert charged(sitting) == 0


def test_an_answer_that_overtakes_the_end_of_the_writing_costs_nothing():
    scene = Scene()
    (sitting,) = scene.start()
    link = next(link for link in scene.links if link.ready)
    decisions = batch(link.message()).decisions
    scene.answer(link, *decisions, after_ms=900)
    link.sent(scene.now)
    seat = scene.links.index(link)
    assert (charged(sitting, seat), link.deadline()) == (0, None)


# What counts as an answer.


def test_of_two_answers_the_first_counts():
    scene, (sitting,), link, (decision,) = asked()
    other = decision.legal[-1]
    assert other != decision.legal[0]
    link.received(answers((decision.match, 1, other), (decision.match, 1, decision.legal[0])), scene.now)
    assert sitting.table.actions[-1] == other
    assert (link.stale, link.strikes) == (1, 0)
    link.received(answers((decision.match, 1, decision.legal[0])), scene.now)
    assert (link.stale, link.strikes) == (2, 0)


def test_a_late_answer_is_stale_and_the_next_one_counts():
    scene, (sitting,), link, (decision,) = asked()
    link.overdue(scene.now + 2)
    later = scene.play(until=link)
    scene.answer(link, decision)
    assert (link.stale, link.strikes) == (1, 0)
    scene.answer(link, *later.decisions)
    assert sitting.table.last_fault[1] is Fault.NONE
    assert faults(sitting) == [Fault.TIMEOUT]


def test_an_answer_after_the_end_of_the_match_is_stale():
    scene = Scene()
    (sitting,) = scene.start()
    scene.play()
    scene.room.end(sitting)
    scene.links[0].received(answers((1, 3, 0)), scene.now)
    assert (scene.links[0].stale, scene.links[0].strikes) == (1, 0)


@pytest.mark.parametrize(
    ("match", "number"), [(2, 1), (0, 1), (77, 1), (1, 0), (1, 2), (1, 2**32 - 1), (2**32 - 1, 2**32 - 1)]
)
def test_an_answer_to_what_was_never_asked_is_a_strike_and_touches_nothing(match, number):
    scene, (sitting,), link, (decision,) = asked()
    before = sitting.table.actions[:]
    link.received(answers((match, number, decision.legal[0])), scene.now)
    assert (link.strikes, link.stale) == (1, 0)
    assert sitting.table.actions == before
    assert not any(sitting.table.faults)
    scene.answer(link, decision)
    assert len(sitting.table.actions) > len(before)


def test_an_answer_to_a_decision_that_waits_to_be_sent_is_a_strike():
    scene, (sitting,), link, (decision,) = asked()
    scene.answer(link, decision)
    assert link.stale == link.strikes == 0
    while not link.outgoing.asks:
        other = next(each for each in scene.links if each.ready)
        scene.answer(other, *scene.send(other).decisions)
    count = len(sitting.table.actions)
    link.received(answers((decision.match, 2, 0)), scene.now)
    assert (link.strikes, link.stale, len(sitting.table.actions)) == (1, 0, count)


def test_answers_of_another_bot_do_not_count():
    scene, _, link, (decision,) = asked()
    other = scene.links[2]
    other.received(answers((decision.match, decision.number, decision.legal[0])), scene.now)
    assert other.strikes == 1
    assert link.open


def test_an_empty_message_is_a_strike():
    scene, _, link, _ = asked()
    link.received(answers(), scene.now)
    assert link.strikes == 1


def test_answers_without_end_to_what_is_closed_become_strikes():
    scene, _, link, decisions = asked(5)
    scene.answer(link, *decisions)
    forgiven = STALE_FOR_EACH * 5 + STALE_MORE
    for _ in range(forgiven):
        link.received(answers((1, 1, 0)), scene.now)
    assert (link.stale, link.strikes) == (forgiven, 0)
    link.received(answers(*[(1, 1, 0)] * MAX_STRIKES), scene.now)
    assert link.strikes == MAX_STRIKES


def test_answering_everything_twice_is_never_a_strike():
    scene = Scene()
    scene.start()
    link = scene.links[1]
    while (sent := scene.play(until=link)) is not None:
        scene.answer(link, *sent.decisions)
        scene.answer(link, *sent.decisions)
    assert link.strikes == 0
    assert link.stale == scene.over[0].table.asked[1]


@pytest.mark.parametrize("action", [52, 2**32 - 1])
def test_an_illegal_action_is_a_fault_of_its_decision(action):
    scene, (sitting,), link, (decision,) = asked()
    link.received(answers((decision.match, 1, action)), scene.now)
    assert faults(sitting) == [Fault.ILLEGAL]
    assert link.strikes == 0
    assert not link.open


@pytest.mark.parametrize("data", [b"\xff\xff", b"", b"\x0a\x04\x08\x01\x10\x01"], ids=["garbage", "nothing", "hello"])
def test_what_cannot_be_read_is_a_fault_of_the_oldest_open_decision(data):
    scene, sittings, link, decisions = asked(3)
    scene.now += 0.030
    link.received(data, scene.now)
    assert [faults(sitting) for sitting in sittings] == [[Fault.MALFORMED], [], []]
    assert charged(sittings[0]) == 30
    scene.answer(link, *decisions[1:], after_ms=20)
    assert [charged(sitting) for sitting in sittings] == [30, 10, 10]


def test_what_cannot_be_read_is_a_strike_while_nothing_is_open():
    scene, (sitting,), link, decisions = asked()
    scene.answer(link, *decisions)
    link.received(b"\xff\xff", scene.now)
    assert link.strikes == 1
    assert not faults(sitting)
