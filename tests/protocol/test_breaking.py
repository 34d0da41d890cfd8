"""`make check` holds the protos against those of the released version 1: what would break an old bot is refused."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUF = ROOT / "proto" / "node_modules" / ".bin" / "buf"
RELEASED = ROOT / "tests" / "conformance" / "v1" / "protos.binpb"

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="buf comes from npm, and Node.js is missing")


def buf_breaking(folder: Path) -> subprocess.CompletedProcess[str]:
    assert BUF.exists(), "`make check` installs it"
    command = [str(BUF), "breaking", "--against", str(RELEASED)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_the_protos_break_no_bot_of_version_1() -> None:
    done = buf_breaking(ROOT / "proto")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (r"  fixed64 seed = 18;", "", "seed"),
        (r"  uint32 action = 3;", "  string action = 3;", "action"),
        (r"  Goodbye goodbye = 3;", "  Goodbye goodbye = 4;", "goodbye"),
        (r"  DECISION_KIND_TURN = 7;", "", "DECISION_KIND_TURN|TURN"),
    ],
)
def test_a_break_is_refused(old: str, new: str, told: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "proto" / "referee", tmp_path / "referee")
    shutil.copy(ROOT / "proto" / "buf.yaml", tmp_path)
    changed = 0
    for path in tmp_path.rglob("*.proto"):
        text = path.read_text(encoding="utf-8")
        changed += old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
    assert changed == 1
    done = buf_breaking(tmp_path)
    assert done.returncode != 0
    assert re.search(told, done.stdout)


def test_an_addition_is_allowed(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "proto" / "referee", tmp_path / "referee")
    shutil.copy(ROOT / "proto" / "buf.yaml", tmp_path)
    path = tmp_path / "referee" / "v1" / "decision.proto"
    text = path.read_text(encoding="utf-8").replace("  fixed64 seed = 18;", "  fixed64 seed = 18;\n  uint32 of_tomorrow = 99;")
    path.write_text(text, encoding="utf-8")
    assert buf_breaking(tmp_path).returncode == 0
