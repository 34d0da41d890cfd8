"""Exact cyclic designs for 5 to 25 bots at tables of four, found by hill climbing on difference counts.

Developed, every pair of bots meets ``meets`` times, a third of them on opposite seats. A tuple stands in seat order,
so that its first and third entry sit opposite, and its second and fourth. `tests/cluster/test_cycles.py` develops
and counts every one of them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CyclicDesign:
    """Base tables of numbers below ``modulus``, to each of which every shift is added; ``modulus`` itself stays fixed."""

    modulus: int
    meets: int
    base: tuple[tuple[int, int, int, int], ...]

    def tables(self) -> tuple[tuple[int, ...], ...]:
        """All tables, by number of the bot on each seat."""
        return tuple(
            tuple(x if x == self.modulus else (x + shift) % self.modulus for x in base)
            for shift in range(self.modulus)
            for base in self.base
        )


#: By the number of bots.
DESIGNS = {
    5: CyclicDesign(5, 3, ((3, 2, 0, 1),)),
    6: CyclicDesign(5, 6, ((2, 4, 5, 3), (5, 0, 3, 1), (1, 2, 4, 0),)),
    7: CyclicDesign(7, 6, ((1, 3, 2, 6), (5, 6, 3, 0), (0, 4, 3, 2),)),
    8: CyclicDesign(7, 3, ((5, 4, 7, 2), (6, 5, 2, 4),)),
    9: CyclicDesign(9, 6, ((0, 2, 5, 6), (4, 3, 1, 0), (2, 8, 3, 1), (5, 0, 4, 7),)),
    10: CyclicDesign(9, 6, ((8, 9, 0, 7), (5, 3, 9, 0), (5, 1, 0, 3), (3, 1, 7, 2), (6, 2, 3, 0),)),
    11: CyclicDesign(11, 6, ((5, 7, 9, 10), (6, 1, 0, 10), (7, 10, 8, 4), (3, 6, 0, 10), (1, 6, 2, 4),)),
    12: CyclicDesign(11, 3, ((5, 11, 9, 8), (1, 5, 4, 10), (5, 2, 7, 3),)),
    13: CyclicDesign(13, 3, ((2, 1, 6, 9), (4, 2, 5, 0), (0, 2, 3, 9),)),
    14: CyclicDesign(13, 6, (
        (5, 11, 1, 13), (13, 2, 9, 6), (7, 1, 0, 9), (12, 8, 0, 10), (12, 4, 2, 1), (5, 9, 0, 10), (11, 12, 4, 10),
    )),
    15: CyclicDesign(15, 6, (
        (7, 1, 0, 4), (9, 4, 13, 14), (6, 7, 5, 12), (0, 8, 4, 6), (4, 9, 7, 0), (3, 0, 2, 6), (8, 3, 0, 1),
    )),
    16: CyclicDesign(15, 3, ((5, 7, 11, 15), (9, 0, 5, 1), (10, 13, 0, 1), (10, 9, 12, 2),)),
    17: CyclicDesign(17, 3, ((10, 0, 11, 8), (4, 16, 15, 12), (6, 11, 9, 13), (8, 0, 1, 12),)),
    18: CyclicDesign(17, 6, (
        (17, 2, 7, 5), (3, 17, 1, 15), (15, 11, 4, 0), (12, 14, 8, 7), (9, 0, 5, 8), (6, 7, 13, 10), (1, 7, 0, 8),
        (2, 4, 0, 9), (3, 0, 8, 9),
    )),
    19: CyclicDesign(19, 6, (
        (7, 12, 0, 1), (11, 10, 12, 1), (0, 13, 16, 12), (4, 12, 8, 9), (6, 0, 15, 13), (1, 17, 18, 3),
        (5, 2, 10, 15), (2, 13, 6, 15), (14, 0, 2, 11),
    )),
    20: CyclicDesign(19, 3, ((7, 18, 12, 19), (4, 12, 17, 13), (16, 2, 9, 18), (0, 13, 9, 2), (0, 16, 17, 1),)),
    21: CyclicDesign(21, 3, ((16, 19, 12, 20), (10, 9, 3, 0), (8, 0, 5, 10), (0, 2, 13, 4), (0, 9, 15, 14),)),
    22: CyclicDesign(21, 6, (
        (2, 21, 16, 19), (15, 6, 7, 21), (6, 16, 0, 12), (2, 15, 0, 20), (4, 15, 16, 0), (2, 0, 13, 16),
        (16, 2, 12, 4), (9, 11, 6, 8), (5, 14, 12, 1), (10, 3, 9, 15), (12, 15, 11, 4),
    )),
    23: CyclicDesign(23, 6, (
        (6, 15, 0, 8), (20, 0, 5, 17), (10, 6, 12, 9), (11, 0, 1, 21), (16, 15, 11, 0), (19, 1, 18, 12),
        (7, 5, 11, 0), (16, 8, 0, 7), (10, 0, 13, 14), (21, 12, 2, 0), (18, 13, 4, 0),
    )),
    24: CyclicDesign(23, 3, (
        (15, 21, 23, 13), (13, 18, 7, 15), (7, 11, 3, 0), (9, 0, 22, 16), (20, 7, 6, 9), (0, 5, 1, 10),
    )),
    25: CyclicDesign(25, 3, (
        (7, 0, 24, 21), (17, 7, 11, 6), (20, 14, 6, 19), (21, 2, 5, 12), (9, 24, 7, 11), (6, 22, 9, 4),
    )),
}  # fmt: skip
