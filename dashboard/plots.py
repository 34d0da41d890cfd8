"""The charts, as Altair values. Imports no Streamlit."""

from __future__ import annotations

from typing import cast

import altair as alt
import polars as pl

from cluster.statistics.comparisons import MIN_BLOCKS
from dashboard import words

BLUE, GREY, AMBER = "#2f7de1", "#8a8f98", "#d9822b"
_DIVERGING = [AMBER, "#e9c9a4", "#eceef1", "#a9c8ef", BLUE]
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


def contract_edges(contracts: pl.DataFrame) -> alt.LayerChart:
    """One bot's points beyond the table's mean in every contract, with 95 % intervals."""
    frame = _named(contracts).with_columns(
        interval=_texts("edge_low", "edge_high", 1), thin=pl.col("blocks") < MIN_BLOCKS
    )
    tip = [_tip("name", "Contract"), _tip("edge", "Against the table", "+.1f"), _tip("interval", "95 % interval"),
           _tip("deals", "Deals", ","), _tip("blocks", "Blocks", ",")]  # fmt: skip
    colour = alt.condition("datum.thin", alt.value(GREY), alt.value(BLUE))
    base = alt.Chart(frame).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=_rows()),
        tooltip=tip,
    )
    bars = base.mark_bar(opacity=0.35, height={"band": 0.6}).encode(
        x=alt.X("edge:Q", title="Points a deal against the table", axis=_values()), color=colour
    )
    errors = base.mark_rule(strokeWidth=2).encode(x=alt.X("edge_low:Q"), x2="edge_high:Q", color=colour)
    points = base.mark_point(filled=True, size=60, opacity=1).encode(x="edge:Q", color=colour)
    return _layered(bars, errors, points)


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
    return {"above": "above, no number", "below": "below, no number"}.get(str(relation), "not comparable")


def _gap_interval(row: dict[str, float | str]) -> str:
    if row["relation"] != "measured":
        return "–"
    return words.interval(float(row["low"]), float(row["high"]))


def _tip(field: str, title: str, form: str | None = None) -> alt.Tooltip:
    return alt.Tooltip(field, title=title, format=form) if form else alt.Tooltip(field, title=title)
