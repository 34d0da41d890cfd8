"""A remote bot: ``remote.py MARK ADDRESS TOKEN [ROOTS]``; plays the first legal action."""

import sys
from pathlib import Path

import bots


class Remote:
    def decide(self, observation, legal):
        return legal[0]


roots = Path(sys.argv[4]).read_bytes() if sys.argv[4:] else None
bots.play(Remote(), sys.argv[2], sys.argv[3], root_certificates=roots)
