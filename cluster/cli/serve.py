"""`kingmaker serve`: a tournament in which some bots come over the network."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from cluster import hosting
from cluster import tournament as tournaments
from cluster.cli import results as shown
from cluster.cli.admin import DEFAULT
from cluster.cli.output import Bar, Format, FormatOption, say
from cluster.cli.play import end
from cluster.store import Store
from referee.rules.errors import ConfigError


def register(app: typer.Typer) -> None:
    """Enter the command."""
    app.command(epilog="Example: kingmaker serve league.toml --results results/league --listen 127.0.0.1:50051")(serve)


def serve(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The tournament file; a bot with remote = true comes by itself.")],
    results: Annotated[Path, typer.Option("--results", metavar="DIR", help="The results folder; what is there is not played again.")],
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where remote bots come in.")] = "127.0.0.1:50051",
    tls_cert: Annotated[Path | None, typer.Option(metavar="FILE", help="The certificate chain, PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its private key, PEM.")] = None,
    plaintext: Annotated[bool, typer.Option("--plaintext", help="Listen beyond this machine without TLS: tokens travel in the clear.")] = False,
    tokens: Annotated[Path, typer.Option(metavar="FILE", help="The file of the tokens (kingmaker admin token).")] = DEFAULT,
    extend: Annotated[bool, typer.Option("--extend", help="The file has more blocks or bots than the folder was made for.")] = False,
    form: FormatOption = Format.table,
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
    gate = Listen(listen, _tls(tls_cert, tls_key), plaintext)
    gate.check()
    known = TokenFile(tokens)
    for bot in {bot.name for bot in tournament.bots if bot.remote} - {entry.bot for entry in known.entries()}:
        say(f"warning: no token of {bot!r} in {tokens}; make one: kingmaker admin token add {bot!r}")
    tournament = settled(tournament, Store(results), extend=extend)
    with ExitStack() as stack:
        bar = stack.enter_context(Bar())
        crew = Crew(tournament, gate, known.bot, bar.warn)
        stack.callback(crew.close)
        say(f"remote bots come in at {listen}{'' if gate.tls else ', without TLS'}")
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
