"""Sequential tests against fishtest's and fastchess's own figures, and the bounds that may be watched."""

import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from cluster.statistics.blocks import block_contrasts, block_table
from cluster.statistics.sequential import (
    confidence_half_width,
    confidence_sequence,
    elo_estimate,
    llr_multinomial,
    llr_t,
    sprt,
    sprt_bounds,
)

ORACLES = Path(__file__).parent / "oracles"
SMALL = json.loads((ORACLES / "kingmaker_small.json").read_text())
PUBLISHED: list[dict[str, Any]] = json.loads((ORACLES / "oracles.json").read_text())
KLEIN = ([0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0])


def published(kind: str) -> list[Any]:
    return [pytest.param(entry, id=entry["id"]) for entry in PUBLISHED if entry["kind"] == kind]


@pytest.mark.parametrize("entry", published("gsprt"))
def test_published_log_likelihood_ratios(entry: dict[str, Any]) -> None:
    llr = llr_multinomial(entry["counts"], entry["elo0"], entry["elo1"], model=entry["model"])
    assert llr == pytest.approx(entry["llr"], abs=0.006 + entry["rtol"] * abs(entry["llr"]))


@pytest.mark.parametrize("entry", [param for param in published("gsprt") if "fishtest" in param.id])
def test_fishtest_to_all_its_digits(entry: dict[str, Any]) -> None:
    llr = llr_multinomial(entry["counts"], entry["elo0"], entry["elo1"], model=entry["model"])
    assert llr == pytest.approx(entry["llr"], rel=entry["rtol"])


@pytest.mark.parametrize("entry", published("elo_ci"))
def test_published_elo_and_errors(entry: dict[str, Any]) -> None:
    found = elo_estimate(entry["counts"])
    names = {"nelo": "normalized", "nerr": "normalized_error", "elo": "elo", "err": "error", "los": "superiority"}
    for name, value in entry["expect"].items():
        assert getattr(found, names.get(name, name)) == pytest.approx(value, rel=entry["rtol"], abs=1e-4), name


def test_outcomes_are_three_or_five() -> None:
    with pytest.raises(ValueError, match="4 outcomes"):
        elo_estimate([1, 2, 3, 4])


def test_a_clean_sweep_has_finite_elo() -> None:
    found = elo_estimate([0, 0, 50])
    assert 1000 < found.elo < 3700
    assert 0 < found.error < 3700
    assert found.superiority == pytest.approx(1)


@pytest.mark.parametrize("case", SMALL["gsprt_t"])
def test_oracle_of_the_t_form(case: dict[str, Any]) -> None:
    assert llr_t(case["n"], case["t"], case["t0"], case["t1"]) == pytest.approx(case["llr"], abs=1e-6)


@pytest.mark.parametrize("case", SMALL["sprt_bounds"])
def test_oracle_of_the_bounds(case: dict[str, Any]) -> None:
    bounds = sprt_bounds(case["alpha"], case["beta"])
    assert (bounds.lower, bounds.upper) == pytest.approx((case["lower"], case["upper"]), abs=1e-6)


def test_worked_example_from_its_matches() -> None:
    rows = [
        {
            "block_id": f"b{number:02}",
            "game": game,
            "games": 4,
            "seat": seat,
            "team": seat,
            "bot": str(block["lineup"][KLEIN[game][seat]]),
            "total": totals[seat],
            "rank": 1 + sum(total > totals[seat] for total in totals),
        }
        for number, block in enumerate(SMALL["blocks"])
        for game, totals in enumerate(block["scores"])
        for seat in range(4)
    ]
    expected, table = SMALL["expect"]["gsprt_0_v_1"], block_table(pl.DataFrame(rows))
    contrasts = block_contrasts(table, "0", "1")
    assert contrasts.tolist() == expected["block_contrasts"]
    assert (block_contrasts(table, "1", "0") == -contrasts).all()
    test = sprt(contrasts)
    found = (test.n, test.mean, test.sd, test.t, test.llr)
    names = ("n", "mean", "sd_population", "t", "llr_t0_0_t1_015")
    assert found == pytest.approx([expected[name] for name in names], abs=1e-6)
    assert (test.decision, test.decided_at) == ("continue", None)


def test_t_form_agrees_with_the_multinomial_of_pairs() -> None:
    """Normalized Elo of mirrored pairs is √2 · 800/ln 10 per standard deviation of a block."""
    counts = [39, 2226, 31451, 2412, 40]
    x = np.repeat(np.linspace(-0.5, 0.5, 5), counts)
    elo = 800 / np.log(10) / sqrt(2)
    bounds = [0.005, 0.02]
    multinomial = llr_multinomial(counts, elo * bounds[0], elo * bounds[1], model="normalized")
    assert llr_t(x.size, x.mean() / x.std(), *bounds) == pytest.approx(multinomial, abs=2e-3)


def test_decides_once_and_keeps_its_word() -> None:
    rng = np.random.default_rng(4)
    x = np.concatenate([rng.normal(0.6, 1, 150), rng.normal(-3, 1, 150)])
    test = sprt(x)
    assert test.decision == "H1"
    assert test.decided_at is not None
    assert 20 <= test.decided_at < 150
    assert test.path[test.decided_at - 1] >= test.bounds.upper > test.path[19 : test.decided_at - 1].max()
    assert test.llr < 0
    assert sprt(x[: test.decided_at - 1]).decision == "continue"
    assert sprt(-x[:150]).decision == "H0"


@pytest.mark.parametrize(("every", "decision", "by"), [(0.5, "H1", 40), (-0.5, "H0", 40), (0.0, "H0", 300)])
def test_the_same_result_in_every_block_decides(every: float, decision: str, by: int) -> None:
    test = sprt(np.full(300, every))
    assert test.decision == decision
    assert test.decided_at is not None
    assert test.decided_at <= by


def test_more_evidence_never_counts_less() -> None:
    ratio = llr_t(50, np.linspace(-50, 50, 2001))
    assert (np.diff(ratio) >= 0).all()
    assert ratio[-1] == llr_t(50, np.inf)


@pytest.mark.parametrize("contrasts", [[], [0.5], [0.25] * 19])
def test_nothing_is_decided_before_20_blocks(contrasts: list[float]) -> None:
    test = sprt(contrasts)
    assert test.decision == "continue"
    assert np.isfinite([test.mean, test.sd, test.t, test.llr]).all()
    assert confidence_sequence(contrasts).n.size == 0


def test_the_first_decision_is_at_block_20() -> None:
    test = sprt([0.5] * 30, t0=-0.5, t1=0.5)
    assert test.path[9] > test.bounds.upper
    assert test.decided_at == 20


@pytest.mark.parametrize("case", SMALL["confidence_sequence"])
def test_oracle_of_the_confidence_sequence(case: dict[str, Any]) -> None:
    half = confidence_half_width(case["n"], case["s"], r=case["r"], alpha=case["alpha"])
    assert half == pytest.approx(case["half_width"], abs=1e-6)


def test_confidence_sequence_bounds_the_mean_so_far() -> None:
    x = np.random.default_rng(8).normal(0.5, 1, 200)
    sequence = confidence_sequence(x)
    assert sequence.n.tolist() == list(range(20, 201))
    assert sequence.mean[30] == pytest.approx(x[:50].mean())
    assert sequence.half_width[30] == pytest.approx(float(confidence_half_width(50, x[:50].std(ddof=1))))
    assert sequence.separated[-1]
    assert not sequence.separated[0]
