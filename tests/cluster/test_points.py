"""Points: the worked example, an independent library, and every figure of a contract against a plain count."""

import json
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from polars.testing import assert_frame_equal

from cluster.statistics.blocks import block_table
from cluster.statistics.means import cluster_mean, cluster_share, shrink, wilson
from cluster.statistics.points import choice_values, contract_scales, per_contract, rate_points, standardised

SMALL = json.loads((Path(__file__).parent / "oracles" / "kingmaker_small.json").read_text())
KLEIN = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]])
Row = dict[str, Any]


def match_rows(
    match: tuple[str, int], bots: Sequence[str], totals: Sequence[float], *, games: int = 1, partners: bool = False
) -> list[Row]:
    """A row a seat of a match, which is a block and a game; the higher total is above."""
    block, game = match
    return [
        {
            "block_id": block,
            "game": game,
            "games": games,
            "match_id": f"{block}/{game}",
            "seat": seat,
            "team": seat % 2 if partners else seat,
            "bot": bots[seat],
            "total": totals[seat],
            "rank": 1 + sum(other > totals[seat] for other in totals),
            "forfeited": False,
        }
        for seat in range(len(bots))
    ]


def small_matches() -> pl.DataFrame:
    rows: list[Row] = []
    for number, block in enumerate(SMALL["blocks"]):
        for game, totals in enumerate(block["scores"]):
            bots = [str(block["lineup"][k]) for k in KLEIN[game]]
            rows += match_rows((f"b{number:02}", game), bots, totals, games=4)
    return pl.DataFrame(rows)


# Points adjusted for opponents


def test_worked_example() -> None:
    expected = SMALL["expect"]["points"]
    points = rate_points(block_table(small_matches()), anchor="0")
    assert points.points == pytest.approx(expected["theta_minus_anchor"], abs=1e-6)
    assert points.se == pytest.approx(expected["block_se_to_anchor"], abs=1e-6)


def regression(seed: int, *, partners: bool) -> tuple[pl.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Blocks of four of six bots, with places, and the same as a plain regression: rows x, y and their blocks."""
    rng = np.random.default_rng(seed)
    teams, sides = ([0, 1, 0, 1], 2) if partners else ([0, 1, 2, 3], 4)
    rows: list[Row] = []
    x, y, clusters = [], [], []
    for block in range(40):
        lineup = rng.integers(0, 6, 4) if block % 4 else rng.permutation(6)[:4]
        if len(set(lineup.tolist())) < 2 or sorted(lineup[[0, 2]]) == sorted(lineup[[1, 3]]):
            continue
        team_total = [
            rng.integers(-50, 50) + rng.integers(0, 9) * lineup[np.array(teams) == k].sum() for k in range(sides)
        ]
        totals = [int(team_total[team]) for team in teams]
        rows += match_rows((f"b{block:02}", 0), [str(bot) for bot in lineup], totals, partners=partners)
        design = np.array([np.eye(6)[lineup[np.array(teams) == k]].mean(axis=0) for k in range(sides)])
        x += [*(design - design.mean(axis=0))]
        y += [*(np.array(team_total) - np.mean(team_total))]
        clusters += [block] * sides
    return pl.DataFrame(rows), np.array(x), np.array(y), np.array(clusters)


@pytest.mark.parametrize("partners", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_statsmodels_agrees(seed: int, partners: bool) -> None:
    matches, x, y, clusters = regression(seed, partners=partners)
    how = {"groups": clusters, "use_correction": False}
    fitted = sm.OLS(y, x[:, 1:]).fit(cov_type="cluster", cov_kwds=how)
    blocks = len(set(clusters.tolist()))
    points = rate_points(block_table(matches), anchor="0")
    assert points.points[1:] == pytest.approx(fitted.params, rel=1e-11, abs=1e-11)
    errors = np.sqrt(np.diagonal(fitted.cov_params()) * blocks / (blocks - 1))
    assert points.se[1:] == pytest.approx(errors, rel=1e-11)


def test_interval_of_two_bots_is_students() -> None:
    points = rate_points(block_table(small_matches()), anchor="0")
    difference = points.difference("1", "2")
    assert difference.blocks == SMALL["expect"]["kappa1"]["blocks_1_or_2"]
    half = SMALL["expect"]["kappa1"]["t_975"] * difference.se
    assert [difference.low, difference.high] == pytest.approx(
        [points.points[1] - points.points[2] - half, points.points[1] - points.points[2] + half], abs=1e-5
    )


def test_order_of_arrival_is_bit_equal() -> None:
    matches = small_matches()
    shuffled = matches.sample(fraction=1, shuffle=True, seed=5)
    first, second = (rate_points(block_table(frame), anchor="0") for frame in (matches, shuffled))
    assert np.array_equal(first.comparison.covariance, second.comparison.covariance)
    assert np.array_equal(first.points, second.points)


def test_strength_of_the_company_does_not_matter() -> None:
    """Bot b is 10 points better than a in every company, whatever that does to its raw mean."""
    strength = {"a": 0, "b": 10, "weak": -100, "strong": 100}
    rows: list[Row] = []
    for block, bots in enumerate([["a", "weak", "weak", "weak"], ["b", "strong", "strong", "a"]] * 3):
        rows += match_rows((f"b{block}", 0), bots, [strength[bot] for bot in bots])
    points = rate_points(block_table(pl.DataFrame(rows)), anchor="a")
    assert dict(zip(points.bots, points.points, strict=True)) == pytest.approx(strength)


def test_a_newcomer_beside_hundreds_of_blocks_keeps_its_points() -> None:
    rows = [row for block in range(300) for row in match_rows((f"b{block}", 0), "ab", [7, 0])]
    points = rate_points(block_table(pl.DataFrame(rows + match_rows(("new", 0), "bc", [3, 0]))), anchor="a")
    assert points.points == pytest.approx([0, -7, -10])
    assert points.comparison.is_thin.tolist() == [False, False, True]


# Means, shares, shrinkage


def test_cluster_mean_and_wilson_of_the_oracle() -> None:
    case = SMALL["cluster_mean"]
    share = cluster_share(case["block_sums"], case["block_counts"])
    mean = cluster_mean(case["block_sums"], case["block_counts"])
    assert mean.mean == share.share == pytest.approx(case["mean"], abs=1e-6)
    assert mean.se == share.se == pytest.approx(case["se"], abs=1e-6)
    assert share.design_effect == pytest.approx(case["deff"], abs=1e-6)
    assert share.effective == pytest.approx(case["n_eff"], abs=1e-5)
    assert [share.low, share.high] == pytest.approx(case["wilson95"], abs=1e-5)
    t_of_8_blocks = 2.364624
    bounds = (case["mean"] - t_of_8_blocks * case["se"], case["mean"] + t_of_8_blocks * case["se"])
    assert (mean.low, mean.high) == pytest.approx(bounds, abs=1e-5)


@pytest.mark.parametrize(("hits", "share"), [([0, 0, 0], 0), ([4, 4, 4], 1), ([2, 2, 2], 0.5)])
def test_a_share_without_spread_counts_its_blocks(hits: list[int], share: float) -> None:
    seen = cluster_share(hits, [4, 4, 4])
    assert (seen.share, seen.effective) == (share, 3)
    assert (seen.low, seen.high) == pytest.approx(wilson(share, 3))
    assert 0 <= seen.low < seen.high <= 1


def test_one_block_has_a_mean_without_interval_and_none_has_nothing() -> None:
    mean = cluster_mean([3], [4])
    assert (mean.mean, mean.se, mean.low, mean.high) == (0.75, None, None, None)
    assert cluster_share([3], [4]).effective == 1
    with pytest.raises(ValueError, match="add up to 0"):
        cluster_mean([], [])


def test_shrinkage_of_the_oracle() -> None:
    case = SMALL["der_simonian_laird"]
    shrunk = shrink(case["estimates"], case["variances"])
    assert shrunk.heterogeneity == pytest.approx(case["Q"], abs=1e-6)
    assert shrunk.variance == pytest.approx(case["tau2"], abs=1e-6)
    assert shrunk.mean == pytest.approx(case["mean"], abs=1e-6)
    assert shrunk.values == pytest.approx(case["shrunk"], abs=1e-6)


def test_shrinkage_at_its_limits() -> None:
    assert shrink([1.0, 2.0], [50.0, 50.0]).values == pytest.approx([1.5, 1.5])
    assert shrink([3.0], [2.0]).values == pytest.approx([3.0])
    unknown = shrink([1.0, 5.0, 100.0], [0.1, 0.1, np.inf])
    assert unknown.values[2] == pytest.approx(unknown.mean)
    assert unknown.mean == pytest.approx(3.0)
    assert unknown.variance == pytest.approx(8 - 0.1)
    with pytest.raises(ValueError, match="positive"):
        shrink([1.0], [0.0])


# Contracts


def deals_and_matches(seed: int = 1) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Five blocks of four games of three deals, the last without its fourth game; bot c sits twice in odd blocks."""
    rng = np.random.default_rng(seed)
    deals: list[Row] = []
    matches: list[Row] = []
    contracts = [("no_hearts", None), ("trump", None), ("open", 1)]
    for block, game in product(range(5), range(4)):
        if (block, game) == (4, 3):
            continue
        bots = [("abcc" if block % 2 else "abcd")[k] for k in KLEIN[game]]
        scores = rng.integers(-9, 9, (3, 4))
        for deal, (contract, first) in enumerate(contracts):
            declarer = None if contract == "no_hearts" else (first or int(rng.integers(0, 4)))
            for seat in range(4):
                deals.append(
                    {
                        "block_id": f"b{block}",
                        "game": game,
                        "match_id": f"b{block}/{game}",
                        "deal": deal,
                        "dealer": 0,
                        "contract": contract,
                        "declarer": declarer,
                        "seat": seat,
                        "bot": bots[seat],
                        "score": int(scores[deal, seat]),
                        "tricks": None if contract == "open" else int(rng.integers(0, 9)),
                    }
                )
        matches += match_rows((f"b{block}", game), bots, scores.sum(axis=0).tolist(), games=4)
    return pl.DataFrame(deals, infer_schema_length=None), pl.DataFrame(matches)


def counted(rows: list[Row], value: Callable[[Row], float]) -> list[float | None]:
    """Mean, error and bounds clustered by block, counted one by one."""
    blocks = sorted({row["block_id"] for row in rows})
    by_block = [[value(row) for row in rows if row["block_id"] == block] for block in blocks]
    mean = cluster_mean([sum(values) for values in by_block], [len(values) for values in by_block])
    return [mean.mean, mean.se, mean.low, mean.high]


def mean_or_none(values: list[float]) -> float | None:
    return fmean(values) if values else None


def test_every_figure_of_a_contract() -> None:
    deals, matches = deals_and_matches()
    rows = [row for row in deals.to_dicts() if row["block_id"] != "b4"]
    table_mean = {
        (match, deal): fmean(row["score"] for row in rows if (row["match_id"], row["deal"]) == (match, deal))
        for match, deal in {(row["match_id"], row["deal"]) for row in rows}
    }
    found = per_contract(deals, matches)
    assert found.select("bot", "contract").rows() == sorted(product("abcd", ["no_hearts", "open", "trump"]))
    for cell in found.to_dicts():
        mine = [row for row in rows if (row["bot"], row["contract"]) == (cell["bot"], cell["contract"])]
        declared = [row["score"] for row in mine if row["declarer"] == row["seat"]]
        others = [row["score"] for row in mine if row["declarer"] not in (None, row["seat"])]
        expected = [
            *(cell["bot"], cell["contract"], len(mine), len({row["block_id"] for row in mine})),
            *counted(mine, lambda row: row["score"]),
            *counted(mine, lambda row: row["score"] - table_mean[row["match_id"], row["deal"]]),
            cell["edge_shrunk"],
            mean_or_none([row["tricks"] for row in mine if row["tricks"] is not None]),
            len(declared) / (len(declared) + len(others)) if declared or others else None,
            mean_or_none(declared),
            mean_or_none(others),
        ]
        assert list(cell.values())[:2] == expected[:2]
        assert list(cell.values())[2:] == pytest.approx(expected[2:])


def edge_of(deals: pl.DataFrame) -> pl.DataFrame:
    return deals.with_columns(edge=pl.col("score") - pl.col("score").mean().over("match_id", "deal"))


def test_edges_at_tables_of_three() -> None:
    deals, matches = deals_and_matches()
    three = deals.filter(pl.col("seat") < 3)
    rated = three.filter(pl.col("block_id") != "b4")
    expected = edge_of(rated).group_by("bot", "contract").agg(pl.col("edge").mean()).sort("bot", "contract")
    assert_frame_equal(per_contract(three, matches).select("bot", "contract", "edge"), expected)
    open_edges = edge_of(three).filter(contract="open")["edge"].to_numpy()
    assert contract_scales(three)["open"] == pytest.approx(np.sqrt((open_edges**2).mean()))


def test_edges_are_shrunk_in_units_of_the_contract() -> None:
    deals, matches = deals_and_matches()
    scales = contract_scales(deals.filter(pl.col("block_id") != "b4"))
    cells = per_contract(deals, matches).filter(pl.col("bot") == "b")
    unit = np.array([scales[contract] for contract in cells["contract"]])
    expected = shrink(cells["edge"].to_numpy() / unit, (cells["edge_se"].to_numpy() / unit) ** 2).values * unit
    assert cells["edge_shrunk"].to_numpy() == pytest.approx(expected)


def test_order_of_arrival_does_not_change_a_contract() -> None:
    deals, matches = deals_and_matches()
    shuffled = per_contract(deals.sample(fraction=1, shuffle=True, seed=3), matches.reverse())
    assert_frame_equal(per_contract(deals, matches), shuffled, check_exact=True)


def test_a_single_block_has_points_without_interval() -> None:
    deals, matches = (frame.filter(pl.col("block_id") == "b0") for frame in deals_and_matches())
    cells = per_contract(deals, matches)
    assert cells.height == 12
    assert cells["points"].null_count() == 0
    for column in ("points_se", "points_low", "edge_high", "edge_shrunk"):
        assert cells[column].null_count() == 12


def test_no_complete_block_has_no_contracts() -> None:
    deals, matches = (frame.filter(pl.col("block_id") == "b4") for frame in deals_and_matches())
    assert per_contract(deals, matches).is_empty()
    assert choice_values(deals, matches).is_empty()


def test_a_choice_is_worth_what_it_scores_beyond_the_same_cards() -> None:
    deals, matches = deals_and_matches()
    rows = [row for row in deals.to_dicts() if row["block_id"] != "b4"]
    for found in choice_values(deals, matches).to_dicts():
        mine = [row for row in rows if row["bot"] == found["bot"] and row["declarer"] == row["seat"]]

        def value(row: Row) -> float:
            same = [r["score"] for r in rows if all(r[k] == row[k] for k in ("block_id", "deal", "seat"))]
            assert len(same) == 4
            return float(row["score"] - fmean(same))

        expected = [len(mine), len({row["block_id"] for row in mine}), *counted(mine, value)]
        assert list(found.values())[1:] == pytest.approx(expected)


def test_standardised_totals_are_sums_of_scaled_scores() -> None:
    deals, matches = deals_and_matches()
    scales = contract_scales(deals)
    about = edge_of(deals)
    for contract, scale in scales.items():
        edges = about.filter(pl.col("contract") == contract)["edge"].to_numpy()
        assert scale == pytest.approx(np.sqrt((edges**2).mean()))
    changed = standardised(matches, deals, scales)
    assert_frame_equal(changed.drop("total"), matches.drop("total"))
    for row in changed.to_dicts()[:8]:
        mine = deals.filter((pl.col("match_id") == row["match_id"]) & (pl.col("seat") == row["seat"]))
        assert row["total"] == pytest.approx(sum(r["score"] / scales[r["contract"]] for r in mine.to_dicts()))
    assert block_table(changed).places.points.any()


def test_a_contract_without_spread_has_scale_1() -> None:
    deals, _ = deals_and_matches()
    assert set(contract_scales(deals.with_columns(score=pl.lit(7))).values()) == {1.0}
