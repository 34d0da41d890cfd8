"""OpenSpiel's information set MCTS as a bot: kingmaker play --bots random "ismcts=python ismcts.py" …"""

from open_spiel.python.algorithms import ismcts, mcts

import bots
from bots.training.players import OpenSpielBot

SIMULATIONS = 50


def make(game, seat, rng):
    """A bot of OpenSpiel whose guesses at the hidden cards come from its own random numbers."""
    bot = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, rng), uct_c=20, max_simulations=SIMULATIONS, random_state=rng
    )
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, rng.random_sample))
    return bot


if __name__ == "__main__":
    bots.play(OpenSpielBot(make), name="ismcts")
