"""The engine alone: microseconds an action with legality and random choice, and whole matches a second."""

import importlib.util
import random
from time import perf_counter

from referee.rules import registry
from referee.rules.match import Match

SECONDS = 2.0


def measure() -> dict[str, float]:
    """Random play in this process, each ruleset for some seconds."""
    figures: dict[str, float] = {}
    for ruleset in registry.RULESETS.values():
        game = ruleset.game()
        choose = random.Random(1)
        actions = matches = 0
        start = perf_counter()
        while perf_counter() - start < SECONDS:
            match = Match(game, choose.randbytes(32))
            while not match.over:
                legal = match.deal.legal()
                match.apply(legal[int(choose.random() * len(legal))])
                actions += 1
            matches += 1
        elapsed = perf_counter() - start
        name = ruleset.id.replace(".", "_")
        figures[f"engine_us_per_action_{name}"] = elapsed / actions * 1e6
        figures[f"engine_matches_per_s_{name}"] = matches / elapsed
    return {"engine_us_per_play": figures["engine_us_per_action_king_fetes"]} | figures | _openspiel()


def _openspiel() -> dict[str, float]:
    """The same loop over OpenSpiel's hearts and spades (C++ driven from Python), deals included."""
    if importlib.util.find_spec("pyspiel") is None:
        print("open-spiel is not installed: no comparison with it")
        return {}
    import pyspiel

    figures = {}
    for name in ("hearts", "spades"):
        game, choose, actions = pyspiel.load_game(name), random.Random(1), 0
        start = perf_counter()
        while perf_counter() - start < SECONDS:
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(choose.random() * len(legal))])
                actions += 1
        figures[f"openspiel_us_per_action_{name}"] = (perf_counter() - start) / actions * 1e6
    return figures
