"""The names of the functions that only work with FTS3 and FTS4 tables.

Source: https://www.sqlite.org/fts3.html section 4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost


def register_functions(host: VtabHost) -> None:
    """Makes the functions known to a connection."""
    for name in ("offsets", "matchinfo", "optimize"):
        host.declare_function(name)
