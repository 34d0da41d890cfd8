"""The service over a real unix socket: whatever a peer does, the conversation follows its state table."""

import asyncio
import random
import time
from contextlib import suppress

import grpc
import pytest

from referee.faults import Clocks, Fault
from referee.link import MAX_STRIKES
from referee.service import METHOD, OPTIONS, SERVICE, TOKEN_KEY
from tests.protocol.peers import PATIENCE_S, TOKEN, Code, Peer, answers, hello, run, serving, until

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
            peer, sitting = await place.one_of_four()
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
            peer, sitting = await place.one_of_four()
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
            peer, sitting = await place.one_of_four()
            await peer.batch()
            await peer.say(answers(*((number, 1, 1) for number in range(2, 12))))
            assert (await peer.end())[0] is Code.RESOURCE_EXHAUSTED
            await place.finish(sitting)
            assert sitting.table.faults == [[], [Fault.DISCONNECT] * 3, [], []]

    run(test, folder)


def test_a_message_above_the_limit_harms_nobody_else(folder):
    async def test(folder):
        async with serving(folder) as place:
            peer, sitting = await place.one_of_four()
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
            peer, sitting = await place.one_of_four()
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
