"""Archives of strangers: what is refused, with entry and rule, and that nothing outside of the staging folder changes."""

from __future__ import annotations

import gzip
import io
import os
import random
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.intake import trees
from cluster.intake.archives import ArchiveLimits, ArchiveRefused, unpack
from referee.rules.errors import ConfigError

SMALL = ArchiveLimits(packed_mb=1, unpacked_mb=1, entries=20, depth=4, name_bytes=60)


def tar_of(*members: tuple[tarfile.TarInfo, bytes], packing: str = "") -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with tarfile.open(path, f"w:{packing}") as tar:
            for info, data in members:
                info.size = info.size or len(data)
                tar.addfile(info, io.BytesIO(data))

    return make


def member(name: str, kind: bytes = tarfile.REGTYPE, mode: int = 0o644, **more: object) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mode = kind, mode
    for key, value in more.items():
        setattr(info, key, value)
    return info


def tar_files(*names: str) -> Callable[[Path], None]:
    return tar_of(*((member(name), b"x") for name in names))


def zip_of(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
            for name, data in entries:
                zipped.writestr(name, data)

    return make


def zipped(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


def raw(data: bytes) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(data) and None


def edited(make: Callable[[Path], None], old: bytes, new: bytes) -> Callable[[Path], None]:
    """An archive whose bytes are changed afterwards: no library would write them so."""

    def both(path: Path) -> None:
        make(path)
        data = path.read_bytes()
        assert old in data
        path.write_bytes(data.replace(old, new))

    return both


def cut(make: Callable[[Path], None], end: int) -> Callable[[Path], None]:
    """An archive without its last bytes."""

    def both(path: Path) -> None:
        make(path)
        path.write_bytes(path.read_bytes()[:-end])

    return both


def many_headers(path: Path) -> None:
    """A small file with a header that declares a name of a gigabyte."""
    header = member("x", tarfile.GNUTYPE_LONGNAME)
    header.size = 1 << 30
    with gzip.open(path, "wb") as file:
        file.write(header.tobuf(tarfile.GNU_FORMAT))
        for _ in range(64):
            file.write(bytes(1 << 20))


REFUSED: dict[str, tuple[Callable[[Path], None], str]] = {
    "out by dots": (tar_files("a/../../evil"), "'a/../../evil': its name leads out by .."),
    "dots within": (tar_files("a/../b"), "leads out by .."),
    "zip: out by dots": (zip_of(("../evil", b"x")), "'../evil': its name leads out by .."),
    "absolute": (tar_files("/tmp/evil"), "'/tmp/evil': its name is absolute"),
    "zip: absolute": (zip_of(("/evil", b"x")), "its name is absolute"),
    "zip: a drive": (zip_of(("C:evil", b"x")), "its name is absolute"),
    "zip: backslash": (edited(zip_of(("aXb", b"x")), b"aXb", b"a\\b"), "its name holds a backslash"),
    "link": (tar_of((member("a", tarfile.SYMTYPE, linkname="/etc/passwd"), b"")), "'a': it is no plain file or folder"),
    "hard link": (tar_of((member("a", tarfile.LNKTYPE, linkname="b"), b"")), "no plain file or folder"),
    "zip: link": (zip_of((zipped("a", 0o120777), b"/etc/passwd")), "'a': it is no plain file or folder"),
    "device": (tar_of((member("sda", tarfile.BLKTYPE, devmajor=8), b"")), "'sda': it is no plain file or folder"),
    "character device": (tar_of((member("tty", tarfile.CHRTYPE), b"")), "no plain file or folder"),
    "fifo": (tar_of((member("pipe", tarfile.FIFOTYPE), b"")), "'pipe': it is no plain file or folder"),
    "setuid": (tar_of((member("su", mode=0o4755), b"x")), "'su': it has setuid, setgid or sticky bits"),
    "zip: setgid": (zip_of((zipped("su", 0o102755), b"x")), "it has setuid, setgid or sticky bits"),
    "too many": (tar_files(*(f"f{n}" for n in range(21))), "'f20': there are more than 20 entries"),
    "zip: too many": (zip_of(*((f"f{n}", b"") for n in range(21))), "there are more than 20 entries"),
    "zip: a list without end": (zip_of(*((f"{n:060}", b"") for n in range(100))), "more than 20 entries, or their list is far too long"),
    "too deep": (tar_files("a/b/c/d/e"), "it is deeper than 4 folders"),
    "long name": (tar_files("x" * 61), "its name is longer than 60 bytes"),
    "not UTF-8": (tar_files("a\udcff\udcfeb"), "its name is not UTF-8"),
    "zip: not UTF-8": (edited(zip_of(("aZZb", b"x")), b"aZZb", b"a\xff\xfeb"), "its name is not UTF-8"),
    "newline": (tar_files("a\nb"), "its name holds a control character"),
    "case": (tar_files("Bot.py", "bot.py"), "'bot.py': it differs from 'Bot.py' only in case"),
    "case of a folder": (tar_files("Bot/a", "bot/b"), "'bot/b': it differs from 'Bot' only in case"),
    "composed": (tar_files("café", "cafe\u0301"), "only in case or in how letters are composed"),
    "twice": (tar_files("a", "a"), "'a': it is there twice"),
    "twice by dots": (tar_files("a", "./a"), "it is there twice"),
    "file and folder": (tar_files("a", "a/b"), "'a' is both a file and a folder"),
    "zip: twice": (edited(zip_of(("aa", b"x"), ("ab", b"x")), b"ab", b"aa"), "it is there twice"),
    "large": (tar_of((member("a"), bytes(2 << 20)), packing="gz"), "would be larger than 1 MB"),
    "bomb": (zip_of(("a", bytes(200 << 20))), "would be larger than 1 MB"),
    "bomb of two": (zip_of(("a", bytes(600 << 10)), ("b", bytes(600 << 10))), "'b': what is unpacked would be larger than 1 MB"),
    "bomb of headers": (many_headers, "would be larger than 1 MB"),
    "large as it is": (raw(random.Random(1).randbytes((1 << 20) + 1)), "is larger than 1 MB"),
    "no archive": (raw(b"hello"), "it is no zip or tar that can be read"),
    "empty": (raw(b""), "it is no zip or tar that can be read"),
    "cut": (cut(zip_of(("a", b"x" * 100)), 30), "it is no zip or tar"),
    "cut tar": (cut(tar_of((member("a"), random.Random(2).randbytes(5000)), packing="gz"), 2000), "bot.archive: it is no zip or tar"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", REFUSED)
def test_what_breaks_a_rule_is_refused_with_entry_and_rule_and_leaves_nothing(tmp_path, name):
    make, told = REFUSED[name]
    outside = tmp_path / "outside"
    staging = outside / "staging"
    staging.mkdir(parents=True)
    archive = outside / "bot.archive"
    make(archive)
    before = {path: path.lstat().st_mtime_ns for path in (outside, staging, Path("/tmp/evil")) if path.exists()}
    with pytest.raises(ArchiveRefused) as refusal:
        unpack(archive, staging / "tree", SMALL)
    assert told in str(refusal.value)
    assert list(staging.iterdir()) == []
    assert sorted(path.name for path in outside.iterdir()) == ["bot.archive", "staging"]
    assert not Path("/tmp/evil").exists() or Path("/tmp/evil") in before


def test_a_zip_that_declares_less_than_it_holds_is_refused(tmp_path):
    zip_of(("a", bytes(500_000)))(tmp_path / "a.zip")
    data = (tmp_path / "a.zip").read_bytes().replace((500_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(ArchiveRefused, match="'a': it "):
        unpack(tmp_path / "a.zip", tmp_path / "tree", SMALL)
    assert not (tmp_path / "tree").exists()


@pytest.mark.parametrize("packing", ["", "gz", "bz2", "xz", "zip"])
def test_a_good_archive_is_unpacked_and_named_by_its_content_alone(tmp_path, packing):
    files = {"bot.py": (b"print()", 0o644), "lib/run.sh": (b"#!/bin/sh", 0o755), "lib/кот 国王.txt": (b"", 0o600)}
    archive = tmp_path / "bot"
    if packing == "zip":
        zip_of(*((zipped(name, 0o100000 | mode), data) for name, (data, mode) in reversed(files.items())))(archive)
    else:
        folder = (member("lib/", tarfile.DIRTYPE, 0o700), b"")
        tar_of(folder, *((member(f"./{name}", mode=mode, mtime=7), data) for name, (data, mode) in files.items()), packing=packing)(archive)
    tree = unpack(archive, tmp_path / "tree")
    assert (tree.files, tree.size) == (3, 16)
    found = {str(path.relative_to(tmp_path / "tree")): path for path in (tmp_path / "tree").rglob("*") if path.is_file()}
    assert {name: path.read_bytes() for name, path in found.items()} == {name: data for name, (data, _) in files.items()}
    assert {name: path.stat().st_mode & 0o7777 for name, path in found.items()} == {
        "bot.py": 0o644, "lib/run.sh": 0o755, "lib/кот 国王.txt": 0o644
    }  # fmt: skip
    assert tree.digest == "95289890a88de6d24c702d30aeeb04bca76fe81616908775bcac3467ccdb369c"
    assert tree == trees.measure(tmp_path / "tree")
    found["bot.py"].write_bytes(b"print( ")
    assert trees.measure(tmp_path / "tree").digest != tree.digest


def test_the_digest_knows_permissions_names_and_folders(tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a").write_text("x")
    digests = {trees.measure(tmp_path / "t").digest}
    (tmp_path / "t" / "a").chmod(0o755)
    digests.add(trees.measure(tmp_path / "t").digest)
    (tmp_path / "t" / "a").rename(tmp_path / "t" / "b")
    digests.add(trees.measure(tmp_path / "t").digest)
    (tmp_path / "t" / "c").mkdir()
    digests.add(trees.measure(tmp_path / "t").digest)
    assert len(digests) == 4
    (tmp_path / "t" / "link").symlink_to("b")
    with pytest.raises(trees.NotPlain, match="link is neither"):
        trees.measure(tmp_path / "t")


def test_a_file_that_cannot_be_read_is_wrong_input(tmp_path):
    with pytest.raises(ConfigError, match="No such file"):
        unpack(tmp_path / "nowhere", tmp_path / "tree")
    with pytest.raises(ConfigError, match="Is a directory"):
        unpack(tmp_path, tmp_path / "tree")


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_archives_are_refused_or_taken_but_never_anything_else(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damaged")
    make = data.draw(st.sampled_from([zip_of(("a/b", b"x" * 100), ("c", b"y")), tar_files("a/b", "c"), tar_of((member("a"), b"x" * 300), packing="gz")]))
    make(folder / "archive")
    damaged = bytearray((folder / "archive").read_bytes())
    for place, value in data.draw(st.lists(st.tuples(st.integers(0, len(damaged) - 1), st.integers(0, 255)), min_size=1, max_size=8)):
        damaged[place] = value
    (folder / "archive").write_bytes(damaged)
    try:
        unpack(folder / "archive", folder / "tree", SMALL)
    except ArchiveRefused:
        assert not (folder / "tree").exists()
    assert {path.name for path in folder.iterdir()} <= {"archive", "tree"}
    assert os.path.commonpath([*(str(path.resolve()) for path in folder.rglob("*")), str(folder)]) == str(folder)
