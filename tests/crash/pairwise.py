"""Settings such that any two values of any two factors meet in one of them: far fewer than all combinations.

Greedy: of some random candidates the one that covers most pairs not yet covered is taken, until none is left.
"""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any


def pairwise(factors: tuple[tuple[Any, ...], ...], seed: int) -> list[tuple[Any, ...]]:
    """Returns tuples with a value of each factor that cover all pairs; another list for another seed."""
    chance = random.Random(seed)
    places = list(combinations(range(len(factors)), 2))
    open_pairs = {(i, j, a, b) for i, j in places for a in factors[i] for b in factors[j]}
    rows: list[tuple[Any, ...]] = []
    while open_pairs:
        # Each candidate starts from a pair that is still open, so that every round makes progress.
        best: tuple[Any, ...] = ()
        best_covered: set[tuple[int, int, Any, Any]] = set()
        ordered = sorted(open_pairs, key=repr)
        for _ in range(30):
            row = [chance.choice(values) for values in factors]
            i, j, a, b = chance.choice(ordered)
            row[i], row[j] = a, b
            covered = {(i, j, row[i], row[j]) for i, j in places} & open_pairs
            if len(covered) > len(best_covered):
                best, best_covered = tuple(row), covered
        rows.append(best)
        open_pairs -= best_covered
    return rows
