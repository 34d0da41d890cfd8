"""Ends its stream in the middle of a match, and lives on."""

import time

from raw import converse

try:
    converse(lambda batch: [][0])
except IndexError:
    time.sleep(1000)
