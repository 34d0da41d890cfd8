"""Ratings: published results, the worked example, an independent library, and what must never change them."""

import json
from dataclasses import fields
from math import sqrt
from pathlib import Path
from typing import Any

import choix
import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cluster.statistics import crosschecks
from cluster.statistics.blocks import BlockTable, block_contrasts, block_table, groups
from cluster.statistics.bradley_terry import fit, pair_scores
from cluster.statistics.comparisons import Comparison, critical_value, ranking, student
from cluster.statistics.errors import NoConvergence, UnknownBot
from cluster.statistics.ratings import ELO, Ratings, rate

ORACLES = Path(__file__).parent / "oracles"
PUBLISHED: list[dict[str, Any]] = json.loads((ORACLES / "oracles.json").read_text())
CHOIX = json.loads((ORACLES / "choix_testcases.json").read_text())
SMALL = json.loads((ORACLES / "kingmaker_small.json").read_text())
NASCAR = json.loads((ORACLES / "nascar2002.json").read_text())["races"]
KLEIN = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]])


def published(*kinds: str) -> list[Any]:
    return [pytest.param(entry, id=entry["id"]) for entry in PUBLISHED if entry["kind"] in kinds]


def entry(name: str) -> dict[str, Any]:
    return next(entry for entry in PUBLISHED if entry["id"] == name)


def results(block: str, bots: np.ndarray, totals: np.ndarray, teams: list[int] | None = None) -> pl.DataFrame:
    """The rows of one block: bots and totals are (games, seats); the higher total is above."""
    games, seats = totals.shape
    game, seat = (axis.ravel() for axis in np.indices(totals.shape))
    ranks = 1 + (totals[:, :, None] < totals[:, None, :]).sum(axis=2)
    return pl.DataFrame(
        {"game": game, "seat": seat, "team": np.array(teams or range(seats))[seat], "total": totals.ravel()}
    ).with_columns(
        block_id=pl.lit(block),
        match_id=pl.format("{}/{}", pl.lit(block), "game"),
        bot=pl.Series(bots.ravel().astype(str)),
        rank=pl.Series(ranks.ravel()),
        forfeited=False,
        games=pl.lit(games),
    )


def small_matches() -> pl.DataFrame:
    """The worked example as a results frame; bots are named 0 to 5."""
    return pl.concat(
        results(f"b{number:02}", np.array(block["lineup"])[KLEIN], np.array(block["scores"]))
        for number, block in enumerate(SMALL["blocks"])
    )


def random_matches(seed: int, *, bots: int = 5, blocks: int = 30, seats: int = 4) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    frames = []
    for block in range(blocks):
        lineup = rng.permutation(bots)[:seats]
        seating = lineup[KLEIN] if seats == 4 else lineup[(np.arange(seats)[:, None] + np.arange(seats)) % seats]
        luck = rng.integers(-6, 7, seats)
        frames.append(results(f"b{block:03}", seating, luck - seating + rng.integers(-3, 4, seating.shape)))
    return pl.concat(frames)


def equal(a: Ratings, b: Ratings) -> bool:
    """Bit-equal in everything that is shown."""
    return a.frame().equals(b.frame()) and np.array_equal(a.comparison.covariance, b.comparison.covariance)


def table_of(i: np.ndarray, j: np.ndarray, score: np.ndarray) -> BlockTable:
    """A table of two-player blocks of one game; bots are named by letters in their order."""
    names = np.array([*"abcdefghijklmnop"])
    scores = np.stack([np.round(2 * score), np.round(2 - 2 * score)], axis=1)
    pairs = enumerate(zip(i, j, scores, strict=True))
    return block_table(pl.concat(results(f"{b:04}", names[[[x, y]]], row[None]) for b, (x, y, row) in pairs))


# The worked example


def test_worked_example_sums_the_published_pair_scores() -> None:
    assert pair_scores(block_table(small_matches())).tolist() == SMALL["expect"]["S"]


@pytest.mark.parametrize("kappa", [0, 1])
def test_worked_example_ratings(kappa: int) -> None:
    expected = SMALL["expect"][f"kappa{kappa}"]
    ratings = rate(block_table(small_matches()), anchor="0", prior_games=kappa, anchor_rating=0.0)
    assert ratings.elo == pytest.approx(expected["elo_minus_anchor"], abs=1e-4)
    assert ratings.se == pytest.approx(expected["block_se_to_anchor_elo"], abs=1e-4)


def test_worked_example_strengths_and_model_errors() -> None:
    scores = pair_scores(block_table(small_matches()))
    expected = SMALL["expect"]["kappa0"]
    theta, inverse = fit(scores, prior_games=0)
    assert theta - theta[0] == pytest.approx(expected["theta_minus_anchor"], abs=1e-6)
    variance = inverse.diagonal() + inverse[0, 0] - 2 * inverse[0]
    assert ELO * np.sqrt(variance) == pytest.approx(expected["model_se_to_anchor_elo"], abs=1e-4)
    assert fit(scores)[0] == pytest.approx(SMALL["expect"]["kappa1"]["theta"], abs=1e-6)


def test_worked_example_difference_of_two_bots() -> None:
    expected = SMALL["expect"]["kappa1"]
    ratings = rate(block_table(small_matches()), anchor="0")
    difference = ratings.difference("1", "2")
    assert difference.blocks == expected["blocks_1_or_2"]
    assert student(np.array([difference.blocks]))[0] == pytest.approx(expected["t_975"], abs=1e-6)
    assert difference.se == pytest.approx(expected["block_se_1_2_elo"], abs=1e-4)
    assert [difference.low, difference.high] == pytest.approx(expected["ci95_1_minus_2_elo"], abs=1e-4)
    assert difference.superiority == pytest.approx(expected["los_1_over_2"], abs=1e-6)
    assert difference.relation == "measured"
    assert ratings.head_to_head.residual_z[0, 1] == pytest.approx(expected["residual_z_0_1"], abs=1e-6)


# Published fits


def win_matrix(entry: dict[str, Any]) -> tuple[list[Any], np.ndarray]:
    if "win_matrix" in entry:
        return ["0", "1", "2"], np.array(entry["win_matrix"], dtype=float)
    if "data" in entry:
        rows = [[winner, loser, 1, 0, 0] for winner, loser in entry["data"]]
    elif "wins" in entry:
        rows = [[i, j, wins, 0, losses] for i, j, wins, losses in entry["wins"]]
    else:
        rows = entry["wdl"]
    names = (
        list(range(entry["players"])) if "players" in entry else list(dict.fromkeys(x for row in rows for x in row[:2]))
    )
    names = sorted(names) if isinstance(names[0], int) else names
    scores = np.zeros((len(names), len(names)))
    for i, j, wins, draws, losses in rows:
        scores[names.index(i), names.index(j)] += wins + draws / 2
        scores[names.index(j), names.index(i)] += losses + draws / 2
    return names, scores


@pytest.mark.parametrize("entry", published("bt"))
def test_published_maximum_likelihood(entry: dict[str, Any]) -> None:
    names, scores = win_matrix(entry)
    theta, inverse = fit(scores, prior_games=0)
    if "expect_theta" in entry or "theta" in entry["expect"]:
        assert theta == pytest.approx(entry.get("expect_theta") or entry["expect"]["theta"], abs=entry["tol"])
        return
    expected = entry["expect"]
    assert ELO * theta == pytest.approx([expected["bt_mle"][name] for name in names], abs=entry["tol"])
    if "model_se" in expected:
        errors = ELO * np.sqrt(inverse.diagonal())
        assert errors == pytest.approx([expected["model_se"][name] for name in names], abs=entry["tol"])
    if "prior_1_game_at_0" in expected:
        prior = [expected["prior_1_game_at_0"][name] for name in names]
        assert ELO * fit(scores)[0] == pytest.approx(prior, abs=entry["tol"])


def test_katago_error_of_dan_counts_the_others_as_unknown() -> None:
    names, scores = win_matrix(entry("katago5"))
    _, inverse = fit(scores, prior_games=0)
    assert ELO * sqrt(inverse[names.index("Dan"), names.index("Dan")]) == pytest.approx(49.9, abs=0.05)


@pytest.mark.parametrize("entry", published("bt_prior"))
def test_published_ghost_prior(entry: dict[str, Any]) -> None:
    _, scores = win_matrix(entry)
    theta, _ = fit(scores, prior_games=2 * entry["priorWL"])
    assert ELO * theta == pytest.approx(entry["expect"], abs=entry["tol"])


def pudding() -> tuple[np.ndarray, np.ndarray]:
    """Wins of row over column, and ties on both sides."""
    wins, ties = np.zeros((6, 6)), np.zeros((6, 6))
    for i, j, _, won, lost, tied in entry("pudding")["rows"]:
        wins[i - 1, j - 1], wins[j - 1, i - 1] = won, lost
        ties[i - 1, j - 1] = ties[j - 1, i - 1] = tied
    return wins, ties


def test_pudding_ties_as_half_points() -> None:
    wins, ties = pudding()
    theta, _ = fit(wins + ties / 2, prior_games=0)
    assert theta - theta[0] == pytest.approx(entry("pudding")["half_point_bt"], abs=entry("pudding")["tol"])


# Cross-checks


def errors_against_first(information: np.ndarray) -> np.ndarray:
    """Standard errors when the first parameter is the reference: it is left out."""
    return np.sqrt(np.linalg.inv(information[1:, 1:]).diagonal())


def test_davidson_on_pudding() -> None:
    expected, choices = entry("pudding"), []
    for i, j, _, *counts in expected["rows"]:
        for ranked, times in zip(([[i - 1], [j - 1]], [[j - 1], [i - 1]], [[i - 1, j - 1]]), counts, strict=True):
            (choice,) = crosschecks.ranking_choices(ranked, 6, ties=True)
            choices.append(crosschecks.Choice(choice.alternatives, choice.chosen, times))
    parameters = crosschecks.fit_choices(choices)
    assert parameters[:6] - parameters[0] == pytest.approx(expected["expect_log"], abs=expected["tol"])
    assert parameters[6] == pytest.approx(expected["log_tie"], abs=expected["tol"])
    se = errors_against_first(crosschecks.choice_information(choices, parameters))
    assert se == pytest.approx([*expected["se"][1:], expected["se_log_tie"]], abs=expected["tol"])


def test_davidson_luce_on_fruit() -> None:
    expected, rankings = entry("fruit3"), []
    for row in entry("fruit3")["rank_rows"]:
        rankings.append([[k for k in range(3) if row[k] == place] for place in range(1, max(row) + 1)])
    data = [choice for ranked in rankings for choice in crosschecks.ranking_choices(ranked, 3, ties=True)]
    parameters = crosschecks.fit_choices(data + crosschecks.ghost_choices(3, ties=True))
    relative = parameters - np.append(np.full(3, parameters[0]), 0.0)
    assert relative == pytest.approx(list(expected["expect_log"].values()), abs=expected["tol"])
    se = errors_against_first(crosschecks.choice_information(data, parameters))
    assert se == pytest.approx([expected["se"][name] for name in ("banana", "orange", "tie2")], abs=1e-4)


def choix_choices(case: dict[str, Any]) -> list[crosschecks.Choice]:
    n, choices = case["n_items"], []
    for row in case["data"]:
        if case["id"].startswith("top1"):
            items = [row[0], *row[1]]
            choices.append(crosschecks.Choice(np.eye(n)[items], 0))
        else:
            choices += crosschecks.ranking_choices([[item] for item in row], n)
    return choices


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CHOIX["cases"]])
def test_choix_cases(case: dict[str, Any]) -> None:
    assert crosschecks.fit_choices(choix_choices(case)) == pytest.approx(case["ml_est"], abs=CHOIX["tol"])


@pytest.mark.parametrize("entry", [param for param in published("pl") if "data" in param.values[0]])
def test_published_plackett_luce(entry: dict[str, Any]) -> None:
    case = {"id": entry["id"], "n_items": entry["n"], "data": entry["data"]}
    assert crosschecks.fit_choices(choix_choices(case)) == pytest.approx(entry["expect_theta"], abs=entry["tol"])


def nascar_choices(drivers: int) -> list[crosschecks.Choice]:
    races = [[[driver - 1] for driver in race if driver <= drivers] for race in NASCAR]
    return [choice for race in races for choice in crosschecks.ranking_choices(race, drivers)]


def test_nascar_of_hunter_2004() -> None:
    expected, choices = entry("nascar83"), nascar_choices(83)
    worth = crosschecks.fit_choices(choices)
    for driver, log_worth in expected["expect_log_worth"].items():
        assert worth[int(driver) - 1] - worth[0] == pytest.approx(log_worth, abs=expected["tol"])
    chances = (c.alternatives @ worth for c in choices)
    loglik = sum(x[c.chosen] - np.log(np.exp(x).sum()) for x, c in zip(chances, choices, strict=True))
    assert loglik == pytest.approx(expected["loglik"], abs=1e-4)


def test_nascar_with_ghost_prior() -> None:
    expected, choices = entry("nascar87_npseudo.5"), nascar_choices(87)
    worth = crosschecks.fit_choices(choices + crosschecks.ghost_choices(87))
    se = errors_against_first(crosschecks.choice_information(choices, worth))
    for driver, log_worth in expected["expect_log_worth"].items():
        assert worth[int(driver) - 1] - worth[0] == pytest.approx(log_worth, abs=expected["tol"])
        assert se[int(driver) - 2] == pytest.approx(expected["expect_se"][driver], abs=expected["tol"])


def test_alpha_rank_of_han() -> None:
    expected = entry("alpharank")
    share = crosschecks.alpha_rank(expected["matrix"], population=expected["m"], selection=expected["alpha"])
    assert share == pytest.approx(expected["expect"], abs=expected["tol"])


def test_choix_agrees_on_random_rankings() -> None:
    rng = np.random.default_rng(3)
    rankings = [rng.permutation(6)[:4].tolist() for _ in range(40)]
    ours = crosschecks.fit_choices([c for r in rankings for c in crosschecks.ranking_choices([[k] for k in r], 6)])
    assert ours == pytest.approx(choix.opt_rankings(6, rankings, tol=1e-12), abs=1e-6)


# An independent library


def statsmodels_errors(fitted: Any, clusters: np.ndarray) -> np.ndarray:
    """Clustered errors with the factor B/(B-1) alone, of all parameters."""
    blocks = np.unique(clusters).size
    return np.sqrt(np.diagonal(fitted.cov_params()) * blocks / (blocks - 1))


def glm(contrasts: np.ndarray, score: np.ndarray, clusters: np.ndarray) -> Any:
    """Logistic regression without constant, clustered."""
    model = sm.GLM(score, contrasts, family=sm.families.Binomial())
    how = {"groups": clusters, "use_correction": False}
    return model.fit(tol=1e-14, maxiter=100, cov_type="cluster", cov_kwds=how)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_statsmodels_agrees(seed: int, seats: int) -> None:
    matches = random_matches(seed, seats=seats)
    table = block_table(matches)
    pairs = matches.join(matches, on=["block_id", "game"]).filter(pl.col("seat") < pl.col("seat_right"))
    bot, other = (pairs[name].cast(int).to_numpy() for name in ("bot", "bot_right"))
    score = (1 + np.sign((pairs["total"] - pairs["total_right"]).to_numpy())) / 2
    contrasts = np.eye(5)[bot] - np.eye(5)[other]
    clusters = pairs["block_id"].str.slice(1).cast(int).to_numpy()
    fitted = glm(contrasts[:, 1:], score, clusters)
    ratings = rate(table, anchor="0", prior_games=0, anchor_rating=0)
    assert ratings.elo[1:] / ELO == pytest.approx(fitted.params, abs=1e-12)
    assert ratings.se[1:] / ELO == pytest.approx(statsmodels_errors(fitted, clusters), abs=1e-12)


def mixed_partners(seed: int, *, blocks: int = 60, bots: int = 6) -> tuple[pl.DataFrame, np.ndarray, np.ndarray]:
    """Two-game blocks of teams 0 2 against 1 3 with four different bots; contrasts and scores, a row a game."""
    rng = np.random.default_rng(seed)
    frames, contrasts, scores = [], [], []
    for block in range(blocks):
        a, b, c, d = rng.permutation(bots)[:4]
        for seating in (seatings := np.array([[a, b, c, d], [b, a, d, c]])):
            margin = rng.integers(-8, 9) + seating[[1, 3]].sum() - seating[[0, 2]].sum()
            scores.append((1 + np.sign(margin)) / 2)
            contrasts.append((np.eye(bots)[seating] * [[0.5], [-0.5], [0.5], [-0.5]]).sum(axis=0))
        pair = np.array(scores[-2:])[:, None]
        frames.append(results(f"b{block:03}", seatings, np.hstack([pair, 1 - pair] * 2), [0, 1, 0, 1]))
    return pl.concat(frames), np.array(contrasts), np.array(scores)


def test_mixed_partners_are_the_same_regression() -> None:
    matches, contrasts, scores = mixed_partners(5)
    fitted = glm(contrasts[:, 1:], scores, clusters := np.repeat(np.arange(60), 2))
    ratings = rate(block_table(matches), anchor="0", prior_games=0, anchor_rating=0)
    assert ratings.elo[1:] / ELO == pytest.approx(fitted.params, abs=1e-11)
    assert ratings.se[1:] / ELO == pytest.approx(statsmodels_errors(fitted, clusters), abs=1e-11)


def test_equal_teams_are_pairs_with_one_result_a_game() -> None:
    bots = np.array([[0, 1, 0, 1], [1, 0, 1, 0]])
    table = block_table(results("b", bots, np.array([[9, 1, 9, 1], [5, 5, 5, 5]]), [0, 1, 0, 1]))
    assert pair_scores(table).tolist() == [[0, 1.5], [0.5, 0]]
    assert table.sides == ("0", "1")


def test_a_team_ranks_as_its_forfeiting_seat() -> None:
    bots = np.array([[0, 1, 0, 1]])
    matches = results("b", bots, np.array([[9, 5, 1, 5]]), [0, 1, 0, 1])
    assert pair_scores(block_table(matches)).tolist() == [[0, 0], [1, 0]]


def test_tables_of_different_sizes_weigh_as_much() -> None:
    three = results("a", np.array([[0, 1, 2]]), np.array([[3, 2, 1]]))
    four = results("b", np.array([[0, 1, 2, 3]]), np.array([[4, 3, 2, 1]]))
    scores = pair_scores(block_table(pl.concat([three, four])))
    assert scores[0] == pytest.approx([0, 1 / 2 + 1 / 3, 1 / 2 + 1 / 3, 1 / 3])
    assert scores.sum(axis=0) + scores.sum(axis=1) == pytest.approx([2, 2, 2, 1])


# What must not change a rating


def test_any_order_of_arrival_is_bit_equal() -> None:
    matches = random_matches(1)
    first = rate(block_table(matches), anchor="2")
    for seed in range(3):
        assert equal(first, rate(block_table(matches.sample(fraction=1, shuffle=True, seed=seed)), anchor="2"))


def test_names_of_bots_games_and_blocks_do_not_matter() -> None:
    matches = random_matches(2)
    renamed = matches.with_columns(
        bot=pl.col("bot").replace_strict({"0": "y", "1": "c", "2": "x", "3": "a", "4": "b"}),
        block_id=pl.col("block_id").str.reverse(),
        game=3 - pl.col("game"),
    )
    ratings, other = rate(block_table(matches), anchor="2"), rate(block_table(renamed), anchor="x")
    where = [other.bots.index(name) for name in "ycxab"]
    for name in ("elo", "se", "low", "high"):
        assert getattr(other, name)[where] == pytest.approx(getattr(ratings, name), abs=1e-9)


def test_blocks_repeated_under_their_old_id_tell_nothing_new() -> None:
    matches = random_matches(3)
    again = [matches.with_columns(game=pl.col("game") + 4 * k, games=16) for k in range(4)]
    once = rate(block_table(matches), anchor="0", prior_games=0)
    four = rate(block_table(pl.concat(again)), anchor="0", prior_games=0)
    assert four.elo == pytest.approx(once.elo, abs=1e-9)
    assert four.se == pytest.approx(once.se, abs=1e-9)


def test_blocks_repeated_under_new_ids_halve_the_error() -> None:
    matches = random_matches(3)
    again = [matches.with_columns(block_id=pl.format("{}-{}", "block_id", pl.lit(k))) for k in range(4)]
    once = rate(block_table(matches), anchor="0", prior_games=0)
    four = rate(block_table(pl.concat(again)), anchor="0", prior_games=0)
    assert four.elo == pytest.approx(once.elo, abs=1e-9)
    assert four.se * sqrt(119 / 120) == pytest.approx(once.se / 2 * sqrt(29 / 30), abs=1e-9)


def test_self_play_and_incomplete_blocks_change_nothing() -> None:
    matches = random_matches(4)
    alone = results("z", np.full((4, 4), 0), np.arange(16).reshape(4, 4))
    cut_short = results("y", np.array([0, 1, 2, 3])[KLEIN], np.arange(16).reshape(4, 4)).filter(pl.col("game") < 3)
    first = rate(block_table(matches), anchor="0")
    assert equal(first, rate(block_table(pl.concat([matches, alone, cut_short])), anchor="0"))


def test_groups_without_common_opponents_are_two_lists() -> None:
    here = random_matches(5, bots=4)
    there = random_matches(6, bots=4).with_columns(bot="x" + pl.col("bot"), block_id="x" + pl.col("block_id"))
    both = block_table(pl.concat([here, there]))
    assert groups(both) == (("0", "1", "2", "3"), ("x0", "x1", "x2", "x3"))
    assert equal(rate(both, anchor="1"), rate(block_table(here), anchor="1"))
    assert equal(rate(both, anchor="x1"), rate(block_table(there), anchor="x1"))
    assert rate(both, anchor="1").unconnected == ("x0", "x1", "x2", "x3")
    with pytest.raises(UnknownBot, match="'x1'"):
        rate(both, anchor="1").difference("0", "x1")


def test_copies_of_a_deterministic_bot_cancel_exactly() -> None:
    rng = np.random.default_rng(7)
    seat_totals = rng.integers(-200, 200, 4)
    blocks = [results(f"b{k}", rng.permutation(4)[KLEIN], np.tile(seat_totals, (4, 1))) for k in range(3)]
    table = block_table(pl.concat(blocks))
    assert not table.places.points.any()
    assert rate(table, anchor="0").elo.tolist() == [1500.0] * 4


# What must always be a number


@settings(derandomize=True, deadline=None, max_examples=150)
@given(arrays(float, (4, 4), elements=st.sampled_from([0, 0.5, 1, 3, 100, 1e6, 1e9])))
def test_any_counts_have_finite_strengths(scores: np.ndarray) -> None:
    theta, inverse = fit(scores - np.diag(scores.diagonal()))
    assert np.isfinite(theta).all()
    assert np.isfinite(inverse).all()
    assert (np.linalg.eigvalsh(inverse) > 0).all()


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0, 0.5, 1])), min_size=1, max_size=12))
def test_any_few_blocks_have_finite_ratings(games: list[tuple[int, int, float]]) -> None:
    i, j, score = np.array([(0, 1, 1), *games]).T
    ratings = rate(table_of(i.astype(int), j.astype(int), score), anchor="a")
    shown = ratings.frame().drop("bot").to_numpy()
    assert np.isfinite(shown).all()
    assert np.isfinite(ratings.head_to_head.residual_z).all()
    for a in ratings.bots:
        difference = ratings.difference("a", a)
        assert all(np.isfinite(getattr(difference, f.name)) for f in fields(difference) if f.type is float)


def test_a_perfect_winner_is_finite_and_shown_without_interval() -> None:
    zeros = np.zeros(100, int)
    ratings = rate(table_of(zeros, zeros + 1, np.ones(100)), anchor="b")
    difference = ratings.difference("a", "b")
    assert 800 < difference.low <= difference.estimate <= difference.high < 1100
    assert difference.relation == "above"
    assert ratings.difference("b", "a").relation == "below"
    assert ratings.tier.tolist() == [0, 1]


def test_a_perfect_winner_needs_the_prior() -> None:
    with pytest.raises(NoConvergence):
        fit(np.array([[0.0, 5.0], [0.0, 0.0]]), prior_games=0)
    with pytest.raises(NoConvergence):
        crosschecks.fit_choices(crosschecks.ranking_choices([[0], [1]], 2))


def test_two_losers_to_one_winner_cannot_be_compared() -> None:
    i, j = np.array([0, 0, 0, 1, 2]), np.array([1, 2, 3, 3, 3])
    ratings = rate(table_of(i, j, np.ones(5)), anchor="a")
    assert ratings.difference("b", "c").relation == "unknown"
    assert ratings.difference("b", "d").relation == "above"
    assert sorted(ratings.tier.tolist()) == [0, 1, 2, 3]
    assert ratings.tier[[0, 3]].tolist() == [0, 3]


def test_rock_paper_scissors_is_one_tier_that_the_model_does_not_fit() -> None:
    i, j = np.tile([0, 1, 2], 40), np.tile([1, 2, 0], 40)
    ratings = rate(table_of(i, j, (np.arange(120) >= 12).astype(float)), anchor="a")
    assert ratings.tier.tolist() == [0, 0, 0]
    assert np.abs(ratings.elo - 1500).max() < 1e-6
    assert (ratings.head_to_head.residual_z[[0, 1, 2], [1, 2, 0]] > 3).all()
    assert ratings.head_to_head.misfit.degrees == 1
    assert ratings.head_to_head.misfit.p_value < 1e-6


# Ranks


@pytest.mark.parametrize("case", SMALL["max_t"], ids=lambda case: case["bots"])
def test_critical_value_is_the_studentised_range(case: dict[str, Any]) -> None:
    n = case["bots"]
    equals = Comparison(tuple(map(str, range(n))), np.zeros(n), np.eye(n), np.full((n, n), 100))
    assert critical_value(equals) == pytest.approx(case["critical"], abs=0.03)


def test_ranks_that_the_results_allow() -> None:
    """Three bots 4 errors apart, then one whose 9 blocks are too few to claim anything."""
    shared = np.diag([50, 50, 50, 9])
    placed = ranking(Comparison(tuple("abcd"), np.array([8.0, 4.0, 0.0, -9.0]), np.eye(4) / 2, shared))
    assert placed.low.tolist() == [1, 2, 3, 1]
    assert placed.high.tolist() == [2, 3, 4, 4]
    assert placed.expected == pytest.approx([1, 2, 3, 4], abs=1e-3)
    assert placed.chance_best == pytest.approx([1, 0, 0, 0], abs=1e-3)


@pytest.mark.parametrize(("apart", "blocks", "told"), [(2.1, 7, False), (2.1, 500, True), (2.4, 7, True)])
def test_few_blocks_need_students_tail(apart: float, blocks: int, told: bool) -> None:
    """Two bots in 5 common blocks and ``blocks`` of their own each: 1.96 errors do not do for 19 blocks."""
    shared = np.full((2, 2), 5) + np.diag([blocks, blocks])
    placed = ranking(Comparison(("a", "b"), np.array([apart, 0.0]), np.eye(2) / 2, shared))
    assert placed.separated.tolist() == [[False, told], [False, False]]


def test_unknown_names_are_told_the_nearest() -> None:
    table = block_table(random_matches(1).with_columns(bot="player" + pl.col("bot")))
    with pytest.raises(UnknownBot, match="did you mean 'player1'"):
        rate(table, anchor="player_1")
    with pytest.raises(UnknownBot):
        block_contrasts(table, "player1", "nobody")


def test_no_results_have_no_bots() -> None:
    table = block_table(random_matches(1).clear())
    assert table.bots == table.blocks == ()
    with pytest.raises(UnknownBot, match="known: none"):
        rate(table, anchor="a")
