"""`kingmaker check-archive`: whether an archive of a bot would be taken in."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from cluster.intake.archives import ArchiveRefused, unpack


def register(app: typer.Typer) -> None:
    """Enter the command."""
    app.command("check-archive", epilog="Example: kingmaker check-archive my_bot.tar.gz")(check_archive)


def check_archive(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A zip or a tar (plain, or by gzip, bzip2, xz).")],
) -> None:
    """Look whether an archive of a bot would be taken in, and print the digest that names its content; exit status 0 or 1."""
    with tempfile.TemporaryDirectory(prefix="km-archive-") as folder:
        try:
            tree = unpack(file, Path(folder) / "tree")
        except ArchiveRefused as refusal:
            print(f"refused: {refusal}")
            sys.exit(1)
    print(f"taken: {tree.files} files, {tree.size} bytes, digest {tree.digest}")
