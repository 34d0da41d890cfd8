"""The charts, as Altair values. Imports no Streamlit."""

from __future__ import annotations

from typing import cast

import altair as alt
import polars as pl

from cluster.statistics.comparisons import MIN_BLOCKS
from dashboard import chartparts as parts
from dashboard import words
from dashboard.colours import MANY, Colours

BLUE, GREY, AMBER = "#2f7de1", "#8a8f98", "#d9822b"
_DIVERGING = [AMBER, "#e9c9a4", "#eceef1", "#a9c8ef", BLUE]
LINES = 8  # lines that one chart can bear


def ratings(standings: pl.DataFrame, anchor: str | None) -> alt.LayerChart:
    """Ratings with their 95 % intervals; the anchor is a diamond without one."""
    frame = standings.filter(pl.col("rating").is_not_null()).select(
        "bot", "rating", "low", "high", "points", "blocks",
        interval=parts.texts("low", "high", 0),
        kind=pl.when(pl.col("bot") == anchor).then(pl.lit("anchor")).otherwise(pl.lit("bot")),
        thin=pl.col("blocks") < MIN_BLOCKS,
    )  # fmt: skip
    tip = [parts.tip("bot", "Bot"), parts.tip("rating", "Rating (Elo)", ".0f"), parts.tip("interval", "95 % interval"),
           parts.tip("points", "Points a match", ".1f"), parts.tip("blocks", "Blocks", ",")]  # fmt: skip
    rows = alt.Y("bot:N", sort=None, title=None, axis=parts.rows())
    colour = alt.condition("datum.thin", alt.value(GREY), alt.value(BLUE))
    base = alt.Chart(frame).encode(y=rows, tooltip=tip)
    scale = alt.Scale(zero=False, nice=True)
    title = "Rating (Elo) with 95 % interval"
    bars = base.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.55).encode(
        x=alt.X("low:Q", scale=scale, title=title, axis=parts.values("d")),
        x2="high:Q",
        color=colour,
    )
    points = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=alt.X("rating:Q", scale=scale, title=title, axis=parts.values("d")),
        color=colour,
        shape=alt.Shape("kind:N", scale=alt.Scale(domain=["bot", "anchor"], range=["circle", "diamond"]), legend=None),
    )
    return parts.layered(*parts.where(frame["low"], bars), points, rows=frame.height)


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
    tip = [parts.tip("bot", "Bot"), parts.tip("opponent", "Against"), parts.tip("share", "Score, %", ".1f"),
           parts.tip("expected", "By the ratings, %", ".1f"), parts.tip("gap", "Elo difference"), parts.tip("interval", "95 % interval"),
           parts.tip("results", "Results", ",.0f"), parts.tip("blocks", "Blocks", ",")]  # fmt: skip
    base = alt.Chart(frame).encode(
        x=alt.X("opponent:N", sort=order, title="against", axis=parts.columns(len(order))),
        y=alt.Y("bot:N", sort=order, title=None, axis=parts.rows()),
        tooltip=tip,
    )
    cells = base.mark_rect(cornerRadius=3, stroke="transparent", strokeWidth=2).encode(
        color=parts.cell("share:Q", [0, 100], _DIVERGING),
    )
    return parts.with_numbers(base, cells, "share:Q", ".0f", rows=len(order), columns=len(order))


def contract_map(contracts: pl.DataFrame, metric: str, bots: list[str], *, lower_is_better: bool) -> alt.LayerChart:
    """One number (``edge`` or ``points``) for every contract and bot."""
    frame = parts.named(contracts).with_columns(
        points_interval=parts.texts("points_low", "points_high", 1), edge_interval=parts.texts("edge_low", "edge_high", 1)
    )
    reach = max((abs(float(value)) for value in frame[metric]), default=0.0) or 1.0
    colours = _DIVERGING[::-1] if lower_is_better else _DIVERGING
    tip = [parts.tip("bot", "Bot"), parts.tip("name", "Contract"), parts.tip("points", "Points a deal", ".1f"),
           parts.tip("points_interval", "95 % interval"), parts.tip("edge", "Against the table", "+.1f"),
           parts.tip("edge_interval", "95 % interval "), parts.tip("deals", "Deals", ","), parts.tip("blocks", "Blocks", ",")]  # fmt: skip
    base = alt.Chart(frame).encode(
        x=alt.X("bot:N", sort=bots, title=None, axis=parts.columns(len(bots))),
        y=alt.Y("name:N", sort=None, title=None, axis=parts.rows()),
        tooltip=tip,
    )
    cells = base.mark_rect(cornerRadius=3, stroke="transparent", strokeWidth=2).encode(
        color=parts.cell(f"{metric}:Q", [-reach, reach], colours),
    )
    form = ".0f" if reach >= 20 else ".1f"
    return parts.with_numbers(base, cells, f"{metric}:Q", form, rows=frame["name"].n_unique(), columns=len(bots))


def surprises(pairs: pl.DataFrame, order: list[str]) -> alt.LayerChart:
    """How far each pair's results are from what the ratings promise, in standard errors."""
    frame = pairs.select(
        "bot", "opponent", pl.col("blocks").fill_null(MIN_BLOCKS), z=pl.col("residual_z").round(1) + 0.0, share=pl.col("score") * 100, expected=pl.col("expected") * 100
    )
    tip = [parts.tip("bot", "Bot"), parts.tip("opponent", "Against"), parts.tip("z", "Surprise, standard errors", "+.1f"),
           parts.tip("share", "Score, %", ".1f"), parts.tip("expected", "By the ratings, %", ".1f")]  # fmt: skip
    base = alt.Chart(frame).encode(
        x=alt.X("opponent:N", sort=order, title="against", axis=parts.columns(len(order))),
        y=alt.Y("bot:N", sort=order, title=None, axis=parts.rows()),
        tooltip=tip,
    )
    cells = base.mark_rect(cornerRadius=3, stroke="transparent", strokeWidth=2).encode(
        color=parts.cell("z:Q", [-4, 4], _DIVERGING)
    )
    return parts.with_numbers(base, cells, "z:Q", "+.1f", rows=len(order), columns=len(order))


def contract_edges(contracts: pl.DataFrame, others: pl.DataFrame, own: str) -> alt.LayerChart:
    """One bot's points beyond the table's mean in every contract, with 95 % intervals, in its ``own`` colour; the others as ticks."""
    frame = parts.named(contracts).with_columns(
        interval=parts.texts("edge_low", "edge_high", 1), thin=pl.col("blocks") < MIN_BLOCKS
    )
    tip = [parts.tip("name", "Contract"), parts.tip("edge", "Against the table", "+.1f"), parts.tip("interval", "95 % interval"),
           parts.tip("deals", "Deals", ","), parts.tip("blocks", "Blocks", ",")]  # fmt: skip
    colour = alt.condition("datum.thin", alt.value(GREY), alt.value(own))
    rows = alt.Y("name:N", sort=list(frame["name"]), title=None, axis=parts.rows())
    base = alt.Chart(frame).encode(y=rows, tooltip=tip)
    field = alt.Chart(parts.named(others).select("bot", "name", "edge")).mark_tick(color=GREY, thickness=2, opacity=0.8).encode(
        y=rows, x=parts.edge(), tooltip=[parts.tip("bot", "Bot"), parts.tip("name", "Contract"), parts.tip("edge", "Against the table", "+.1f")]
    )  # fmt: skip
    bars = base.mark_bar(opacity=0.35, height={"band": 0.6}).encode(x=parts.edge(), color=colour)
    errors = base.mark_rule(strokeWidth=2).encode(x=alt.X("edge_low:Q"), x2="edge_high:Q", color=colour)
    points = base.mark_point(filled=True, size=60, opacity=1).encode(x="edge:Q", color=colour)
    return parts.layered(bars, field, *parts.where(frame["edge_low"], errors), points, rows=frame.height)


def bots_in_contract(contracts: pl.DataFrame, order: list[str]) -> alt.LayerChart:
    """All bots' points beyond the table's mean in one contract, with 95 % intervals."""
    return _edges_by(contracts, "bot", order)


def compared(contracts: pl.DataFrame, bots: list[str], colours: Colours) -> alt.LayerChart:
    """Two bots' points beyond the table's mean, contract by contract, with 95 % intervals."""
    frame = parts.named(contracts).with_columns(interval=parts.texts("edge_low", "edge_high", 1))
    tip = [parts.tip("bot", "Bot"), parts.tip("name", "Contract"), parts.tip("edge", "Against the table", "+.1f"),
           parts.tip("interval", "95 % interval")]  # fmt: skip
    base = alt.Chart(frame).encode(
        y=alt.Y("name:N", sort=frame["name"].unique(maintain_order=True).to_list(), title=None, axis=parts.rows()),
        yOffset=alt.YOffset("bot:N", sort=bots),
        color=parts.bots("bot:N", bots, colours),
        tooltip=tip,
    )
    errors = base.mark_rule(strokeWidth=2).encode(x=alt.X("edge_low:Q"), x2="edge_high:Q")
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=parts.edge(), shape=alt.Shape("bot:N", title=None, scale=alt.Scale(domain=bots, range=["circle", "diamond"]))
    )
    return parts.layered(*parts.where(frame["edge_low"], errors), points, rows=frame["name"].n_unique(), step=32)


def history(frame: pl.DataFrame, bots: list[str], colours: Colours) -> alt.Chart:
    """The ratings of these bots after the first blocks of the schedule."""
    shown = frame.filter(pl.col("bot").is_in(bots)).with_columns(interval=parts.texts("low", "high", 0))
    line = {"symbolType": "stroke", "symbolSize": 400, "symbolStrokeWidth": 3}
    chart: alt.Chart = (
        alt.Chart(shown)
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X("blocks:Q", title="Blocks", axis=parts.whole(), scale=alt.Scale(zero=False, nice=False)),
            y=alt.Y("rating:Q", title="Rating (Elo)", scale=alt.Scale(zero=False), axis=alt.Axis(format="d")),
            color=parts.bots("bot:N", bots, colours, **line),
            strokeDash=alt.StrokeDash("bot:N", title=None, legend=parts.legend(**line), scale=alt.Scale(domain=bots, range=[colours.dashes(bot) for bot in bots])),
            tooltip=[parts.tip("bot", "Bot"), parts.tip("blocks", "Blocks", ","), parts.tip("rating", "Rating (Elo)", ".0f"),
                     parts.tip("interval", "95 % interval")],
        )
        .properties(height=380)
    )  # fmt: skip
    return chart


def one_history(frame: pl.DataFrame, own: str) -> alt.LayerChart:
    """One bot's rating after the first blocks, in the band of its 95 % interval."""
    shown = frame.with_columns(interval=parts.texts("low", "high", 0))
    tip = [parts.tip("blocks", "Blocks", ","), parts.tip("rating", "Rating (Elo)", ".0f"), parts.tip("interval", "95 % interval")]
    base = alt.Chart(shown).encode(
        x=alt.X("blocks:Q", title="Blocks", axis=parts.whole(), scale=alt.Scale(zero=False, nice=False)), tooltip=tip
    )
    y = alt.Y("rating:Q", title="Rating (Elo)", scale=alt.Scale(zero=False), axis=alt.Axis(format="d"))
    band = base.mark_area(opacity=0.2, color=own).encode(y=alt.Y("low:Q", title="Rating (Elo)"), y2="high:Q")
    line = base.mark_line(point={"color": own}, strokeWidth=2, color=own).encode(y=y)
    return cast(alt.LayerChart, alt.layer(*parts.where(shown["low"], band), line).properties(height=240))


def thinking(conduct: pl.DataFrame, bot: str, own: str) -> alt.Chart:
    """Mean thinking time of all bots; the one in its ``own`` colour."""
    frame = conduct.with_columns(mine=pl.col("bot") == bot).sort("ms_per_decision", nulls_last=True)
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar(cornerRadius=2, height={"band": 0.6})
        .encode(
            y=alt.Y("bot:N", sort=None, title=None, axis=parts.rows()),
            x=alt.X("ms_per_decision:Q", title="Milliseconds a decision, mean", axis=parts.values("~g")),
            color=alt.condition("datum.mine", alt.value(own), alt.value(GREY)),
            tooltip=[parts.tip("bot", "Bot"), parts.tip("ms_per_decision", "ms a decision", ".3f"), parts.tip("slowest_ms", "Slowest, ms", ",.1f"),
                     parts.tip("decisions", "Decisions", ",")],
        )
    )  # fmt: skip
    return parts.sized(chart, frame.height, 24)


def choices(trades: pl.DataFrame, bots: list[str]) -> alt.Chart:
    """What each bot declares, as shares of its choices."""
    frame = parts.named(trades).filter(pl.col("declared") > 0).with_columns(share=pl.col("share") * 100)
    names = frame["name"].unique(maintain_order=True).to_list()
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            y=alt.Y("bot:N", sort=bots, title=None, axis=parts.rows()),
            x=alt.X("share:Q", title="Share of its choices, %", scale=alt.Scale(domain=[0, 100]), axis=parts.values("d")),
            color=alt.Color("name:N", sort=names, title=None, legend=parts.legend(), scale=alt.Scale(domain=names, range=list(MANY[: len(names)]))),
            order=alt.Order("place:Q"),
            tooltip=[parts.tip("bot", "Bot"), parts.tip("name", "Contract"), parts.tip("share", "Share, %", ".1f"), parts.tip("declared", "Deals", ",")],
        )
        .transform_calculate(place=f"indexof({names!r}, datum.name)")
    )  # fmt: skip
    return parts.sized(chart, frame["bot"].n_unique(), parts.ROW)


def outcomes(frame: pl.DataFrame, bots: list[str]) -> alt.LayerChart:
    """How deals of one contract ended for each bot: shares with their 95 % intervals."""
    shown = frame.with_columns(share=pl.col("share") * 100, low=pl.col("low") * 100, high=pl.col("high") * 100)
    shown = shown.with_columns(interval=parts.texts("low", "high", 1))
    shown = shown.with_columns(pl.col("outcome").map_elements(words.outcome_name, return_dtype=pl.String))
    kinds = sorted(set(shown["outcome"]))
    base = alt.Chart(shown).encode(
        y=alt.Y("bot:N", sort=bots, title=None, axis=parts.rows()),
        yOffset=alt.YOffset("outcome:N", sort=kinds),
        color=alt.Color("outcome:N", title=None, sort=kinds, legend=parts.legend(), scale=alt.Scale(domain=kinds, range=list(MANY[: len(kinds)]))),
        tooltip=[parts.tip("bot", "Bot"), parts.tip("outcome", "Outcome"), parts.tip("share", "Share, %", ".1f"), parts.tip("interval", "95 % interval"),
                 parts.tip("deals", "Deals", ","), parts.tip("points", "Points a deal", ".1f")],
    )  # fmt: skip
    bars = base.mark_bar(opacity=0.55).encode(x=alt.X("share:Q", title="Share of the deals, %", axis=parts.values("d")))
    errors = base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q")
    return parts.layered(bars, errors, rows=shown["bot"].n_unique() * (len(kinds) + 1), step=12)


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
            y=alt.Y("done:Q", title="Blocks done", axis=alt.Axis(format=",d", tickMinStep=1, tickCount=5)),
            tooltip=[parts.tip("done", "Blocks done", ","), alt.Tooltip("time:T", title="When", format="%Y-%m-%d %H:%M:%S")],
        )
        .properties(height=240)
    )
    return chart


def times(frame: pl.DataFrame, players: dict[str, str]) -> alt.Chart:
    """Thinking time of each decision of a deal; ``players``: their colours."""
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=alt.X("step:Q", title="Decision of the deal", axis=parts.whole()),
            y=alt.Y("ms:Q", title="Milliseconds"),
            color=alt.Color("seat:N", sort=list(players), title=None, legend=parts.legend(), scale=alt.Scale(domain=list(players), range=list(players.values()))),
            tooltip=[parts.tip("seat", "Seat"), parts.tip("step", "Decision"), parts.tip("action", "Action"), parts.tip("ms", "ms", ".3f")],
        )
        .properties(height=180)
    )  # fmt: skip
    return chart


def declaring(contracts: pl.DataFrame) -> alt.Chart:
    """One bot's points a deal where it declared, and where another did."""
    told = parts.named(contracts).rename({"points_declaring": "declaring", "points_defending": "defending"})
    frame = told.unpivot(
        ["declaring", "defending"], index=["name", "blocks"], variable_name="role", value_name="value"
    ).drop_nulls().with_columns(pl.col("role").str.to_titlecase())
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar(cornerRadius=2)
        .encode(
            y=alt.Y("name:N", sort=list(told["name"]), title=None,
                    axis=parts.rows()),
            opacity=alt.condition(f"datum.blocks < {MIN_BLOCKS}", alt.value(0.35), alt.value(1)),
            yOffset=alt.YOffset("role:N", sort=["Declaring", "Defending"]),
            x=alt.X("value:Q", title="Points a deal", axis=parts.values()),
            color=alt.Color("role:N", title=None, legend=alt.Legend(orient="top"),
                            scale=alt.Scale(domain=["Declaring", "Defending"], range=[BLUE, AMBER])),
            tooltip=[parts.tip("name", "Contract"), parts.tip("role", "When"), parts.tip("value", "Points a deal", ".1f")],
        )
    )  # fmt: skip
    return parts.sized(chart, told.height, 32)


def _edges_by(contracts: pl.DataFrame, by: str, order: list[str]) -> alt.LayerChart:
    frame = contracts.with_columns(interval=parts.texts("edge_low", "edge_high", 1), thin=pl.col("blocks") < MIN_BLOCKS)
    colour = alt.condition("datum.thin", alt.value(GREY), alt.value(BLUE))
    base = alt.Chart(frame).encode(
        y=alt.Y(f"{by}:N", sort=order, title=None, axis=parts.rows()),
        tooltip=[parts.tip("bot", "Bot"), parts.tip("edge", "Against the table", "+.1f"), parts.tip("interval", "95 % interval"),
                 parts.tip("deals", "Deals", ","), parts.tip("blocks", "Blocks", ",")],
    )  # fmt: skip
    bars = base.mark_bar(opacity=0.35, height={"band": 0.6}).encode(x=parts.edge(), color=colour)
    errors = base.mark_rule(strokeWidth=2).encode(x=alt.X("edge_low:Q"), x2="edge_high:Q", color=colour)
    points = base.mark_point(filled=True, size=60, opacity=1).encode(x="edge:Q", color=colour)
    return parts.layered(bars, *parts.where(frame["edge_low"], errors), points, rows=frame[by].n_unique())


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
