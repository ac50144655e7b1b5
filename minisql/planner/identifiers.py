"""How a name is written in SQL text that the engine makes itself: bare when that is safe, else in double quotes.

Source: https://www.sqlite.org/lang_keywords.html; which names SQLite quotes was found by experiment.
"""

from __future__ import annotations

import re

from minisql.parser.tokens import KEYWORDS

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def identifier_text(name: str) -> str:
    """The name as SQLite writes it into generated SQL."""
    if _PLAIN.fullmatch(name) and name.upper() not in KEYWORDS:
        return name
    return quoted_identifier(name)


def quoted_identifier(name: str) -> str:
    """The name in double quotes."""
    return '"' + name.replace('"', '""') + '"'
