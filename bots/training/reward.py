"""What a learner is paid: by how much a seat did better than those it plays against."""

from collections.abc import Sequence

from referee.rules.ruleset import Game


def margins(game: Game, scores: Sequence[int]) -> list[float]:
    """By seat, its score less the mean of the seats of other teams, turned round where points are penalties.

    They add up to 0, as every team of a game has equally many seats.
    """
    sign = -1 if game.lower_is_better else 1
    result = []
    for team, score in zip(game.teams, scores, strict=True):
        others = [other for its, other in zip(game.teams, scores, strict=True) if its != team]
        result.append(sign * (score - sum(others) / len(others)))
    return result
