"""`kingmaker submit` and `kingmaker submissions`: what an author asks of a running competition."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import polars as pl
import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from cluster.cli.output import Columns, Format, FormatOption, err, say, show
from cluster.intake.packing import checked, pack
from cluster.texts import plain
from referee.rules.errors import ConfigError

if TYPE_CHECKING:
    from cluster.competition.client import Client
    from cluster.competition.v1 import competition_service_pb2 as pb

SERVER = "127.0.0.1:7410"
ServerOption = Annotated[str, typer.Option("--server", metavar="HOST:PORT", help="Where the competition is.", envvar="KINGMAKER_SERVER")]
TokenOption = Annotated[Path | None, typer.Option("--token-file", metavar="FILE", help="Holds your token; without it the token is in KINGMAKER_TOKEN.")]
RootsOption = Annotated[Path | None, typer.Option("--roots", metavar="FILE", help="The authority of the server's certificate, where the system does not know it.")]  # fmt: skip
#: How often the state is asked for.
LOOK_S = 0.5
_COLUMNS: Columns = [
    ("submission", "Submission", None), ("bot", "Bot", None), ("state", "State", None), ("player", "Plays as", None),
    ("received", "Received", None), ("bytes", "Bytes", 0), ("owner", "Owner", None),
]  # fmt: skip


def register(app: typer.Typer) -> None:
    """Enter the commands."""
    app.command(epilog="Example: kingmaker submit my-bot --server example.org:7410")(submit)
    app.command(epilog="Example: kingmaker submissions 3f9a01c2b7de --log")(submissions)


def submit(
    bot: Annotated[Path, typer.Argument(metavar="DIR|ARCHIVE", help="A bot's folder with its bot.toml, or a zip or tar of one.")],
    server: ServerOption = SERVER,
    token_file: TokenOption = None,
    roots: RootsOption = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Stay until the bot plays or was rejected.")] = True,
) -> None:
    """Send a bot to a competition, and follow it until it plays; exit status 1 if it was rejected."""
    archive = _archive(bot)
    with _client(server, token_file, roots) as client:
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
        with Progress(*columns, console=err) as bar:
            task = bar.add_task("sending", total=len(archive))
            found = client.submit(archive, lambda arrived: bar.update(task, completed=arrived))
        print(found.id)
        if wait:
            _follow(client, found)
        else:
            say(f"`kingmaker submissions {found.id} --log` tells what becomes of it")


def submissions(
    submission: Annotated[str, typer.Argument(metavar="[ID]", help="Only this one.")] = "",
    log: Annotated[bool, typer.Option("--log", help="Print the log of the one.")] = False,
    server: ServerOption = SERVER,
    token_file: TokenOption = None,
    roots: RootsOption = None,
    form: FormatOption = Format.table,
) -> None:
    """List what you submitted and what became of it, or print the log of one."""
    if log and not submission:
        raise ConfigError("--log prints the log of one submission; name it, as `kingmaker submissions 3f9a01c2b7de --log`")
    with _client(server, token_file, roots) as client:
        if log:
            print(plain(client.log(submission).log), end="")
            return
        from cluster.competition.client import state_of

        rows = [
            {
                "submission": each.id, "bot": each.bot or None, "state": state_of(each), "player": each.player or None,
                "received": f"{each.received.ToDatetime():%Y-%m-%d %H:%M:%S}", "bytes": each.size, "owner": each.owner,
            }
            for each in client.submissions(submission)
        ]  # fmt: skip
        kinds = {name: pl.Int64 if name == "bytes" else pl.String for name, _, _ in _COLUMNS}
        show(pl.DataFrame(rows, schema=kinds), form, _COLUMNS)


def _follow(client: Client, found: pb.Submission) -> None:
    from cluster.competition.client import state_of

    told = ""
    while True:
        state = state_of(found)
        if state != told:
            say(f"{state}: plays as {plain(found.player)}" if state == "active" else state)
            told = state
        if state == "rejected":
            say(plain(client.log(found.id).log))
            sys.exit(1)
        if state in ("active", "retired"):
            return
        time.sleep(LOOK_S)
        (found,) = client.submissions(found.id)


def _archive(bot: Path) -> bytes:
    try:
        return pack(bot) if bot.is_dir() else checked(bot)
    except OSError as error:
        raise ConfigError(f"{bot}: {error.strerror}; name a bot's folder, or a zip or tar of one") from None


def _client(server: str, token_file: Path | None, roots: Path | None) -> Client:
    try:
        token = os.environ.get("KINGMAKER_TOKEN", "") if token_file is None else token_file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{token_file}: {getattr(error, 'strerror', None) or 'no token'}") from None
    token = token.strip()
    if not token or not token.isascii() or not token.isprintable():
        raise ConfigError("there is no token: put the one that the organiser gave you into KINGMAKER_TOKEN, or name its file by --token-file")
    if not re.fullmatch(r"unix:.+|.+:\d{1,5}", server):
        raise ConfigError(f"--server {server!r}: it is HOST:PORT, such as {SERVER}")
    from cluster.competition.client import Client  # gRPC takes its time; other commands do without it

    return Client(server, token, roots)
