"""rtreecheck(), rtreenode() and rtreedepth().

Source: https://www.sqlite.org/rtree.html section 7.2.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from minisql.errors import ERROR, sqlite_error
from minisql.functions.printf import sql_format
from minisql.values.cast import to_integer, to_text
from minisql.vtab.rtree.checking import check_tree
from minisql.vtab.rtree.nodes import CellFormat
from minisql.vtab.rtree.table import RtreeTable

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost


def register_functions(host: VtabHost) -> None:
    """Registers the three functions with a connection."""
    host.register_function("rtreecheck", -1, partial(_check, host))
    host.register_function("rtreenode", 2, _node)
    host.register_function("rtreedepth", 1, _depth)


def _check(host: VtabHost, *arguments: Any) -> str:
    if len(arguments) not in (1, 2):
        raise sqlite_error(ERROR, "wrong number of arguments to function rtreecheck()")
    schema = to_text(arguments[0]) if len(arguments) == 2 else "main"
    name = to_text(arguments[-1])
    table = host.virtual_table(schema, name)
    if not isinstance(table, RtreeTable):
        raise sqlite_error(ERROR, "SQL logic error")
    if not table.is_plain:
        return "Schema corrupt or not an rtree"
    return "\n".join(check_tree(table)) or "ok"


def _node(n_dimensions: Any, data: Any) -> str | None:
    n = to_integer(n_dimensions) if n_dimensions is not None else 0
    if not 1 <= n <= 5 or not isinstance(data, bytes) or len(data) < 4:
        return None
    cells = CellFormat(n, False)
    if int.from_bytes(data[2:4], "big") * cells.cell.size > len(data) - 4:
        return None
    shown = []
    for cell in cells.decode(data)[1]:
        shown.append("{" + " ".join([str(cell[0]), *[str(sql_format("%g", value)) for value in cell[1:]]]) + "}")
    return " ".join(shown)


def _depth(data: Any) -> int:
    if not isinstance(data, bytes) or len(data) < 2:
        raise sqlite_error(ERROR, "Invalid argument to rtreedepth()")
    return int.from_bytes(data[:2], "big")
