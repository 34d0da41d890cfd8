"""An arena plays blocks in this process, with a host and its bots; it knows nothing of Ray."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cluster import hosting, records
from cluster.schedule import Block
from cluster.tournament import Tournament
from referee.gate import Gate
from referee.host import Host, LauncherClient, ProcessKey
from referee.table import MatchSpec


@dataclass(frozen=True)
class Chunk:
    """Some blocks that were played: their ids, and the Parquet files of their rows."""

    block_ids: tuple[str, ...]
    matches: int
    decisions: int
    faults: int
    files: dict[str, bytes]

    @property
    def name(self) -> str:
        """The name of its batch in the results folder."""
        return f"{self.block_ids[0]}-{len(self.block_ids)}"


class Arena:
    """Plays blocks of one tournament; `play` may be called from several threads at once.

    The launcher starts first, before gRPC opens anything in this process. Raises an IsolationError where this machine cannot
    isolate the bots as it has to. ``gate``: where the tournament's remote bots come in.
    """

    def __init__(self, tournament: Tournament, gate: Gate | None = None) -> None:
        self._gate = gate
        self.turn_to(tournament)
        self._launcher = LauncherClient()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="referee", daemon=True)
        self._thread.start()
        self._host: Host | None = None
        try:
            asyncio.run_coroutine_threadsafe(self._open(), self._loop).result()
        except BaseException:
            self.close()
            raise

    def play(self, blocks: Sequence[Block], attempt: int = 1) -> Chunk:
        """Play these blocks to their end.

        Raises:
            PlatformError: the platform failed; nothing of these blocks counts, and the arena is of no more use.
        """
        return asyncio.run_coroutine_threadsafe(self._play(blocks, attempt), self._loop).result()

    def turn_to(self, tournament: Tournament) -> None:
        """Play blocks of another tournament from now on, with the same hosted bots, and any remote ones."""
        self._tournament, self._game = tournament, tournament.game()
        self._standings = hosting.standings(tournament)

    def guests(self) -> dict[str, int]:
        """The remote bots that are there now, each with how many processes it has."""

        async def receive() -> dict[str, int]:
            assert self._host is not None
            return dict(Counter(key.bot for key in self._host.receive_guests()))

        return asyncio.run_coroutine_threadsafe(receive(), self._loop).result()

    def pulse(self) -> None:
        """Return once the loop has turned."""
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), self._loop).result()

    def close(self) -> None:
        """End all bots, and the loop."""
        if self._host is not None:
            asyncio.run_coroutine_threadsafe(self._host.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _open(self) -> None:
        patience_s = self._tournament.start_timeout_s
        host = Host(self._launcher, hosting.commands(self._tournament), start_timeout_s=patience_s, gate=self._gate)
        self._host = await host.__aenter__()
        self._permits = asyncio.Semaphore(self._tournament.tables)

    async def _play(self, blocks: Sequence[Block], attempt: int) -> Chunk:
        host = self._host
        assert host is not None
        games = [host.play(self._specs(block), self._seats(block), self._permits) for block in blocks]
        tables = await asyncio.gather(*games)
        played = [records.Played(b, tuple(t), attempt, self._standings) for b, t in zip(blocks, tables, strict=True)]
        logs = await host.take_logs()
        frames = await asyncio.to_thread(records.frames, self._tournament.id, played, logs)
        flat = [table for block_tables in tables for table in block_tables]
        return Chunk(
            block_ids=tuple(block.id for block in blocks),
            matches=len(flat),
            decisions=sum(sum(table.asked) for table in flat),
            faults=sum(len(faults) for table in flat for faults in table.faults),
            files={name: records.parquet(frame) for name, frame in frames.items()},
        )

    def _specs(self, block: Block) -> list[MatchSpec]:
        tournament = self._tournament
        return [
            MatchSpec(
                match_id=block.match_id(game),
                game=self._game,
                seed=block.seed,
                players=block.players(game),
                bot_seeds=block.bot_seeds(tournament.key, game),
                clocks=tournament.clocks.clocks(),
                max_faults=tournament.max_faults,
            )
            for game in range(len(block.seatings))
        ]

    def _seats(self, block: Block) -> list[list[ProcessKey]]:
        """The process of each seat of each match: no process ever holds two seats of one table."""
        return [
            [
                ProcessKey(bot, players[:seat].count(bot), game % self._tournament.lanes)
                for seat, bot in enumerate(players)
            ]
            for game in range(len(block.seatings))
            for players in [block.players(game)]
        ]
