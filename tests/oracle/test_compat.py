"""COMPAT.md says what the feature scripts show, no more and no less."""

from __future__ import annotations

from tests.oracle.compat import ROOT, page


def test_compat_page_is_current() -> None:
    assert (ROOT / "COMPAT.md").read_text(encoding="utf-8") == page(), "run python -m tests.oracle.compat --write"
