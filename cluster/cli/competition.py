"""`kingmaker admin owner` and `kingmaker admin season`: who takes part in a competition, and when it is over."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import polars as pl
import typer

from cluster.cli.output import Columns, Format, FormatOption, say, show
from cluster.cli.settings import DaysOption, lifetime, tell_token
from cluster.competition.place import DEFAULT as DATA
from cluster.competition.place import Place
from referee.rules.errors import ConfigError

if TYPE_CHECKING:
    from cluster.competition.database import Database

owner = typer.Typer(
    no_args_is_help=True,
    help="Who takes part in a competition: owners of bots, their tokens and limits.",
    epilog="Example: kingmaker admin owner add ada",
)
season = typer.Typer(
    no_args_is_help=True,
    help="Seasons of a competition: freeze the one that is played, publish it with its seed, open the next one.",
    epilog="Example: kingmaker admin season freeze",
)
DataOption = Annotated[Path, typer.Option("--data", metavar="DIR", help="The competition's folder; made if missing.")]
DatabaseOption = Annotated[str | None, typer.Option("--database", metavar="URL", help="postgresql+psycopg://… instead of SQLite in that folder.", envvar="KINGMAKER_DATABASE")]  # fmt: skip
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The owner's name, in any script.")]
_OWNERS: Columns = [
    ("owner", "Owner", None), ("state", "State", None), ("scopes", "Tokens for", None), ("bots", "Bots", 0),
    ("submissions_a_day", "Submissions a day", 0), ("archive_bytes", "Bytes of an archive", 0), ("created", "Since", None),
]  # fmt: skip
_SEASONS: Columns = [
    ("season", "Season", 0), ("state", "State", None), ("commitment", "Commitment to the seed", None), ("opened", "Opened", None),
]  # fmt: skip


def register(app: typer.Typer) -> None:
    """Enter the commands, below `kingmaker admin`."""
    owner.command(epilog="Example: kingmaker admin owner add ada --scope submit --scope play")(add)
    owner.command("list", epilog="Example: kingmaker admin owner list")(list_owners)
    owner.command(epilog="Example: kingmaker admin owner revoke ada")(revoke)
    season.command("list", epilog="Example: kingmaker admin season list")(list_seasons)
    season.command(epilog="Example: kingmaker admin season freeze")(freeze)
    season.command(epilog="Example: kingmaker admin season publish 1")(publish)
    season.command("open", epilog="Example: kingmaker admin season open")(open_season)
    app.add_typer(owner, name="owner")
    app.add_typer(season, name="season")


def opened(data: Path, url: str | None) -> tuple[Place, Database]:
    """The competition in a folder, made where it is missing.

    Raises:
        ConfigError: what it needs is not installed, or it cannot be opened.
    """
    place = Place(data)
    try:
        return place, place.database(url)
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error.name} is not installed: a competition needs kingmaker[competition]") from None


def add(
    name: NameArgument,
    scope: Annotated[list[str] | None, typer.Option("--scope", help="What the token is for: submit, play (remote bots), admin; default: submit and play.")] = None,
    days: DaysOption = None,
    max_bots: Annotated[int | None, typer.Option(min=0, help="Bots that the owner may have; default: 5.")] = None,
    max_submissions: Annotated[int | None, typer.Option(min=0, help="Submissions within 24 hours; default: 20.")] = None,
    max_archive_mb: Annotated[float | None, typer.Option(min=0, help="Megabytes of an archive; default: 32.")] = None,
    data: DataOption = DATA,
    database: DatabaseOption = None,
) -> None:
    """Enter an owner and print a token, once; one who is there already gets a further token."""
    _, registry = opened(data, database)
    from cluster.competition import owners

    given = {
        "max_bots": max_bots, "max_submissions_a_day": max_submissions,
        "max_archive_bytes": None if max_archive_mb is None else int(max_archive_mb * (1 << 20)),
    }  # fmt: skip
    chosen = {key: value for key, value in given.items() if value is not None}
    limits = owners.Limits(**chosen) if chosen else None
    found, token = owners.add(registry, name, scope or ("submit", "play"), limits, lifetime(days))
    tell_token(token, found.name)


def list_owners(data: DataOption = DATA, database: DatabaseOption = None, form: FormatOption = Format.table) -> None:
    """List all owners that there are and were, without telling any token."""
    _, registry = opened(data, database)
    from cluster.competition import owners

    rows = [
        {
            "owner": each.name, "state": "valid" if each.revoked is None else "revoked",
            "scopes": " ".join(owners.scopes_of(registry, each)), "bots": each.limits.max_bots,
            "submissions_a_day": each.limits.max_submissions_a_day, "archive_bytes": each.limits.max_archive_bytes,
            "created": f"{each.created:%Y-%m-%d %H:%M:%S}",
        }
        for each in owners.everybody(registry)
    ]  # fmt: skip
    show(pl.DataFrame(rows, schema=[name for name, _, _ in _OWNERS]), form, _OWNERS)


def revoke(name: NameArgument, data: DataOption = DATA, database: DatabaseOption = None) -> None:
    """Let all tokens of an owner be worth nothing, from now on; what plays goes on playing."""
    _, registry = opened(data, database)
    from cluster.competition import owners

    say(f"{owners.revoke(registry, name)} revoked")


def list_seasons(data: DataOption = DATA, database: DatabaseOption = None, form: FormatOption = Format.table) -> None:
    """List the seasons, each with the commitment to its seed."""
    _, registry = opened(data, database)
    from cluster.competition import seasons

    seasons.current(registry)
    rows = [
        {
            "season": each.number, "state": "published" if each.published else "frozen" if each.frozen else "playing",
            "commitment": each.commitment, "opened": f"{each.opened:%Y-%m-%d %H:%M:%S}",
        }
        for each in seasons.all_seasons(registry)
    ]  # fmt: skip
    show(pl.DataFrame(rows), form, _SEASONS)


def freeze(data: DataOption = DATA, database: DatabaseOption = None) -> None:
    """Schedule nothing more in the season that is played."""
    place, registry = opened(data, database)
    from cluster.competition import publishing

    found = publishing.freeze(place, registry)
    say(f"season {found.number} is frozen; `kingmaker admin season publish {found.number}` reveals its seed")


def publish(
    number: Annotated[int, typer.Argument(metavar="SEASON", help="A frozen season.")],
    data: DataOption = DATA,
    database: DatabaseOption = None,
) -> None:
    """Copy a frozen season's results to where anybody may have them, with the seed; print the folder."""
    place, registry = opened(data, database)
    from cluster.competition import publishing

    print(publishing.publish(place, registry, number))


def open_season(data: DataOption = DATA, database: DatabaseOption = None) -> None:
    """Begin the next season with a fresh seed, and print the commitment to it."""
    place, registry = opened(data, database)
    from cluster.competition import publishing

    found = publishing.open_next(place, registry)
    print(found.commitment)
    say(f"season {found.number} is open; this is the commitment to its seed")
