"""Two bots that try to talk to each other by all that one machine shares; not one bit passes."""

from __future__ import annotations

import pytest

from tests import loop
from tests.isolation.sandboxed import TIERS, sandboxed
from tests.referee.hosting import GOOD, host, new_mark, play

SHARED = "/usr/bin/env"


def heard(tier: str) -> dict[str, str]:
    async def main() -> dict[str, str]:
        mark = new_mark()
        bots = {name: sandboxed("whisper", tier, mark, name, SHARED) for name in ("a", "b")}
        async with host(bots) as house:
            tables = await play(house, *[("a", GOOD[0], "b", GOOD[1])] * 20)
            assert not any(any(table.faults) for table in tables)
        return {log.bot: log.stdout for log in await house.take_logs() if log.bot in bots}

    return loop.run(main(), 100)


@pytest.mark.parametrize("tier", [*TIERS[:2], pytest.param("oci", marks=pytest.mark.slow)])
def test_not_one_bit_passes(tier):
    assert heard(tier) == {"a": "heard: nothing\n", "b": "heard: nothing\n"}


def test_trusted_bots_would_hear_each_other():
    """Or the test above could not fail."""
    for told in heard("trusted").values():
        assert {"abstract socket", "loopback", "lock", "watch"} <= set(told.removeprefix("heard: ").strip().split(", "))
