"""``python -m bots.reference NAME``: a reference bot as a hosted bot's command."""

import argparse
import sys

from bots.client import play
from bots.reference import BOTS, bot


def main(arguments: list[str]) -> int:
    """Play as the bot that is named; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bots.reference", description="Play as a reference bot.")
    parser.add_argument("name", metavar="NAME", help=", ".join(BOTS))
    parser.add_argument(
        "--nodes", type=int, metavar="N",
        help="for bots that search: simulated actions for a decision, whatever the time; so matches can be repeated",
    )  # fmt: skip
    try:
        given = parser.parse_args(arguments)
    except SystemExit as end:
        return int(end.code or 0)
    try:
        player = bot(given.name, given.nodes)
    except LookupError as error:
        print(error.args[0], file=sys.stderr)
        return 2
    play(player, name=given.name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
