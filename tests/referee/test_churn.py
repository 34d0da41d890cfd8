"""Bots started and killed beside busy streams. Two thousand of them: benchmarks/churn.py."""

from pathlib import Path

import pytest

from benchmarks.churn import churn
from tests import loop


@pytest.mark.slow
def test_nothing_hangs_while_bots_come_and_go_beside_busy_streams(tmp_path: Path) -> None:
    times, answered = loop.run(churn(tmp_path, starts=400), 200)
    assert len(times) == 400
    quarters = answered[99::100]
    assert 0 < quarters[0] < quarters[1] < quarters[2] < quarters[3], "the streams were at work all the time"
    print(f"longest: {1000 * max(times):.0f} ms, {answered[-1]} decisions")
