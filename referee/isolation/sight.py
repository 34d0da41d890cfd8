"""What of the host's files a bot may see: the system's programs, its runtime, its own folder; never a home folder.

All of it read-only and in its own place, so that a command means the same inside and outside.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

#: Programs and libraries of the system; where one is a link (as /bin to usr/bin), it is one inside too.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
#: Of /etc only what a runtime cannot do without: where libraries and alternatives lie, the time zone, settings of Node's
#: OpenSSL and of Java.
ETC = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/ssl/openssl.cnf")
ETC_PATTERNS = ("java-*-openjdk",)
#: The Python SDK and the wire that it speaks; they lie beside us.
SDK = tuple(str(Path(__file__).resolve().parents[2] / name) for name in ("bots", "referee", "proto"))
_BROAD = ("/", "/home", "/root", "/etc", "/var", "/opt", "/srv", "/tmp", "/run", "/mnt", "/media", "/proc", "/sys", "/dev")


def program(word: str, path: str | None, cwd: str | None) -> str:
    """The program that the first word of a command means, in full; the word itself where there is none."""
    if "/" in word:
        return os.path.join(cwd or os.getcwd(), word)
    return shutil.which(word, path=path) or word


def runtime(program: str) -> list[str]:
    """The folders that a program needs beyond the system's, found by following its links.

    A program in a folder ``bin`` with a ``lib`` or a ``pyvenv.cfg`` beside it is part of an installation, which is
    shown whole; else its own folder is. A Python environment also names folders in its ``.pth`` files.
    """
    found: dict[str, None] = {}
    for step in _links(program):
        folder = step.parent
        home = folder.parent
        if folder.name == "bin" and ((home / "lib").is_dir() or (home / "pyvenv.cfg").exists()):
            folder = home
        if not is_system(str(folder)) and not is_broad(str(folder)):
            found[str(folder)] = None
            found |= dict.fromkeys(_pth(folder))
    return list(found)


def is_system(path: str) -> bool:
    """Whether it is shown to everybody."""
    return any(Path(path).is_relative_to(top) for top in SYSTEM)


def is_broad(path: str) -> bool:
    """Whether it holds far more than one bot: a home folder, or a folder of many things."""
    return path in _BROAD or Path.home().is_relative_to(path)


def etc() -> list[str]:
    """The files of /etc that are there."""
    found = [path for path in ETC if os.path.exists(path)]
    return found + [str(path) for pattern in ETC_PATTERNS for path in sorted(Path("/etc").glob(pattern))]


def reads(words: Sequence[str], path: str | None, cwd: str | None, more: Iterable[str]) -> list[str]:
    """All that a bot may read beyond the system's folders, outer folders before what lies in them."""
    named = [*filter(os.path.isdir, SDK), *runtime(program(words[0], path, cwd)), *more, *([cwd] if cwd is not None else [])]
    wanted = sorted({os.path.realpath(each) for each in named} | {os.path.abspath(each) for each in named})
    kept: list[str] = []
    for each in wanted:
        if not is_system(each) and not any(Path(each).is_relative_to(outer) for outer in kept):
            kept.append(each)
    return kept


def _links(program: str) -> Iterator[Path]:
    """The program, and each thing that it is a link to."""
    step = Path(os.path.abspath(program))
    for _ in range(40):  # as many as the kernel follows
        if step.exists():
            yield step
        if not step.is_symlink():
            return
        step = Path(os.path.abspath(step.parent / os.readlink(step)))


def _pth(folder: Path) -> Iterator[str]:
    """Folders outside of a Python environment that it imports from."""
    for file in sorted(folder.glob("lib/python*/site-packages/*.pth")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            place = line.strip()
            if place.startswith("/") and os.path.isdir(place) and not is_broad(place):
                yield place
