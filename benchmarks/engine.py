"""The engine alone: microseconds an action with legality and random choice, and whole matches a second."""

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
    return {"engine_us_per_play": figures["engine_us_per_action_king_fetes"]} | figures
