"""Learns king.simple in some seconds from games against itself, and writes what it has learnt: python learn.py weights.npz

REINFORCE with about the smallest policy there is: for each contract one matrix from one's hand and the trick on the table to the cards.
"""

import sys

import numpy as np

from bots.training.environment import KingmakerEnv

MATCHES, RATE = 300, 0.02


def look(encoding, tensor):
    """The contract's number, and what the policy looks at."""
    parts = encoding.parts(tensor)
    return int(parts["contract"].argmax()), np.concatenate([parts["hand"], parts["trick"].sum(axis=0), [1]])


def chances(weights, seen, mask):
    """The chance of each action."""
    logits = np.where(mask, seen @ weights, -np.inf)
    odds = np.exp(logits - logits.max())
    return odds / odds.sum()


def learn(matches=MATCHES, seed=1):
    """The weights, by contract."""
    env = KingmakerEnv("king.simple")
    rng = np.random.default_rng(seed)
    contracts = len(env.game.contracts)
    weights, squares = np.zeros((contracts, 105, 52)), np.full(contracts, 100.0)
    for match in range(matches):
        env.reset(seed=seed + match)
        made = {agent: [] for agent in env.agents}  # what each agent did in the deal in progress
        for agent in env.agent_iter():
            observation, _, is_over, _, _ = env.last()
            if is_over:
                break
            contract, seen = look(env.encoding, observation["observation"])
            odds = chances(weights[contract], seen, observation["action_mask"])
            action = int(rng.choice(len(odds), p=odds))
            made[agent].append((contract, seen, odds, action))
            env.step(action)
            if any(env.rewards.values()):  # a deal is over: make what went well more likely
                squares[contract] = 0.9 * squares[contract] + 0.1 * np.mean(np.square(list(env.rewards.values())))
                for each, steps in made.items():
                    for its, seen, odds, action in steps:
                        slope = -odds
                        slope[action] += 1
                        weights[its] += RATE * env.rewards[each] / np.sqrt(squares[its]) * np.outer(seen, slope)
                    steps.clear()
    return weights


if __name__ == "__main__":
    np.savez_compressed(sys.argv[1], weights=learn())
