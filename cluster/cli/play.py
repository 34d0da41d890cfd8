"""`kingmaker play` and `kingmaker run`: matches, into a results folder."""

from __future__ import annotations

import secrets
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import polars as pl
import typer

from cluster import baggage, hosting
from cluster import tournament as tournaments
from cluster.cli import results
from cluster.cli.output import Bar, Format, FormatOption, say
from cluster.cli.settings import OptionOption, options_of
from cluster.schedule.adaptive import compared, open_questions
from cluster.store import PLAN, QUARANTINE, Store
from cluster.tournament import Tournament
from referee.rules.errors import ConfigError

if TYPE_CHECKING:
    from cluster.arena import Chunk
    from cluster.requeue import SetAside
    from cluster.run import Outcome
    from cluster.schedule import Block

ResultsOption = Annotated[Path | None, typer.Option("--results", metavar="DIR", help="The results folder; made if missing, resumed if there.")]  # fmt: skip
WorkersOption = Annotated[int | None, typer.Option("--workers", min=1, help="Ray workers; default: one for two processors.")]  # fmt: skip
AddressOption = Annotated[str | None, typer.Option("--address", help="A running Ray cluster to join; default: one of our own.")]  # fmt: skip


def register(app: typer.Typer) -> None:
    """Enter the commands."""
    app.command(epilog='Example: kingmaker play --bots random greedy "node bots/node/random.js" --blocks 20')(play)
    app.command("run", epilog="Example: kingmaker run examples/demo.toml --results results/demo")(run)


def play(
    bots: Annotated[list[str], typer.Option("--bots", metavar="B1 B2 …", help="Reference names, folders of bots, commands, or NAME=COMMAND.")],
    more: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    ruleset: Annotated[str, typer.Option(help="One of `kingmaker rules`.")] = "king.fetes",
    option: OptionOption = None,
    blocks: Annotated[int, typer.Option(min=1, help="Blocks in all; the line-ups take turns.")] = 20,
    seed: Annotated[str | None, typer.Option(help="The same seed gives the same cards; default: that of --results, or a fresh one.")] = None,
    results: ResultsOption = None,
    tables: Annotated[int, typer.Option(min=1, help="Matches that a bot plays at the same time.")] = 64,
    workers: WorkersOption = None,
    address: AddressOption = None,
    partners: Annotated[str, typer.Option(help="In a game of teams: same (a bot plays both seats) or mixed.")] = "same",
    budget_ms: Annotated[int, typer.Option(min=1, help="Time for a decision, in milliseconds.")] = 200,
    isolation: Annotated[str, typer.Option(help="trusted: your own bots; landlock, bubblewrap, oci: as strangers' bots are started.")] = "trusted",
    form: FormatOption = Format.table,
) -> None:
    """Play a quick round-robin, and print the standings."""
    data: dict[str, Any] = {
        "name": "play", "ruleset": ruleset, "options": options_of(option), "blocks": blocks, "tables": tables,
        "partners": partners, "isolation": isolation,
        "seed": seed_of(seed, results), "clocks": {"budget_ms": budget_ms},
        "bots": tournaments.named_bots([*bots, *(more or [])]),
    }  # fmt: skip
    tournament = tournaments.parse(data, "play")
    if len(tournament.bots) == 1:
        say(f"only one bot, {tournament.bots[0].name}: it has all seats, against itself, and nothing can be rated; name a second one "
            "to compare it with (kingmaker null looks whether copies of one bot come out equal)")  # fmt: skip
    _play(tournament, results, workers, address, extend=False, form=form)


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The tournament file.")],
    results: Annotated[Path, typer.Option("--results", metavar="DIR", help="The results folder; what is there is not played again.")],
    workers: WorkersOption = None,
    address: AddressOption = None,
    extend: Annotated[bool, typer.Option("--extend", help="The file has more blocks or bots than the folder was made for.")] = False,
    form: FormatOption = Format.table,
) -> None:
    """Play a tournament from its file; on a folder that exists, only what is missing."""
    _play(tournaments.load(file), results, workers, address, form=form, extend=extend, file=file)


def _play(tournament: Tournament, folder: Path | None, workers: int | None, address: str | None, *, form: Format,
          extend: bool = False, file: Path | None = None) -> None:  # fmt: skip
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="kingmaker-results-"))
    try:
        outcome = play_missing(tournament, folder, workers, address, extend=extend, bar=Bar(), file=file)
    except KeyboardInterrupt:
        say(f"stopped; {folder} is whole: the same command goes on where this one ended")
        sys.exit(130)
    say(f"{outcome.played} blocks played, {outcome.before} were there: results in {folder}")
    results.standings(folder, form=form)
    if tournament.schedule == "adaptive":
        say(_order(Store(folder).table("matches")))
    end(outcome, folder)


def end(outcome: Outcome, folder: Path, *, found_problem: bool = False) -> NoReturn:
    """Say what is left to do, and end with the status that fits."""
    for text in _afterwards(outcome, folder):
        say(text)
    sys.exit(1 if found_problem or not outcome.complete or outcome.conflicts else 0)


def _order(matches: pl.DataFrame) -> str:
    """What an adaptive tournament found out about the order of its bots."""
    comparison = compared(matches)
    still_open = open_questions(comparison) if comparison is not None else []
    if comparison is not None and not still_open:
        return "the whole order is told apart, by bounds that may be watched"
    pairs = ", ".join(f"{one} and {other}" for one, other in still_open)
    return f"the budget of blocks is spent; not told apart: {pairs or 'anybody'}"


def _afterwards(outcome: Outcome, folder: Path) -> Iterator[str]:
    """What whoever started the run should know and may do."""
    if outcome.faults:
        yield f"{outcome.faults} faults; what the bots printed: kingmaker export logs {folder} --out logs.csv"
    if outcome.set_aside:
        yield (f"{outcome.set_aside} blocks are set aside, because they broke worker after worker: {folder / QUARANTINE} "
               "says which and why; the same command tries them again")  # fmt: skip
    if outcome.conflicts:
        yield f"{outcome.conflicts} batches came a second time with other results: {folder / 'conflicts'}"


def play_missing(
    tournament: Tournament, folder: Path, workers: int | None, address: str | None, *, extend: bool, bar: Bar,
    file: Path | None = None,
) -> Outcome:  # fmt: skip
    """Play what is missing in a folder with workers of our own or of a cluster, while the bar shows how far it is.

    Raises:
        ConfigError: the folder holds something else, or a bot cannot be started.
    """
    if remote := [bot.name for bot in tournament.bots if bot.remote]:
        raise ConfigError(f"{remote[0]!r} is remote; `kingmaker serve` plays a tournament with bots that come by themselves")
    secret = [folder, *([] if file is None else [file])]
    obstacles = hosting.obstacles(tournament) or list(hosting.exposed(tournament, secret))
    if obstacles:
        raise ConfigError("; ".join(obstacles))
    from cluster import ray_token

    ray_token.prepare(address)
    from cluster import workers as pool  # Ray takes seconds to import; other commands do without it
    from cluster.run import run as play_blocks
    from cluster.run import settled

    count = workers or pool.default_workers()
    playing = settled(tournament, Store(folder), extend=extend)
    with ExitStack() as stack:
        stack.enter_context(bar)
        crew: list[pool.Workers] = []

        def play(chunks: Iterator[Sequence[Block]]) -> Iterator[Chunk | SetAside]:
            """Start Ray when there is something to play, and not before the folder was looked at."""
            first = next(chunks, None)
            if first is None:
                return
            if not crew:
                bags = _bags(playing, folder) if address else None
                with _uninterrupted():
                    stack.enter_context(pool.cluster(address, count))
                    crew.append(pool.Workers(playing, workers or pool.default_workers(address), bar.warn, bags))
                    stack.callback(crew[0].close)
            yield from crew[0].play(chain([first], chunks))

        return play_blocks(playing, folder, play, bar, workers=count, extend=extend)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C is heard at the end of this, the second one at once: Ray starts processes, and one that comes as Python forks is swallowed."""
    heard: list[int] = []

    def hear(number: int, _: object) -> None:
        if heard:
            raise KeyboardInterrupt
        heard.append(number)

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard:
        raise KeyboardInterrupt


def _bags(tournament: Tournament, folder: Path) -> dict[str, bytes]:
    """The files of all bots that are not the project's own, for other nodes."""
    return {bot.name: baggage.pack(bot, without=folder.resolve()) for bot in tournament.bots if not bot.is_reference}


def seed_of(given: str | None, folder: Path | None) -> Any:
    """The seed of what the command line describes: the one given, else that of the folder which is resumed, else a fresh one."""
    if given is None and folder is not None and (folder / PLAN).exists():
        return Store(folder).plan.get("seed")
    return secrets.token_hex(8) if given is None else given
