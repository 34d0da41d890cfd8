"""Answers for tables at which it does not sit."""

from raw import answers, converse

converse(lambda batch: [answers((1000 + number, 1, 0) for number in range(10))])
