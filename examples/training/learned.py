"""Plays what learn.py has learnt: kingmaker play --ruleset king.simple --bots random "learned=python learned.py weights.npz" …"""

import sys

import numpy as np
from learn import look

import bots
from bots.training.encoding import Encoding
from bots.training.players import TensorBot
from referee.rules import registry

ENCODING = Encoding(registry.ruleset("king.simple").game())


def choose_by(weights):
    """The most likely action."""

    def choose(tensor, mask):
        contract, seen = look(ENCODING, tensor)
        return np.where(mask, seen @ weights[contract], -np.inf).argmax()

    return choose


if __name__ == "__main__":
    bots.play(TensorBot(choose_by(np.load(sys.argv[1])["weights"])), name="learned")
