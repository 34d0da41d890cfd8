"""What the charts are made of: axes, legends, tooltips, cells. Imports no Streamlit."""

from __future__ import annotations

import io
from typing import Any, TypeVar, cast

import altair as alt
import polars as pl

from cluster.statistics.comparisons import MIN_BLOCKS
from dashboard import words
from dashboard.colours import Colours

ROW = 30  # px of a bot or a contract
_NAMES = 150  # px of a bot's name beside a chart; the whole name is in the tooltip
#: As `words.short` has it: a long name's end says which version it is.
_SHORT = f"length(datum.label) > {words.LONG} ? slice(datum.label, 0, {words.LONG - 9}) + '…' + slice(datum.label, -8) : datum.label"
_CROWDED = 9  # columns from which on a phone has no room for numbers in the cells

C = TypeVar("C", alt.Chart, alt.LayerChart)

# The charts are tested; to check each of them against the whole schema of Vega-Lite again took most of the time of drawing.
alt.utils.schemapi.disable_debug_mode()
alt.theme.enable("none")  # Streamlit gives sizes and colours
alt.data_transformers.disable_max_rows()


def spec(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """A chart as Vega-Lite has it, with its rows as Arrow, as Streamlit sends them: to be kept, and shown to many."""
    told = chart.to_dict(validate=False)
    told["datasets"] = {name: _arrow(rows) for name, rows in told.get("datasets", {}).items()}
    return told


def _arrow(rows: list[dict[str, Any]]) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(rows, infer_schema_length=None).write_ipc_stream(buffer, compat_level=pl.CompatLevel.oldest())
    return buffer.getvalue()


def cell(field: str, domain: list[float], colours: list[str]) -> alt.Color:
    """A cell's colour; grey where it rests on too few blocks."""
    colour = alt.Color(field, scale=alt.Scale(domain=domain, range=colours, interpolate="rgb"), legend=None)
    return alt.condition(f"datum.blocks < {MIN_BLOCKS}", alt.value("#b9bdc4"), colour)


def with_numbers(base: alt.Chart, cells: alt.Chart, value: str, form: str, *, rows: int, columns: int) -> alt.LayerChart:
    """Coloured cells with their values, where there is room for them."""
    numbers = base.mark_text(fontSize=12 if columns < _CROWDED else 9, fontWeight=500, color="#1d2530")
    written = numbers.encode(text=alt.Text(value, format=form))
    return layered(cells, written, rows=rows) if columns <= 2 * _CROWDED else layered(cells, rows=rows)


def layered(*charts: alt.Chart, rows: int, step: int = ROW) -> alt.LayerChart:
    """One upon the other; ``step``: px of a row."""
    return sized(cast(alt.LayerChart, alt.layer(*charts)), rows, step)


def sized(chart: C, rows: int, step: int = ROW) -> C:
    """As wide as the page, and as high as its rows."""
    return chart.properties(height=max(1, rows) * step, autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))


def where(values: pl.Series, chart: alt.Chart) -> list[alt.Chart]:
    """The chart of these values, if there is any: of none no scale can be made."""
    return [chart] if values.is_not_null().any() else []


def columns(columns: int) -> alt.Axis:
    """Names above the columns, upright where the columns are narrow."""
    narrow = f"width < {110 * columns}"
    return alt.Axis(
        orient="top",
        labelAngle=alt.ExprRef(f"{narrow} ? -90 : 0"),
        labelAlign=alt.ExprRef(f"{narrow} ? 'left' : 'center'"),
        labelBaseline=alt.ExprRef(f"{narrow} ? 'middle' : 'bottom'"),
        labelExpr=_SHORT,
        labelLimit=140,
        ticks=False,
        domain=False,
    )


def rows() -> alt.Axis:
    """Names beside the rows."""
    return alt.Axis(labelExpr=_SHORT, labelLimit=_NAMES, labelFlush=False, ticks=False, domain=False)


def values(form: str = ",f") -> alt.Axis:
    """Numbers, as many as the width bears."""
    return alt.Axis(tickCount=alt.ExprRef("max(4, width / 90)"), format=form, labelFlush=False)


def whole() -> alt.Axis:
    """Whole numbers only."""
    return alt.Axis(format=",d", tickMinStep=1, tickCount=alt.ExprRef("max(3, width / 110)"))


def legend(**options: Any) -> alt.Legend:
    """Above the chart, in as many rows as the width asks for."""
    return alt.Legend(**options, orient="top", columns=alt.ExprRef("max(2, floor(width / 170))"), labelExpr=_SHORT, labelLimit=150)


def bots(field: str, names: list[str], colours: Colours, **options: Any) -> alt.Color:
    """Bots by their own colours; ``options``: of the legend."""
    scale = alt.Scale(domain=names, range=[colours.of(name) for name in names])
    return alt.Color(field, sort=names, title=None, legend=legend(**options), scale=scale)


def edge() -> alt.X:
    """Points against the table, from left to right."""
    return alt.X("edge:Q", title="Points a deal against the table", axis=values())


def named(contracts: pl.DataFrame) -> pl.DataFrame:
    """With a column ``name`` of the contract in words."""
    return contracts.with_columns(name=pl.col("contract").map_elements(words.contract_name, return_dtype=pl.String))


def texts(low: str, high: str, decimals: int) -> pl.Expr:
    """The interval between two columns in words."""
    return pl.struct(low, high).map_elements(
        lambda row: words.interval(row[low], row[high], decimals), return_dtype=pl.String
    )


def tip(field: str, title: str, form: str | None = None) -> alt.Tooltip:
    """A line of a tooltip."""
    return alt.Tooltip(field, title=title, format=form) if form else alt.Tooltip(field, title=title)
