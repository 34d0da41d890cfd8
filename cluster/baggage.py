"""The files of bots on their way to other machines: packed once, named by their content, unpacked once a node."""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cluster.tournament import BotEntry
from referee.rules.errors import ConfigError

#: What one bot may bring along; the whole of it passes through memory.
MAX_BYTES, MAX_FILES = 128 << 20, 20_000
#: Never sent: what is made anew where it is needed, and what no bot reads.
LEFT_OUT = frozenset({"__pycache__", ".git", ".venv", ".pytest_cache", ".mypy_cache", ".ruff_cache"})


def pack(bot: BotEntry, without: Path | None = None) -> bytes:
    """A tar file of what the bot needs from its folder: ``files``, or all of it.

    The same files give the same bytes. ``without``: a folder that is left out, as that of the results.

    Raises:
        ConfigError: something is missing, or it is too much to send.
    """
    root = Path(bot.cwd or ".").resolve()
    buffer = io.BytesIO()
    total = count = 0
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(_files(bot, root, without)):
            total, count = total + path.lstat().st_size, count + 1
            if total > MAX_BYTES or count > MAX_FILES:
                raise ConfigError(
                    f"bot {bot.name!r}: {root} holds more than the {MAX_BYTES >> 20} MiB or {MAX_FILES} files that travel to "
                    f"other nodes; name what it needs, as files = [\"my_bot.py\"]"
                )  # fmt: skip
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                raise ConfigError(f"bot {bot.name!r}: {path} links to what is not below {root}; copy it there")
            info = tar.gettarinfo(path, str(path.relative_to(root)))
            info.mtime = info.uid = info.gid = 0
            info.uname = info.gname = ""
            if info.isreg():
                with path.open("rb") as file:
                    tar.addfile(info, file)
            else:
                tar.addfile(info)
    return buffer.getvalue()


def digest(bag: bytes) -> str:
    """The name of a bag."""
    return hashlib.sha256(bag).hexdigest()[:32]


def place(name: str) -> Path:
    """Where a bag of this name is unpacked on this node."""
    return Path(tempfile.gettempdir()) / f"kingmaker-bots-{os.getuid()}" / name


def unpack(name: str, bag: bytes) -> None:
    """Unpack a bag at its place, unless it is there; whoever comes at the same time waits.

    Raises:
        ValueError: it is not what its name says.
    """
    final = place(name)
    final.parent.mkdir(mode=0o755, exist_ok=True)
    if final.parent.stat().st_uid != os.getuid():
        raise ValueError(f"{final.parent} belongs to somebody else")
    lock = os.open(final.parent / ".lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if final.exists():
            return
        if digest(bag) != name:
            raise ValueError(f"the files {name} arrived damaged")
        temporary = final.with_name(f".tmp-{name}")
        shutil.rmtree(temporary, ignore_errors=True)
        with tarfile.open(fileobj=io.BytesIO(bag)) as tar:
            tar.extractall(temporary, filter="data")
        os.rename(temporary, final)
    finally:
        os.close(lock)


def _files(bot: BotEntry, root: Path, without: Path | None) -> Iterator[Path]:
    for name in bot.files or (".",):
        path = root / name
        if not path.exists():
            raise ConfigError(f"bot {bot.name!r}: files names {name!r}, which is not in {root}")
        if not path.resolve().is_relative_to(root):
            raise ConfigError(f"bot {bot.name!r}: files names {name!r}, which is not below {root}")
        if not path.is_dir():
            yield path
            continue
        for folder, folders, files in os.walk(path):
            folders[:] = [one for one in folders if one not in LEFT_OUT and Path(folder, one).resolve() != without]
            links = [one for one in folders if Path(folder, one).is_symlink()]
            yield from (Path(os.path.normpath(Path(folder, one))) for one in [*files, *links])
