"""How a stream ends, what a newer one takes over, and whose fault it is not."""

import asyncio
from itertools import pairwise

import pytest

from referee.faults import Fault
from tests.protocol.peers import PATIENCE_S, Code, hello, run, serving, until


def test_the_newest_stream_of_a_process_wins(folder):
    async def test(folder):
        async with serving(folder) as place:
            old, new = place.peer(1), place.peer(1)
            await old.greet()
            await place.good(0, 2, 3)
            sitting = place.start()
            first = await old.batch()
            await new.greet()
            code, text = await old.end()
            assert code is Code.ABORTED
            assert text == "superseded by a newer stream of the same process"
            again = await new.batch()
            assert list(again.rulesets) == list(first.rulesets)
            assert list(again.match_starts) == list(first.match_starts)
            assert list(again.decisions) == list(first.decisions)
            place.play(new)
            await new.answer(again)
            await place.finish(sitting)
            assert not any(sitting.table.faults)
            assert place.links[1].gone is None

    run(test, folder)


def test_superseding_again_and_again_is_no_fault(folder):
    async def test(folder):
        async with serving(folder) as place:
            await place.good(0, 2, 3)
            peers = [place.peer(1) for _ in range(5)]
            await peers[0].greet()
            sitting = place.start()
            for peer, newer in pairwise(peers):
                await peer.answer(await peer.batch())
                await newer.greet()
                assert (await peer.end())[0] is Code.ABORTED
            place.play(peers[-1])
            await place.finish(sitting)
            assert not any(sitting.table.faults)
            assert place.links[1].strikes == 0

    run(test, folder)


def test_a_stranger_supersedes_nobody(folder):
    async def test(folder):
        async with serving(folder) as place:
            await place.good(0, 1, 2, 3)
            sitting = place.start()
            stranger, mute = place.peer(1, "wrong"), place.peer(1)
            assert (await stranger.end())[0] is Code.UNAUTHENTICATED
            await mute.say(b"no hello")
            assert (await mute.end())[0] is Code.FAILED_PRECONDITION
            await place.finish(sitting)
            assert not any(sitting.table.faults)

    run(test, folder)


@pytest.mark.parametrize("how", ["half-close", "cancel", "channel"])
def test_a_stream_that_ends_is_a_disconnect(folder, how):
    async def test(folder):
        async with serving(folder) as place:
            peer, sitting = await place.one_of_four()
            await peer.batch()
            if how == "half-close":
                await peer.call.done_writing()
                assert (await peer.end())[0] is Code.OK
            elif how == "cancel":
                peer.call.cancel()
            else:
                await place.channels[0].close()
            await place.finish(sitting)
            assert sitting.table.faults == [[], [Fault.DISCONNECT] * 3, [], []]
            assert place.links[1].gone is not None

    run(test, folder)


def test_a_process_that_was_given_up_does_not_come_back(folder):
    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(0)
            await peer.greet()
            await peer.call.done_writing()
            await peer.end()
            again = place.peer(0)
            await again.say(hello())
            assert await again.end() == (Code.ABORTED, "this process has been given up")

    run(test, folder)


def test_a_bot_that_does_not_read_is_disconnected(folder):
    """It takes what fits into the window, and then no more: the write cannot be completed."""

    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(0)
            await peer.greet()
            link, server = place.links[0], place.servers[0]
            link.message = lambda: bytes(1_000_000)  # nothing is open: message after message
            link.outgoing.asks = [None]
            server.changed()
            loop = asyncio.get_running_loop()
            start = loop.time()
            await until(lambda: link.gone is not None or not link.outgoing.asks, "gone")
            assert link.gone == "not reading"
            assert loop.time() - start < PATIENCE_S

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("referee.link.Link.lost", lambda self, why: setattr(self, "gone", why))
        run(test, folder)


# Goodbye.


def test_goodbye_is_the_last_message(folder):
    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(0)
            await peer.greet()
            closing = asyncio.create_task(place.servers[0].close("no more matches"))
            assert (await peer.hear()).goodbye.reason == "no more matches"
            await peer.call.done_writing()
            assert (await peer.end())[0] is Code.OK
            await closing
            assert place.links[0].gone is None

    run(test, folder)


def test_goodbye_waits_for_nobody(folder):
    async def test(folder):
        async with serving(folder) as place:
            peer, silent = place.peer(0), place.peer(1)
            await peer.greet()
            loop = asyncio.get_running_loop()
            await silent.say()  # connected, and without hello
            start = loop.time()
            await asyncio.gather(place.servers[0].close("over"), place.servers[1].close("over"))
            assert loop.time() - start < 5
            assert (await peer.hear()).goodbye.reason == "over"
            await silent.end()

    run(test, folder)


def test_the_ends_of_matches_come_before_goodbye(folder):
    async def test(folder):
        async with serving(folder) as place:
            peer, sitting = await place.one_of_four()
            place.play(peer)
            place.room.end(await place.finish(sitting))
            await place.servers[1].close("over")
            assert [end.match_id for end in peer.heard[-2].batch.match_ends] == ["m"]
            assert peer.heard[-1].goodbye.reason == "over"

    run(test, folder)


# Errors of our own are nobody's fault.


@pytest.mark.parametrize("broken", ["received", "message"])
def test_an_error_of_ours_is_told_and_is_no_fault(folder, broken):
    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(1)
            await peer.greet()
            await place.good(0, 2, 3)
            link = place.links[1]

            def fail(*_: object) -> bytes:
                raise KeyError("a bug")

            setattr(link, broken, fail)
            sitting = place.start()
            if broken == "received":
                await peer.answer(await peer.batch())
            await until(lambda: place.failures, "told")
            assert [str(error) for error in place.failures] == ["'a bug'"]
            assert not any(sitting.table.faults)
            place.failures.clear()

    run(test, folder)
