"""A short run of the power cuts on virtual tables; `python -m tests.crash.virtual_cuts` runs long ones."""

import random
from pathlib import Path

import pytest

from tests.crash.virtual_cuts import KINDS, Journey, explore


@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_leaves_the_state_before_or_after(kind: str, tmp_path: Path) -> None:
    journey = Journey(kind, random.Random(7), tmp_path)
    journey.run(60)
    assert journey.n_cuts > 2


@pytest.mark.parametrize("kind", KINDS)
def test_short_journeys_of_many_shapes(kind: str) -> None:
    n_operations, _n_cuts = explore(kind, 60, True)
    assert n_operations >= 60
