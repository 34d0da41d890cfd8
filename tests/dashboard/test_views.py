"""The pages, run by Streamlit without a browser."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from streamlit.testing.v1 import AppTest

from cluster import analysis
from cluster.store import Store
from dashboard import reading, words
from dashboard.reading import Snapshot
from referee.rules import registry
from tests.dashboard.folders import EVIL, FORMULA, add, judge, tournament

APP = Path(__file__).parents[2] / "dashboard" / "app.py"
Open = Callable[..., AppTest]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open one page on a folder."""

    def open_page(view: str, folder: Path, **query: str) -> AppTest:
        waits = view != "tournament"
        script = f"from pathlib import Path\nfrom dashboard import frame\nfrom dashboard.views import {view}\n"
        test = AppTest.from_string(script + f"frame.page(Path({str(folder)!r}), {view.capitalize()!r}, {view}.show, waits={waits})")
        test.default_timeout = 30
        for name, value in query.items():
            test.query_params[name] = value
        return test.run()

    return open_page


def texts(page: AppTest) -> str:
    parts = [*page.markdown, *page.caption, *page.info, *page.warning, *page.error, *page.title, *page.subheader]
    return "\n".join(str(part.value) for part in parts)


def test_the_app_opens_with_the_standings(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(APP), str(results)])
    page = AppTest.from_file(str(APP), default_timeout=30).run()
    assert not page.exception
    assert [title.value for title in page.title] == ["Standings"]


def test_the_app_asks_for_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(APP)])
    page = AppTest.from_file(str(APP), default_timeout=30).run()
    assert "kingmaker dashboard DIR" in page.error[0].value


def test_standings_tell_ratings_and_progress(opened: Open, results: Path) -> None:
    page = opened("standings", results)
    assert not page.exception
    assert "12 of 16 blocks" in texts(page)
    assert "anchor random" in texts(page)
    assert {"Rank", "Bot", "Rating", "Rating, 95 %", "ms a decision"} <= set(page.dataframe[0].value.columns)
    assert len(page.dataframe[0].value) == 4


VIEWS = ["standings", "bot", "pairs", "contracts", "matches", "replay", "tournament"]


def first_match(folder: Path) -> str:
    return str(every_match(folder)["match_id"][0])


def every_match(folder: Path) -> pl.DataFrame:
    now = reading.reader(folder).snapshot()
    assert isinstance(now, Snapshot)
    return now.matches.sort("block", "game").collect()


@pytest.mark.parametrize("view", VIEWS)
def test_an_empty_a_missing_and_a_wrong_folder(opened: Open, view: str, tmp_path: Path) -> None:
    add(tmp_path / "empty", tournament("king.fetes", 4), 0, 0)
    empty = opened(view, tmp_path / "empty")
    assert ("No block is finished yet" in texts(empty)) == (view != "tournament")
    assert "0 of 4 blocks" in texts(empty)
    for folder, reason in ((tmp_path / "nowhere", "no such folder"), (tmp_path, "no results here")):
        page = opened(view, folder)
        assert reason in texts(page)
        assert not page.exception
    assert not empty.exception


def test_a_page_follows_the_tournament(opened: Open, tmp_path: Path) -> None:
    game = tournament("king.simple", 2)
    add(tmp_path, game, 0, 1)
    page = opened("standings", tmp_path)
    assert "1 of 2 blocks" in texts(page)
    add(tmp_path, game, 1, 2)
    page.run()
    assert "2 of 2 blocks" in texts(page)
    assert "Grey: fewer than 10 blocks" in texts(page)


@pytest.mark.parametrize(
    "ruleset", ["king.auction", "king.simple", "klaverjas.amsterdam", "klaverjas.rotterdam", "kings_corner"]
)
def test_every_game_has_all_pages(opened: Open, tmp_path: Path, ruleset: str) -> None:
    add(tmp_path, tournament(ruleset, 2), 0, 2)
    pages = [opened(view, tmp_path) for view in VIEWS] + [opened("replay", tmp_path, match=first_match(tmp_path))]
    for page in pages:
        assert not page.exception
        assert page.title


def test_a_bots_own_page(opened: Open, results: Path) -> None:
    page = opened("bot", results, bot=EVIL)
    assert not page.exception
    assert page.selectbox(key="bot").value == EVIL
    contracts, opponents, worst = (one.value for one in page.dataframe)
    assert "No king of hearts" in list(contracts["Contract"])
    assert {"Points a deal", "Against the table, 95 %", "Points declaring"} <= set(contracts.columns)
    assert set(opponents["Opponent"]) == {"random", "steady", FORMULA}
    assert worst["Against the others"].is_monotonic_increasing
    assert len(worst) == 10


def test_a_bot_that_nobody_knows_is_another_one(opened: Open, results: Path) -> None:
    page = opened("bot", results, bot="nobody")
    assert not page.exception
    assert page.selectbox(key="bot").value in (EVIL, FORMULA, "random", "steady")


def test_a_pair(opened: Open, results: Path) -> None:
    page = opened("pairs", results, bot="steady", against=FORMULA)
    assert not page.exception
    assert (page.selectbox(key="bot").value, page.selectbox(key="against").value) == ("steady", FORMULA)
    page.selectbox(key="bot").set_value(FORMULA).run()
    assert not page.exception
    assert page.selectbox(key="against").value != FORMULA
    page.segmented_control(key="show").set_value("surprise").run()
    assert "standard errors" in texts(page)


def test_one_contract(opened: Open, results: Path) -> None:
    page = opened("contracts", results)
    page.selectbox(key="contract").set_value("trump:S").run()
    assert not page.exception
    assert set(page.dataframe[0].value["Bot"]) == {EVIL, FORMULA, "random", "steady"}
    page.segmented_control(key="show").set_value("points").run()
    assert not page.exception


def test_the_tournament_page_tells_speed_and_faults(opened: Open, results: Path) -> None:
    page = opened("tournament", results)
    assert not page.exception
    assert "faults so far" in texts(page)
    told = page.dataframe[0].value
    assert told.loc[told["Bot"] == FORMULA, "Timeout"].item() > 0


def test_matches_are_filtered(opened: Open, results: Path) -> None:
    page = opened("matches", results)
    assert len(page.dataframe[0].value) == 48
    page.toggle(key="faults").set_value(True).run()
    assert all(page.dataframe[0].value["Faults"] > 0)
    page.multiselect(key="bots").set_value([FORMULA]).run()
    page.selectbox(key="contract").set_value("433").run()
    assert not page.exception


def test_matches_by_score_and_order(opened: Open, results: Path) -> None:
    page = opened("matches", results, bots="steady", order="Worst first", to="-1")
    assert not page.exception
    table = page.dataframe[0].value
    assert 0 < len(table) < 48
    assert table["Against the others"].is_monotonic_increasing
    whole = every_match(results)
    beaten = whole.filter(pl.struct("bots", "totals").map_elements(lambda row: row["totals"][row["bots"].index("steady")] <= -1, return_dtype=pl.Boolean))
    assert len(table) == beaten.height


def test_a_match_is_stepped_through(opened: Open, results: Path) -> None:
    match_id = first_match(results)
    page = opened("replay", results, match=match_id)
    assert not page.exception
    assert "The cards are dealt." in texts(page)
    page.button(key="step-on").click().run()
    assert page.slider(key=f"step-{match_id}-0").value == 1
    page.button(key="part-on").click().run()
    assert page.slider(key=f"step-{match_id}-0").value == 4
    assert "takes the trick" in texts(page)
    page.button(key="part-back").click().run()
    assert page.button(key="step-back").disabled
    page.button(key="deal-on").click().run()
    assert page.selectbox(key=f"deal-{match_id}").value == 1
    page.slider(key=f"step-{match_id}-1").set_value(page.slider(key=f"step-{match_id}-1").max).run()
    assert "The deal is over." in texts(page)
    assert not page.exception


def test_faults_are_marked_and_reached(opened: Open, results: Path) -> None:
    listed = every_match(results)
    match_id = listed.filter(listed["faults"] > 0)["match_id"][0]
    page = opened("replay", results, match=match_id)
    page.button(key="fault-on").click().run()
    assert not page.exception
    assert "timeout. The referee played the first legal action instead" in texts(page)


def test_a_replay_marks_what_perfect_play_would_have_given(opened: Open, tmp_path: Path) -> None:
    add(tmp_path, tournament("king.simple", 1), 0, 1)
    match_id = first_match(tmp_path)
    assert "perfect play" not in texts(opened("replay", tmp_path, match=match_id))
    judge(tmp_path, match_id)
    judged = analysis.stored(Store(tmp_path))
    lost = judged.filter(pl.col("lost") > 0).row(0, named=True)
    page = opened("replay", tmp_path, match=match_id)
    page.button(key="loss-on").click().run()
    assert not page.exception
    assert page.slider(key=f"step-{match_id}-{lost['deal'] - 1}").value == lost["step"]
    best = words.action_name(lost["best"])
    assert f"lost {lost['lost']} points here: perfect play of the same cards was {best}." in texts(page)
    sums = judged.group_by("seat").agg(pl.col("lost").sum(), pl.len()).sort("seat")
    for side, (_, points, choices) in zip(("South", "West", "North", "East"), sums.iter_rows(), strict=True):
        assert f"({side}) {words.number(points)} by {choices} choices" in texts(page)
    everything = next(one.value for one in page.dataframe if "Lost" in one.value.columns)
    assert everything["Lost"].sum() == judged["lost"].sum()
    assert everything["Lost"].count() == judged.height
    others = [side for side in ("South", "West", "North", "East") if side != words.seats(4)[lost["seat"]]]
    page.selectbox(key="seen").set_value(others[0]).run()
    assert "lost" not in "".join(one.value for one in page.warning), "another seat's card is shown to one that does not see it"


def test_a_bots_page_has_a_table_of_what_it_loses(opened: Open, tmp_path: Path) -> None:
    add(tmp_path, tournament("king.simple", 1), 0, 1)
    assert "Points lost against perfect play" not in texts(opened("bot", tmp_path, bot="steady"))
    judge(tmp_path, *every_match(tmp_path)["match_id"][:2])
    page = opened("bot", tmp_path, bot="steady")
    assert not page.exception
    told = analysis.losses(analysis.stored(Store(tmp_path))).filter(bot="steady")
    table = next(one.value for one in page.dataframe if "Points lost a match" in one.value.columns)
    assert table["Points lost a match"].tolist() == told["lost_a_match"].to_list()
    assert table["Contract"][0] == words.contract_name(told["contract"][0])
    assert f"It loses {words.number(told['lost_a_match'][0], 1)} points a match in **{table['Contract'][0]}**" in texts(page)
    (tmp_path / analysis.FILE).write_bytes(b"PAR1")
    for view, query in (("bot", {"bot": "steady"}), ("replay", {"match": first_match(tmp_path)})):
        broken = opened(view, tmp_path, **query)
        assert not broken.exception
        assert "kingmaker analyse" in texts(broken)
        assert "makes it anew" in texts(broken)


def test_an_address_names_deal_and_step_or_nonsense(opened: Open, results: Path) -> None:
    match_id = first_match(results)
    page = opened("replay", results, match=match_id, deal="7", step="3")
    assert page.slider(key=f"step-{match_id}-6").value == 3
    assert not opened("replay", results, match=match_id, deal="99", step="²").exception
    wrong = opened("replay", results, match="![x](http://x)")
    assert "no match" in texts(wrong)
    assert r"\!\[x\]" in texts(wrong)
    assert wrong.text_input


def test_a_broken_batch_is_named(opened: Open, tmp_path: Path) -> None:
    add(tmp_path, tournament("king.simple", 1), 0, 1)
    batch = next((tmp_path / "batches").iterdir())
    (batch / "matches.parquet").write_bytes(b"")
    page = opened("standings", tmp_path)
    assert not page.exception
    assert "cannot be read" in texts(page)


def rules_page(monkeypatch: pytest.MonkeyPatch, folder: Path, **query: str) -> AppTest:
    monkeypatch.setattr(sys, "argv", [str(APP), str(folder)])
    script = f"from pathlib import Path\nfrom dashboard import reading\nfrom dashboard.views import rules\nrules.show(reading.ruleset_of(Path({str(folder)!r})))"
    page = AppTest.from_string(script, default_timeout=30)
    for name, value in query.items():
        page.query_params[name] = value
    return page.run()


def test_the_rules_begin_with_what_is_played(monkeypatch: pytest.MonkeyPatch, results: Path, tmp_path: Path) -> None:
    page = rules_page(monkeypatch, results)
    assert not page.exception
    assert page.selectbox[0].value == reading.ruleset_of(results) == "king.fetes"
    assert "No king of hearts" in texts(page)
    assert reading.ruleset_of(tmp_path) is None


@pytest.mark.parametrize("ruleset", registry.RULESETS)
def test_every_ruleset_has_a_sheet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ruleset: str) -> None:
    page = rules_page(monkeypatch, tmp_path, ruleset=ruleset)
    assert not page.exception
    assert page.selectbox[0].value == ruleset
    for option in registry.RULESETS[ruleset].options:
        assert option.help.split(";")[0][:20] in texts(page).replace("\\", "")
