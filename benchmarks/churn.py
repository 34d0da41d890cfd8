"""Bots started and killed while many streams are busy: a process with live gRPC threads can hang when it starts others.

`python -m benchmarks.churn [STARTS]`; `tests/referee/test_churn.py` does fewer.
"""

import asyncio
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import grpc

from referee.faults import Clocks
from referee.processes import Command, LauncherClient
from referee.room import Room
from referee.rules import registry
from referee.service import METHOD, SERVICE, TOKEN_KEY, BotServer
from referee.table import MatchSpec
from referee.v1 import decision_pb2, referee_service_pb2

TOKEN = "0" * 64
STREAMS = 200
#: So many at a time, as a crowd of bots starts.
AT_ONCE = 8
#: What a bot takes for a batch: so the loop is busy, and not full.
THINKING_S = 0.1


async def churn(folder: Path, starts: int, streams: int = STREAMS) -> tuple[list[float], list[int]]:
    """Start and kill so many processes; the seconds of each from start to end, and the decisions that were answered by then."""
    launcher = LauncherClient()  # before gRPC
    await launcher.open()
    crowd = _Crowd(folder, streams)
    await crowd.open()
    left = iter(range(starts))
    times: list[float] = []
    answered: list[int] = []

    async def one_after_the_other() -> None:
        for number in left:
            began = perf_counter()
            running = asyncio.Event()
            exit = launcher.start(str(number), Command(("sleep", "1000")), {}, lambda _, running=running: running.set())  # type: ignore[misc]
            await asyncio.wait_for(running.wait(), 60)
            launcher.stop(str(number), 0.0)
            await asyncio.wait_for(exit, 60)
            times.append(perf_counter() - began)
            answered.append(crowd.answered)

    await asyncio.gather(*(one_after_the_other() for _ in range(AT_ONCE)))
    await crowd.close()
    await launcher.close()
    return times, answered


class _Crowd:
    """Streams that are asked and answer without end, in fours at a table."""

    def __init__(self, folder: Path, streams: int) -> None:
        self.folder = folder
        self.answered = 0
        self.room = Room(lambda link: self.servers[link].changed())
        self.links = [self.room.link(f"bot {number}") for number in range(streams)]
        self.servers = {link: BotServer(link, TOKEN) for link in self.links}
        self.channels: list[grpc.aio.Channel] = []
        self.peers: list[asyncio.Task[None]] = []
        self.game = registry.ruleset("king.simple").game()
        self.matches = 0

    async def open(self) -> None:
        for number, server in enumerate(self.servers.values()):
            await server.listen(f"{self.folder}/{number}.sock")
            channel = grpc.aio.insecure_channel(f"unix:{self.folder}/{number}.sock", options=[("grpc.use_local_subchannel_pool", 1)])
            self.channels.append(channel)
            self.peers.append(asyncio.create_task(self._answer(channel)))
        await asyncio.gather(*(server.connected.wait() for server in self.servers.values()))
        for seat in range(0, len(self.links), 4):
            self._begin(seat)

    async def close(self) -> None:
        for peer in self.peers:
            peer.cancel()
        await asyncio.gather(*self.peers, return_exceptions=True)
        await asyncio.gather(*(channel.close() for channel in self.channels))
        await asyncio.gather(*(server.close("over") for server in self.servers.values()))

    def _begin(self, seat: int) -> None:
        self.matches += 1
        spec = MatchSpec(match_id=str(self.matches), game=self.game, seed=self.matches.to_bytes(32, "big"),
                         players=("a", "b", "c", "d"), bot_seeds=(1, 2, 3, 4), clocks=Clocks(budget_ms=60_000))  # fmt: skip

        def again(sitting: object) -> None:
            asyncio.get_running_loop().call_soon(self._begin, seat)

        self.room.start(spec, self.links[seat : seat + 4], again)

    async def _answer(self, channel: grpc.aio.Channel) -> None:
        call = channel.stream_stream(f"/{SERVICE}/{METHOD}")(metadata=((TOKEN_KEY, TOKEN),))
        greeting = referee_service_pb2.PlayRequest(hello=referee_service_pb2.Hello(min_version=1, max_version=1))
        await call.write(greeting.SerializeToString())
        while (data := await call.read()) is not grpc.aio.EOF:
            batch = referee_service_pb2.PlayResponse.FromString(data).batch
            if batch.decisions:
                await asyncio.sleep(THINKING_S)
                answers = [decision_pb2.Answer(match=each.match, number=each.number, action=each.legal[0]) for each in batch.decisions]
                self.answered += len(answers)
                request = referee_service_pb2.PlayRequest(answers=referee_service_pb2.Answers(answers=answers))
                await call.write(request.SerializeToString())


def main() -> None:
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    with tempfile.TemporaryDirectory() as folder:
        began = perf_counter()
        times, answered = asyncio.run(churn(Path(folder), starts))
    times.sort()
    print(f"{len(times)} starts and kills in {perf_counter() - began:.0f} s beside {STREAMS} streams with {answered[-1]} decisions: "
          f"median {1000 * times[len(times) // 2]:.0f} ms, longest {1000 * times[-1]:.0f} ms")  # fmt: skip


if __name__ == "__main__":
    main()
