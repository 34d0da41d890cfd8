"""How fast a tournament goes on, and whether it does: read from the files of its folder, without asking anybody."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from cluster.store import QUARANTINE, STATUS, Store

#: The speed of now is that of so many seconds before the last batch.
RECENT_S = 300.0
_SIZE = re.compile(r"-(\d+)$")
_SCHEMA: Mapping[str, Any] = {"time": pl.Datetime("us", "UTC"), "blocks": pl.Int64, "done": pl.Int64}


@dataclass(frozen=True)
class Pace:
    """``batches``: a row a batch, in the order in which they came: time, blocks, done (blocks so far).

    ``blocks_a_minute``: of late, None while it cannot be told. ``is_running``: None where this machine cannot tell.
    ``workers``, ``host``, ``began``: of the last run, None where it left no word. ``set_aside``: blocks that broke workers.
    """

    batches: pl.DataFrame
    blocks_a_minute: float | None
    is_running: bool | None
    workers: int | None
    host: str | None
    began: datetime | None
    set_aside: tuple[Mapping[str, Any], ...]

    def seconds_left(self, blocks: int) -> float | None:
        """Seconds that so many blocks will take at the speed of late."""
        return 60 * blocks / self.blocks_a_minute if self.blocks_a_minute else None


def pace(folder: Path) -> Pace:
    """Look how far and how fast a results folder is; a batch counts from the moment at which it was put in place."""
    batches, status = _batches(folder), _read(folder / STATUS)
    status = status if isinstance(status, dict) else {}
    aside = _read(folder / QUARANTINE)
    return Pace(
        batches=batches,
        blocks_a_minute=_speed(batches),
        is_running=_is_locked(folder),
        workers=_whole(status.get("workers")),
        host=str(status["host"]) if "host" in status else None,
        began=_moment(status.get("began")),
        set_aside=tuple(one for one in aside if isinstance(one, dict)) if isinstance(aside, list) else (),
    )


def _batches(folder: Path) -> pl.DataFrame:
    rows = []
    for path in Store(folder).batches():
        size = _SIZE.search(path.name)
        try:
            moment = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        except OSError:
            continue  # set aside a moment ago
        rows.append((moment, int(size[1]) if size else 1, 0))
    return pl.DataFrame(rows, schema=dict(_SCHEMA), orient="row").sort("time").with_columns(done=pl.col("blocks").cum_sum())


def _speed(batches: pl.DataFrame) -> float | None:
    """Blocks a minute between the first and the last batch of late; the first one only begins the span."""
    if batches.height < 2:
        return None
    times = batches["time"].dt.timestamp("us") / 1e6
    late = batches.filter(times >= times[-1] - RECENT_S) if times[-1] - times[-2] < RECENT_S else batches.tail(2)
    span = (late["time"][-1] - late["time"][0]).total_seconds()
    return 60 * int(late["blocks"][1:].sum()) / span if span > 0 else None


def _is_locked(folder: Path) -> bool | None:
    """Whether a process of this machine writes there; looked up without touching the lock, which a run that begins wants."""
    try:
        inode = os.stat(folder / ".lock").st_ino
        held = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return None
    return any(line.split()[1] == "FLOCK" and line.split()[5].endswith(f":{inode}") for line in held if "->" not in line)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None  # not there, or being written by something else: the page says what it knows


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _moment(value: Any) -> datetime | None:
    return datetime.fromtimestamp(value, UTC) if isinstance(value, int | float) else None
