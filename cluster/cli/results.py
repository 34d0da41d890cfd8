"""`kingmaker standings`, `contracts`, `pairs`, `quality`, `matches`, `replay`, `export`, `dashboard`: what was played."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from cluster import summaries
from cluster.cli.output import Columns, Format, FormatOption, flat, say, show
from cluster.competition.place import Place
from cluster.quality import quality as judge
from cluster.records import SCHEMAS
from cluster.replays import replay as retell
from cluster.statistics.comparisons import MIN_BLOCKS
from cluster.statistics.points import choice_values
from cluster.store import Store
from cluster.texts import number
from referee.rules.errors import ConfigError, nearest

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.")]
Anchor = Annotated[str | None, typer.Option(help="The bot whose rating is 1500; default: random, where it plays.")]

_STANDINGS: Columns = [
    ("rank", "Rank", None), ("bot", "Bot", None), ("rating", "Elo", 0), ("interval", "95 % interval", None),
    ("chance_best", "P(best)", 2), ("superiority", "P(> next)", 2), ("adjusted", "Points beyond the anchor", 1),
    ("adjusted_interval", "95 % interval", None), ("points", "Points a match", 1), ("matches", "Matches", 0),
    ("blocks", "Blocks", 0), ("faults", "Faults", 0), ("forfeits", "Forfeits", 0), ("ms_per_decision", "ms a decision", 2),
]  # fmt: skip
_CONTRACTS: Columns = [
    ("bot", "Bot", None), ("contract", "Contract", None), ("deals", "Deals", 0), ("blocks", "Blocks", 0),
    ("points", "Points a deal", 1), ("interval", "95 % interval", None), ("edge", "Against the table", 1), ("edge_shrunk", "Shrunk", 1),
    ("tricks", "Tricks", 2), ("declarer", "Declarer, share", 2), ("points_declaring", "Points declaring", 1),
    ("points_defending", "Points defending", 1), ("bonus", "Roem taken", 1), ("bonus_left", "Roem left", 1),
]  # fmt: skip
_OUTCOMES: Columns = [
    ("bot", "Bot", None), ("contract", "Contract", None), ("outcome", "Outcome", None), ("deals", "Deals", 0),
    ("share", "Share", 3), ("interval", "95 % interval", None), ("points", "Points a deal", 1), ("blocks", "Blocks", 0),
]  # fmt: skip
_PAIRS: Columns = [
    ("bot", "Bot", None), ("opponent", "Against", None), ("score", "Score", 3), ("expected", "Expected", 3),
    ("results", "Results", 0), ("difference", "Elo difference", 0), ("interval", "95 % interval", None),
    ("superiority", "P(better)", 3), ("residual_z", "Surprise, z", 1), ("blocks", "Blocks", 0),
]  # fmt: skip
_QUALITY: Columns = [
    ("question", "Question", None), ("value", "Value", None), ("low", "95 % from", 2), ("high", "to", 2), ("answer", "Answer", None),
]  # fmt: skip
_MATCHES: Columns = [
    ("match_id", "Match", None), ("bots", "Bots by seat", None), ("totals", "Totals", None), ("ranks", "Ranks", None),
    ("deals", "Deals", 0), ("faults", "Faults", 0), ("forfeits", "Forfeits", 0), ("isolation", "Isolation", None),
    ("endings", "Bots lost", None),
]  # fmt: skip


def register(app: typer.Typer) -> None:
    """Enter the commands."""
    app.command(epilog="Example: kingmaker standings results/demo --format csv")(standings)
    app.command(epilog="Example: kingmaker contracts results/demo")(contracts)
    app.command(epilog="Example: kingmaker outcomes results/klaverjas")(outcomes)
    app.command(epilog="Example: kingmaker pairs results/demo")(pairs)
    app.command(epilog="Example: kingmaker quality results/demo")(quality)
    app.command(epilog="Example: kingmaker matches results/demo")(matches)
    app.command(epilog="Example: kingmaker replay results/demo 1f0c…-0 --json")(replay)
    app.command(epilog="Example: kingmaker export replays results/demo --out replays.jsonl")(export)
    app.command(epilog="Example: kingmaker dashboard results/demo")(dashboard)


def standings(folder: Folder, anchor: Anchor = None, form: FormatOption = Format.table) -> None:
    """Print the ratings of all bots, with 95 % intervals clustered by block."""
    store = Store(folder)
    frame = summaries.standings(_evidence(store), anchor)
    if form is not Format.table:
        show(frame, form, _STANDINGS)
        return
    ranks = [None if low is None else f"{low}–{high}" for low, high in frame.select("rank_low", "rank_high").iter_rows()]
    intervals = [_interval(frame, "interval", "low", "high", 0),
                 _interval(frame, "adjusted_interval", "adjusted_low", "adjusted_high", 1)]  # fmt: skip
    show(frame.with_columns(pl.Series("rank", ranks, dtype=pl.String), *intervals), form, _STANDINGS)
    for note in _notes(frame, store.plan, anchor):
        say(note)


def _notes(frame: pl.DataFrame, plan: Mapping[str, Any], anchor: str | None) -> Iterator[str]:
    """What has to be known to read the standings."""
    if frame["rating"].is_not_null().any():
        against = summaries.anchor_of(frame["bot"].to_list(), anchor)
        yield (f"Elo relative to {against} (1500), points beyond those of {against} against the same opponents; intervals over "
               "blocks; rank: the places that the results allow; P(> next): better than the bot of the next row.")  # fmt: skip
    thin = frame.filter((pl.col("blocks") < MIN_BLOCKS) & pl.col("rating").is_not_null())["bot"].to_list()
    if thin:
        yield f"Fewer than {MIN_BLOCKS} blocks, so any rank is possible and intervals mean little: {', '.join(thin)}."
    apart = frame.filter(pl.col("rating").is_null())["bot"].to_list()
    if apart:
        yield f"Not rated, because no chain of opponents leads to the anchor: {', '.join(apart)} (kingmaker quality says more)."
    absent = [str(bot["name"]) for bot in plan.get("bots", []) if bot["name"] not in set(frame["bot"])]
    if absent:
        yield f"Without a complete block yet, so not in the table: {', '.join(absent)}."
    forfeited = frame.filter(pl.col("forfeits") > 0)["bot"].to_list()
    if forfeited:
        yield f"Forfeited matches were ended by the substitute, whose points count with: {', '.join(forfeited)}."
    if plan.get("schedule") in ("adaptive", "duel"):
        yield "Results decided how long this was played and by whom: estimates lean away from even, intervals are a little too narrow."


def contracts(folder: Folder, form: FormatOption = Format.table) -> None:
    """Print where each bot wins and loses its points: a row for each bot and contract."""
    store = Store(folder)
    frame = summaries.contracts(store.table("tallies"))
    show(frame.with_columns(_interval(frame, "interval", "points_low", "points_high", 1)) if form is Format.table else frame,
         form, _CONTRACTS)  # fmt: skip
    if form is Format.table and frame.height:
        say("Against the table: points beyond the mean of the deal's seats; shrunk: drawn to the bot's mean, the more the fewer the blocks.")


def outcomes(folder: Folder, form: FormatOption = Format.table) -> None:
    """Print how deals ended, where players have words for it: made, nat and pit; won and blocked."""
    store = Store(folder)
    frame = summaries.outcomes(store.table("deals"), store.table("matches"))
    if form is Format.table and frame.is_empty() and store.done():
        say(f"{store.plan['ruleset']} has no words for how a deal ended; `kingmaker contracts {folder}` shows the points of each contract")
        return
    show(frame.with_columns(_interval(frame, "interval", "low", "high", 3)) if form is Format.table else frame, form, _OUTCOMES)


def pairs(folder: Folder, anchor: Anchor = None, form: FormatOption = Format.table) -> None:
    """Print head to head results."""
    frame = summaries.pairs(_evidence(Store(folder)), anchor)
    show(frame.with_columns(_interval(frame, "interval", "low", "high", 0)) if form is Format.table else frame, form, _PAIRS)
    if form is Format.table and frame.height:
        say("Expected: by the ratings; surprise: the score beyond it in standard errors, above 3 who beats whom may go in circles.")


def quality(folder: Folder, anchor: Anchor = None, form: FormatOption = Format.table) -> None:
    """Print how far the results can be trusted: who is missing, whether ratings fit, what a block is worth."""
    store = Store(folder)
    frame = _quality(store, anchor)
    if form is Format.table:
        told = [None if value is None else number(value, ".0f" if value.is_integer() else ".2f") for value in frame["value"]]
        frame = frame.with_columns(pl.Series("value", told, dtype=pl.String))
    show(frame, form, _QUALITY)


def _quality(store: Store, anchor: str | None = None) -> pl.DataFrame:
    return judge(store.table("matches"), [str(bot["name"]) for bot in store.plan.get("bots", [])], anchor)


def matches(folder: Folder, form: FormatOption = Format.table) -> None:
    """List the matches that were played."""
    show(summaries.match_list(Store(folder).table("matches")), form, _MATCHES)


def replay(
    folder: Folder,
    match: Annotated[str, typer.Argument(help="A match, as `kingmaker matches` names it.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on one line (docs/replay.md).")] = False,
) -> None:
    """Tell one match, deal by deal."""
    told = retell(Store(folder).replay(match))
    if as_json:
        print(json.dumps(told, ensure_ascii=False))
        return
    print(f"{told['match_id']}  {told['ruleset']}  {'  '.join(f'{s}: {name}' for s, name in enumerate(told['players']))}")
    for deal in told["deals"]:
        declarer = "" if deal["declarer"] is None else f", seat {deal['declarer']} plays"
        print(f"\ndeal {deal['number']}: {deal['contract']}{declarer}, seat {deal['dealer']} dealt")
        for seat, hand in enumerate(deal["hands"]):
            print(f"  seat {seat}: {' '.join(hand)}")
        marks = {True: "*", False: ""}
        print("  " + " ".join(
            f"{d['seat']}:{d['action']}{marks[d['forced']]}{'!' + d['fault'] if d['fault'] else ''}" for d in deal["decisions"]
        ))  # fmt: skip
        print(f"  scores {deal['scores']}  totals {deal['totals']}")
    print(f"\nranks {told['ranks']}  (* forced, ! fault)")


def export(
    table: Annotated[str, typer.Argument(help="replays, matches, deals, logs, standings, contracts, outcomes, pairs, … (docs/data.md).")],
    folder: Folder,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Its ending says the form: .csv .json .jsonl .parquet")],
) -> None:
    """Write any table to a file; replays as JSON hold all there is to check (docs/replay.md), else they are packed."""
    store = Store(folder)
    if table == "replays" and out.suffix not in (".csv", ".parquet"):
        rows = (json.dumps(retell(row), ensure_ascii=False) for row in store.table("replays").iter_rows(named=True))
        _save(out, _jsonl(rows) if out.suffix != ".json" else [f"[{', '.join(rows)}]".encode()])
    else:
        _save(out, [_bytes(table_of(store, table), out)])
    say(f"{table} written to {out}")


def dashboard(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A results folder, or that of a competition.")],
    port: Annotated[int, typer.Option(help="The port on this machine.")] = 8501,
) -> None:
    """Open the pages on a results folder or a competition's, on this machine alone; they follow what is played."""
    is_empty = folder.is_dir() and not any(folder.iterdir())  # it may be filled by a tournament that begins
    if not is_empty and not Place(folder).is_there:
        _ = Store(folder).plan
    words = dashboard_words(folder, port)
    say(f"the dashboard is at http://127.0.0.1:{port} (Ctrl-C ends it)")
    os.execv(words[0], words)  # in our place, so that whoever ends us ends the pages


def dashboard_words(folder: Path, port: int) -> list[str]:
    """The command that shows the pages on a folder, on this machine alone.

    Raises:
        ConfigError: the dashboard is not installed.
    """
    spec = importlib.util.find_spec("dashboard")
    if spec is None or not spec.submodule_search_locations or importlib.util.find_spec("streamlit") is None:
        raise ConfigError("the dashboard is not installed: pip install 'kingmaker[dashboard]'")
    app = Path(spec.submodule_search_locations[0]) / "app.py"
    options = {"server.address": "127.0.0.1", "server.port": str(port), "server.headless": "true",
               "browser.gatherUsageStats": "false", "client.toolbarMode": "viewer", "server.fileWatcherType": "none",
               "theme.light.primaryColor": "#1f6fd6", "theme.dark.primaryColor": "#5b9df0"}  # fmt: skip
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    return [sys.executable, "-m", "streamlit", "run", str(app), *flags, "--", str(folder)]


def _evidence(store: Store) -> summaries.Evidence:
    return summaries.Evidence.stored(store.table("blocks"), store.table("played"))


def table_of(store: Store, table: str) -> pl.DataFrame:
    """One of `TABLES`.

    Raises:
        ConfigError: there is no such table.
    """
    if table not in TABLES:
        raise ConfigError(f"no table {table!r}; {nearest(table, TABLES)}")
    return _MADE[table](store) if table in _MADE else store.table(table)


_MADE: dict[str, Callable[[Store], pl.DataFrame]] = {
    "standings": lambda store: summaries.standings(_evidence(store)),
    "contracts": lambda store: summaries.contracts(store.table("tallies")),
    "outcomes": lambda store: summaries.outcomes(store.table("deals"), store.table("matches")),
    "pairs": lambda store: summaries.pairs(_evidence(store)),
    "quality": lambda store: _quality(store),
    "choices": lambda store: choice_values(store.table("deals"), store.table("matches")),
}
#: All that can be exported: what is stored, and what is made of it.
TABLES = (*SCHEMAS, *_MADE)


def _bytes(frame: pl.DataFrame, out: Path) -> bytes:
    if out.suffix == ".parquet":
        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        return buffer.getvalue()
    if out.suffix == ".csv":
        return flat(frame).write_csv().encode()
    rows = (json.dumps(row, ensure_ascii=False, default=_hex) for row in frame.iter_rows(named=True))
    if out.suffix == ".jsonl":
        return b"".join(_jsonl(rows))
    if out.suffix == ".json":
        return f"[{', '.join(rows)}]".encode()
    raise ConfigError(f"--out {out}: its ending says the form; it may be .csv, .json, .jsonl or .parquet")


def _jsonl(rows: Iterable[str]) -> Iterator[bytes]:
    return (f"{row}\n".encode() for row in rows)


def _hex(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def _save(out: Path, parts: Iterable[bytes]) -> None:
    try:
        with out.open("wb") as file:
            file.writelines(parts)
    except OSError as error:
        raise ConfigError(f"--out {out}: {error.strerror}") from None


def _interval(frame: pl.DataFrame, name: str, low: str, high: str, decimals: int) -> pl.Series:
    """An interval as a text, with so many decimals at both ends; no text where there is none."""
    form = f".{decimals}f"
    told = [None if one is None else f"{number(one, form)} … {number(other, form)}" for one, other in frame.select(low, high).iter_rows()]
    return pl.Series(name, told, dtype=pl.String)
