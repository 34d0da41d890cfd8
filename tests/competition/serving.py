"""The competition's service in this process, on a port of loopback."""

import asyncio
import threading
from functools import cache
from pathlib import Path

from cluster.competition import service
from cluster.competition.client import Client
from cluster.competition.database import Database
from cluster.competition.owners import Limits, add
from cluster.competition.place import Place


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """One for all tests, see tests/loop.py."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


class Served:
    """Use as a context."""

    def __init__(self, folder: Path, url: str | None = None) -> None:
        self.place = Place(folder)
        self.database: Database = self.place.database(url)

    def __enter__(self) -> "Served":
        self.loop = _loop()
        starting = service.serve(self.place, self.database, "127.0.0.1:0")
        self.server, port = asyncio.run_coroutine_threadsafe(starting, self.loop).result()
        self.address = f"127.0.0.1:{port}"
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self.server.stop(None), self.loop).result()
        self.database.close()

    def client(self, owner: str = "ada", *scopes: str, **limits: int) -> Client:
        _, token = add(self.database, owner, scopes or ("submit",), Limits(**limits) if limits else None)
        return Client(self.address, token)
