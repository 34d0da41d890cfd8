"""Archives on their author's side: a bot's folder as `cluster.intake.archives` takes it in."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cluster import manifest
from cluster.intake.archives import ArchiveLimits, ArchiveRefused, unpack
from referee.rules.errors import ConfigError

#: What no build needs, and what each build makes anew.
NEVER = frozenset({".git", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
BUILT = frozenset({".venv", "node_modules", "target", "build", "dist"})


def pack(folder: Path) -> bytes:
    """An archive of a bot's folder; the same files give the same bytes.

    Where the manifest has a build, what builds make is left out; where it has none, all is sent. A link is sent as what it leads
    to, which has to lie in the folder.

    Raises:
        ConfigError: there is no manifest, or a link leads out.
    """
    left_out = NEVER | (BUILT if manifest.read(folder).in_competition().build else frozenset())
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in _files(folder.resolve(), left_out):
            info = tarfile.TarInfo(str(path.relative_to(folder.resolve())))
            info.size, info.mode = path.stat().st_size, 0o755 if os.access(path, os.X_OK) else 0o644
            with path.open("rb") as file:
                tar.addfile(info, file)
    return packed.getvalue()


def checked(archive: Path) -> bytes:
    """An archive's bytes, once it is known that it would be taken in and what its manifest says can be.

    Raises:
        ConfigError: it would be refused.
    """
    with tempfile.TemporaryDirectory(prefix="km-archive-") as folder:
        try:
            unpack(archive, Path(folder) / "tree", ArchiveLimits(packed_mb=(archive.stat().st_size >> 20) + 1))  # the organiser says how much
            manifest.read(manifest.root(Path(folder) / "tree"))
        except ArchiveRefused as refusal:
            raise ConfigError(f"{archive}: {refusal}") from None
        except ConfigError as error:
            raise ConfigError(str(error).replace(f"{folder}/tree", str(archive))) from None
    return archive.read_bytes()


def _files(root: Path, left_out: frozenset[str]) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in left_out)
        for path in [Path(folder, name) for name in sorted(files) if name not in left_out] + [Path(folder, n) for n in folders]:
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                raise ConfigError(f"{path} links to {path.resolve()}, which is not in the bot's folder; copy it there")
            if path.is_file():
                yield path
