"""Never answers."""

from raw import converse

converse(lambda batch: [])
