"""The house keeps its shape: small modules, no ruleset's name in the engine, no machine's name in the files."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.rules.registry import RULESETS

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("referee", "bots", "cluster", "dashboard")
LONGEST_MODULE, LONGEST_FUNCTION, LONG_FUNCTION = 400, 60, 40
#: So many functions may be longer than LONG_FUNCTION.
LONG_FUNCTIONS = 5


def tracked() -> list[str]:
    """Every file of the project, generated code included: what git has, or will have."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(words, cwd=ROOT, capture_output=True, check=True, timeout=60).stdout.decode().split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


FILES = tracked()
MODULES = [
    name for name in FILES if name.startswith(tuple(f"{package}/" for package in PACKAGES)) and name.endswith(".py") and "_pb2" not in name
]  # fmt: skip
MARKDOWN = [name for name in FILES if name.endswith(".md")]
LOCKS = [name for name in FILES if re.search(r"(requirements.*\.lock|package-lock\.json)$", name)]


def tree(module: str) -> ast.Module:
    return ast.parse((ROOT / module).read_text(encoding="utf-8"), module)


def functions(module: str) -> Iterator[tuple[str, int]]:
    """Name and lines of every function of a module, decorators not counted."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield f"{module}:{node.lineno} {node.name}", node.end_lineno - node.lineno + 1


def test_there_is_something_to_look_at() -> None:
    assert len(MODULES) > 50
    assert {Path(name).parts[0] for name in MODULES} == set(PACKAGES)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_short(module: str) -> None:
    assert len((ROOT / module).read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE


@pytest.mark.parametrize("module", MODULES)
def test_a_module_says_what_it_is(module: str) -> None:
    assert ast.get_docstring(tree(module)), "a module's docstring says which room of the house it is"


def test_functions_are_short() -> None:
    lengths = dict(function for module in MODULES for function in functions(module))
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FUNCTION} == {}
    long = {name: lines for name, lines in lengths.items() if lines > LONG_FUNCTION}
    assert len(long) <= LONG_FUNCTIONS, long


def names_of_the_rules() -> set[str]:
    """The ids of all rulesets, and of every contract of every game that their options make."""
    names = set(RULESETS)
    for ruleset in RULESETS.values():
        games = [ruleset.game()]
        for option in ruleset.options:
            for value in option.values[:8]:
                games.append(ruleset.game({option.name: value}))
        names |= {contract for game in games for contract in game.contract_ids}
    return names


def compared(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Texts with which something is compared: ==, in, and the patterns of match."""
    if isinstance(node, ast.Compare):
        for side in [node.left, *node.comparators]:
            for part in ast.walk(side):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield node.lineno, part.value
    elif isinstance(node, ast.MatchValue) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        yield node.lineno, node.value.value


@pytest.mark.parametrize("module", [module for module in MODULES if module.startswith("referee/")])
def test_the_engine_compares_no_name_of_a_ruleset_or_contract(module: str) -> None:
    names = names_of_the_rules()
    assert {"king.fetes", "no_hearts", "433", "trump:S", "round"} <= names
    found = [
        f"{module}:{line} {text!r}" for node in ast.walk(tree(module)) for line, text in compared(node) if text in names
    ]
    assert found == []


def test_that_check_would_find_one() -> None:
    text = "if game.ruleset == 'king.fetes' or contract.id in ('433', 'nulls'): pass\nmatch name:\n  case 'round': pass"
    found = [word for node in ast.walk(ast.parse(text)) for _, word in compared(node)]
    assert found == ["king.fetes", "433", "nulls", "round"]


def imported(module: str) -> set[str]:
    """The packages that a module imports when it runs; what only types need is left out."""
    found: set[str] = set()
    waiting: list[ast.AST] = [tree(module)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
        waiting += ast.iter_child_nodes(node)
    return found


def test_dealing_knows_no_random_numbers() -> None:
    assert imported("referee/rules/dealing.py") & {"random", "secrets", "numpy", "os", "time", "uuid"} == set()


@pytest.mark.parametrize("module", [module for module in MODULES if module.startswith("referee/rules/")])
def test_the_rules_have_no_clock_no_files_and_no_chance(module: str) -> None:
    forbidden = {"random", "secrets", "time", "datetime", "os", "pathlib", "socket", "threading", "asyncio", "subprocess", "uuid"}  # fmt: skip
    assert imported(module) & forbidden == set()


def test_two_modules_at_most_import_ray() -> None:
    assert len([module for module in MODULES if "ray" in imported(module)]) <= 2


def test_importing_what_is_not_a_run_imports_no_ray() -> None:
    modules = ("cluster.cli", "cluster.summaries", "cluster.replays", "cluster.store", "cluster.statistics.ratings")
    code = f"import sys, {', '.join(modules)}\nassert not {{'ray', 'grpc', 'streamlit'}} & set(sys.modules), 'too much'"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=120)


def test_no_comment_switches_off_a_check_without_a_reason() -> None:
    bare = re.compile(r"#\s*(type: ignore(?!\[)|noqa(?!: ))")
    found = [f"{m}:{n}" for m in MODULES for n, line in enumerate((ROOT / m).read_text(encoding="utf-8").splitlines(), 1) if bare.search(line)]  # fmt: skip
    assert found == []


@pytest.mark.parametrize("name", LOCKS)
def test_lock_files_name_no_host(name: str) -> None:
    """They must work with whatever mirror an installation uses."""
    text = re.sub(r'"funding": \{.*?\}', "", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert re.findall(r"https?://\S+|--(?:extra-)?index-url\S*|--find-links\S*|--trusted-host\S*", text) == []
    assert re.findall(r'"resolved"', text) == []
    assert re.findall(r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b", text) == []


def test_the_lock_files_are_there_and_have_hashes() -> None:
    assert {"requirements.lock", "bots/node/package-lock.json", "proto/package-lock.json"} <= set(LOCKS)
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    packages = re.findall(r"^([A-Za-z0-9_.\-]+)(?:\[.*\])?==", lock, re.MULTILINE)
    assert len(packages) > 30
    assert lock.count("--hash=sha256:") >= len(packages)


def links(text: str) -> list[str]:
    """The targets of all links outside of code."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "", text)
    return re.findall(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)", text)


@pytest.mark.parametrize("page", MARKDOWN)
def test_relative_links_lead_somewhere(page: str) -> None:
    broken = []
    for target in links((ROOT / page).read_text(encoding="utf-8")):
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue  # another site
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        there = file.resolve().is_relative_to(ROOT) and file.exists()
        named = anchor and file.suffix == ".md"
        if not there or (named and anchor not in anchors(file.read_text(encoding="utf-8"))):
            broken.append(target)
    assert broken == []


def anchors(text: str) -> set[str]:
    """The names by which GitHub links to headings."""
    headings = re.findall(r"^#+\s+(.+?)\s*#*$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_no_file_knows_the_machine_it_was_written_on() -> None:
    places = re.compile(rb"(?<![\w.])/(?:work|root|home/\w+|Users/\w+)/\w")
    found = []
    for name in FILES:
        data = (ROOT / name).read_bytes()
        if b"\0" not in data and name != "tests/test_architecture.py":
            found += [f"{name}: {match.group().decode()}" for match in places.finditer(data)]
    assert found == []


def test_no_module_of_the_pages_hides_another_one() -> None:
    names = {Path(module).stem for module in MODULES if re.fullmatch(r"dashboard/\w+\.py", module)} - {"__init__"}
    assert names & set(sys.stdlib_module_names) == set()
    assert not (ROOT / "dashboard" / "pages").exists()
