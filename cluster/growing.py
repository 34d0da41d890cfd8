"""A results folder that grows under one process for months: each batch is read once.

Nothing here is known that the files do not say: a batch never changes once it is there, and one that is taken away makes all
be read anew.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from cluster.records import SCHEMAS
from cluster.statistics.reduced import PLAYED, join_blocks, join_played
from cluster.store import Store, Swept
from cluster.summaries import Evidence


class Growing(Store):
    """A results folder, and what this process has read of its batches; ``swept``: for the runs that play into it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.swept: Swept = {}
        self._forget()

    def done(self) -> set[str]:
        """The ids of all blocks that are there."""
        self._look()
        return self._done

    def evidence(self) -> Evidence:
        """What ratings are made from: bit-equal to that of a folder which is read whole."""
        self._look()
        return Evidence(join_blocks(self._blocks), self._played)

    def _forget(self) -> None:
        self._names: set[str] = set()
        self._done: set[str] = set()
        self._blocks = pl.DataFrame(schema=dict(SCHEMAS["blocks"]))
        self._played = pl.DataFrame(schema=dict(PLAYED))

    def _look(self) -> None:
        """Read what is new."""
        names = set(self.names())
        if not self._names <= names:
            self._forget()
        new = sorted(names - self._names)
        if not new:
            return

        def read(table: str, *columns: str) -> pl.DataFrame:
            files = [self.folder / "batches" / name / f"{table}.parquet" for name in new]
            return self.collect(pl.scan_parquet(files, glob=False).select(*columns or [pl.all()]))

        done, blocks, played = read("matches", "block_id"), read("blocks"), read("played", *PLAYED)
        self._names = names
        self._done.update(done["block_id"])
        self._blocks = pl.concat([self._blocks, blocks], rechunk=True)
        self._played = join_played(pl.concat([self._played, played]))
