"""The same random bot in every language: the whole path at 256 tables, and the bot alone.

The kits are built where they lie, each by the command of its `bot.toml`; a language whose tools are missing is left out.
"""

import asyncio
import os
import random
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

import grpc

from benchmarks import end_to_end
from cluster import manifest
from referee import wire
from referee.processes import Command
from referee.rules import registry
from referee.service import METHOD, SERVICE
from referee.table import MatchSpec, Table

KITS = Path(__file__).resolve().parents[1] / "bots"
TABLES, BLOCKS = 256, 128
WARM_S, SECONDS = 1.5, 3.0


def measure() -> dict[str, float]:
    """Decisions a second by language."""
    figures: dict[str, float] = {}
    for language in manifest.LANGUAGES:
        command = _built(language)
        if command is not None:
            figures[f"decisions_per_s_{TABLES}_tables_{language}"] = asyncio.run(end_to_end.run(TABLES, BLOCKS, command))
            figures[f"bot_alone_decisions_per_s_{language}"] = _alone(command)
    return figures


def _built(language: str) -> Command | None:
    if language == "python":  # its kit is the SDK that is installed here
        return end_to_end.PYTHON
    kit = KITS / language
    bot = manifest.read(kit)
    done = subprocess.run(bot.build or "true", shell=True, cwd=kit, capture_output=True, text=True)
    if done.returncode:
        print(f"{language} is left out, {bot.build!r} failed: {done.stderr[-300:].strip()}")
        return None
    return Command(tuple(bot.run.split()), str(kit))


def _alone(command: Command) -> float:
    """What a bot answers when the referee only sends bytes that were made before, 256 decisions a message."""
    referee = _Referee(_batch())
    with tempfile.TemporaryDirectory() as seat, ThreadPoolExecutor(2) as threads:
        (Path(seat) / "token").write_text("any")
        server = grpc.server(threads)
        handler = grpc.stream_stream_rpc_method_handler(referee.play)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler}),))
        server.add_insecure_port(f"unix:{seat}/ref.sock")
        server.start()
        env = os.environ | {"KINGMAKER_SEAT": seat}
        subprocess.run(command.words, cwd=command.cwd, env=env, check=True, timeout=60)
        server.stop(None).wait()
    return referee.rate


class _Referee:
    """Sends the same batch again and again for some seconds; ``rate``: decisions a second."""

    def __init__(self, batch: tuple[bytes, bytes]) -> None:
        self.first, self.again = batch
        self.rate = 0.0

    def play(self, requests: Iterator[bytes], _: Any) -> Iterator[bytes]:
        next(requests)
        yield wire.welcome()
        yield self.first
        begin, rounds = perf_counter() + WARM_S, 0
        while (now := perf_counter()) < begin + SECONDS:
            yield self.again
            next(requests)
            rounds += now >= begin
        self.rate = rounds * TABLES / (perf_counter() - begin)
        yield wire.goodbye("measured")


def _batch() -> tuple[bytes, bytes]:
    """The starts of 256 matches, and a decision of each, from anywhere in its first deals."""
    game, choose = registry.ruleset("king.fetes").game(), random.Random(1)
    starts, decisions = [], []
    for number in range(1, TABLES + 1):
        spec = MatchSpec(match_id="m", game=game, seed=choose.randbytes(32), players=end_to_end.BOTS, bot_seeds=(1, 2, 3, 4))
        table = Table(spec)
        encoder = wire.DecisionEncoder(table)
        for _ in range(choose.randrange(80)):
            table.advance()
            table.answer(choose.choice(table.match.deal.legal()), 0)
        seat = table.advance()
        assert seat is not None
        starts.append(wire.match_start(table, seat, number, 1))
        decisions.append(encoder.encode(number))
    return wire.batch([wire.ruleset_info(1, game)], starts), wire.batch(decisions=decisions)
