"""The end of a bot process, and another stream of one that lives."""

import pytest

from referee.faults import Clocks, Fault
from tests.referee.scene import Scene, asked, charged, faults


def test_a_lost_link_faults_what_is_open_and_what_waits():
    scene, sittings, link, decisions = asked(3)
    scene.answer(link, decisions[0])
    link.lost("exited with status 3")
    assert [faults(sitting) for sitting in sittings] == [[], [Fault.DISCONNECT], [Fault.DISCONNECT]]
    assert link.gone == "exited with status 3"
    assert not link.ready
    assert link.deadline() is None
    link.lost("again")
    assert link.gone == "exited with status 3"
    scene.play()
    assert all(faults(sitting) == [Fault.DISCONNECT] * 3 for sitting in sittings)
    assert all(sitting.table.over and sitting.table.ranks()[1] == 4 for sitting in sittings)
    assert not any(sitting.table.faults[seat] for sitting in sittings for seat in (0, 2, 3))


def test_a_lost_link_takes_no_more_answers_and_keeps_nothing():
    scene, (sitting,), link, decisions = asked()
    link.lost("stream closed")
    count = len(sitting.table.actions)
    scene.answer(link, *decisions)
    assert len(sitting.table.actions) == count
    scene.play()
    for _ in range(3):
        scene.start()
        scene.play()
    for each in scene.over:
        scene.room.end(each)
    assert not link.outgoing
    assert not link.places
    assert not link.ready


def test_another_stream_is_told_everything_anew_and_the_clock_runs_on():
    scene, sittings, link, decisions = asked(3)
    scene.answer(link, decisions[1], after_ms=10)
    before = link.deadline()
    scene.now += 0.040
    link.resume()
    assert link.deadline() is None
    assert link.ready
    sent = scene.send(link)
    assert [info.ruleset for info in sent.rulesets] == [1]
    assert [start.match for start in sent.match_starts] == [1, 3]
    assert [(each.match, each.number) for each in sent.decisions] == [(1, 1), (3, 1)]
    assert [each.SerializeToString() for each in sent.decisions] == [decisions[k].SerializeToString() for k in (0, 2)]
    assert link.deadline() == pytest.approx(before)
    scene.answer(link, *sent.decisions, after_ms=20)
    assert [charged(sitting) for sitting in sittings] == [30, 10, 30]
    later = scene.play(until=link)
    assert [start.match for start in later.match_starts] == [2]
    assert link.strikes == link.stale == 0


def test_another_stream_while_nothing_is_open_starts_no_clock():
    scene, (sitting,), link, decisions = asked()
    scene.answer(link, *decisions, after_ms=10)
    link.resume()
    scene.now += 100
    sent = scene.play(until=link)
    scene.answer(link, *sent.decisions, after_ms=10)
    assert charged(sitting) == 10


def test_a_bot_that_never_heard_of_a_match_is_not_told_its_end():
    scene, (sitting,), link, decisions = asked()
    scene.answer(link, *decisions)
    link.resume()
    sitting.is_void = True
    link.leave(sitting.places[1])
    assert not link.ready


def test_clocks_of_different_matches_are_their_own():
    scene = Scene()
    scene.start(clocks=Clocks(budget_ms=10, bank_ms=0, margin_ms=50))
    scene.start(clocks=Clocks(budget_ms=1000, bank_ms=0, margin_ms=50))
    link = next(link for link in scene.links if link.ready)
    seat = scene.links.index(link)
    sent = scene.send(link)
    scene.answer(link, *sent.decisions, after_ms=400)
    quick, patient = (place.sitting for place in link.places.values())
    assert quick.table.faults[seat] == [Fault.TIMEOUT]
    assert patient.table.faults[seat] == []
