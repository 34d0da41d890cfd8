"""The schedule: a pure, lazy function of the tournament file and its seed.

`cluster.schedule.rounds` adds what depends on results; it is apart because workers have no need of statistics.
"""

from cluster.schedule.cycles import PAIRINGS
from cluster.schedule.seating import KLEIN, Block, Design, bot_seed, design
from cluster.schedule.sequence import Blocks, blocks, design_of, written

__all__ = ["KLEIN", "PAIRINGS", "Block", "Blocks", "Design", "blocks", "bot_seed", "design", "design_of", "written"]
