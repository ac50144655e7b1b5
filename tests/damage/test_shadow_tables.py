"""A short run of damaged shadow tables; `python -m tests.damage.shadow_tables` runs long ones."""

import pytest

from tests.damage.shadow_tables import KINDS, run, sound_file


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_shadow_tables_give_database_errors(kind: str) -> None:
    data = sound_file(kind)
    assert sum(run(kind, data, seed) for seed in range(12)) > 0
