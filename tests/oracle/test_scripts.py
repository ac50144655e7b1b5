"""The statement scripts agree with SQLite in rows, errors, counts and schema, and leave files that SQLite finds in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle.script_oracle import compare_script, scripts

_FOLDER = Path(__file__).parent / "scripts"
_CASES = [
    pytest.param(script, id=f"{path.stem}-{number}-{script[0][:30]}")
    for path in sorted(_FOLDER.glob("*.sql"))
    for number, script in enumerate(scripts(path.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("script", _CASES)
def test_script_agrees_with_sqlite(script: list[str], tmp_path: Path) -> None:
    assert compare_script(script, tmp_path / "script.db") == []
