"""One event loop for all tests of this process that speak gRPC.

gRPC's completion queue outlives a loop, and stumbles over what belongs to one that is closed (grpc issues 25364, 36096).
"""

import asyncio
import atexit
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_runner = asyncio.Runner()
atexit.register(_runner.close)


def run(main: Coroutine[Any, Any, T], timeout_s: float) -> T:
    """Run a test; nothing may go wrong behind its back, such as in a task that nobody awaits."""
    noise: list[dict[str, Any]] = []

    def note(_: object, context: dict[str, Any]) -> None:
        if "PollerCompletionQueue" not in context["message"]:  # that of another loop, see above
            noise.append(context)

    async def limited() -> T:
        async with asyncio.timeout(timeout_s):
            return await main

    async def clear_away() -> None:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    _runner.get_loop().set_exception_handler(note)
    try:
        return _runner.run(limited())
    finally:
        _runner.run(clear_away())
        assert not noise, noise
