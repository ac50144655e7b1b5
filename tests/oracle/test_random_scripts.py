"""Random scripts of changes agree with SQLite; `script_generator` makes them from their seeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle.script_generator import ScriptMaker
from tests.oracle.script_oracle import compare_script


@pytest.mark.parametrize("seed", range(40))
def test_random_changes_agree_with_sqlite(seed: int, tmp_path: Path) -> None:
    assert compare_script(ScriptMaker(seed).make(), tmp_path / "random.db") == []


@pytest.mark.parametrize("seed", range(100, 120))
def test_random_changes_agree_without_the_fast_path(seed: int, tmp_path: Path) -> None:
    script = ["pragma minisql_fast_path=off", *ScriptMaker(seed).make()]
    assert compare_script(script, tmp_path / "random.db") == []
