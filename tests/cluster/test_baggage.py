"""The files of bots on their way to other nodes."""

import os
from pathlib import Path

import pytest

from cluster import baggage, node
from cluster.tournament import BotEntry
from referee.rules.errors import ConfigError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "weights").mkdir(parents=True)
    (folder / "bot.py").write_text("print('hello')")
    (folder / "bot.py").chmod(0o755)
    (folder / "weights" / "a.bin").write_bytes(os.urandom(1000))
    (folder / "weights" / "latest").symlink_to("a.bin")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_bytes(b"x")
    (folder / "results").mkdir()
    (folder / "results" / "big").write_bytes(b"x")
    return folder


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))


def bot(folder: Path, *files: str) -> BotEntry:
    return BotEntry(name="me", command="./bot.py", cwd=str(folder), files=files or None)


def test_what_was_packed_is_unpacked_once(folder: Path) -> None:
    bag = baggage.pack(bot(folder), without=folder / "results")
    name = baggage.digest(bag)
    for _ in range(2):
        baggage.unpack(name, bag)
    place = baggage.place(name)
    assert sorted(str(path.relative_to(place)) for path in place.rglob("*")) == ["bot.py", "weights", "weights/a.bin", "weights/latest"]  # fmt: skip
    assert os.access(place / "bot.py", os.X_OK)
    assert (place / "weights" / "latest").read_bytes() == (folder / "weights" / "a.bin").read_bytes()
    assert BotEntry(name="me", command="./bot.py", cwd=str(place)).obstacle() is None


def test_the_same_files_have_the_same_name_whenever_and_wherever(folder: Path, tmp_path: Path) -> None:
    before = baggage.digest(baggage.pack(bot(folder)))
    os.utime(folder / "bot.py", (1, 1))
    moved = folder.rename(tmp_path / "moved")
    assert baggage.digest(baggage.pack(bot(moved))) == before
    (moved / "bot.py").write_text("print('bye')")
    assert baggage.digest(baggage.pack(bot(moved))) != before


def test_only_what_is_named_travels(folder: Path) -> None:
    bag = baggage.pack(bot(folder, "bot.py"))
    baggage.unpack(baggage.digest(bag), bag)
    assert os.listdir(baggage.place(baggage.digest(bag))) == ["bot.py"]


@pytest.mark.parametrize(("name", "part"), [("nothing.py", "which is not in"), ("../other", "which is not below")])
def test_files_that_are_not_there_or_not_below_are_refused(name: str, part: str, folder: Path) -> None:
    (folder.parent / "other").write_text("")
    with pytest.raises(ConfigError, match=part):
        baggage.pack(bot(folder, name))


def test_a_link_that_leads_out_is_refused(folder: Path) -> None:
    (folder / "passwd").symlink_to("/etc/passwd")
    with pytest.raises(ConfigError, match="links to what is not below"):
        baggage.pack(bot(folder))


def test_too_much_is_refused_with_what_to_do(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baggage, "MAX_BYTES", 900)
    with pytest.raises(ConfigError, match=r"bot 'me': .* files = \["):
        baggage.pack(bot(folder))


def test_damaged_files_are_not_unpacked(folder: Path) -> None:
    bag = bytearray(baggage.pack(bot(folder)))
    name = baggage.digest(bytes(bag))
    bag[700] ^= 1
    with pytest.raises(ValueError, match="arrived damaged"):
        baggage.unpack(name, bytes(bag))
    assert not baggage.place(name).exists()


def test_a_node_that_differs_is_told_with_what_differs() -> None:
    ours = node.facts()
    assert node.differences(ours, ours) == []
    assert node.differences(ours | {"grpcio": "1.0"}, ours) == [f"grpcio is 1.0 there, {ours['grpcio']} here"]
    assert len(node.differences({}, ours)) == len(ours) >= 4
