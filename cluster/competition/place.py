"""Where a competition keeps what is not in its database; everything below one folder.

::

    DIR/registry.sqlite         the database, where none is named
    DIR/uploads/SUBMISSION      archives as they came
    DIR/versions/N-HASH/        built bots, as they play
    DIR/ladders/NAME/season-N/  an ordinary results folder each
    DIR/published/season-N/     what anybody may have, with the seed
    DIR/work/                   what is being built or validated; removed when its worker begins anew
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cluster.store import PLAN
from referee.rules.errors import ConfigError

if TYPE_CHECKING:
    from cluster.competition.database import Database
    from cluster.competition.seasons import Ladder

DEFAULT = Path("competition")


@dataclass(frozen=True)
class Place:
    """The folder of a competition."""

    folder: Path

    @property
    def is_there(self) -> bool:
        """Whether this is a competition's folder, rather than a results folder."""
        return (self.folder / "ladders").is_dir() and not (self.folder / PLAN).exists()

    @property
    def uploads(self) -> Path:
        """Archives by their submissions' ids."""
        return self.folder / "uploads"

    def upload(self, submission: str) -> Path:
        """The archive of a submission."""
        return self.uploads / submission

    @property
    def work(self) -> Path:
        """What is under way; nothing in it matters once its worker has ended."""
        return self.folder / "work"

    @property
    def published(self) -> Path:
        """Seasons that are over."""
        return self.folder / "published"

    def version(self, version_id: int, tree: str) -> Path:
        """A built bot; its path is the same for ever, because results name it."""
        return self.folder / "versions" / f"{version_id}-{tree[:16]}"

    def results(self, ladder: Ladder, season: int) -> Path:
        """The results folder of a list in a season."""
        return self.folder / "ladders" / ladder.slug / f"season-{season}"

    def make(self) -> None:
        """Make the folders that are missing; nobody else may look into them, as seeds of seasons lie there.

        Raises:
            ConfigError: they cannot be made.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for name in ("uploads", "versions", "ladders", "published", "work"):
                (self.folder / name).mkdir(exist_ok=True)
        except OSError as error:
            raise ConfigError(f"{self.folder}: {error.strerror}; --data names a folder that can be written") from None

    def alone(self) -> int:
        """Be the only one who serves this folder for as long as the file descriptor that is returned stays open.

        Raises:
            ConfigError: another process serves it.
        """
        held = os.open(self.folder / ".serve.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            other = os.read(held, 20).decode(errors="replace").strip()
            os.close(held)
            raise ConfigError(f"{self.folder} is served already, by process {other}; end that one, or name another folder by --data") from None
        os.truncate(held, 0)
        os.write(held, str(os.getpid()).encode())
        return held

    @contextmanager
    def scheduling(self, *, end: bool = False) -> Iterator[None]:
        """Within, what is to be played may be written down; with ``end`` nobody else does so: who ends a season waits for them."""
        held = os.open(self.folder / ".scheduling.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(held, fcntl.LOCK_EX if end else fcntl.LOCK_SH)
            yield
        finally:
            os.close(held)

    def database(self, url: str | None) -> Database:
        """The competition's database, up to date.

        Raises:
            ConfigError: it is none that is known.
            NoDatabase: it cannot be reached.
        """
        from cluster.competition.database import Database, sqlite_url  # takes its time, and is not installed everywhere

        self.make()
        database = Database(url or sqlite_url(self.folder / "registry.sqlite"))
        database.upgrade()
        return database
