"""Remote bots through a real gate: who is let in, who comes back, and that a cut leaves no trace in the record."""

from __future__ import annotations

import asyncio

import grpc
import pytest

from referee.faults import Clocks, Fault
from referee.gate import TCP_OPTIONS, Gate, Listen
from referee.rules.errors import ConfigError
from referee.rules.registry import RULESETS
from referee.service import MAX_RETURNS, METHOD, SERVICE, TOKEN_KEY
from referee.table import Table
from tests import loop
from tests.protocol.peers import Code, Peer, hello
from tests.referee.hosting import against, play
from tests.referee.remote import TOKENS, Line, guest, host

GAME = RULESETS["king.simple"].game()
#: Nobody runs out of time by accident, and a cut costs nobody his seat.
PATIENT = Clocks(budget_ms=60_000)


def match(cut_at: dict[str, set[int]]) -> tuple[Table, Line]:
    """A match of a remote bot whose line is cut after these pieces."""

    async def main() -> tuple[Table, Line]:
        async with host() as (house, gate), Line(gate.port, cut_at) as line, guest(line.address):
            (table,) = await play(house, against("guest"), clocks=PATIENT, game=GAME)
            return table, line

    return loop.run(main(), 100)


@pytest.fixture(scope="module")
def undisturbed() -> tuple[Table, Line]:
    return match({})


def test_a_remote_bot_plays_a_match(undisturbed: tuple[Table, Line]) -> None:
    table, line = undisturbed
    assert table.over
    assert not any(table.faults)
    assert line.carried["down"] > 20


@pytest.mark.parametrize("direction", ["up", "down"])
@pytest.mark.parametrize("piece", [1, 2, 3, 4, 5, 6, 8, 13, 21])
def test_a_cut_at_any_step_leaves_the_same_record(undisturbed: tuple[Table, Line], direction: str, piece: int) -> None:
    table, line = match({direction: {piece}})
    assert line.cuts == 1
    assert not any(table.faults)
    assert table.record_hash() == undisturbed[0].record_hash()


async def greeted(gate: Gate, channels: list[grpc.aio.Channel]) -> Peer:
    """A remote bot on a connection of its own that has said hello."""
    channel = grpc.aio.insecure_channel(f"127.0.0.1:{gate.port}", options=[("grpc.use_local_subchannel_pool", 1)])
    channels.append(channel)
    peer = Peer(channel, "token of guest")
    await peer.say(hello())
    return peer


def test_who_stays_away_is_disconnected_for_every_decision_and_plays_the_next_match() -> None:
    async def main() -> None:
        channels: list[grpc.aio.Channel] = []
        async with host() as (house, gate):
            peer = await greeted(gate, channels)
            playing = asyncio.create_task(play(house, against("guest"), clocks=PATIENT, game=GAME))
            assert (await peer.hear()).welcome.version == 1
            await peer.batch()
            await channels[0].close()
            (table,) = await playing
            assert table.faults == [[], [Fault.DISCONNECT] * 3, [], []]
            again = await greeted(gate, channels)
            playing = asyncio.create_task(play(house, against("guest"), clocks=PATIENT, game=GAME))
            answering = asyncio.create_task(again.play())
            (table,) = await playing
            assert not any(table.faults)
            answering.cancel()
        for channel in channels:
            await channel.close()

    loop.run(main(), 100)


def test_the_same_is_asked_again_under_the_same_number_and_the_fourth_return_is_refused() -> None:
    async def main() -> None:
        channels: list[grpc.aio.Channel] = []
        async with host() as (house, gate):
            playing = asyncio.create_task(play(house, against("guest"), clocks=PATIENT, game=GAME))
            asked = []
            for _ in range(1 + MAX_RETURNS):
                peer = await greeted(gate, channels)
                assert (await peer.hear()).welcome.version == 1
                asked.append(await peer.batch())
                await channels[-1].close()
            assert all(batch == asked[0] for batch in asked)
            fourth = await greeted(gate, channels)
            code, text = await fourth.end()
            assert (code, text) == (Code.ABORTED, "came back 3 times, which is as often as it may")
            (table,) = await playing
            assert table.faults == [[], [Fault.DISCONNECT] * 3, [], []]
        for channel in channels:
            await channel.close()

    loop.run(main(), 100)


def test_a_peer_that_has_vanished_without_a_word_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """No clock runs, and no connection is closed: only the pings of the gate can tell."""
    quick = [(name, min(value, 1_000) if "idle" not in name else value) for name, value in TCP_OPTIONS]
    monkeypatch.setattr("referee.gate.TCP_OPTIONS", quick)

    async def main() -> None:
        async with host() as (house, gate), Line(gate.port, {}, dead_after=10) as line, guest(line.address):
            (table,) = await play(house, against("guest"), clocks=Clocks(budget_ms=10**8), game=GAME)
            assert table.faults == [[], [Fault.DISCONNECT] * 3, [], []]

    loop.run(main(), 50)


def test_a_token_that_is_revoked_ends_the_stream_that_it_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        channels: list[grpc.aio.Channel] = []
        async with host() as (house, gate):
            peer = await greeted(gate, channels)
            playing = asyncio.create_task(play(house, against("guest"), clocks=PATIENT, game=GAME))
            assert (await peer.hear()).welcome.version == 1
            await peer.batch()
            monkeypatch.delitem(TOKENS, "token of guest")
            refusal = (Code.UNAUTHENTICATED, "metadata 'kingmaker-token': the token is unknown here")
            assert await peer.end() == refusal
            (table,) = await playing
            assert table.faults == [[], [Fault.DISCONNECT] * 3, [], []]
            assert await (await greeted(gate, channels)).end() == refusal
        for channel in channels:
            await channel.close()

    loop.run(main(), 100)


def test_who_never_comes_forfeits_after_the_start_time_out() -> None:
    async def main() -> None:
        async with host(start_timeout_s=10.0) as (house, _):
            (table,) = await play(house, against("guest"), game=GAME)
            assert table.faults == [[], [Fault.DISCONNECT] * 3, [], []]

    loop.run(main(), 60)


@pytest.mark.parametrize(
    ("token", "code", "text"),
    [
        (None, Code.UNAUTHENTICATED, "the token is unknown here"),
        ("wrong", Code.UNAUTHENTICATED, "the token is unknown here"),
        ("token of other", Code.PERMISSION_DENIED, "no remote bot 'other' plays here"),
    ],
)
def test_without_a_token_of_this_tournament_nobody_is_let_in(token: str | None, code: Code, text: str) -> None:
    async def main() -> None:
        async with host() as (_, gate), grpc.aio.insecure_channel(f"127.0.0.1:{gate.port}") as channel:
            metadata = () if token is None else ((TOKEN_KEY, token),)
            call = channel.stream_stream(f"/{SERVICE}/{METHOD}")(metadata=metadata)
            assert await call.code() is code
            assert text in await call.details()

    loop.run(main(), 60)


@pytest.mark.parametrize("address", ["0.0.0.0:1", "[::]:50051", "example.org:50051", "192.0.2.1:1"])
def test_tokens_do_not_travel_in_the_clear_unless_somebody_says_so(address: str) -> None:
    with pytest.raises(ConfigError, match="tokens would travel in the clear"):
        Listen(address).check()
    Listen(address, plaintext=True).check()
    Listen(address, tls=(b"key", b"certificate")).check()


@pytest.mark.parametrize("address", ["", "here", "127.0.0.1", "127.0.0.1:x", "a b:1", "127.0.0.1:123456"])
def test_what_is_no_address_is_told(address: str) -> None:
    with pytest.raises(ConfigError, match="is no address"):
        Listen(address, plaintext=True).check()
