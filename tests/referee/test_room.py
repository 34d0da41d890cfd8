"""The room: all tables together, whoever sits at them, in whatever order the answers come."""

import base64
import hashlib
import random
from dataclasses import replace

import pytest

from referee.faults import Fault
from referee.link import Link
from referee.rules.registry import RULESETS
from tests.referee.scene import Scene, spec

every_ruleset = pytest.mark.parametrize("name", RULESETS)


def from_seed(decision) -> int:
    """A deterministic bot: it plays by the seed of the decision."""
    return random.Random(decision.seed).choice(list(decision.legal))


def seeds(count: int) -> list[bytes]:
    return [bytes([number]) * 32 for number in range(count)]


@every_ruleset
def test_one_after_the_other_or_all_at_once_the_records_are_the_same(name):
    game = RULESETS[name].game()
    hashes = []
    for at_once in (1, 12):
        scene = Scene(game.players)
        for start in range(0, 12, at_once):
            for seed in seeds(12)[start : start + at_once]:
                scene.start(seed=seed, game=game)
            scene.play(act=from_seed)
        assert not any(any(sitting.table.faults) for sitting in scene.over)
        hashes.append({sitting.table.spec.seed: sitting.table.record_hash() for sitting in scene.over})
    assert hashes[0] == hashes[1]
    assert len(set(hashes[0].values())) == 12


def test_answers_in_any_order_and_in_any_messages_give_the_same_records():
    hashes = []
    for rng in map(random.Random, range(3)):
        scene = Scene()
        for seed in seeds(10):
            scene.start(seed=seed)
        while ready := [link for link in scene.links if link.ready]:
            link = rng.choice(ready)
            waiting = list(scene.send(link).decisions)
            rng.shuffle(waiting)
            while waiting:
                size = rng.randint(1, len(waiting))
                scene.answer(link, *waiting[:size], act=from_seed)
                del waiting[:size]
        hashes.append({sitting.table.spec.seed: sitting.table.record_hash() for sitting in scene.over})
    assert hashes[0] == hashes[1] == hashes[2]
    assert len(hashes[0]) == 10


@every_ruleset
def test_the_seed_is_in_no_message_before_the_last_match_that_shares_it_is_over(name, monkeypatch):
    """C19: neither it, nor what says as much; the commitment is."""
    seed, told, message = random.Random(1).randbytes(32), [], Link.message

    def recorded(link):
        told.append(message(link))
        return told[-1]

    monkeypatch.setattr(Link, "message", recorded)
    game = RULESETS[name].game()
    scene = Scene(game.players)
    first, second = scene.start(seed=seed, game=game), scene.start(seed=seed, game=game)
    scene.play()
    before = b"".join(told)
    assert hashlib.sha256(seed).digest() in before
    for secret in (seed, seed[:8], seed[::-1], seed.hex().encode(), base64.b64encode(seed)):
        assert secret not in before
    for sitting in first + second:
        scene.room.end(sitting)
    scene.play()
    heard = sum(place.is_told for sitting in first + second for place in sitting.places)  # who was never asked knows of none
    assert b"".join(told).count(seed) == heard > 2


def test_done_is_called_once_for_each_match_and_playing_counts_them():
    scene = Scene()
    sittings = scene.start(5)
    assert scene.room.playing == 5
    scene.play()
    assert scene.room.playing == 0
    assert len(scene.over) == len(set(scene.over)) == 5
    for sitting in sittings:
        scene.room.end(sitting)
    assert scene.room.playing == 0


def test_a_table_without_a_living_bot_is_over_at_once():
    scene = Scene()
    for link in scene.links:
        link.lost("start time-out")
    (sitting,) = scene.start()
    assert scene.over == [sitting]
    assert sitting.table.faults == [[Fault.DISCONNECT] * 3] * 4
    assert sitting.table.ranks() == [1, 1, 1, 1]


def test_one_bot_at_two_tables_may_be_gone_at_one_of_them_only():
    scene = Scene()
    (first,) = scene.start()
    gone = scene.links[2]
    scene.play(until=gone)
    gone.lost("exited with status 1")
    scene.links[2] = scene.room.link("the same bot, started again")
    (second,) = scene.start()
    scene.play()
    assert {*scene.over} == {first, second}
    assert first.table.faults[2] == [Fault.DISCONNECT] * 3
    assert not any(second.table.faults)


def test_the_records_of_faults_do_not_depend_on_who_came_when():
    """An answer that is late at one time is a fault at any time: the same faults, the same record."""
    hashes = set()
    for after in (5.0, 50.0):
        scene = Scene()
        (sitting,) = scene.start()
        late = 0
        while (sent := scene.play(until=scene.links[0])) is not None:
            scene.answer(scene.links[0], *sent.decisions, after_ms=after * 1000 if late < 2 else after)
            late += 1
        assert sitting.table.faults[0] == [Fault.TIMEOUT] * 2
        hashes.add(sitting.table.record_hash())
    assert len(hashes) == 1


# Void matches.


def test_a_void_match_is_told_without_seed_or_score_and_is_not_played_on():
    scene = Scene()
    kept, void = scene.start(2)
    link = next(link for link in scene.links if link.ready)
    seat = scene.links.index(link)
    sent = scene.send(link)
    scene.room.end(void, is_void=True)
    assert scene.room.playing == 1
    scene.answer(link, *sent.decisions)  # one of them comes too late to matter
    assert (link.stale, link.strikes) == (0, 0)
    told = scene.send(link)
    assert [(end.match, end.is_void, end.seed, list(end.totals)) for end in told.match_ends] == [(2, True, b"", [])]
    scene.play()
    assert scene.over == [kept]
    assert not any(each.ready for each in scene.links)
    assert not any(void.table.faults)
    assert void.places[seat].number not in link.places


def test_a_match_that_was_played_to_its_end_may_be_void_all_the_same():
    """Its deals are played again: nobody is told the seed."""
    scene = Scene()
    (sitting,) = scene.start()
    scene.play()
    scene.room.end(sitting, is_void=True)
    for link in scene.links:
        (end,) = scene.send(link).match_ends
        assert (end.is_void, end.seed, end.match_id, list(end.ranks)) == (True, b"", "", [])
    assert scene.room.playing == 0


def test_what_waits_of_a_void_match_is_not_asked():
    scene = Scene()
    kept, void = scene.start(2)
    scene.room.end(void, is_void=True)
    link = next(link for link in scene.links if link.ready)
    sent = scene.send(link)
    assert [start.match for start in sent.match_starts] == [1]
    assert [decision.match for decision in sent.decisions] == [1]
    assert not sent.match_ends
    scene.answer(link, *sent.decisions)
    scene.play()
    assert scene.over == [kept]


def test_a_void_match_can_be_overdue_malformed_and_lost_without_harm():
    for harm in ("overdue", "malformed", "lost"):
        scene = Scene()
        scene.start(2)
        link = next(link for link in scene.links if link.ready)
        scene.send(link)
        for place in list(link.places.values()):
            scene.room.end(place.sitting, is_void=True)
        if harm == "overdue":
            scene.now += 100
            link.overdue(scene.now)
            link.overdue(scene.now)
        elif harm == "malformed":
            link.received(b"\xff", scene.now)
            link.received(b"\xff", scene.now)
        else:
            link.lost("exited with status 0")
        assert not link.open
        assert not scene.over
        assert scene.room.playing == 0


def test_a_stream_that_comes_anew_is_not_told_of_void_matches():
    scene = Scene()
    scene.start(2)
    link = next(link for link in scene.links if link.ready)
    scene.send(link)
    for place in list(link.places.values()):
        scene.room.end(place.sitting, is_void=True)
    link.resume()
    assert not link.ready
    scene.now += 10
    scene.start()
    sent = scene.send(link)
    assert [each.match for each in sent.decisions] == [3]
    assert link.deadline() > scene.now


def test_specs_are_values():
    assert spec() == replace(spec(), max_faults=3)
