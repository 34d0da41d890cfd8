"""`kingmaker standings`, `contracts`, `pairs`, `matches`, `replay`, `export`, `dashboard`: what was played."""

from __future__ import annotations

import importlib.util
import io
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from cluster import summaries
from cluster.cli.output import Columns, Format, FormatOption, flat, say, show
from cluster.records import SCHEMAS
from cluster.replays import replay as retell
from cluster.store import Store
from referee.rules.errors import ConfigError, nearest

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.")]
Anchor = Annotated[str | None, typer.Option(help="The bot whose rating is 1500; default: random, where it plays.")]

_STANDINGS: Columns = [
    ("rank", "Rank", None), ("bot", "Bot", None), ("rating", "Elo", 0), ("interval", "95 % interval", None),
    ("points", "Points a match", 1), ("points_interval", "95 % interval", None), ("matches", "Matches", 0),
    ("blocks", "Blocks", 0), ("faults", "Faults", 0), ("forfeits", "Forfeits", 0), ("ms_per_decision", "ms a decision", 2),
]  # fmt: skip
_CONTRACTS: Columns = [
    ("bot", "Bot", None), ("contract", "Contract", None), ("deals", "Deals", 0), ("blocks", "Blocks", 0),
    ("points", "Points a deal", 1), ("interval", "95 % interval", None), ("edge", "Against the table", 1),
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
    ("superiority", "P(better)", 3), ("blocks", "Blocks", 0),
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
    app.command(epilog="Example: kingmaker matches results/demo")(matches)
    app.command(epilog="Example: kingmaker replay results/demo 1f0c…-0 --json")(replay)
    app.command(epilog="Example: kingmaker export replays results/demo --out replays.jsonl")(export)
    app.command(epilog="Example: kingmaker dashboard results/demo")(dashboard)


def standings(folder: Folder, anchor: Anchor = None, form: FormatOption = Format.table) -> None:
    """Print the ratings of all bots, with 95 % intervals clustered by block."""
    frame = summaries.standings(_evidence(Store(folder)), anchor)
    shown = frame if form is not Format.table else frame.with_columns(
        rank=pl.format("{}–{}", pl.col("rank_low").cast(pl.Int64), pl.col("rank_high").cast(pl.Int64)),
        interval=_interval("low", "high", 0),
        points_interval=_interval("points_low", "points_high", 1),
    )  # fmt: skip
    show(shown, form, _STANDINGS)
    if form is Format.table and frame["rating"].is_not_null().any():
        say(
            f"Elo relative to {summaries.anchor_of(frame['bot'].to_list(), anchor)} (1500); intervals over blocks; "
            "rank: the range that the results allow."
        )


def contracts(folder: Folder, form: FormatOption = Format.table) -> None:
    """Print where each bot wins and loses its points: a row for each bot and contract."""
    store = Store(folder)
    frame = summaries.contracts(store.table("tallies"))
    show(frame.with_columns(interval=_interval("points_low", "points_high", 1)) if form is Format.table else frame,
         form, _CONTRACTS)  # fmt: skip


def outcomes(folder: Folder, form: FormatOption = Format.table) -> None:
    """Print how deals ended, where players have words for it: made, nat and pit; won and blocked."""
    store = Store(folder)
    frame = summaries.outcomes(store.table("deals"), store.table("matches"))
    show(frame.with_columns(interval=_interval("low", "high", 3)) if form is Format.table else frame, form, _OUTCOMES)


def pairs(folder: Folder, anchor: Anchor = None, form: FormatOption = Format.table) -> None:
    """Print head to head results."""
    frame = summaries.pairs(_evidence(Store(folder)), anchor)
    show(frame.with_columns(interval=_interval("low", "high", 0)) if form is Format.table else frame, form, _PAIRS)


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
    table: Annotated[str, typer.Argument(help="replays, matches, deals, blocks, played, tallies, logs, standings, contracts, outcomes or pairs.")],
    folder: Folder,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Its ending says the form: .csv .json .jsonl .parquet")],
) -> None:
    """Write any table to a file; replays as JSON Lines that hold all there is to check."""
    store = Store(folder)
    if table == "replays":
        if out.suffix in (".csv", ".parquet"):
            raise ConfigError(f"--out {out}: replays are JSON Lines; name the file {out.with_suffix('.jsonl')}")
        rows = store.table("replays").iter_rows(named=True)
        _save(out, (json.dumps(retell(row), ensure_ascii=False).encode() + b"\n" for row in rows))
    else:
        _save(out, [_bytes(_frame(store, table), out)])
    say(f"{table} written to {out}")


def dashboard(
    folder: Folder,
    port: Annotated[int, typer.Option(help="The port on this machine.")] = 8501,
) -> None:
    """Open the pages on a results folder, on this machine alone; it follows a running tournament."""
    spec = importlib.util.find_spec("dashboard")
    if spec is None or not spec.submodule_search_locations or importlib.util.find_spec("streamlit") is None:
        raise ConfigError("the dashboard is not installed: pip install 'kingmaker[dashboard]'")
    if not (folder.is_dir() and not any(folder.iterdir())):  # an empty one may be filled by a tournament that begins
        _ = Store(folder).plan
    app = Path(spec.submodule_search_locations[0]) / "app.py"
    options = {"server.address": "127.0.0.1", "server.port": str(port), "server.headless": "true",
               "browser.gatherUsageStats": "false", "client.toolbarMode": "viewer"}  # fmt: skip
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    say(f"the dashboard is at http://127.0.0.1:{port} (Ctrl-C ends it)")
    try:
        sys.exit(subprocess.run([sys.executable, "-m", "streamlit", "run", str(app), *flags, "--", str(folder)]).returncode)
    except KeyboardInterrupt:
        sys.exit(0)


def _evidence(store: Store) -> summaries.Evidence:
    return summaries.Evidence.stored(store.table("blocks"), store.table("played"))


def _frame(store: Store, table: str) -> pl.DataFrame:
    made = {
        "standings": lambda: summaries.standings(_evidence(store)),
        "contracts": lambda: summaries.contracts(store.table("tallies")),
        "outcomes": lambda: summaries.outcomes(store.table("deals"), store.table("matches")),
        "pairs": lambda: summaries.pairs(_evidence(store)),
    }
    if table in made:
        return made[table]()
    if table not in SCHEMAS:
        raise ConfigError(f"no table {table!r}; {nearest(table, [*SCHEMAS, *made])}")
    return store.table(table)


def _bytes(frame: pl.DataFrame, out: Path) -> bytes:
    if out.suffix == ".parquet":
        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        return buffer.getvalue()
    if out.suffix == ".csv":
        return flat(frame).write_csv().encode()
    rows = [json.dumps(row, ensure_ascii=False, default=str) for row in frame.to_dicts()]
    if out.suffix == ".jsonl":
        return "".join(row + "\n" for row in rows).encode()
    if out.suffix == ".json":
        return f"[{', '.join(rows)}]".encode()
    raise ConfigError(f"--out {out}: its ending says the form; it may be .csv, .json, .jsonl or .parquet")


def _save(out: Path, parts: Iterable[bytes]) -> None:
    try:
        with out.open("wb") as file:
            file.writelines(parts)
    except OSError as error:
        raise ConfigError(f"--out {out}: {error.strerror}") from None


def _interval(low: str, high: str, decimals: int) -> pl.Expr:
    """An interval as a text; no text where there is none."""
    return pl.format("{} … {}", pl.col(low).round(decimals).cast(pl.Int64 if decimals == 0 else pl.Float64),
                     pl.col(high).round(decimals).cast(pl.Int64 if decimals == 0 else pl.Float64))  # fmt: skip
