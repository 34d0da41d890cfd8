"""Sends what cannot be read."""

from raw import converse

converse(lambda batch: [b"\xff\xff\xff"])
