"""``python -m bots.reference NAME``: a reference bot as a hosted bot's command."""

import sys

from bots.client import play
from bots.reference import BOTS, bot


def main(arguments: list[str]) -> int:
    """Play as the bot that is named; the exit status."""
    if arguments in (["-h"], ["--help"]):
        print(f"usage: python -m bots.reference NAME\nNAME: {', '.join(BOTS)}")
        return 0
    if len(arguments) != 1:
        print(f"usage: python -m bots.reference NAME; NAME: {', '.join(BOTS)}", file=sys.stderr)
        return 2
    try:
        player = bot(arguments[0])
    except LookupError as error:
        print(error.args[0], file=sys.stderr)
        return 2
    play(player, name=arguments[0])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
