"""The charts, as Altair values. Imports no Streamlit."""

from __future__ import annotations

from typing import cast

import altair as alt
import polars as pl

from cluster.statistics.comparisons import MIN_BLOCKS
from dashboard import words

BLUE, GREY, AMBER = "#2f7de1", "#8a8f98", "#d9822b"
_DIVERGING = [AMBER, "#e9c9a4", "#eceef1", "#a9c8ef", BLUE]
#: Colours that can be told apart in light and dark, also by most who see few colours.
_MANY = ["#2f7de1", "#d9822b", "#2a9d6f", "#b8509b", "#7a6ff0", "#c9a227", "#3aa6b9", "#d1495b", "#6b8e23", "#8a8f98"]
LINES = 8  # lines that one chart can bear
_ROW = 30
_NAMES = 150  # px of a bot's name beside a chart; the whole name is in the tooltip
_CROWDED = 9  # columns from which on a phone has no room for numbers in the cells


def ratings(standings: pl.DataFrame, anchor: str | None) -> alt.LayerChart:
    """Ratings with their 95 % intervals; the anchor is a diamond without one."""
    frame = standings.filter(pl.col("rating").is_not_null()).select(
        "bot", "rating", "low", "high", "points", "blocks",
        interval=_texts("low", "high", 0),
        kind=pl.when(pl.col("bot") == anchor).then(pl.lit("anchor")).otherwise(pl.lit("bot")),
        thin=pl.col("blocks") < MIN_BLOCKS,
    )  # fmt: skip
    tip = [_tip("bot", "Bot"), _tip("rating", "Rating (Elo)", ".0f"), _tip("interval", "95 % interval"),
           _tip("points", "Points a match", ".1f"), _tip("blocks", "Blocks", ",")]  # fmt: skip
    rows = alt.Y("bot:N", sort=None, title=None, axis=_rows())
    colour = alt.condition("datum.thin", alt.value(GREY), alt.value(BLUE))
    base = alt.Chart(frame).encode(y=rows, tooltip=tip)
    scale = alt.Scale(zero=False, nice=True)
    bars = base.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.55).encode(
        x=alt.X("low:Q", scale=scale, title="Rating (Elo) with 95 % interval", axis=_values("d")),
        x2="high:Q",
        color=colour,
    )
    points = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=alt.X("rating:Q", scale=scale),
        color=colour,
        shape=alt.Shape("kind:N", scale=alt.Scale(domain=["bot", "anchor"], range=["circle", "diamond"]), legend=None),
    )
    return _layered(bars, points)


def head_to_head(pairs: pl.DataFrame, order: list[str]) -> alt.LayerChart:
    """Who takes which share of the results against whom, in %."""
    frame = pairs.select(
        "bot", "opponent", "blocks",
        share=pl.col("score") * 100,
        expected=pl.col("expected") * 100,
        results=pl.col("results"),
        gap=pl.struct("relation", "difference").map_elements(_gap, return_dtype=pl.String),
        interval=pl.struct("relation", "low", "high").map_elements(_gap_interval, return_dtype=pl.String),
    )  # fmt: skip
    tip = [_tip("bot", "Bot"), _tip("opponent", "Against"), _tip("share", "Score, %", ".1f"),
           _tip("expected", "By the ratings, %", ".1f"), _tip("gap", "Elo difference"), _tip("interval", "95 % interval"),
           _tip("results", "Results", ",.0f"), _tip("blocks", "Blocks", ",")]  # fmt: skip
    base = alt.Chart(frame).encode(
        x=alt.X("opponent:N", sort=order, title="against", axis=_columns(len(order))),
        y=alt.Y("bot:N", sort=order, title=None, axis=_rows()),
        tooltip=tip,
    )
    cells = base.mark_rect(cornerRadius=3, stroke="transparent", strokeWidth=2).encode(
        color=_cell("share:Q", [0, 100], _DIVERGING),
    )
    return _with_numbers(base, cells, "share:Q", ".0f", len(order), "abs(datum.share - 50) > 35")


def contract_map(contracts: pl.DataFrame, metric: str, bots: list[str], *, lower_is_better: bool) -> alt.LayerChart:
    """One number (``edge`` or ``points``) for every contract and bot."""
    frame = _named(contracts).with_columns(
        points_interval=_texts("points_low", "points_high", 1), edge_interval=_texts("edge_low", "edge_high", 1)
    )
    reach = max((abs(float(value)) for value in frame[metric]), default=0.0) or 1.0
    colours = _DIVERGING[::-1] if lower_is_better else _DIVERGING
    tip = [_tip("bot", "Bot"), _tip("name", "Contract"), _tip("points", "Points a deal", ".1f"),
           _tip("points_interval", "95 % interval"), _tip("edge", "Against the table", "+.1f"),
           _tip("edge_interval", "95 % interval "), _tip("deals", "Deals", ","), _tip("blocks", "Blocks", ",")]  # fmt: skip
    base = alt.Chart(frame).encode(
        x=alt.X("bot:N", sort=bots, title=None, axis=_columns(len(bots))),
        y=alt.Y("name:N", sort=None, title=None, axis=_rows()),
        tooltip=tip,
    )
    cells = base.mark_rect(cornerRadius=3, stroke="transparent", strokeWidth=2).encode(
        color=_cell(f"{metric}:Q", [-reach, reach], colours),
    )
    strong = f"abs(datum.{metric}) > {0.7 * reach}"
    return _with_numbers(base, cells, f"{metric}:Q", ".0f" if reach >= 20 else ".1f", len(bots), strong)


def surprises(pairs: pl.DataFrame, order: list[str]) -> alt.LayerChart:
    """How far each pair's results are from what the ratings promise, in standard errors."""
    frame = pairs.select(
        "bot", "opponent", pl.col("blocks").fill_null(MIN_BLOCKS), z=pl.col("residual_z").round(1) + 0.0, share=pl.col("score") * 100, expected=pl.col("expected") * 100
    )
    tip = [_tip("bot", "Bot"), _tip("opponent", "Against"), _tip("z", "Surprise, standard errors", "+.1f"),
           _tip("share", "Score, %", ".1f"), _tip("expected", "By the ratings, %", ".1f")]  # fmt: skip
    base = alt.Chart(frame).encode(
        x=alt.X("opponent:N", sort=order, title="against", axis=_columns(len(order))),
        y=alt.Y("bot:N", sort=order, title=None, axis=_rows()),
        tooltip=tip,
    )
    cells = base.mark_rect(cornerRadius=3, stroke="transparent", strokeWidth=2).encode(
        color=_cell("z:Q", [-4, 4], _DIVERGING)
    )
    return _with_numbers(base, cells, "z:Q", "+.1f", len(order), "abs(datum.z) > 2.8")


def contract_edges(contracts: pl.DataFrame, others: pl.DataFrame) -> alt.LayerChart:
    """One bot's points beyond the table's mean in every contract, with 95 % intervals; the others as ticks."""
    frame = _named(contracts).with_columns(
        interval=_texts("edge_low", "edge_high", 1), thin=pl.col("blocks") < MIN_BLOCKS
    )
    tip = [_tip("name", "Contract"), _tip("edge", "Against the table", "+.1f"), _tip("interval", "95 % interval"),
           _tip("deals", "Deals", ","), _tip("blocks", "Blocks", ",")]  # fmt: skip
    colour = alt.condition("datum.thin", alt.value(GREY), alt.value(BLUE))
    rows = alt.Y("name:N", sort=list(frame["name"]), title=None, axis=_rows())
    base = alt.Chart(frame).encode(y=rows, tooltip=tip)
    field = alt.Chart(_named(others).select("bot", "name", "edge")).mark_tick(color=GREY, thickness=2, opacity=0.8).encode(
        y=rows, x=_edge(), tooltip=[_tip("bot", "Bot"), _tip("name", "Contract"), _tip("edge", "Against the table", "+.1f")]
    )  # fmt: skip
    bars = base.mark_bar(opacity=0.35, height={"band": 0.6}).encode(x=_edge(), color=colour)
    errors = base.mark_rule(strokeWidth=2).encode(x=alt.X("edge_low:Q"), x2="edge_high:Q", color=colour)
    points = base.mark_point(filled=True, size=60, opacity=1).encode(x="edge:Q", color=colour)
    return _layered(bars, field, errors, points)


def bots_in_contract(contracts: pl.DataFrame, order: list[str]) -> alt.LayerChart:
    """All bots' points beyond the table's mean in one contract, with 95 % intervals."""
    return _edges_by(contracts, "bot", order)


def compared(contracts: pl.DataFrame, bots: list[str]) -> alt.LayerChart:
    """Two bots' points beyond the table's mean, contract by contract, with 95 % intervals."""
    frame = _named(contracts).with_columns(interval=_texts("edge_low", "edge_high", 1))
    tip = [_tip("bot", "Bot"), _tip("name", "Contract"), _tip("edge", "Against the table", "+.1f"),
           _tip("interval", "95 % interval")]  # fmt: skip
    base = alt.Chart(frame).encode(
        y=alt.Y("name:N", sort=frame["name"].unique(maintain_order=True).to_list(), title=None, axis=_rows()),
        yOffset=alt.YOffset("bot:N", sort=bots),
        color=alt.Color("bot:N", title=None, scale=alt.Scale(domain=bots, range=[BLUE, AMBER]), legend=_legend()),
        tooltip=tip,
    )
    errors = base.mark_rule(strokeWidth=2).encode(x=alt.X("edge_low:Q"), x2="edge_high:Q")
    points = base.mark_point(filled=True, size=60, opacity=1).encode(x=_edge())
    return cast(alt.LayerChart, alt.layer(errors, points).properties(height=alt.Step(13)))


def history(frame: pl.DataFrame, bots: list[str]) -> alt.Chart:
    """The ratings of these bots after the first blocks of the schedule."""
    shown = frame.filter(pl.col("bot").is_in(bots)).with_columns(interval=_texts("low", "high", 0))
    chart: alt.Chart = (
        alt.Chart(shown)
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X("blocks:Q", title="Blocks", axis=_whole(), scale=alt.Scale(zero=False, nice=False)),
            y=alt.Y("rating:Q", title="Rating (Elo)", scale=alt.Scale(zero=False), axis=alt.Axis(format="d")),
            color=alt.Color("bot:N", sort=bots, title=None, legend=_legend(), scale=alt.Scale(domain=bots, range=_MANY[: len(bots)])),
            tooltip=[_tip("bot", "Bot"), _tip("blocks", "Blocks", ","), _tip("rating", "Rating (Elo)", ".0f"),
                     _tip("interval", "95 % interval")],
        )
        .properties(height=380)
    )  # fmt: skip
    return chart


def one_history(frame: pl.DataFrame) -> alt.LayerChart:
    """One bot's rating after the first blocks, in the band of its 95 % interval."""
    shown = frame.with_columns(interval=_texts("low", "high", 0))
    tip = [_tip("blocks", "Blocks", ","), _tip("rating", "Rating (Elo)", ".0f"), _tip("interval", "95 % interval")]
    base = alt.Chart(shown).encode(
        x=alt.X("blocks:Q", title="Blocks", axis=_whole(), scale=alt.Scale(zero=False, nice=False)), tooltip=tip
    )
    y = alt.Y("rating:Q", title="Rating (Elo)", scale=alt.Scale(zero=False), axis=alt.Axis(format="d"))
    band = base.mark_area(opacity=0.2, color=BLUE).encode(y=alt.Y("low:Q", title="Rating (Elo)"), y2="high:Q")
    line = base.mark_line(point=True, strokeWidth=2, color=BLUE).encode(y=y)
    return cast(alt.LayerChart, alt.layer(band, line).properties(height=240))


def thinking(conduct: pl.DataFrame, bot: str) -> alt.Chart:
    """Mean thinking time of all bots; the one in blue."""
    frame = conduct.with_columns(mine=pl.col("bot") == bot).sort("ms_per_decision", nulls_last=True)
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar(cornerRadius=2, height={"band": 0.6})
        .encode(
            y=alt.Y("bot:N", sort=None, title=None, axis=_rows()),
            x=alt.X("ms_per_decision:Q", title="Milliseconds a decision, mean", axis=_values("~g")),
            color=alt.condition("datum.mine", alt.value(BLUE), alt.value(GREY)),
            tooltip=[_tip("bot", "Bot"), _tip("ms_per_decision", "ms a decision", ".3f"), _tip("slowest_ms", "Slowest, ms", ",.1f"),
                     _tip("decisions", "Decisions", ",")],
        )
        .properties(height=alt.Step(24))
    )  # fmt: skip
    return chart


def choices(trades: pl.DataFrame, bots: list[str]) -> alt.Chart:
    """What each bot declares, as shares of its choices."""
    frame = _named(trades).filter(pl.col("declared") > 0).with_columns(share=pl.col("share") * 100)
    names = frame["name"].unique(maintain_order=True).to_list()
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            y=alt.Y("bot:N", sort=bots, title=None, axis=_rows()),
            x=alt.X("share:Q", title="Share of the deals that the bot declared, %", scale=alt.Scale(domain=[0, 100]), axis=_values("d")),
            color=alt.Color("name:N", sort=names, title=None, legend=_legend(), scale=alt.Scale(domain=names, range=_MANY[: len(names)])),
            order=alt.Order("place:Q"),
            tooltip=[_tip("bot", "Bot"), _tip("name", "Contract"), _tip("share", "Share, %", ".1f"), _tip("declared", "Deals", ",")],
        )
        .transform_calculate(place=f"indexof({names!r}, datum.name)")
        .properties(height=alt.Step(_ROW))
    )  # fmt: skip
    return chart


def outcomes(frame: pl.DataFrame, bots: list[str]) -> alt.LayerChart:
    """How deals of one contract ended for each bot: shares with their 95 % intervals."""
    shown = frame.with_columns(share=pl.col("share") * 100, low=pl.col("low") * 100, high=pl.col("high") * 100)
    shown = shown.with_columns(interval=_texts("low", "high", 1))
    kinds = sorted(set(shown["outcome"]))
    base = alt.Chart(shown).encode(
        y=alt.Y("bot:N", sort=bots, title=None, axis=_rows()),
        yOffset=alt.YOffset("outcome:N", sort=kinds),
        color=alt.Color("outcome:N", title=None, sort=kinds, legend=_legend(), scale=alt.Scale(domain=kinds, range=_MANY[: len(kinds)])),
        tooltip=[_tip("bot", "Bot"), _tip("outcome", "Outcome"), _tip("share", "Share, %", ".1f"), _tip("interval", "95 % interval"),
                 _tip("deals", "Deals", ","), _tip("points", "Points a deal", ".1f")],
    )  # fmt: skip
    bars = base.mark_bar(opacity=0.55).encode(x=alt.X("share:Q", title="Share of the deals, %", axis=_values("d")))
    errors = base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q")
    return cast(alt.LayerChart, alt.layer(bars, errors).properties(height=alt.Step(13)))


def thinned(frame: pl.DataFrame, rows: int = 400) -> pl.DataFrame:
    """Every so manieth row, and the last: more than a chart can show cost a browser its breath."""
    step = max(1, -(-frame.height // rows))
    return frame.gather_every(step) if frame.height % step == 1 or step == 1 else pl.concat([frame.gather_every(step), frame.tail(1)])


def pace(frame: pl.DataFrame) -> alt.Chart:
    """Blocks that were there at each moment."""
    hours = (frame["time"][-1] - frame["time"][0]).total_seconds() / 3600
    form = "%H:%M:%S" if hours < 1 else "%H:%M" if hours < 36 else "%d %b"
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_area(interpolate="step-after", opacity=0.35, line={"color": BLUE}, color=BLUE)
        .encode(
            x=alt.X("time:T", title="When (local time)", axis=alt.Axis(format=form, tickCount=alt.ExprRef("max(2, width / 140)"))),
            y=alt.Y("done:Q", title="Blocks done", axis=_whole()),
            tooltip=[_tip("done", "Blocks done", ","), alt.Tooltip("time:T", title="When", format="%Y-%m-%d %H:%M:%S")],
        )
        .properties(height=240)
    )
    return chart


def times(frame: pl.DataFrame, players: list[str]) -> alt.Chart:
    """Thinking time of each decision of a deal."""
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=alt.X("step:Q", title="Decision of the deal", axis=_whole()),
            y=alt.Y("ms:Q", title="Milliseconds"),
            color=alt.Color("seat:N", sort=players, title=None, legend=_legend(), scale=alt.Scale(domain=players, range=_MANY[: len(players)])),
            tooltip=[_tip("seat", "Seat"), _tip("step", "Decision"), _tip("action", "Action"), _tip("ms", "ms", ".3f")],
        )
        .properties(height=180)
    )  # fmt: skip
    return chart


def declaring(contracts: pl.DataFrame) -> alt.Chart:
    """One bot's points a deal where it declared, and where another did."""
    told = _named(contracts).rename({"points_declaring": "declaring", "points_defending": "defending"})
    frame = told.unpivot(
        ["declaring", "defending"], index=["name", "blocks"], variable_name="role", value_name="value"
    ).drop_nulls()
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar(cornerRadius=2)
        .encode(
            y=alt.Y("name:N", sort=list(told["name"]), title=None,
                    axis=_rows()),
            opacity=alt.condition(f"datum.blocks < {MIN_BLOCKS}", alt.value(0.35), alt.value(1)),
            yOffset=alt.YOffset("role:N", sort=["declaring", "defending"]),
            x=alt.X("value:Q", title="Points a deal", axis=_values()),
            color=alt.Color("role:N", title=None, legend=alt.Legend(orient="top"),
                            scale=alt.Scale(domain=["declaring", "defending"], range=[BLUE, AMBER])),
            tooltip=[_tip("name", "Contract"), _tip("role", "When"), _tip("value", "Points a deal", ".1f")],
        )
        .properties(height=alt.Step(14))
    )  # fmt: skip
    return chart


def _cell(field: str, domain: list[float], colours: list[str]) -> alt.Color:
    """A cell's colour; grey where it rests on too few blocks."""
    colour = alt.Color(field, scale=alt.Scale(domain=domain, range=colours, interpolate="rgb"), legend=None)
    return alt.condition(f"datum.blocks < {MIN_BLOCKS}", alt.value("#b9bdc4"), colour)


def _with_numbers(
    base: alt.Chart, cells: alt.Chart, value: str, form: str, columns: int, strong: str
) -> alt.LayerChart:
    size = 12 if columns < _CROWDED else 9
    numbers = base.mark_text(fontSize=size, fontWeight=500).encode(
        text=alt.Text(value, format=form),
        color=alt.condition(f"{strong} && datum.blocks >= {MIN_BLOCKS}", alt.value("#ffffff"), alt.value("#1d2530")),
    )
    return _layered(cells, numbers) if columns <= 2 * _CROWDED else _layered(cells)


def _layered(*charts: alt.Chart) -> alt.LayerChart:
    return cast(alt.LayerChart, alt.layer(*charts).properties(height=alt.Step(_ROW)))


def _columns(columns: int) -> alt.Axis:
    """Names above the columns, upright where the columns are narrow."""
    narrow = f"width < {110 * columns}"
    return alt.Axis(
        orient="top",
        labelAngle=alt.ExprRef(f"{narrow} ? -90 : 0"),
        labelAlign=alt.ExprRef(f"{narrow} ? 'left' : 'center'"),
        labelBaseline=alt.ExprRef(f"{narrow} ? 'middle' : 'bottom'"),
        labelLimit=100,
        ticks=False,
        domain=False,
    )


def _rows() -> alt.Axis:
    return alt.Axis(labelLimit=_NAMES, labelFlush=False, ticks=False, domain=False)


def _values(form: str = ",f") -> alt.Axis:
    return alt.Axis(tickCount=alt.ExprRef("max(4, width / 90)"), format=form, labelFlush=False)


def _whole() -> alt.Axis:
    """Whole numbers only."""
    return alt.Axis(format=",d", tickMinStep=1, tickCount=alt.ExprRef("max(3, width / 110)"))


def _legend() -> alt.Legend:
    """Above the chart, in as many rows as the width asks for."""
    return alt.Legend(orient="top", columns=alt.ExprRef("max(2, floor(width / 130))"), labelLimit=100)


def _edge() -> alt.X:
    return alt.X("edge:Q", title="Points a deal against the table", axis=_values())


def _edges_by(contracts: pl.DataFrame, by: str, order: list[str]) -> alt.LayerChart:
    frame = contracts.with_columns(interval=_texts("edge_low", "edge_high", 1), thin=pl.col("blocks") < MIN_BLOCKS)
    colour = alt.condition("datum.thin", alt.value(GREY), alt.value(BLUE))
    base = alt.Chart(frame).encode(
        y=alt.Y(f"{by}:N", sort=order, title=None, axis=_rows()),
        tooltip=[_tip("bot", "Bot"), _tip("edge", "Against the table", "+.1f"), _tip("interval", "95 % interval"),
                 _tip("deals", "Deals", ","), _tip("blocks", "Blocks", ",")],
    )  # fmt: skip
    bars = base.mark_bar(opacity=0.35, height={"band": 0.6}).encode(x=_edge(), color=colour)
    errors = base.mark_rule(strokeWidth=2).encode(x=alt.X("edge_low:Q"), x2="edge_high:Q", color=colour)
    points = base.mark_point(filled=True, size=60, opacity=1).encode(x="edge:Q", color=colour)
    return _layered(bars, errors, points)


def _named(contracts: pl.DataFrame) -> pl.DataFrame:
    return contracts.with_columns(name=pl.col("contract").map_elements(words.contract_name, return_dtype=pl.String))


def _texts(low: str, high: str, decimals: int) -> pl.Expr:
    return pl.struct(low, high).map_elements(
        lambda row: words.interval(row[low], row[high], decimals), return_dtype=pl.String
    )


def _gap(row: dict[str, object]) -> str:
    relation, difference = row["relation"], row["difference"]
    if relation == "measured":
        assert isinstance(difference, float)
        return words.signed(round(difference))
    return words.relation(str(relation))


def _gap_interval(row: dict[str, float | str]) -> str:
    if row["relation"] != "measured":
        return "–"
    return words.interval(float(row["low"]), float(row["high"]))


def _tip(field: str, title: str, form: str | None = None) -> alt.Tooltip:
    return alt.Tooltip(field, title=title, format=form) if form else alt.Tooltip(field, title=title)
