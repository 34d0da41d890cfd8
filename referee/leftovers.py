"""What hosts that were killed have left behind."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

from referee.isolation import cells

#: The folders of hosts are called so; one that nobody holds after so long was left by a host that was killed.
FOLDER_PREFIX, ABANDONED_S = "km-", 60.0


def sweep() -> None:
    """Remove the folders of hosts that were killed together with their launchers."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        try:
            if folder.stat().st_uid != os.getuid() or time.time() - folder.stat().st_mtime < ABANDONED_S:
                continue
            held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue  # another host removes it
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            cells.sweep(folder)
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass  # its host lives
        finally:
            os.close(held)
