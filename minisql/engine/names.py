"""Names in SQL that the engine writes for itself.

Source: https://www.sqlite.org/lang_keywords.html.
"""

from __future__ import annotations


def quoted(name: str) -> str:
    """A name as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'
