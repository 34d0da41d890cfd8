"""What the documents show is run as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def python_blocks(document: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(encoding="utf-8"), re.S)


def test_the_engine_page_runs():
    names: dict[str, object] = {}
    blocks = python_blocks("docs/engine.md")
    assert len(blocks) >= 5
    for block in blocks:
        exec(compile(block, "docs/engine.md", "exec"), names)


def test_the_bot_of_the_readme_is_ten_lines_and_plays(tmp_path):
    (bot,) = python_blocks("README.md")
    assert len(bot.strip().splitlines()) <= 10
    file = tmp_path / "my_bot.py"
    file.write_text(bot, encoding="utf-8")
    command = [
        sys.executable, "-m", "cluster.cli", "play", "--bots", "random", "lowest", f"me={sys.executable} {file}",
        "--ruleset", "kings_corner", "--option", "players=3", "--blocks", "2", "--seed", "1", "--results",
        str(tmp_path / "results"), "--format", "csv",
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT, env=os.environ)
    assert run.returncode == 0, run.stderr
    rows = {line.split(",")[0]: line for line in run.stdout.splitlines()}
    assert rows["me"].endswith(",0,0"), "the bot of the README has faults"


@pytest.mark.parametrize("document", ["README.md", "docs/tournaments.md", "docs/results.md", "docs/statistics.md", "docs/bots.md", "docs/competition.md", "docs/submit.md"])
def test_commands_in_documents_exist(document):
    shown = set(re.findall(r"kingmaker ([a-z]+(?:-[a-z]+)*)\b", (ROOT / document).read_text(encoding="utf-8")))
    help_text = subprocess.run(
        [sys.executable, "-m", "cluster.cli", "--help"], capture_output=True, text=True, timeout=60, cwd=ROOT
    ).stdout
    known = set(re.findall(r"│ ([a-z]+(?:-[a-z]+)*) ", help_text))
    assert shown <= known


def test_the_tests_that_the_table_of_faults_names_exist():
    """A file, a test in it or in the file that was named last, or in brackets the bot or case of that file's that does it."""
    rows = [row for row in (ROOT / "docs/faults.md").read_text(encoding="utf-8").splitlines() if re.match(r"\| C?\d", row)]
    missing = []
    for row in rows:
        number, *_, tests = (cell.strip() for cell in row.strip("| ").split(" | "))
        text = ""
        for name in re.findall(r"`([^`]+)`", tests) if ".py" in tests else ():
            file, _, test = name.rpartition("::") if "::" in name else (name, "", "") if name.endswith(".py") else ("", "", name)
            if file:
                text = (ROOT / "tests" / file).read_text(encoding="utf-8") if (ROOT / "tests" / file).exists() else ""
            wanted = rf"^(async )?def {test}\(" if test.startswith("test_") else rf"\b{test}\b"
            if not text or not re.search(wanted, text, re.M):
                missing.append(f"row {number}: {name}")
    assert missing == []
    assert len(rows) == 52 + 25
