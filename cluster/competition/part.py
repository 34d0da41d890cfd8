"""One process of a competition: ``python -m cluster.competition.part NAME DATA …``, with the database in the environment."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from cluster.competition.database import DATABASE, Database
from cluster.competition.place import Place
from cluster.competition.settings import load
from referee.rules.errors import KingmakerError


def service(place: Place, database: Database, words: Sequence[str]) -> None:
    """The gRPC service, at an address, perhaps with a certificate and its key."""
    import grpc

    from cluster.competition.service import serve

    address, *files = words
    credentials = None
    if files:
        chain, key = (Path(file).read_bytes() for file in files)
        credentials = grpc.ssl_server_credentials([(key, chain)])

    async def until_told() -> None:
        over = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
        server, _ = await serve(place, database, address, credentials)
        await over.wait()
        await server.stop(5.0)

    asyncio.run(until_told())


def worker(place: Place, database: Database, _: Sequence[str]) -> None:
    """Builds and tries what was submitted."""
    from cluster.competition.worker import Worker

    Worker(place, database, load(place.folder)).run()


def ladder(place: Place, database: Database, _: Sequence[str]) -> None:
    """Plays."""
    from cluster.competition.ladder import Keeper, Submitted

    settings = load(place.folder)
    Keeper(place, database, settings, Submitted(place, database, settings)).run()


def remote(place: Place, database: Database, words: Sequence[str]) -> None:
    """Plays with remote bots, who come to an address, perhaps with a certificate and its key."""
    from cluster.competition.ladder import Keeper
    from cluster.competition.remote import Guests, whose
    from cluster.competition.serve import PLAINTEXT
    from referee.gate import Listen

    address, how, *files = words
    tls = None
    if files:
        chain, key = (Path(file).read_bytes() for file in files)
        tls = key, chain
    settings = load(place.folder)
    guests = Guests(settings, Listen(address, tls, how == PLAINTEXT), whose(database.address))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        Keeper(place, database, settings, guests).run()
    except KeyboardInterrupt:
        guests.close()


def pages(place: Place, database: Database, words: Sequence[str]) -> None:
    """The dashboard, on the port that is given."""
    from cluster.cli.results import dashboard_words

    command = dashboard_words(place.folder, int(words[0]))
    os.execv(command[0], command)


PARTS: dict[str, Callable[[Place, Database, Sequence[str]], None]] = {
    "service": service, "worker": worker, "ladder": ladder, "remote": remote, "pages": pages,
}  # fmt: skip


def main(words: Sequence[str]) -> None:
    """Be the part that the command line names; there is one of each in a folder."""
    name, data, *more = words
    logging.basicConfig(format=f"%(asctime)s {name}: %(message)s", level=logging.WARNING)
    logging.getLogger("grpc").setLevel(logging.ERROR)  # it warns of every stream that ends with its server
    place = Place(Path(data))
    lock = os.open(place.folder / f".{name}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)  # one that is being killed may still have it
    os.set_inheritable(lock, False)
    database = Database(os.environ[DATABASE])
    try:
        PARTS[name](place, database, more)
    except KeyboardInterrupt:
        pass
    except KingmakerError as error:
        sys.exit(f"{name}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
