"""Exits before it has said hello."""

import sys

sys.exit("no time for games")
