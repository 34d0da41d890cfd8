"""Archives on their way into a competition; the service and the pages take them here. Knows nothing of gRPC."""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path

from cluster import batch
from cluster.competition import owners, registry
from cluster.competition.database import Database
from cluster.competition.owners import Owner
from cluster.competition.place import Place
from cluster.competition.registry import NotTaken, Submission

TEMPORARY = ".tmp-"


def temporary(place: Place) -> Path:
    """A name for an archive that is not whole yet."""
    return place.uploads / f"{TEMPORARY}{secrets.token_hex(8)}"


def enter(place: Place, database: Database, owner: Owner, arrived: Path, digest: str) -> Submission:
    """Put an archive that has arrived in its place, and then write down that it is there.

    ``digest``: SHA-256 of its bytes, in hex.

    Raises:
        NotTaken: the owner's limits do not allow it.
    """
    size, chosen = arrived.stat().st_size, registry.id_of(owner, digest)
    with arrived.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(arrived, place.upload(chosen))  # by the same bytes, if it was there
    batch.sync(place.uploads)
    try:
        return registry.receive(database, owner, digest, size)
    except NotTaken:
        if not registry.is_there(database, chosen):
            place.upload(chosen).unlink()
        raise


def submit(place: Place, database: Database, token: str, archive: bytes) -> Submission:
    """Take an archive from whoever has this token.

    Raises:
        Refused: the token does not let in.
        NotTaken: the owner's limits do not allow it.
    """
    owner = owners.owner_of(database, token, "submit")
    registry.check_size(owner, len(archive))
    arrived = temporary(place)
    try:
        arrived.write_bytes(archive)
        return enter(place, database, owner, arrived, hashlib.sha256(archive).hexdigest())
    finally:
        arrived.unlink(missing_ok=True)
