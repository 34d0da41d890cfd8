"""Tables for people, with headings and units, and the same for programs as CSV. Imports no Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from cluster.statistics.comparisons import MIN_BLOCKS
from dashboard import words

_STRING = pl.String


@dataclass(frozen=True)
class Heading:
    """A column for people: its title, printf format of its numbers (None: a text), and what it means."""

    title: str
    form: str | None = None
    help: str = ""


STANDINGS = (
    Heading("Rank", help="Ranks that the results allow at 95 %, all bots at once."),
    Heading("Bot"),
    Heading("Rating", "%.0f", "Elo, relative to the anchor, which stands at 1500."),
    Heading("Trend", "trend", "The rating after the first blocks of the schedule, up to all of them; all bots on one scale."),
    Heading("Rating, 95 %", help="Interval relative to the anchor, over whole blocks."),
    Heading("Best, chance", "%.1f %%", "Chance to be the best of this list."),
    Heading("Points a match", "%.1f", "Mean total of a match."),
    Heading("Points, 95 %", help="Interval of the mean, over whole blocks."),
    Heading("Matches", "%d"),
    Heading("Blocks", "%d", "Below 10 the numbers say little, and are grey."),
    Heading("Faults", "%d", "Decisions in which the referee had to play in the bot's place."),
    Heading("Forfeits", "%d", "Matches lost by too many faults."),
    Heading("ms a decision", "%.2f", "Mean thinking time charged for a decision."),
)
OPPONENTS = (
    Heading("Opponent"),
    Heading("Score", "%.1f %%", "Share of the results against this opponent; a draw is half."),
    Heading("Promised", "%.1f %%", "The share that the two ratings promise."),
    Heading("Surprise", "%.1f", "Score less promise, in standard errors; between −2 and 2 it is chance."),
    Heading("Elo difference", "%.0f"),
    Heading("Difference, 95 %"),
    Heading("Better, chance", "%.1f %%", "Chance that this bot is the better of the two."),
    Heading("Results", "%d"),
    Heading("Blocks", "%d", "Blocks in which either sat."),
)
WORST = (
    Heading("Block", "%d"),
    Heading("Game", "%d", "The seating within the block."),
    Heading("Seat"),
    Heading("Against the others", "%.1f", "Points beyond the mean of what was made of the same cards in the same seat."),
    Heading("Total", "%d"),
    Heading("Rank", "%d"),
    Heading("Opponents"),
    Heading("Faults", "%d"),
)
TRADES = (
    Heading("Bot"),
    Heading("Contract"),
    Heading("Declared", "%d", "Deals that the bot declared in this contract."),
    Heading("Share of its choices", "%.1f %%", "Of all the deals that the bot declared."),
    Heading("Bought", "%d", "Deals in which the bot paid for the choice."),
    Heading("Mean price", "%.1f", "Points paid for a bought deal."),
    Heading("Sold", "%d", "Deals in which the bot was paid."),
    Heading("Mean income", "%.1f", "Points got for a sold deal."),
)
IN_CONTRACT = (
    Heading("Bot"),
    Heading("Deals", "%d"),
    Heading("Blocks", "%d", "Below 10 the numbers say little, and are grey."),
    Heading("Against the table", "%.1f", "Points a deal beyond the mean of the same deal's table."),
    Heading("Against the table, 95 %"),
    Heading("Points a deal", "%.1f"),
    Heading("Points, 95 %"),
    Heading("Declared", "%.0f %%", "Share of the deals that the bot declared."),
)
CONDUCT = (
    Heading("Bot"),
    Heading("Decisions", "%d"),
    Heading("ms a decision", "%.2f", "Mean thinking time charged for a decision."),
    Heading("Slowest, ms", "%.1f"),
    Heading("Illegal", "%d"),
    Heading("Malformed", "%d"),
    Heading("Timeout", "%d"),
    Heading("Disconnect", "%d"),
    Heading("Forfeits", "%d", "Matches lost by too many faults."),
)
CONTRACTS = (
    Heading("Contract"),
    Heading("Deals", "%d"),
    Heading("Blocks", "%d", "Below 10 the numbers say little, and are grey."),
    Heading("Points a deal", "%.1f"),
    Heading("Points, 95 %"),
    Heading("Against the table", "%.1f", "Points a deal beyond the mean of the same deal's table."),
    Heading("Against the table, 95 %"),
    Heading("Steadied", "%.1f", "The same, drawn towards the bot's other contracts where there are few deals."),
    Heading("Tricks a deal", "%.2f"),
    Heading("Declared", "%.0f %%", "Share of the deals that the bot declared."),
    Heading("Points declaring", "%.1f", "Points a deal when the bot declared."),
    Heading("Points defending", "%.1f", "Points a deal when another declared."),
    Heading("Roem taken", "%.1f", "Bonus points a deal that the bot claimed."),
    Heading("Roem left", "%.1f", "Bonus points a deal that the bot left."),
)
OUTCOMES = (
    Heading("Bot"),
    Heading("Contract"),
    Heading("Outcome"),
    Heading("Deals", "%d"),
    Heading("Share", "%.1f %%", "Of the bot's deals of this contract that have an outcome."),
    Heading("Share, 95 %"),
    Heading("Points a deal", "%.1f"),
    Heading("Blocks", "%d"),
)
CHOICES = (
    Heading("Bot"),
    Heading("Choices", "%d", "Deals that the bot declared."),
    Heading("Value of a choice", "%.1f", "Points beyond what others scored with the same cards in the same seat."),
    Heading("Value, 95 %"),
    Heading("Blocks", "%d"),
)
MATCHES = (
    Heading("Block", "%d"),
    Heading("Game", "%d", "The seating within the block."),
    Heading("Against the others", "%.1f", "Points of the first bot beyond the mean of what was made of the same cards in the same seat."),
    Heading("Bots by seat"),
    Heading("Totals by seat"),
    Heading("Ranks by seat"),
    Heading("Deals", "%d"),
    Heading("Faults", "%d"),
    Heading("Forfeits", "%d"),
    Heading("Match"),
)
DECISIONS = (
    Heading("Step", "%d"),
    Heading("Seat"),
    Heading("Bot"),
    Heading("Decision"),
    Heading("Action"),
    Heading("Legal", "%d", "How many actions were legal."),
    Heading("ms", "%.2f", "Thinking time; none where nobody was asked."),
    Heading("Note"),
)


def standings(frame: pl.DataFrame, history: pl.DataFrame) -> pl.DataFrame:
    """The standings under the headings of `STANDINGS`."""
    trends = dict(history.sort("blocks").group_by("bot").agg("rating").iter_rows())
    rows = [
        (
            words.ranks(row["rank_low"], row["rank_high"]), row["bot"], row["rating"], trends.get(row["bot"]),
            words.elo(row["low"], row["high"]), _percent(row["chance_best"]), row["points"],
            words.interval(row["points_low"], row["points_high"], 1), row["matches"], row["blocks"], row["faults"],
            row["forfeits"], row["ms_per_decision"],
        )
        for row in frame.iter_rows(named=True)
    ]  # fmt: skip
    return _table(STANDINGS, rows)


def opponents(pairs: pl.DataFrame) -> pl.DataFrame:
    """One bot's opponents under the headings of `OPPONENTS`."""
    rows = []
    for row in pairs.iter_rows(named=True):
        measured = row["relation"] == "measured"
        rows.append((
            row["opponent"], _percent(row["score"]), _percent(row["expected"]), row["residual_z"], row["difference"] if measured else None,
            words.interval(row["low"], row["high"]) if measured else words.relation(row["relation"]),
            _percent(row["superiority"]) if measured else None, round(row["results"]), row["blocks"],
        ))  # fmt: skip
    return _table(OPPONENTS, rows)


def worst(matches: pl.DataFrame, bot: str) -> pl.DataFrame:
    """A bot's matches under the headings of `WORST`; see `cluster.matchlist.ordered`."""
    rows = [
        (
            row["block"], row["game"], words.seats(len(row["bots"]))[row["seat"]], row["edge"], row["total"], row["rank"],
            "  ·  ".join(name for name in row["bots"] if name != bot), row["faults"],
        )
        for row in matches.iter_rows(named=True)
    ]  # fmt: skip
    return _table(WORST, rows)


def trades(frame: pl.DataFrame) -> pl.DataFrame:
    """What was chosen and paid under the headings of `TRADES`; without the columns that this game does not have."""
    rows = [
        (
            row["bot"], words.contract_name(row["contract"]), row["declared"], _percent(row["share"]), row["bought"] or None, row["price"],
            row["sold"] or None, row["income"],
        )
        for row in frame.iter_rows(named=True)
    ]  # fmt: skip
    return _without_empty(_table(TRADES, rows))


def in_contract(frame: pl.DataFrame) -> pl.DataFrame:
    """All bots in one contract under the headings of `IN_CONTRACT`."""
    rows = [
        (
            row["bot"], row["deals"], row["blocks"], row["edge"], words.interval(row["edge_low"], row["edge_high"], 1), row["points"],
            words.interval(row["points_low"], row["points_high"], 1), _percent(row["declarer"]),
        )
        for row in frame.iter_rows(named=True)
    ]  # fmt: skip
    return _without_empty(_table(IN_CONTRACT, rows))


def conduct(frame: pl.DataFrame) -> pl.DataFrame:
    """Faults and times of all bots under the headings of `CONDUCT`."""
    names = ("bot", "decisions", "ms_per_decision", "slowest_ms", "illegal", "malformed", "timeout", "disconnect", "forfeits")
    return _table(CONDUCT, list(frame.select(names).iter_rows()))


def contracts(frame: pl.DataFrame) -> pl.DataFrame:
    """One bot's contracts under the headings of `CONTRACTS`; without the columns that this game does not have."""
    rows = [
        (
            words.contract_name(row["contract"]), row["deals"], row["blocks"], row["points"],
            words.interval(row["points_low"], row["points_high"], 1), row["edge"],
            words.interval(row["edge_low"], row["edge_high"], 1), row["edge_shrunk"], row["tricks"],
            _percent(row["declarer"]), row["points_declaring"], row["points_defending"], row["bonus"], row["bonus_left"],
        )
        for row in frame.iter_rows(named=True)
    ]  # fmt: skip
    return _without_empty(_table(CONTRACTS, rows))


def outcomes(frame: pl.DataFrame) -> pl.DataFrame:
    """How deals ended under the headings of `OUTCOMES`."""
    rows = [
        (
            row["bot"], words.contract_name(row["contract"]), words.outcome_name(row["outcome"]), row["deals"], _percent(row["share"]),
            words.interval(100 * row["low"], 100 * row["high"], 1), row["points"], row["blocks"],
        )
        for row in frame.iter_rows(named=True)
    ]  # fmt: skip
    return _table(OUTCOMES, rows)


def choices(frame: pl.DataFrame) -> pl.DataFrame:
    """Who chooses well, under the headings of `CHOICES`, best first."""
    rows = [
        (
            row["bot"],
            row["choices"],
            row["value"],
            words.interval(row["value_low"], row["value_high"], 1),
            row["blocks"],
        )
        for row in frame.sort("value", descending=True).iter_rows(named=True)
    ]
    return _table(CHOICES, rows)


def matches(frame: pl.DataFrame) -> pl.DataFrame:
    """The matches under the headings of `MATCHES`; see `cluster.matchlist.ordered`."""
    rows = [
        (
            row["block"], row["game"], row.get("edge"), "  ·  ".join(row["bots"]), "  ·  ".join(map(words.number, row["totals"])),
            "  ·  ".join(map(str, row["ranks"])), row["deals"], row["faults"], row["forfeits"], row["match_id"],
        )
        for row in frame.iter_rows(named=True)
    ]  # fmt: skip
    return _without_empty(_table(MATCHES, rows))


def decisions(deal: dict[str, Any], players: Sequence[str]) -> pl.DataFrame:
    """What was decided in a deal, under the headings of `DECISIONS`."""
    sides = words.seats(len(players))
    rows = [
        (
            step, sides[one["seat"]], players[one["seat"]], words.kind_name(one["kind"]), words.action_name(one["action"]),
            len(one["legal"]), one["ms"], note(one),
        )
        for step, one in enumerate(deal["decisions"], 1)
    ]  # fmt: skip
    return _table(DECISIONS, rows)


def score_headings(told: dict[str, Any]) -> list[Heading]:
    """The headings of `score_sheet`."""
    names = [f"{name} ({side})" for name, side in zip(told["players"], words.seats(len(told["players"])), strict=True)]
    return [Heading("Deal", "%d"), Heading("Contract"), *map(Heading, names)]


def score_sheet(told: dict[str, Any]) -> pl.DataFrame:
    """The deals of a match: number, contract, and each seat's score with its total behind it."""
    rows = []
    for deal in told["deals"]:
        scores = [
            f"{words.signed(s)}  ({words.number(t)})" for s, t in zip(deal["scores"], deal["totals"], strict=True)
        ]
        rows.append((deal["number"], words.contract_name(deal["contract"]), *scores))
    return _table(score_headings(told), rows)


def note(decision: dict[str, Any]) -> str:
    """What is special about a decision."""
    if decision["fault"]:
        return f"fault: {decision['fault']}"
    if decision["forced"]:
        return "forced"
    return "substitute" if decision["ms"] is None else ""


def thin(blocks: pl.Series) -> list[bool]:
    """Which rows rest on so few blocks that they are shown grey."""
    return (blocks < MIN_BLOCKS).to_list()


def written(frame: pl.DataFrame, headings: Sequence[Heading]) -> dict[str, Callable[[Any], str]]:
    """How to write columns other than Streamlit would: negative numbers with a real minus, which printf does not know, and long names
    so short that they do not push the numbers off a phone.
    """
    numbers = [heading for heading in headings if heading.form not in (None, "trend")]
    names = {name for name in ("Bot", "Opponent") if name in frame.columns and (frame[name].str.len_chars() > words.LONG).any()}
    return {one.title: partial(_number, str(one.form)) for one in numbers if (frame[one.title] < 0).any()} | dict.fromkeys(names, words.short)


def _number(form: str, value: float | None) -> str:
    if value is None or value != value:
        return "–"
    decimals = 0 if form == "%d" else int(form[2])
    return words.number(value, decimals) + (" %" if form.endswith("%%") else "")


def span(trends: pl.Series) -> tuple[float, float] | tuple[None, None]:
    """The least and the greatest number of all of these lists."""
    numbers = [number for trend in trends.drop_nulls() for number in trend]
    return (min(numbers), max(numbers)) if numbers else (None, None)


def csv(frame: pl.DataFrame) -> bytes:
    """A frame in full precision; lists as texts, and no text that a spreadsheet would take for a formula."""
    lists = [
        pl.col(name).cast(pl.List(_STRING)).list.join(" | ")
        for name, kind in frame.schema.items()
        if isinstance(kind, pl.List)
    ]
    flat = frame.with_columns(lists)
    texts = [pl.col(name).map_elements(words.guarded, return_dtype=_STRING)
             for name, kind in flat.schema.items() if kind == _STRING]  # fmt: skip
    return flat.with_columns(texts).write_csv().encode()


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _without_empty(table: pl.DataFrame) -> pl.DataFrame:
    """Without the columns that say nothing of this game."""
    return table.select(name for name in table.columns if table[name].null_count() < max(table.height, 1))


def _table(headings: Sequence[Heading], rows: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
    kinds: dict[str | None, Any] = {None: pl.String, "%d": pl.Int64, "trend": pl.List(pl.Float64)}
    schema = {heading.title: kinds.get(heading.form, pl.Float64) for heading in headings}
    return pl.DataFrame(rows, schema=schema, orient="row")
