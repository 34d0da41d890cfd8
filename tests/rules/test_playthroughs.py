"""Golden transcripts: what the rules make of the same matches as before. They are written by tests/rules/playthroughs.py."""

import pytest

from referee.rules.registry import RULESETS
from tests.rules.playthroughs import FOLDER, wanted

WANTED = wanted()


def test_every_ruleset_and_option_value_has_a_playthrough_and_no_other_lies_about():
    assert {path.name for path in FOLDER.glob("*")} == set(WANTED)
    assert {name.split(" ")[0].removesuffix(".txt") for name in WANTED} == set(RULESETS)


@pytest.mark.parametrize("name", WANTED)
def test_playthrough(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == WANTED[name], "python -m tests.rules.playthroughs writes it"
