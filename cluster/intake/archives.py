"""Archives of strangers: looked at whole before anything is written, unpacked into a folder of their own, and named by content.

A refusal names the entry and the rule, and leaves nothing behind.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import shutil
import stat
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from cluster.intake.trees import Tree, measure
from referee.rules.errors import ConfigError, KingmakerError


class ArchiveRefused(KingmakerError):
    """An archive that is not taken; the text says which entry broke which rule."""


@dataclass(frozen=True, kw_only=True)
class ArchiveLimits:
    """What is taken: megabytes (2²⁰ bytes) packed and unpacked, files and folders, folders deep, bytes of a whole name."""

    packed_mb: int = 64
    unpacked_mb: int = 256
    entries: int = 5_000
    depth: int = 16
    name_bytes: int = 240


@dataclass(frozen=True)
class Entry:
    """One thing in an archive: its name as it stands there, its permissions, its declared size in bytes.

    ``wrong``: a rule that its kind breaks, or nothing. ``read`` opens its content.
    """

    name: str
    mode: int
    size: int
    is_folder: bool
    wrong: str
    read: Callable[[], IO[bytes]]


def unpack(archive: Path, target: Path, limits: ArchiveLimits | None = None) -> Tree:
    """Unpack an archive (zip; tar, plain or by gzip, bzip2, xz) into a folder that is made for it.

    Raises:
        ArchiveRefused: it breaks a rule; there is no ``target`` then.
        ConfigError: the file cannot be read.
    """
    limits = limits or ArchiveLimits()
    try:
        if archive.stat().st_size > limits.packed_mb << 20:
            raise ArchiveRefused(f"{archive.name} is larger than {limits.packed_mb} MB")
        with _entries(archive, limits) as entries:
            names = _Names(limits)
            for entry in entries:
                names.add(entry)
        target.mkdir(mode=0o755)
    except OSError as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError | FileExistsError):
            raise ConfigError(f"{error.filename}: {error.strerror}") from None
        raise ArchiveRefused(f"{archive.name}: {error}") from None
    try:
        with _entries(archive, limits) as entries:
            for entry in entries:
                _write(entry, target)
        return measure(target)
    except BaseException:
        shutil.rmtree(target)
        raise


class _Names:
    """Sees all entries before any is unpacked."""

    def __init__(self, limits: ArchiveLimits) -> None:
        self._limits = limits
        self._count = self._total = 0
        #: Each path, folded as systems do that take upper and lower case for the same: as it was written, and if a folder.
        self._seen: dict[str, tuple[str, bool]] = {}
        self._listed: set[str] = set()

    def add(self, entry: Entry) -> None:
        """Look at one entry more."""
        limits = self._limits
        self._count += 1
        self._total += entry.size
        rules = {
            f"there are more than {limits.entries} entries": self._count > limits.entries,
            f"what is unpacked would be larger than {limits.unpacked_mb} MB": self._total > limits.unpacked_mb << 20,
        }
        problem = next((rule for rule, broken in rules.items() if broken), "") or entry.wrong or _name_problem(entry, limits)
        if not problem:
            problem = self._collision(entry)
        if problem:
            raise ArchiveRefused(f"entry {_shown(entry.name)}: {problem}")

    def _collision(self, entry: Entry) -> str:
        parts = _parts(entry.name)
        if not parts:
            return ""
        if "/".join(parts) in self._listed:
            return "it is there twice"
        self._listed.add("/".join(parts))
        for end in range(1, len(parts) + 1):
            path = "/".join(parts[:end])
            is_folder = end < len(parts) or entry.is_folder
            other, other_is_folder = self._seen.setdefault(_folded(path), (path, is_folder))
            if other != path:
                return f"it differs from {_shown(other)} only in case or in how letters are composed"
            if is_folder != other_is_folder:
                return f"{_shown(path)} is both a file and a folder"
        return ""


def _name_problem(entry: Entry, limits: ArchiveLimits) -> str:
    name = entry.name
    rules = {
        "its name is not UTF-8": any(0xDC80 <= ord(letter) <= 0xDCFF for letter in name),
        "its name is empty": not name.strip("/"),
        "its name is absolute": name.startswith("/") or re.match(r"[A-Za-z]:", name) is not None,
        "its name leads out by ..": ".." in name.split("/"),
        "its name holds a backslash": "\\" in name,
        "its name holds a control character": any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in name),
        f"its name is longer than {limits.name_bytes} bytes": len(name.encode("utf-8", "replace")) > limits.name_bytes,
        f"it is deeper than {limits.depth} folders": len(_parts(name)) > limits.depth,
        "it has setuid, setgid or sticky bits": bool(entry.mode & 0o7000),
    }
    return next((rule for rule, broken in rules.items() if broken), "")


def _write(entry: Entry, target: Path) -> None:
    """Unpack one entry, no further than it was declared."""
    path = target.joinpath(*_parts(entry.name))
    if entry.is_folder:
        path.mkdir(mode=0o755, parents=True, exist_ok=True)
        return
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    mode = 0o755 if entry.mode & 0o111 else 0o644
    try:
        with open(path, "xb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, mode)) as out, entry.read() as content:
            left = entry.size
            while data := content.read(min(1 << 16, left + 1)):
                left -= len(data)
                if left < 0:
                    raise ArchiveRefused(f"entry {_shown(entry.name)}: it is larger than declared")
                out.write(data)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, lzma.LZMAError, tarfile.TarError, NotImplementedError) as error:
        raise ArchiveRefused(f"entry {_shown(entry.name)}: it cannot be unpacked: {error}") from None
    if left:
        raise ArchiveRefused(f"entry {_shown(entry.name)}: it is smaller than declared")


@contextmanager
def _entries(archive: Path, limits: ArchiveLimits) -> Iterator[Iterator[Entry]]:
    """What an archive says that it holds, in its order."""
    with archive.open("rb") as file:
        start = file.read(6)
        file.seek(0)
        try:
            if start.startswith(b"PK"):
                _see_directory(file, limits)
                with zipfile.ZipFile(file) as zipped:
                    yield (_of_zip(zipped, info) for info in zipped.infolist())
            else:
                with tarfile.open(fileobj=_Bounded(_unwrapped(file, start), limits), mode="r|") as tar:
                    yield (_of_tar(tar, member) for member in tar)
        except (EOFError, zlib.error, zipfile.BadZipFile, lzma.LZMAError, tarfile.TarError, NotImplementedError, UnicodeError) as error:
            raise ArchiveRefused(f"{archive.name}: it is no zip or tar that can be read: {error}") from None


def _see_directory(file: BinaryIO, limits: ArchiveLimits) -> None:
    """Look at the size of a zip's list of entries before it is read into memory."""
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - (1 << 16) - 22))
    tail = file.read()
    found = tail.rfind(b"PK\5\6")
    size = int.from_bytes(tail[found + 12 : found + 16], "little") if found >= 0 else 0
    if size > limits.entries * (limits.name_bytes + 256):
        raise ArchiveRefused(f"there are more than {limits.entries} entries, or their list is far too long")
    file.seek(0)


def _of_zip(zipped: zipfile.ZipFile, info: zipfile.ZipInfo) -> Entry:
    mode, in_utf8, encrypted = info.external_attr >> 16, info.flag_bits & 0x800, info.flag_bits & 0x1
    kind = stat.S_IFMT(mode)
    rules = {
        "it is no plain file or folder": kind not in (0, stat.S_IFREG, stat.S_IFDIR),
        "it is encrypted": bool(encrypted),
        "its compression is neither deflate nor none": info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED),
        "its name is not UTF-8": not in_utf8 and not info.orig_filename.isascii(),
        "its name holds a control character": "\0" in info.orig_filename,
    }
    wrong = next((rule for rule, broken in rules.items() if broken), "")
    return Entry(info.orig_filename, stat.S_IMODE(mode), info.file_size, info.is_dir(), wrong, lambda: zipped.open(info))


def _of_tar(tar: tarfile.TarFile, member: tarfile.TarInfo) -> Entry:
    wrong = "" if (member.isreg() and not member.issparse()) or member.isdir() else "it is no plain file or folder"
    read = cast(Callable[[], IO[bytes]], lambda: tar.extractfile(member))
    return Entry(member.name, stat.S_IMODE(member.mode), member.size, member.isdir(), wrong, read)


def _unwrapped(file: BinaryIO, start: bytes) -> IO[bytes]:
    if start.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.open(file))
    if start.startswith(b"BZh"):
        return bz2.open(file)
    return cast(IO[bytes], lzma.open(file)) if start.startswith(b"\xfd7zXZ\0") else file


class _Bounded(io.RawIOBase):
    """A stream that ends with an error where it is longer than any archive that is taken: also its headers may be a bomb."""

    def __init__(self, stream: IO[bytes], limits: ArchiveLimits) -> None:
        self._stream = stream
        self._left = (limits.unpacked_mb << 20) + 4096 * limits.entries
        self._most = limits.unpacked_mb

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes, or all."""
        data = self._stream.read(self._left + 1 if size < 0 else min(size, self._left + 1))
        self._left -= len(data)
        if self._left < 0:
            raise ArchiveRefused(f"what is unpacked would be larger than {self._most} MB")
        return data


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part not in ("", ".")]


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _shown(name: str) -> str:
    return ascii(name[:80])
