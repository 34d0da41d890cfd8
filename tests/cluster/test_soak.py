"""Many matches with bots that misbehave: each is accounted for, and nothing is left behind. More: benchmarks/soak.py."""

from pathlib import Path

import polars as pl
import pytest

from benchmarks.soak import soak
from cluster.store import Store

MATCHES = 2_000


@pytest.mark.slow
def test_a_soak_leaves_nothing_and_memory_is_flat(tmp_path: Path) -> None:
    seen = soak(MATCHES, tmp_path / "r")
    rows = Store(tmp_path / "r").table("matches")
    assert seen.outcome
    assert seen.outcome.complete
    assert rows["match_id"].n_unique() == MATCHES
    assert rows.height == 4 * MATCHES
    assert set(rows.filter(pl.col("faults") > 0)["bot"]) == {"moody"}
    assert (rows["faults"] == rows.select("illegal", "malformed", "timeout", "disconnect").sum_horizontal()).all()
    assert seen.left == []
    for which, name in enumerate(("referee and host", "launcher")):
        print(f"{name}: {seen.memory[-1][which]:.0f} MiB, {seen.slope(which):+.3f} MiB a thousand matches")
        assert seen.slope(which) < 10
