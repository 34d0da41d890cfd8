"""What strangers send who mean no good: archives that break a rule, and builds that break out, hang, or leave something."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable

MANIFEST = 'name = "{name}"\nlanguage = "python"\nrun = "python3 bot.py"\nrulesets = ["king.simple"]\n'
MANIFEST_BYTES = MANIFEST.format(name="hostile").encode()


def tar(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    """A tar with a manifest and these."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as out:
        for info, data in [(_info("bot.toml"), MANIFEST_BYTES), *members]:
            info.size = len(data)
            out.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def _info(name: str, kind: bytes = tarfile.REGTYPE, **more: object) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    for key, value in more.items():
        setattr(info, key, value)
    return info


def _bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("bot.toml", MANIFEST_BYTES)
        out.writestr("bomb", bytes(257 << 20))
    return packed.getvalue()


def _packed_bomb() -> bytes:
    return gzip.compress(tar((_info("x"), bytes(257 << 20))), 9)


def _zip(*entries: tuple[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        for name, data in [("bot.toml", MANIFEST_BYTES), *entries]:
            out.writestr(name, data)
    return packed.getvalue()


def _bytes_name() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT, encoding="latin-1") as out:
        out.addfile(_info("bot.toml", size=len(MANIFEST_BYTES)), io.BytesIO(MANIFEST_BYTES))
        out.addfile(_info("\xe9"), io.BytesIO())
    return packed.getvalue()


#: By name: the archive, and what its author is told.
ARCHIVES: dict[str, tuple[Callable[[], bytes], str]] = {
    "leads out": (lambda: tar((_info("../evil"), b"x")), "leads out"),
    "absolute": (lambda: tar((_info("/tmp/evil"), b"x")), "absolute"),
    "a link": (lambda: tar((_info("link", tarfile.SYMTYPE, linkname="/etc/passwd"), b"")), "no plain file"),
    "a device": (lambda: tar((_info("device", tarfile.CHRTYPE, devmajor=1, devminor=3), b"")), "no plain file"),
    "a fifo": (lambda: tar((_info("fifo", tarfile.FIFOTYPE), b"")), "no plain file"),
    "setuid": (lambda: tar((_info("root", mode=0o4755), b"x")), "setuid"),
    "too many": (lambda: tar(*((_info(f"f{n}"), b"") for n in range(6000))), "more than 5000 entries"),
    "a bomb": (_bomb, "larger than 256 MB"),
    "a packed bomb": (_packed_bomb, "larger than 256 MB"),
    "not UTF-8": (_bytes_name, "not UTF-8"),
    "the same but for case": (lambda: _zip(("a", b""), ("A", b"")), "only in case"),
    "no archive": (lambda: b"x" * 1000, "no zip or tar"),
    "cut off": (lambda: gzip.compress(tar((_info("bot.py"), bytes(1 << 16))))[:200], ""),
}

#: By name: a build that has to fail, and what its author is told.
BUILDS: dict[str, tuple[str, str]] = {
    "the network": ("python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 3)\"", "exited with status 1"),
    "it hangs": ("sleep 1000", "longer than"),
    "it prints without end": ("yes kingmaker", "too much output"),
    "it fills the disk": ("head -c 700000000 /dev/zero > x; head -c 700000000 /dev/zero > y; sleep 20", ""),
    "it reads secrets": ("cat /etc/shadow", "exited with status 1"),
}
