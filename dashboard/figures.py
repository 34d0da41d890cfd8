"""Single numbers for people, to stand side by side, each with what it means. Imports no Streamlit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard import words

#: A number for people: what it is, how it reads, and what it means.
Fact = tuple[str, str, str]


def of_bot(row: Mapping[str, Any]) -> list[Fact]:
    """Where a bot stands; ``row``: one of the standings."""
    points = "a mean" if row["points_low"] is None else f"{words.interval(row['points_low'], row['points_high'], 1)} at 95 %"
    best = "–" if row["chance_best"] is None else f"{100 * row['chance_best']:.1f} %"
    return [
        ("Rating", words.number(row["rating"]).replace(",", ""), f"Elo; {words.elo(row['low'], row['high'])} at 95 %"),
        ("Rank", words.ranks(row["rank_low"], row["rank_high"]), "what the results allow"),
        ("Best, chance", best, "of all on this list"),
        ("Points a match", words.number(row["points"], 1), points),
        ("Matches", f"{row['matches']:,}", f"in {words.count(row['blocks'], 'block')}"),
        ("Faults", f"{row['faults']:,}", words.count(row["forfeits"], "forfeit")),
    ]


def of_conduct(row: Mapping[str, Any]) -> list[Fact]:
    """How a bot behaved; ``row``: one of the conduct table."""
    kinds = ("illegal", "malformed", "timeout", "disconnect")
    meanings = ("not a legal action", "nobody could read it", "no answer in time", "the bot was gone")
    times = [
        ("ms a decision", words.number(row["ms_per_decision"], 2), f"mean of {words.count(row['decisions'], 'decision')}"),
        ("Slowest, ms", words.number(row["slowest_ms"], 1), "a single decision"),
    ]
    faults = [(kind.capitalize(), f"{row[kind]:,}", about) for kind, about in zip(kinds, meanings, strict=True)]
    return [*times, *faults, ("Forfeits", f"{row['forfeits']:,}", "matches with too many faults")]


def of_pair(row: Mapping[str, Any]) -> list[Fact]:
    """One bot against another; ``row``: one of the pairs."""
    score = f"{100 * row['score']:.1f} %"
    facts = [("Score", score, f"of {row['results']:,.0f} results")]
    if row["expected"] is not None:
        facts.append(("By the ratings", f"{100 * row['expected']:.1f} %", "what they promise"))
    facts.append(("Surprise", words.number(row["residual_z"], 1), "standard errors; within ±2 is chance"))
    if row["relation"] == "measured":
        facts += [
            ("Elo difference", words.signed(round(row["difference"])), f"{words.interval(row['low'], row['high'])} at 95 %"),
            ("Better, chance", f"{100 * row['superiority']:.1f} %", "that the first is the better"),
        ]
    else:
        facts.append(("Elo difference", "–", words.relation(row["relation"])))
    return facts
