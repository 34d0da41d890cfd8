"""`kingmaker new`: a folder with a bot that builds and plays."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cluster import manifest
from cluster.cli.output import say


def register(app: typer.Typer) -> None:
    """Enter the command."""
    app.command(epilog="Example: kingmaker new --lang go my-bot")(new)


def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The new folder; the bot is called like it.")],
    lang: Annotated[str, typer.Option("--lang", help=f"One of {', '.join(manifest.LANGUAGES)}.")],
) -> None:
    """Make a folder with a bot of ten lines that builds by itself, its SDK and the protocol included."""
    made = manifest.new(lang, folder)
    say(f"{folder} has a bot in {made.language}; its README.md says where what is. Build it, and let it play:")
    if made.build is not None:
        print(f"cd {folder} && {made.build} && cd -")
    print(f"kingmaker play --bots {folder} random greedy --blocks 10")
