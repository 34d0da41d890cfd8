"""Answers everything twice, the second time otherwise."""

from raw import answers, converse, lowest

converse(lambda batch: [lowest(batch), answers((each.match, each.number, each.legal[-1]) for each in batch.decisions)])
