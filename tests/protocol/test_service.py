"""The service over a real unix socket: whatever a peer does, the conversation follows its state table."""

import asyncio
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import grpc
import pytest

from referee.faults import Clocks, Fault
from referee.link import MAX_STRIKES
from referee.service import METHOD, OPTIONS, SERVICE, TOKEN_KEY
from tests.protocol.peers import PATIENCE_S, TOKEN, Peer, answers, hello, run, serving

Code = grpc.StatusCode


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path: that of a socket may have 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="test-") as name:
        yield Path(name)


async def until(condition: Callable[[], object], what: str) -> None:
    """Wait for something that no event tells of."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE_S
    while not condition() and loop.time() < deadline:  # noqa: ASYNC110  # nothing tells of it
        await asyncio.sleep(0.005)
    assert condition(), what


# Who may speak, and how it begins.


@pytest.mark.parametrize("token", [None, "", "another bot's", TOKEN + " ", TOKEN[:-1]])
def test_without_the_right_token_nothing_is_heard(folder, token):
    async def test(folder):
        async with serving(folder) as place:
            stranger = place.peer(0, token)
            code, text = await stranger.end()
            assert code is Code.UNAUTHENTICATED
            assert TOKEN_KEY in text
            assert TOKEN not in text
            assert not place.servers[0].connected.is_set()
            assert place.links[0].gone is None
            await place.good(0, 1, 2, 3)

    run(test, folder)


@pytest.mark.parametrize(("least", "most"), [(2, 3), (0, 0)])
def test_another_version_is_refused_with_the_range(folder, least, most):
    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(0)
            await peer.say(hello(least, most))
            code, text = await peer.end()
            assert code is Code.FAILED_PRECONDITION
            assert text == f"versions 1 to 1 are spoken here, not {least} to {most}"
            assert not place.servers[0].connected.is_set()

    run(test, folder)


@pytest.mark.parametrize("first", [answers((1, 1, 1)), b"", b"\xff" * 40, b"GET / HTTP/1.1\r\n\r\n"])
def test_the_first_message_is_hello(folder, first):
    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(0)
            await peer.say(first)
            assert await peer.end() == (Code.FAILED_PRECONDITION, "the first message of a stream is hello")
            assert place.links[0].gone is None
            await place.good(0)

    run(test, folder)


def test_a_stream_that_closes_before_hello_is_refused(folder):
    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(0)
            await peer.call.done_writing()
            assert (await peer.end())[0] is Code.FAILED_PRECONDITION
            assert place.links[0].gone is None

    run(test, folder)


def test_another_method_is_unknown(folder):
    async def test(folder):
        async with serving(folder) as place:
            call = place.channel(0).unary_unary("/referee.v1.RefereeService/Cheat")(b"", metadata=((TOKEN_KEY, TOKEN),))
            assert await call.code() is Code.UNIMPLEMENTED

    run(test, folder)


def test_four_bots_play_a_match(folder):
    async def test(folder):
        async with serving(folder) as place:
            await place.good(0, 1, 2, 3)
            sitting = await place.finish(place.start())
            assert not any(sitting.table.faults)

    run(test, folder)


# What a greeted bot may send.


def test_garbage_is_malformed_and_the_stream_lives(folder):
    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(1)
            await peer.greet()
            await place.good(0, 2, 3)
            sitting = place.start()
            await peer.batch()
            await peer.say(b"\xff\xff\xff")
            second = await peer.batch()
            assert [each.last_fault for each in second.decisions] == [Fault.MALFORMED]
            await peer.answer(second)
            third = await peer.batch()
            assert [each.last_fault for each in third.decisions] == [Fault.NONE]
            place.play(peer)
            await peer.answer(third)
            await place.finish(sitting)
            assert sitting.table.faults == [[], [Fault.MALFORMED], [], []]

    run(test, folder)


def test_a_second_hello_is_malformed(folder):
    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(1)
            await peer.greet()
            await place.good(0, 2, 3)
            sitting = place.start()
            await peer.batch()
            await peer.say(hello())
            assert [each.last_fault for each in (await peer.batch()).decisions] == [Fault.MALFORMED]
            assert sitting.table.faults[1] == [Fault.MALFORMED]

    run(test, folder)


def test_ten_strikes_end_the_stream(folder):
    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(0)
            await peer.greet()
            await peer.say(*[answers((77, 1, 1))] * (MAX_STRIKES - 1))
            await until(lambda: place.links[0].strikes == MAX_STRIKES - 1, "strikes are counted")
            assert place.links[0].gone is None
            await peer.say(b"\xff")
            code, text = await peer.end()
            assert code is Code.RESOURCE_EXHAUSTED
            assert text == "10 messages that answer nothing"
            await until(lambda: place.links[0].gone == text, "the link is told")

    run(test, folder)


def test_ten_strikes_in_a_match_lose_that_bot_only(folder):
    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(1)
            await peer.greet()
            await place.good(0, 2, 3)
            sitting = place.start()
            await peer.batch()
            await peer.say(answers(*((number, 1, 1) for number in range(2, 12))))
            assert (await peer.end())[0] is Code.RESOURCE_EXHAUSTED
            await place.finish(sitting)
            assert sitting.table.faults == [[], [Fault.DISCONNECT] * 3, [], []]

    run(test, folder)


def test_a_message_above_the_limit_harms_nobody_else(folder):
    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(1)
            await peer.greet()
            await place.good(0, 2, 3)
            sitting = place.start()
            await peer.batch()
            await peer.say(bytes(dict(OPTIONS)["grpc.max_receive_message_length"] + 1))
            assert (await peer.end())[0] is Code.RESOURCE_EXHAUSTED
            await place.finish(sitting)
            assert sitting.table.faults == [[], [Fault.DISCONNECT] * 3, [], []]
            assert [link.gone is None for link in place.links] == [True, False, True, True]

    run(test, folder)


def test_a_large_first_message_does_not_end_the_stream_that_is_there(folder):
    async def test(folder):
        async with serving(folder) as place:
            await place.good(0, 1, 2, 3)
            other = place.peer(0)
            await other.say(bytes(100_000))
            assert (await other.end())[0] in (Code.RESOURCE_EXHAUSTED, Code.FAILED_PRECONDITION)
            await place.finish(place.start())
            assert place.links[0].gone is None

    run(test, folder)


def test_compressed_messages_are_refused(folder):
    async def test(folder):
        async with serving(folder) as place:
            method = place.channel(0).stream_stream("/referee.v1.RefereeService/Play")
            bomb = Peer.__new__(Peer)
            bomb.call = method(metadata=((TOKEN_KEY, TOKEN),), compression=grpc.Compression.Gzip)
            with suppress(grpc.aio.AioRpcError):
                await bomb.say(bytes(60_000))
            code, _ = await bomb.end()
            assert code in (Code.UNIMPLEMENTED, Code.INTERNAL, Code.FAILED_PRECONDITION)
            await place.good(0)

    run(test, folder)


@pytest.mark.parametrize(
    "noise",
    [
        random.Random(1).randbytes(10_000),
        b"GET / HTTP/1.1\r\nHost: referee\r\n\r\n",
        bytes.fromhex("16030100050100000100"),  # the beginning of a TLS handshake
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("ffffff0000") + bytes(20_000),  # a frame of 16 MiB
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000") * 5_000,  # a flood of SETTINGS
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("0000080600000000000000000000000000") * 5_000,  # of pings
    ],
    ids=["random", "http/1.1", "tls", "frame", "settings", "pings"],
)
def test_what_is_no_grpc_ends_its_connection_and_harms_nobody(folder, noise):
    async def test(folder):
        async with serving(folder) as place:
            await place.good(0, 1, 2, 3)
            reader, writer = await asyncio.open_unix_connection(f"{folder}/1.sock")
            writer.write(noise)
            writer.write_eof()
            sitting = await place.finish(place.start())
            assert not any(sitting.table.faults)
            with suppress(ConnectionError):
                async with asyncio.timeout(PATIENCE_S):
                    while await reader.read(65536):
                        pass
            writer.close()

    run(test, folder)


def test_many_streams_and_much_metadata_harm_nobody(folder):
    async def test(folder):
        async with serving(folder) as place:
            await place.good(0, 1, 2, 3)
            channel = place.channel(1)
            peers = [Peer(channel) for _ in range(50)]
            method = place.channel(1).stream_stream(f"/{SERVICE}/{METHOD}")
            heavy = method(metadata=((TOKEN_KEY, TOKEN), ("more", "x" * 60_000)))
            sitting = await place.finish(place.start())
            assert not any(sitting.table.faults)
            assert await heavy.code() is not Code.OK
            for peer in peers:
                peer.call.cancel()

    run(test, folder)


def test_a_flood_of_answers_to_nothing_is_cut_off(folder):
    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(1)
            await peer.greet()
            await place.good(0, 2, 3)
            sitting = place.start()
            await peer.answer(await peer.batch())
            flood = answers(*[(1, 1, 0)] * 2000)
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await peer.say(*[flood] * 10_000)
            assert (await peer.end())[0] in (Code.RESOURCE_EXHAUSTED, Code.INTERNAL)  # the latter where a write broke
            await place.finish(sitting)
            assert [len(faults) for faults in sitting.table.faults] == [0, 3, 0, 0]

    run(test, folder)


# Time.


def test_an_answer_that_never_comes_is_a_timeout_and_the_next_one_counts(folder):
    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(1)
            await peer.greet()
            await place.good(0, 2, 3)
            loop = asyncio.get_running_loop()
            sitting = place.start(Clocks(budget_ms=150, bank_ms=100, margin_ms=50))
            await peer.batch()
            start = loop.time()
            second = await peer.batch()
            assert 0.25 < loop.time() - start < PATIENCE_S
            assert [each.last_fault for each in second.decisions] == [Fault.TIMEOUT]
            assert [each.bank_ms for each in second.decisions] == [0]
            await peer.answer(second)
            third = await peer.batch()
            assert sitting.table.faults[1] in ([Fault.TIMEOUT], [Fault.TIMEOUT] * 2)  # the machine may be busy
            assert third.decisions

    run(test, folder)


def test_a_stall_of_the_loop_is_nobody_s_time(folder):
    """The referee stands still for longer than a decision may take: no bot loses on time."""

    async def test(folder):
        async with serving(folder) as place:
            peer = place.peer(1)
            await peer.greet()
            await place.good(0, 2, 3)
            sitting = place.start(Clocks(budget_ms=400, bank_ms=0, margin_ms=50))
            for _ in range(4):
                batch = await peer.batch()
                await until(place.links[1].deadline, "its clock runs")
                await peer.answer(batch)
                time.sleep(0.6)  # noqa: ASYNC251  # this is the stall
            place.play(peer)
            await place.finish(sitting)
            assert not any(sitting.table.faults)

    run(test, folder)


# Streams that end, and others that follow.


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
            peer = place.peer(1)
            await peer.greet()
            await place.good(0, 2, 3)
            sitting = place.start()
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
            peer = place.peer(1)
            await peer.greet()
            await place.good(0, 2, 3)
            sitting = place.start()
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
