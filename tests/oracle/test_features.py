"""Differential test of every feature script against SQLite 3.54.1."""

from __future__ import annotations

import tomllib

import pytest

from tests.oracle.features_runner import FEATURES, Script, differences, scripts

EVIDENCE = tomllib.loads((FEATURES / "evidence.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("script", list(scripts()), ids=lambda script: script.name)
def test_feature_script_equals_sqlite(script: Script) -> None:
    count, found = differences(script)
    own = list(map(str, script.statements))
    known = [
        start
        for start in EVIDENCE.get(script.name[:3], {}).get("known", [])
        if any(statement.startswith(start) for statement in own)
    ]
    assert count
    new = [text for text in found if not any(f": {start}" in text for start in known)]
    assert not new, f"{len(new)} of {count} differ:\n" + "\n".join(new[:20])
    gone = [start for start in known if not any(f": {start}" in text for text in found)]
    assert not gone, f"no longer different, take them out of evidence.toml: {gone}"
