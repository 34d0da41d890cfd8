"""`kingmaker serve`: a competition, or a tournament in which some bots come over the network."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from cluster import hosting
from cluster import tournament as tournaments
from cluster.cli import compete
from cluster.cli import results as shown
from cluster.cli.admin import DEFAULT
from cluster.cli.competition import DatabaseOption, DataOption
from cluster.cli.output import Bar, Format, FormatOption, say
from cluster.cli.play import end
from cluster.competition.place import DEFAULT as DATA
from cluster.store import Store
from referee.rules.errors import ConfigError


def register(app: typer.Typer) -> None:
    """Enter the command."""
    app.command(epilog="Example: kingmaker serve; kingmaker serve league.toml --results results/league")(serve)


def serve(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE.toml]", help="A tournament file, in which a bot with remote = true comes by itself; without it a competition is run.")] = None,
    results: Annotated[Path | None, typer.Option("--results", metavar="DIR", help="With a file: the results folder; what is there is not played again.")] = None,
    data: DataOption = DATA,
    database: DatabaseOption = None,
    submit: Annotated[str, typer.Option(metavar="HOST:PORT", help="Of a competition: where authors submit.")] = compete.SUBMIT,
    dashboard_port: Annotated[int, typer.Option(min=0, max=65535, help="Of a competition: the port of its pages on this machine; 0 for none.")] = 8501,
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where remote bots come in.")] = "127.0.0.1:50051",
    tls_cert: Annotated[Path | None, typer.Option(metavar="FILE", help="The certificate chain, PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its private key, PEM.")] = None,
    plaintext: Annotated[bool, typer.Option("--plaintext", help="Listen beyond this machine without TLS: tokens travel in the clear.")] = False,
    tokens: Annotated[Path, typer.Option(metavar="FILE", help="The file of the tokens (kingmaker admin token).")] = DEFAULT,
    extend: Annotated[bool, typer.Option("--extend", help="The file has more blocks or bots than the folder was made for.")] = False,
    form: FormatOption = Format.table,
) -> None:
    """Run a competition, or with a file a tournament in which some bots are remote; Ctrl-C ends it, and nothing is lost."""
    tls = _tls(tls_cert, tls_key)
    if file is None:
        files = (tls_cert, tls_key) if tls_cert and tls_key else None
        compete.compete(data, database, submit, listen, files, plaintext, dashboard_port)
        return
    if results is None:
        raise ConfigError(f"{file} is a tournament; --results names the folder that it is played into")
    gate = (listen, tls, plaintext)
    _tournament(file, results, gate, tokens, extend=extend, form=form)


def _tournament(
    file: Path, results: Path, address: tuple[str, tuple[bytes, bytes] | None, bool], tokens: Path, *, extend: bool, form: Format
) -> None:
    """Play a tournament in which some bots are remote, and print the standings."""
    from cluster.run import run, settled
    from cluster.serving import Crew
    from referee.gate import Listen
    from referee.tokens import TokenFile

    tournament = tournaments.load(file)
    obstacles = hosting.obstacles(tournament) or list(hosting.exposed(tournament, [file, results]))
    if obstacles:
        raise ConfigError("; ".join(obstacles))
    gate = Listen(*address)
    gate.check()
    known = TokenFile(tokens)
    for bot in {bot.name for bot in tournament.bots if bot.remote} - {entry.bot for entry in known.entries()}:
        say(f"warning: no token of {bot!r} in {tokens}; make one: kingmaker admin token add {bot!r}")
    tournament = settled(tournament, Store(results), extend=extend)
    with ExitStack() as stack:
        bar = stack.enter_context(Bar())
        crew = Crew(tournament, gate, known.bot, bar.warn)
        stack.callback(crew.close)
        say(f"remote bots come in at {gate.address}{'' if gate.tls else ', without TLS'}")
        try:
            outcome = run(tournament, results, crew.play, bar, extend=extend)
        except KeyboardInterrupt:
            say(f"stopped; {results} is whole: the same command goes on where this one ended")
            sys.exit(130)
    say(f"{outcome.played} blocks played, {outcome.before} were there: results in {results}")
    shown.standings(results, form=form)
    end(outcome, results)


def _tls(cert: Path | None, key: Path | None) -> tuple[bytes, bytes] | None:
    """Private key and certificates.

    Raises:
        ConfigError: one without the other, or a file that cannot be read.
    """
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        raise ConfigError("--tls-cert and --tls-key go together")
    try:
        return key.read_bytes(), cert.read_bytes()
    except OSError as error:
        raise ConfigError(f"{error.filename}: {error.strerror}") from None
