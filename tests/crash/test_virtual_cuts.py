"""A short run of the power cuts on virtual tables; `python -m tests.crash.virtual_cuts` runs long ones."""

from pathlib import Path

import pytest

from tests.crash.virtual_cuts import KINDS, Journey


@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_leaves_the_state_before_or_after(kind: str, tmp_path: Path) -> None:
    journey = Journey(kind, 7, tmp_path)
    journey.run(60)
    assert journey.n_cuts > 2
