"""`kingmaker new`: the folder holds the SDK's very files, from a checkout and from an installed wheel."""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from cluster import manifest
from cluster.tournament import named_bots
from referee.rules.errors import ConfigError
from referee.rules.registry import RULESETS

ROOT = Path(__file__).resolve().parents[2]
#: Tests and measurements of the kits stay at home.
AT_HOME = ("bots/node/test/",)


def tracked(*patterns: str) -> list[str]:
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    names = subprocess.run(words, cwd=ROOT, capture_output=True, check=True, text=True, timeout=60).stdout.split()
    return [name for name in names if not name.startswith(AT_HOME) and (ROOT / name).is_file()]


def kit_files(language: str) -> dict[str, Path]:
    """What a new folder is to hold: path in it → file of the project."""
    files = {name.removeprefix(f"bots/{language}/"): ROOT / name for name in tracked(f"bots/{language}/")}
    files |= {name: ROOT / name for name in tracked("proto/referee/")}
    if language == "python":
        files |= {f"sdk/{name}": ROOT / name for name in tracked(":(glob)bots/*.py", "bots/training/", "referee/rules/", "referee/v1/", "referee/__init__.py")}  # fmt: skip
    return files


def in_folder(folder: Path) -> dict[str, Path]:
    return {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}


def check(language: str, folder: Path) -> None:
    expected, found = kit_files(language), in_folder(folder)
    assert set(found) == set(expected)
    different = [name for name, path in found.items() if path.read_bytes() != expected[name].read_bytes()]
    assert different == ["bot.toml"]


LANGUAGES = [language for language in manifest.LANGUAGES if (ROOT / "bots" / language / manifest.MANIFEST).exists()]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_folder_holds_the_very_files_of_the_kit(language: str, tmp_path: Path) -> None:
    made = manifest.new(language, tmp_path / "Ace-1")
    check(language, tmp_path / "Ace-1")
    assert (made.name, made.language, set(made.rulesets)) == ("Ace-1", language, set(RULESETS))
    assert not [path for path in (tmp_path / "Ace-1").rglob("*") if path.is_symlink()]


@pytest.mark.parametrize("language", LANGUAGES)
def test_its_readme_fits_a_screen_and_shows_the_whole_bot(language: str) -> None:
    text = (ROOT / "bots" / language / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    (first, *_) = [block.partition("\n")[2] for block in text.split("```")[1::2]]
    assert len(first.strip().splitlines()) <= 12
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "bots" / language).rglob("*") if path.suffix in {".py", ".ts", ".js", ".go", ".rs", ".java", ".cpp"} and "node_modules" not in path.parts]  # fmt: skip
    assert any(first.strip() in source for source in sources), "the README's bot is not a file of the kit"


def test_an_installed_kingmaker_has_the_same_kits(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    for name in tracked():
        target = clone / name
        target.parent.mkdir(parents=True, exist_ok=True)
        os.symlink(os.readlink(ROOT / name), target) if (ROOT / name).is_symlink() else target.write_bytes((ROOT / name).read_bytes())
    for link in ROOT.glob("bots/*/proto/referee"):  # a link to a folder is no file
        target = clone / link.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(os.readlink(link))
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path), "."]  # fmt: skip
    subprocess.run(words, cwd=clone, check=True, capture_output=True, timeout=240)
    (wheel,) = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    for language in LANGUAGES:
        code = f"from pathlib import Path; from cluster import manifest; manifest.new({language!r}, Path('new-{language}'))"
        env = os.environ | {"PYTHONPATH": str(tmp_path / "installed")}
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, env=env, timeout=60)
        check(language, tmp_path / f"new-{language}")


def test_the_python_kit_needs_what_the_core_needs() -> None:
    ours, its = (tomllib.loads((ROOT / name / "pyproject.toml").read_text(encoding="utf-8")) for name in (".", "bots/python/sdk"))
    assert its["project"]["dependencies"] == ours["project"]["optional-dependencies"]["core"]
    assert its["project"]["requires-python"] == ours["project"]["requires-python"]


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    manifest.new("go", tmp_path / "mine")
    (tmp_path / "mine" / "main.go").write_text("precious")
    with pytest.raises(ConfigError, match="is there already"):
        manifest.new("go", tmp_path / "mine")
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="is there already"):
        manifest.new("go", tmp_path / "file")
    assert (tmp_path / "mine" / "main.go").read_text() == "precious"


def test_mistakes_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no kit for 'pyhton'; did you mean 'python'"):
        manifest.new("pyhton", tmp_path / "bot")
    with pytest.raises(ConfigError, match="no name for a bot"):
        manifest.new("go", tmp_path / 'b"t')
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "No such file"),
        ("name = ", "not TOML"),
        ('name = "a"\nlanguage = "go"\nrulesets = ["king.fetes"]', "key 'run': field required"),
        ('name = "a"\nlanguage = "go"\nrun = "x"\nruns = "y"\nrulesets = ["king.fetes"]', "unknown key 'runs'; did you mean 'run'"),
        ('name = "a"\nlanguage = "go"\nrun = "x"\nrulesets = []', "key 'rulesets'"),
        ('name = "a"\nlanguage = "go"\nrun = "x"\nrulesets = ["king.fete"]', "no ruleset 'king.fete'; did you mean 'king.fetes'"),
    ],
)
def test_a_wrong_manifest_is_told(text: str | None, told: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "bot.toml").write_text(text)
    with pytest.raises(ConfigError, match=told) as error:
        manifest.read(tmp_path)
    assert "bot.toml" in str(error.value)


def test_a_folder_is_a_bot(tmp_path: Path) -> None:
    manifest.new("python", tmp_path / "deuce")
    assert named_bots(["greedy", str(tmp_path / "deuce")]) == [
        {"name": "greedy", "command": "greedy", "cwd": str(Path.cwd())},
        {"name": "deuce", "command": ".venv/bin/python bot.py", "cwd": str(tmp_path / "deuce")},
    ]
