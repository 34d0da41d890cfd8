"""The vectors that came with the rules pages: every line of every file, answered as `kingmaker position` answers."""

import json
from pathlib import Path

import pytest

from referee.rules import position
from referee.rules.registry import RULESETS

FOLDER = Path(__file__).parent / "vectors"
FILES = sorted(FOLDER.glob("*.jsonl"))


def vectors(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def comparable(answer: dict) -> dict:
    """The order of legal actions is fixed for cards alone."""
    if answer.get("kind") in ("play", None):
        return answer
    return answer | {"legal": sorted(answer["legal"])}


def test_every_ruleset_has_vectors():
    assert [path.stem for path in FILES] == sorted(RULESETS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_answers(path):
    for number, vector in enumerate(vectors(path), 1):
        answer = json.loads(json.dumps(position.answer(vector["in"])))
        expected = vector["out"]
        if expected == {"error": True}:
            assert list(answer) == ["error"], (number, vector.get("why"), answer)
            assert answer["error"].strip(), (number, vector.get("why"))
        else:
            assert comparable(answer) == comparable(expected | {"legal": expected["legal"] or []}), number


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_legal_actions_ascend_in_the_order_of_the_action_table(path):
    for vector in vectors(path):
        answer = position.answer(vector["in"])
        if "error" not in answer:
            table = position.read(vector["in"]).game.actions
            numbers = [table.number(text) for text in answer["legal"]]
            assert numbers == sorted(set(numbers))
