"""`kingmaker admin`: what an organiser does beside playing: owners, seasons, and the tokens of remote bots."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from cluster.cli import competition
from cluster.cli.output import Columns, Format, FormatOption, say, show
from cluster.cli.settings import DaysOption, lifetime, tell_token
from cluster.tournament import bot_name
from referee.tokens import TokenFile

admin = typer.Typer(
    no_args_is_help=True,
    help="Administer a competition: its owners and seasons, and the tokens of remote bots.",
    epilog="Example: kingmaker admin owner add ada",
)
token = typer.Typer(
    no_args_is_help=True,
    help="The tokens with which remote bots come to `kingmaker serve`; the file holds their hashes alone.",
    epilog="Example: kingmaker admin token add my-bot --days 30",
)
TokensOption = Annotated[Path, typer.Option("--tokens", metavar="FILE", help="The file of the tokens; made if missing.")]
BotArgument = Annotated[str, typer.Argument(metavar="BOT", help="The bot's name in the tournament.")]
DEFAULT = Path("tokens.json")
_COLUMNS: Columns = [
    ("bot", "Bot", None), ("id", "Token", None), ("state", "State", None), ("created", "Created", None),
    ("expires", "Expires", None),
]  # fmt: skip


def register(app: typer.Typer) -> None:
    """Enter the commands."""
    token.command(epilog="Example: kingmaker admin token add my-bot --days 30")(add)
    token.command(epilog="Example: kingmaker admin token rotate my-bot --overlap-hours 24")(rotate)
    token.command(epilog="Example: kingmaker admin token revoke my-bot")(revoke)
    token.command("list", epilog="Example: kingmaker admin token list")(list_tokens)
    admin.add_typer(token, name="token")
    competition.register(admin)
    app.add_typer(admin, name="admin")


def add(bot: BotArgument, days: DaysOption = None, tokens: TokensOption = DEFAULT) -> None:
    """Make a token for a bot and print it, once; what the bot has stays valid."""
    tell_token(TokenFile(tokens).add(bot_name(bot), lifetime(days)), bot)


def rotate(
    bot: BotArgument,
    days: DaysOption = None,
    overlap_hours: Annotated[float, typer.Option(min=0.0, help="How long the old tokens stay valid.")] = 0.0,
    tokens: TokensOption = DEFAULT,
) -> None:
    """Make a token in place of those that a bot has, and print it, once."""
    tell_token(TokenFile(tokens).rotate(bot_name(bot), lifetime(days), timedelta(hours=overlap_hours)), bot)


def revoke(bot: BotArgument, tokens: TokensOption = DEFAULT) -> None:
    """Let all tokens of a bot be worth nothing, from now on."""
    say(f"{TokenFile(tokens).revoke(bot_name(bot))} revoked")


def list_tokens(tokens: TokensOption = DEFAULT, form: FormatOption = Format.table) -> None:
    """List all tokens that there are and were, without telling any."""
    rows = [
        {"bot": e.bot, "id": e.id, "state": state, "created": e.created.isoformat(), "expires": e.expires and e.expires.isoformat()}
        for e, state in TokenFile(tokens).state()
    ]  # fmt: skip
    show(pl.DataFrame(rows, schema=dict.fromkeys(("bot", "id", "state", "created", "expires"), pl.String)), form, _COLUMNS)
