"""The pair-point Bradley–Terry fit and its errors: strengths from pair scores, on the natural log scale."""

import numpy as np
from scipy import sparse
from scipy.special import expit

from cluster.statistics.blocks import BlockTable, Floats, Ints
from cluster.statistics.errors import NoConvergence

ROUNDS = 200
TOLERANCE = 1e-10  # Newton squares its error: after a step of 1e-10 only rounding is left, whatever the number of games
LONGEST_STEP = 2.0
WIDEST = 30.0  # a chance of 1e-13: without prior only strengths that have no bound get so far apart


def pair_scores(table: BlockTable) -> Floats:
    """Sum what each side scored against each other, (m, m); the diagonal is 0."""
    pairs, m = table.pairs, len(table.members)
    scores = np.bincount(pairs.i * m + pairs.j, pairs.score, m * m).astype(np.float64)
    scores += np.bincount(pairs.j * m + pairs.i, pairs.count - pairs.score, m * m)
    return scores.reshape(m, m)


def fit(scores: Floats, weights: Floats | None = None, *, prior_games: float = 1.0) -> tuple[Floats, Floats]:
    """Find the most likely strengths of n bots and the inverse of their information: (n,) and (n, n).

    ``scores``: points of row against column, (m, m), a draw a half. ``weights``: the share of each bot in each of
    the m sides, (m, n); the identity if left out. ``prior_games`` are drawn against a ghost of strength 0 by every
    bot; without them the mean strength is 0.

    Raises:
        NoConvergence: no maximum, as without prior when somebody won or lost everything.
    Source: Bradley and Terry 1952; ghost games as in KataGo's elo.py; statistics.md §3.
    """
    shares = np.eye(len(scores)) if weights is None else weights
    n = shares.shape[1]
    centre = np.full((n, n), 1.0 / n) if prior_games == 0 else np.zeros((n, n))  # pins the free sum of strengths
    theta = np.zeros(n)
    for _ in range(ROUNDS):
        gradient, information = _derivatives(theta, scores, shares, prior_games)
        step = _solve(information + centre, gradient)
        longest = float(np.abs(step).max(initial=0.0))
        theta = theta + step * min(1.0, LONGEST_STEP / max(longest, LONGEST_STEP))
        if longest < TOLERANCE or (prior_games == 0 and np.ptp(theta) > WIDEST):
            break
    if longest >= TOLERANCE:
        raise NoConvergence("no maximum: somebody won or lost everything; give a prior game")
    if prior_games == 0:
        theta -= theta.mean()
    _, information = _derivatives(theta, scores, shares, prior_games)
    return theta, _solve(information + centre, np.eye(n)) - centre


def _derivatives(theta: Floats, scores: Floats, shares: Floats, prior_games: float) -> tuple[Floats, Floats]:
    strength = shares @ theta
    p, q = expit(strength[:, None] - strength[None, :]), expit(theta)
    counts = scores + scores.T
    # Without cancellation, also for a perfect winner of many games; each pair once, so that gains and losses add to 0.
    surplus = np.triu(scores * p.T - scores.T * p, 1)
    w = counts * p * p.T
    gradient = shares.T @ (surplus.sum(axis=1) - surplus.sum(axis=0)) + prior_games * (0.5 - q)
    information = shares.T @ (np.diag(w.sum(axis=1)) - w) @ shares + np.diag(prior_games * q * (1 - q))
    return gradient, information


def _solve(information: Floats, right: Floats) -> Floats:
    try:
        return np.linalg.solve(information, right).astype(np.float64)
    except np.linalg.LinAlgError as error:
        raise NoConvergence("the results do not determine the strengths; give a prior game") from error


def surprises(table: BlockTable, theta: Floats) -> Floats:
    """Score of the lesser side minus what the strengths promised it, for each row of ``table.pairs``, (R,)."""
    strength = table.weights @ theta
    pairs = table.pairs
    surplus: Floats = pairs.score - pairs.count * expit(strength[pairs.i] - strength[pairs.j])
    return surplus


def clustered_covariance(table: BlockTable, theta: Floats, inverse: Floats) -> Floats:
    """The covariance of the strengths when only whole blocks are independent, (n, n).

    Source: sandwich of Liang and Zeger 1986, with the factor B/(B-1); statistics.md §3.
    """
    pairs, surplus = table.pairs, surprises(table, theta)
    block, side = np.concatenate([pairs.block, pairs.block]), np.concatenate([pairs.i, pairs.j])
    return sandwich(table, block, side, np.concatenate([surplus, -surplus]), inverse)


def sandwich(table: BlockTable, block: Ints, side: Ints, residual: Floats, bread: Floats) -> Floats:
    """Sum the residuals (R,) of sides into block scores u_b (n,), and give B/(B-1) · bread · Σ u_b u_bᵀ · bread.

    A single block has no spread; its zero is no knowledge.
    """
    blocks = len(table.blocks)
    by_side = sparse.csr_array((residual, (block, side)), shape=(blocks, len(table.members)))
    by_bot = by_side @ table.weights
    covariance: Floats = blocks / max(blocks - 1, 1) * bread @ (by_bot.T @ by_bot) @ bread
    return covariance
