"""The demonstration: a planted fault is closed by the real loop, without a key or a network, and the report says so."""

from pathlib import Path
from typing import Any

import pytest

from agent_harness import demo
from agent_harness.errors import HarnessError

ROOT = Path(__file__).resolve().parents[2]


def test_planted_fault_is_closed_and_reported(tmp_path: Path) -> None:
    heard: list[Any] = []
    code = demo.run(ROOT, keep=tmp_path, emit=lambda data, lines: heard.extend([data, list(lines)]))
    assert code == 0, heard
    data, lines = heard
    assert data["repair"].startswith("diff --git a/minisql/functions/")
    assert lines[-1] == f"report: {tmp_path / 'report.html'}"
    text = (tmp_path / "report.html").read_text()
    assert '<b id="failing">0</b>' in text
    assert "merged" in text


def test_folder_without_the_project_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="run the demonstration in a checkout"):
        demo.run(tmp_path, keep=tmp_path / "kept")
