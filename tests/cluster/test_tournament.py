"""The tournament file: what it may say, and the sentence for everything that it may not."""

import sys
from pathlib import Path
from typing import Any

import pytest

from cluster import tournament
from cluster.tournament import Tournament
from referee.rules.errors import ConfigError
from referee.rules.registry import RULESETS

GOOD: dict[str, str] = {
    "ruleset": '"king.fetes"',
    "seed": '"s"',
    "blocks": "2",
    "bots": '[{name = "random"}, {name = "lowest"}]',
}


def load(folder: Path, text: str) -> Tournament:
    file = folder / "cup.toml"
    file.write_text(text, encoding="utf-8")
    return tournament.load(file)


def toml(**changes: str | None) -> str:
    return "".join(f"{key} = {value}\n" for key, value in (GOOD | changes).items() if value is not None)


def bots(*entries: str) -> str:
    return toml(bots=f"[{', '.join(f'{{{entry}}}' for entry in entries)}]")


WRONG = {
    "not TOML": ("a b", ["not TOML", "line 1"]),
    "brackets without end": ("x = " + "[" * 5000, ["not TOML"]),
    "a number without end": ("seed = " + "9" * 5000, ["not TOML"]),
    "unknown key": (toml(tabels="3"), ["'tabels'", "'tables'"]),
    "unknown key, nothing near": (toml(zzz="3"), ["'zzz'", "known:", "ruleset", "blocks"]),
    "unknown key of a bot": (bots('name = "random", comand = "x"'), ["'bots.0.comand'", "'command'"]),
    "unknown key of the clocks": (toml(clocks="{budget = 3}"), ["'clocks.budget'", "'budget_ms'"]),
    "no ruleset": (toml(ruleset=None), ["'ruleset' is missing"]),
    "no seed": (toml(seed=None), ["'seed' is missing"]),
    "no blocks": (toml(blocks=None), ["'blocks' is missing"]),
    "no bots": (toml(bots=None), ["'bots' is missing"]),
    "an empty list of bots": (toml(bots="[]"), ["bots", "a list of at least 1"]),
    "bots as texts": (toml(bots='["random"]'), ["bots.0 is 'random'", "a table"]),
    "bots as a table": (toml(bots='{name = "random"}'), ["bots is", "[[bots]]"]),
    "a bot without a name": (bots('command = "x"'), ["'bots.0.name' is missing"]),
    "a bot without a command": (bots('name = "greedi"'), ["bots.0", "'greedi' has no command", "'greedy'"]),
    "an empty command": (bots('name = "a", command = " "'), ["bots.0", "the command is empty"]),
    "an open quote": (bots("""name = "a", command = "x 'y" """), ["bots.0", "No closing quotation"]),
    "NUL in a command": (bots('name = "a", command = "x\\u0000y"'), ["bots.0.command", "NUL"]),
    "NUL in a folder": (bots('name = "a", command = "x", cwd = "a\\u0000"'), ["bots.0.cwd", "NUL"]),
    "two bots of one name": (bots('name = "random"', 'name = "random"'), ["two bots are called 'random'"]),
    "names equal but for case": (bots('name = "random"', 'name = "Random", command = "x"'), ["'Random'", "upper and lower case"]),
    "names equal but for ß": (bots('name = "Straße", command = "x"', 'name = "STRASSE", command = "x"'), ["'STRASSE'"]),
    "names equal but for composition": (bots('name = "Kůň", command = "x"', 'name = "Kůň", command = "x"'), ["two bots"]),
    "an empty name": (bots('name = "", command = "x"'), ["bots.0.name", "at least 1"]),
    "a long name": (bots(f'name = "{"x" * 65}", command = "x"'), ["bots.0.name", "at most 64"]),
    "a newline in a name": (bots('name = "a\\nb", command = "x"'), ["bots.0.name", "control characters"]),
    "an escape in a name": (bots('name = "a\\u001b[1m", command = "x"'), ["bots.0.name", "control characters"]),
    "a right-to-left override": (bots('name = "a\\u202eb", command = "x"'), ["bots.0.name", "control characters"]),
    "a line separator": (bots('name = "a\\u2028b", command = "x"'), ["bots.0.name", "control characters"]),
    "spaces around a name": (bots('name = " a", command = "x"'), ["bots.0.name", "space at its ends"]),
    "a control character in the title": (toml(name='"a\\u0007"'), ["name", "control characters"]),
    "unknown ruleset": (toml(ruleset='"king.fetez"'), ["'king.fetez'", "'king.fetes'"]),
    "a ruleset that is no text": (toml(ruleset="3"), ["ruleset is 3", "a text"]),
    "unknown option": (toml(options="{ask_forcd = true}"), ["king.fetes", "'ask_forcd'", "'ask_forced'"]),
    "impossible option": (toml(options="{ask_forced = 1}"), ["'ask_forced' is 1", "false or true"]),
    "an option that is a list": (toml(options="{ask_forced = [1]}"), ["'ask_forced' is [1]", "false or true"]),
    "an option that is a date": (toml(options="{ask_forced = 2020-01-01}"), ["'ask_forced'", "false or true"]),
    "a dealer who is not there": (toml(options="{first_dealer = 4}"), ["'first_dealer' is 4", "0 to 3"]),
    "options that are no table": (toml(options="5"), ["options is 5", "a table"]),
    "no block": (toml(blocks="0"), ["blocks is 0", "at least 1"]),
    "too many blocks": (toml(blocks="1" + "0" * 20), ["blocks is 1000", "at most 1000000000"]),
    "blocks as a text": (toml(blocks='"3"'), ["blocks is '3'", "a whole number"]),
    "a broken number of blocks": (toml(blocks="1.5"), ["blocks is 1.5", "a whole number"]),
    "blocks as a truth": (toml(blocks="true"), ["blocks is True", "a whole number"]),
    "a broken seed": (toml(seed="1.5"), ["seed", "a text or a whole number"]),
    "a true seed": (toml(seed="true"), ["seed", "a text or a whole number"]),
    "an endless seed": (toml(seed="0x1" + "0" * 64), ["seed", "256 bits"]),
    "no table": (toml(tables="0"), ["tables is 0", "at least 1"]),
    "five lanes": (toml(lanes="5"), ["lanes is 5", "at most 4"]),
    "a clock without time": (toml(clocks="{budget_ms = 0}"), ["clocks.budget_ms is 0", "at least 1"]),
    "a clock that no protocol holds": (toml(clocks="{budget_ms = 5000000000}"), ["clocks.budget_ms", "at most"]),
    "a bank below zero": (toml(clocks="{bank_ms = -1}"), ["clocks.bank_ms is -1", "at least 0"]),
    "for ever": (toml(start_timeout_s="inf"), ["start_timeout_s is inf", "a number"]),
    "not a number": (toml(start_timeout_s="nan"), ["start_timeout_s is nan", "a number"]),
    "unknown schedule": (toml(schedule='"swiss"'), ["schedule is 'swiss'", "'balanced'", "'gauntlet'"]),
    "a duel of three": (bots('name = "random"', 'name = "greedy"', 'name = "lowest"') + 'schedule = "duel"', ["two bots", "3"]),
    "a gauntlet of nobody": (bots('name = "random"') + 'schedule = "gauntlet"', ["a gauntlet needs a field"]),
    "a challenger who leaves": (bots('name = "random", leaves = 1', 'name = "greedy"') + 'schedule = "gauntlet"', ["'random'", "from the start to the end"]),
    "copies for half the seats": (toml(schedule='"null"'), ["a copy for each of the 4 seats"]),
    "a field that changes under results": (bots('name = "random", joins = 1', 'name = "greedy"') + 'schedule = "duel"', ["the field stays the same"]),
    "an empty field": (bots('name = "random", leaves = 1'), ["from block 1 on no bot"]),
    "a bot that joins before the start": (bots('name = "random", joins = -1'), ["bots.0.joins is -1", "at least 0"]),
    "hypotheses the wrong way round": (toml(duel="{t0 = 0.2}"), ["duel", "t1 is 0.15", "above t0"]),
    "an error of one half": (toml(duel="{alpha = 0.5}"), ["duel.alpha is 0.5", "at most 0.4"]),
    "partners who are none": (toml(partners='"mixed"'), ["partners is 'mixed'", "king.fetes", "leave it out"]),
    "unknown partners": (toml(partners='"mixd"'), ["partners is 'mixd'", "'same' or 'mixed'"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_is_an_error_that_says_what_where_and_what_is_right(
    text: str, expected: list[str], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    said = str(caught.value)
    assert all(line.startswith(f"{tmp_path}/cup.toml: ") for line in said.splitlines())
    for part in expected:
        assert part in said
    assert "pydantic" not in said
    assert "Input should" not in said
    assert len(said) < 500


def test_every_mistake_of_a_file_is_told_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, toml(blocks="0", tabels="3", bots='[{name = "nobody"}]'))
    assert len(str(caught.value).splitlines()) == 3


@pytest.mark.parametrize("name", ["missing.toml", "."])
def test_a_file_that_cannot_be_read_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"No such file|Is a directory") as caught:
        tournament.load(tmp_path / name)
    assert str(tmp_path / name) in str(caught.value)


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_bytes(b'name = "K\xf9n"')
    with pytest.raises(ConfigError, match=r"cup\.toml: not TOML: 'utf-8'"):
        tournament.load(tmp_path / "cup.toml")


def test_a_good_file_is_read(tmp_path: Path) -> None:
    text = toml(
        ruleset='"klaverjas.amsterdam"', seed="7", blocks="12", tables="9", partners='"mixed"', lanes="2", max_faults="1",
        start_timeout_s="5", options="{target = 1000, roem = 'auto'}", clocks="{budget_ms = 10, bank_ms = 0, margin_ms = 1}",
        bots="""[{name = "greedy"}, {name = "mine", command = "python 'my bot.py' --deep", cwd = "bots"}]""",
    )  # fmt: skip
    read = load(tmp_path, text)
    assert (read.blocks, read.tables, read.partners, read.lanes, read.max_faults) == (12, 9, "mixed", 2, 1)
    assert read.game().options["target"] == 1000
    assert (read.clocks.clocks().budget_ms, read.clocks.clocks().bank_ms, read.clocks.clocks().margin_ms) == (10, 0, 1)
    assert read.bots[0].words() == (sys.executable, "-P", "-m", "bots.reference", "greedy")
    assert read.bots[1].words() == ("python", "my bot.py", "--deep")
    assert read.bots[1].cwd == str(tmp_path / "bots")
    assert Tournament.model_validate_json(read.model_dump_json()) == read


def test_a_reference_bot_may_have_arguments() -> None:
    data = tournament.named_bot("planner --nodes 500")
    assert data == {"name": "planner", "command": "planner --nodes 500"}
    entry = tournament.BotEntry(**data)
    assert entry.is_reference
    assert entry.words() == (sys.executable, "-P", "-m", "bots.reference", "planner", "--nodes", "500")


def test_a_reference_bot_that_is_not_built_is_refused_with_what_builds_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    entry = tournament.BotEntry(name="deep", command="solver --nodes 5")
    monkeypatch.setattr(tournament, "BUILT_BOTS", {"solver": (tmp_path / "solver", "make solver")})
    assert entry.obstacle() == "bot 'deep' is not built: make solver (it needs Rust: cargo)"
    (tmp_path / "solver").touch()
    assert entry.obstacle() is None
    assert tournament.BotEntry(name="greedy").obstacle() is None


def test_the_example_is_a_good_file() -> None:
    example = Path(__file__).parents[2] / "examples" / "demo.toml"
    assert tournament.load(example).bots[-1].cwd == str(example.parents[1])


@pytest.mark.parametrize("name", ["Kůň", "кот", "国王", "שלום", "🐴", "👩‍🚀", 'a, "b"', "<b>x</b>", "=1+1", "O'Hara"])
def test_names_of_all_the_world_are_welcome(name: str, tmp_path: Path) -> None:
    quoted = name.replace('"', '\\"')
    assert load(tmp_path, bots(f'name = "{quoted}", command = "x"')).bots[0].name == name


def test_names_are_kept_composed(tmp_path: Path) -> None:
    assert load(tmp_path, bots('name = "Ku\\u030an\\u030c", command = "x"')).bots[0].name == "K\u016f\u0148"


def test_equal_names_are_found_even_where_they_are_one_object() -> None:
    with pytest.raises(ConfigError, match="two bots"):
        tournament.parse({"ruleset": "king.fetes", "seed": 1, "blocks": 1, "bots": [{"name": "random"}] * 2}, "here")


def test_what_decides_a_tournament_is_in_its_id() -> None:
    def identity(**changes: Any) -> str:
        data = {"ruleset": "king.auction", "seed": 1, "blocks": 1, "bots": [{"name": "random"}]}
        return tournament.parse(data | changes, "here").id

    assert identity() == identity(blocks=5) == identity(bots=[{"name": "greedy"}]) == identity(seed="1")
    assert len({identity(), identity(seed=2), identity(options={"deck": 32}), identity(ruleset="king.fetes")}) == 4


def test_defaults_are_those_of_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in text.splitlines() if line.startswith("| `")]
    told = {row[0].strip("`"): row[-1].strip("`").strip('"') for row in rows}
    settings = tournament.parse({"ruleset": "king.fetes", "seed": 1, "blocks": 1, "bots": [{"name": "random"}]}, "x")
    assert {key.split(".")[0] for key in told} == set(Tournament.model_fields)
    for key, value in told.items():
        parts = key.split(".")
        default = getattr(getattr(settings, parts[0]), parts[1]) if len(parts) == 2 else getattr(settings, key)
        if value and key != "options":
            assert str(default).removesuffix(".0") == value, key


@pytest.mark.parametrize(
    ("text", "name", "command"),
    [
        ("random", "random", None),
        ("node bots/node/random.js", "random", "node bots/node/random.js"),
        ("mine=python bot.py --x=1", "mine", "python bot.py --x=1"),
        ("python3 bots/bot.py --level 3 --x=1", "bot", "python3 bots/bot.py --level 3 --x=1"),
        ("python -m mybot", "mybot", "python -m mybot"),
        ("./bot", "bot", "./bot"),
    ],
)
def test_bots_of_the_command_line(text: str, name: str, command: str | None) -> None:
    named = tournament.named_bot(text)
    assert (named["name"], named.get("command")) == (name, command)


def test_the_second_bot_of_a_name_gets_a_number() -> None:
    assert [bot["name"] for bot in tournament.named_bots(["random", "random", "Random=x", "random-2=y"])] == [
        "random", "random-2", "Random-3", "random-2-2",
    ]  # fmt: skip


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_ruleset_can_be_played(ruleset: str, tmp_path: Path) -> None:
    assert load(tmp_path, toml(ruleset=f'"{ruleset}"')).game().ruleset == ruleset
