"""`kingmaker duel`: is the new bot better than the old one, with as few blocks as can tell."""

from __future__ import annotations

import io
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl
import typer
from rich.live import Live
from rich.table import Table
from rich.text import Text

from cluster import tournament as tournaments
from cluster.cli.output import Bar, Format, FormatOption, err, flat, say
from cluster.cli.play import AddressOption, ResultsOption, WorkersOption, end, play_missing, seed_of
from cluster.cli.settings import OptionOption, options_of
from cluster.statistics.duel import Duel, state
from cluster.store import PLAN, Store
from cluster.texts import number
from cluster.tournament import Tournament

if TYPE_CHECKING:
    from cluster.arena import Chunk

#: Columns of the line between the bounds; a line is printed for so many blocks where nobody watches.
_WIDTH, _QUIET = 50, 50
_ANSWERS = {"better": "yes, it is better", "not better": "no, it is not better", "undecided": "not decided"}


def register(app: typer.Typer) -> None:
    """Enter the command."""
    app.command(epilog='Example: kingmaker duel "mine=python my_bot.py" greedy --ruleset king.fetes')(duel)


def duel(
    new: Annotated[str, typer.Argument(metavar="NEW", help="A reference name, a command, or NAME=COMMAND.")],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The bot to beat.")],
    ruleset: Annotated[str, typer.Option(help="One of `kingmaker rules`.")] = "king.fetes",
    option: OptionOption = None,
    max_blocks: Annotated[int, typer.Option(min=1, help="Give up after so many blocks.")] = 1500,
    seed: Annotated[str | None, typer.Option(help="The same seed gives the same cards; default: that of --results, or a fresh one.")] = None,
    results: ResultsOption = None,
    tables: Annotated[int, typer.Option(min=1, help="Matches that a bot plays at the same time.")] = 64,
    workers: WorkersOption = None,
    address: AddressOption = None,
    budget_ms: Annotated[int, typer.Option(min=1, help="Time for a decision, in milliseconds.")] = 200,
    t0: Annotated[float, typer.Option(help="What not better means, in standard deviations of a block's score.")] = 0.0,
    t1: Annotated[float, typer.Option(help="What better means.")] = 0.15,
    alpha: Annotated[float, typer.Option(help="How often an equal bot may be called better.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How often a better bot may be called not better.")] = 0.05,
    form: FormatOption = Format.table,
) -> None:
    """Test whether NEW is better than OLD; stops by itself as soon as the results tell."""
    data: dict[str, Any] = {
        "name": "duel", "isolation": "trusted", "ruleset": ruleset, "options": options_of(option), "blocks": max_blocks, "tables": tables,
        "schedule": "duel", "duel": {"t0": t0, "t1": t1, "alpha": alpha, "beta": beta},
        "seed": seed_of(seed, results), "clocks": {"budget_ms": budget_ms}, "bots": tournaments.named_bots([new, old]),
    }  # fmt: skip
    tournament = tournaments.parse(data, "duel")
    folder = results or Path(tempfile.mkdtemp(prefix="kingmaker-duel-"))
    try:
        outcome = play_missing(tournament, folder, workers, address, extend=True, bar=_Watch(tournament, folder))
    except KeyboardInterrupt:
        say(f"stopped; {folder} is whole: the same command with --results {folder} goes on where this one ended")
        sys.exit(130)
    ended = judged(tournament, Store(folder).table("matches"))
    _print(tournament, ended, form)
    say(f"{outcome.played} blocks played, {outcome.before} were there: results in {folder}")
    end(outcome, folder)


def judged(tournament: Tournament, matches: pl.DataFrame) -> Duel:
    """What the results say about a tournament of two."""
    new, old = (bot.name for bot in tournament.bots)
    return state(matches, new, old, **tournament.duel.model_dump())


def frame(ended: Duel) -> pl.DataFrame:
    """A duel as a table of one row, for programs."""
    test = ended.sprt
    row = {
        "new": ended.new, "old": ended.old, "verdict": ended.verdict, "stopped_early": ended.stopped_early,
        "decided_at": test.decided_at, "blocks": ended.blocks, "fixed_length": ended.fixed_length, "llr": test.llr,
        "lower": test.bounds.lower, "upper": test.bounds.upper, "t": test.t, "score": ended.score,
        "score_low": ended.score_low, "score_high": ended.score_high, "elo": ended.elo, "elo_low": ended.elo_low,
        "elo_high": ended.elo_high, "superiority": ended.superiority,
    }  # fmt: skip
    return pl.DataFrame([row])


class _Watch(Bar):
    """Shows the test between its bounds while the duel is played."""

    def __init__(self, tournament: Tournament, folder: Path) -> None:
        super().__init__()
        self._tournament = tournament
        there = [Store(folder).table("matches")] if (folder / PLAN).exists() else []
        self._frames = there
        self._live = Live(console=err, transient=True, auto_refresh=False)
        self._told = 0

    def __exit__(self, *_: object) -> None:
        if self._live.is_started:
            self._live.stop()

    def begin(self, *, blocks: int, done: int, games: int) -> None:
        """Show what is known already."""
        if done:
            say(f"{done} blocks are there already; the test goes on from them")
        if err.is_terminal:
            self._live.start()
        self._show()

    def played(self, chunk: Chunk) -> None:
        """Show some blocks more."""
        self._frames.append(pl.read_parquet(io.BytesIO(chunk.files["matches"])))
        self._show()

    def _show(self) -> None:
        if not self._frames:
            return
        now = judged(self._tournament, pl.concat(self._frames))
        if err.is_terminal:
            self._live.update(_panel(now), refresh=True)
        elif now.blocks // _QUIET > self._told:
            self._told = now.blocks // _QUIET
            say(f"block {now.blocks}: log-likelihood ratio {number(now.sprt.llr, '+.2f')}, decided below {number(now.sprt.bounds.lower, '.2f')} or above {now.sprt.bounds.upper:.2f}")


def _panel(now: Duel) -> Table:
    """The ratio on a line between the bounds, and what it stands on."""
    bounds = now.sprt.bounds
    part = (min(max(now.sprt.llr, bounds.lower), bounds.upper) - bounds.lower) / (bounds.upper - bounds.lower)
    at = round(part * (_WIDTH - 1))
    line = Text("not better ") + Text("─" * at) + Text("●", style="bold cyan") + Text("─" * (_WIDTH - 1 - at)) + Text(" better")
    grid = Table.grid()
    grid.add_row(Text(f"{now.new} against {now.old}, block {now.blocks} (of fixed length: {now.fixed_length})"))
    grid.add_row(line)
    grid.add_row(Text(f"log-likelihood ratio {number(now.sprt.llr, '+.2f')}, bounds {number(bounds.lower, '+.2f')} and {bounds.upper:+.2f}; score {_range(now.score, now.score_low, now.score_high, '.3f')}"))
    return grid


def _print(tournament: Tournament, ended: Duel, form: Format) -> None:
    table = frame(ended)
    if form is Format.csv:
        sys.stdout.write(flat(table).write_csv())
        return
    if form is Format.json:
        print(json.dumps(table.to_dicts()[0], ensure_ascii=False))
        return
    test = ended.sprt
    at = f" (decided at block {test.decided_at})" if test.decided_at else f" after {ended.blocks} blocks"
    print(f"Is {ended.new} better than {ended.old} at {tournament.ruleset}?  {_ANSWERS[ended.verdict]}{at}")
    print(f"  score          {_range(ended.score, ended.score_low, ended.score_high, '.3f')} of the points between them")
    print(f"  Elo            {_range(ended.elo, ended.elo_low, ended.elo_high, '+.0f')}")
    if ended.superiority is not None:
        print(f"  P(better)      {ended.superiority:.3f}")
    print(f"  ratio          {number(test.llr, '+.2f')}, bounds {number(test.bounds.lower, '+.2f')} and {test.bounds.upper:+.2f}")
    print(f"  blocks         {test.decided_at or ended.blocks} used; a test of fixed length takes {ended.fixed_length}")
    if ended.stopped_early:
        print("  stopped early  the test chose its end, so score and Elo lean away from even and their intervals are a little too")
        print("                 narrow; for figures without bias play a fixed number of blocks (kingmaker play) with another seed")


def _range(value: float | None, low: float | None, high: float | None, form: str) -> str:
    if value is None:
        return "–"
    return number(value, form) + ("" if low is None or high is None else f" (95 %: {number(low, form)} … {number(high, form)})")
