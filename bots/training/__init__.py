"""For people who train: the rulesets as environments of PettingZoo and games of OpenSpiel (docs/training.md).

Needs the extra ``train``; neither gRPC, nor Ray, nor a referee. What was learnt plays in a tournament through
`bots.training.players`.
"""
