"""A folder of plain files: what it holds, the hash that names it, and a copy of it that follows no link."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Tree:
    """How much a folder holds, and 64 hex digits of SHA-256 over paths, permissions and contents, in the paths' order."""

    files: int
    size: int
    digest: str


class NotPlain(Exception):
    """Something in a folder is neither a plain file nor a folder."""


def measure(folder: Path) -> Tree:
    """Look at all of a folder.

    Raises:
        NotPlain: there is a link, a device or the like in it.
    """
    digest, files, size = hashlib.sha256(), 0, 0
    for path, status in sorted(_walk(folder)):
        name, content = os.path.relpath(path, folder), "-"
        if stat.S_ISREG(status.st_mode):
            with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            files, size = files + 1, size + status.st_size
        elif not stat.S_ISDIR(status.st_mode):
            raise NotPlain(f"{name} is neither a plain file nor a folder")
        digest.update(f"{name}\0{stat.S_IMODE(status.st_mode):o}\0{content}\n".encode("utf-8", "surrogateescape"))
    return Tree(files, size, digest.hexdigest())


def weight(folder: Path) -> tuple[int, int]:
    """Files and folders below a folder, and their bytes; of one that somebody is changing."""
    count = size = 0
    for _, status in _walk(folder):
        count, size = count + 1, size + status.st_size
    return count, size


def copy(source: Path, target: Path) -> int:
    """Copy plain files and folders into a folder that is made for them; return how many other things were left out."""
    left_out = 0
    target.mkdir(mode=0o755)
    for path, status in sorted(_walk(source)):
        to = target / os.path.relpath(path, source)
        if stat.S_ISDIR(status.st_mode):
            to.mkdir(mode=0o755)
        elif stat.S_ISREG(status.st_mode):
            with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file, to.open("xb") as out:
                shutil.copyfileobj(file, out)
            to.chmod(0o755 if status.st_mode & 0o111 else 0o644)
        else:
            left_out += 1
    return left_out


def _walk(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """All that is below a folder; links are not followed, and what vanishes meanwhile is not there."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        yield entry.path, status
        if stat.S_ISDIR(status.st_mode):
            yield from _walk(Path(entry.path))
