"""Differential test of every feature script against SQLite 3.54.1."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle.features_runner import differences, scripts


@pytest.mark.parametrize("path", scripts(), ids=lambda path: path.stem)
def test_feature_script_equals_sqlite(path: Path) -> None:
    count, found = differences(path)
    assert count
    assert not found, f"{len(found)} of {count} differ:\n" + "\n".join(found[:20])
