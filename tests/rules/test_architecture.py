"""How the rules are built: by themselves, in small pieces, without a word about who is special."""

import ast
import sys
from pathlib import Path

import pytest

import referee.rules
from referee.rules.registry import RULESETS

FOLDER = Path(referee.rules.__file__).parent
MODULES = sorted(FOLDER.glob("*.py"))
#: What rules must do without: randomness of their own, clocks, files, networks, processes.
FORBIDDEN = {
    "random",
    "secrets",
    "time",
    "datetime",
    "os",
    "io",
    "pathlib",
    "socket",
    "subprocess",
    "threading",
    "asyncio",
}
NAMES = {*RULESETS} | {contract for ruleset in RULESETS.values() for contract in ruleset.game().contract_ids}

every_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(node: ast.AST) -> set[str]:
    """The top-level packages imported at run time: what stands under TYPE_CHECKING is left out."""
    found = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            found |= {alias.name for alias in child.names}
        elif isinstance(child, ast.ImportFrom):
            found.add(child.module or "")
        elif not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)):
            found |= imports(child)
    return found


@every_module
def test_rules_import_the_standard_library_and_themselves_alone(path):
    for name in imports(tree(path)):
        top = name.partition(".")[0]
        assert name.startswith("referee.rules") or top in sys.stdlib_module_names, name
        assert top not in FORBIDDEN, name


@every_module
def test_rules_do_no_input_and_output(path):
    called = {
        node.func.id for node in ast.walk(tree(path)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"open", "print", "input", "exec", "eval"}


@every_module
def test_modules_and_functions_are_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < 300
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno < 40, node.name


@every_module
def test_no_ruleset_and_no_contract_is_compared_by_name(path):
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Compare):
            words = {
                leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)
            }
            assert not words & NAMES, ast.unparse(node)
            names = {leaf.attr for leaf in ast.walk(node) if isinstance(leaf, ast.Attribute)}
            assert "ruleset" not in names, ast.unparse(node)


@every_module
def test_no_module_of_the_engine_knows_a_ruleset(path):
    rulesets = {"king", "king_auction", "king_fetes", "king_simple", "kings_corner", "klaverjas", "registry"}
    if path.stem not in rulesets | {"position"}:
        assert not {name.rpartition(".")[2] for name in imports(tree(path))} & rulesets


@every_module
def test_every_module_says_which_room_of_the_house_it_is(path):
    assert ast.get_docstring(tree(path))
