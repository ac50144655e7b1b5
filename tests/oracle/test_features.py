"""Differential test of every feature script against SQLite 3.54.1."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.oracle.features_runner import FEATURES, differences, scripts, statements

EVIDENCE = tomllib.loads((FEATURES / "evidence.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", scripts(), ids=lambda path: path.stem)
def test_feature_script_equals_sqlite(path: Path) -> None:
    count, found = differences(path)
    own = list(statements(path))
    known = [
        start
        for start in EVIDENCE.get(path.name[:3], {}).get("known", [])
        if any(statement.startswith(start) for statement in own)
    ]
    assert count
    new = [text for text in found if not any(f": {start}" in text for start in known)]
    assert not new, f"{len(new)} of {count} differ:\n" + "\n".join(new[:20])
    gone = [start for start in known if not any(f": {start}" in text for text in found)]
    assert not gone, f"no longer different, take them out of evidence.toml: {gone}"
