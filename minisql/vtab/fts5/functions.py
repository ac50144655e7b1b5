"""The SQL functions that FTS5 brings besides the auxiliary ones, and the names of those.

Source: https://www.sqlite.org/fts5.html section 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.vtab.fts5.snippets import BUILT_IN

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost


def register_functions(host: VtabHost) -> None:
    """Makes the functions known to a connection."""
    for name in (*BUILT_IN, "fts5_get_locale"):
        host.declare_function(name)
    host.register_function("fts5_insttoken", 1, _same)


def _same(value: Any) -> Any:
    return value
