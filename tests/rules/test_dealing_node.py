"""The deal recipe in a second language agrees with the pinned deals, which `test_dealing.py` holds against the engine."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is missing")


def run(deals: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["node", str(HERE / "deals.mjs"), str(deals)], capture_output=True, text=True, timeout=60, check=False
    )


def test_node_deals_the_same_cards():
    result = run(HERE / "deals.json")
    assert result.returncode == 0, result.stderr
    assert int(result.stdout.split()[0]) >= 50


def test_a_swapped_card_is_noticed(tmp_path):
    matches = json.loads((HERE / "deals.json").read_text(encoding="utf-8"))
    hands = matches[0]["deals"][0]["hands"]
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]
    (tmp_path / "deals.json").write_text(json.dumps(matches), encoding="utf-8")
    result = run(tmp_path / "deals.json")
    assert result.returncode == 1
    assert "deal 1 hands" in result.stderr
