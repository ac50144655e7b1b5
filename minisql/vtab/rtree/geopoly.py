"""The virtual table geopoly: polygons with an R-Tree over their boxes.

The tables below are those of an R-Tree of two dimensions whose first auxiliary column is the polygon.

Source: https://www.sqlite.org/geopoly.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

from minisql.errors import CONSTRAINT, ERROR, sqlite_error
from minisql.values.cast import to_integer
from minisql.vtab.protocol import (
    EQ,
    FIRST_FUNCTION,
    INNOCUOUS,
    NO_CHANGE,
    ROWID,
    Cursor,
    IndexInfo,
    Module,
    Value,
    VirtualTable,
)
from minisql.vtab.rtree import polygons
from minisql.vtab.rtree.geopoly_functions import overlap, within
from minisql.vtab.rtree.nodes import Cell, CellFormat
from minisql.vtab.rtree.table import (
    MAX_CELLS,
    REPLACE,
    SHADOWS,
    RtreeCursor,
    RtreeTable,
    create_shadow_tables,
    shadow_prefix,
    stored_node_size,
)

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost

_N_DIMENSIONS = 2
_BY_ROWID, _BY_OVERLAP, _BY_WITHIN, _ALL = 1, 2, 3, 4
_FUNCTIONS = {
    ("geopoly_overlap", 2): (FIRST_FUNCTION, overlap),
    ("geopoly_within", 2): (FIRST_FUNCTION + 1, within),
}
# Which box meets the box min x, max x, min y, max y: a letter of comparison and a column of the cell each.
_CHECKS = {_BY_OVERLAP: "D1B0D3B2", _BY_WITHIN: "D0B1D2B3"}


def make_module(name: str) -> Module:
    """The module geopoly."""
    return GeopolyModule()


class GeopolyModule(Module):
    """Makes tables of polygons."""

    risk = INNOCUOUS

    def create(
        self, owner: VtabHost, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Creates the shadow tables."""
        cells = CellFormat(_N_DIMENSIONS, False)
        size = min(owner.page_size(schema_name) - 64, 4 + cells.cell.size * MAX_CELLS)
        prefix = shadow_prefix(schema_name, table_name)
        create_shadow_tables(owner, prefix, 1 + len(arguments), size)
        return _declaration(arguments), GeopolyTable(owner, prefix, cells, _names(arguments), table_name, size)

    def connect(
        self, owner: VtabHost, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Connects to shadow tables that are there."""
        prefix = shadow_prefix(schema_name, table_name)
        size = stored_node_size(owner, prefix, table_name)
        cells = CellFormat(_N_DIMENSIONS, False)
        return _declaration(arguments), GeopolyTable(owner, prefix, cells, _names(arguments), table_name, size)

    def is_shadow_name(self, suffix: str) -> bool:
        """The three tables of an R-Tree."""
        return suffix.lower() in SHADOWS


def _declaration(arguments: Sequence[str]) -> str:
    return f"CREATE TABLE x({', '.join(('_shape', *arguments))})"


def _names(arguments: Sequence[str]) -> list[str]:
    """The names of an R-Tree's columns: the row, its box, and the rest."""
    return ["_shape", "x0", "x1", "y0", "y1", "_shape", *arguments]


class GeopolyTable(RtreeTable):
    """One table of polygons."""

    is_plain: ClassVar[bool] = False
    wants_no_change = True

    def best_index(self, info: IndexInfo) -> bool | None:
        """By rowid, by one of the two functions, or all."""
        function = None
        for constraint in info.constraints:
            if not constraint.is_usable:
                continue
            if constraint.column == ROWID and constraint.operator == EQ:
                info.index_number, info.index_string = _BY_ROWID, "rowid"
                constraint.argument, constraint.omit = 1, True
                info.estimated_cost, info.estimated_rows, info.is_unique = 30.0, 1, True
                return None
            if constraint.operator >= FIRST_FUNCTION:
                function = constraint
        if function is not None:
            info.index_number = function.operator - FIRST_FUNCTION + _BY_OVERLAP
            info.index_string = "rtree"
            function.argument = 1
            info.estimated_cost, info.estimated_rows = 300.0, 10
            return None
        info.index_number, info.index_string = _ALL, "fullscan"
        info.estimated_cost, info.estimated_rows = 3000000.0, 100000
        return None

    def find_function(self, name: str, n_arguments: int) -> tuple[int, Any] | None:
        """The two functions that the R-Tree helps with."""
        return _FUNCTIONS.get((name, n_arguments))

    def open(self) -> Cursor:
        """Makes a cursor."""
        return GeopolyCursor(self)

    # Changes

    def update_insert_row(self, rowid: Any, values: Sequence[Any]) -> int:
        """INSERT."""
        self._check_unread()
        bounds = _bounds(values[0])
        if rowid is None:
            identifier = self._new_rowid()
        else:
            identifier = to_integer(rowid)
            self._make_room(identifier)
        self.tree.insert(identifier, bounds)
        self._store_auxiliary(identifier, [_stored(values[0]), *values[1:]])
        return identifier

    def update_change_row(self, rowid: int, new_rowid: Any, values: Sequence[Any]) -> None:
        """UPDATE; a new rowid needs the polygon with it."""
        self._check_unread()
        identifier = to_integer(new_rowid) if new_rowid is not None else rowid
        if identifier != rowid or values[0] is not NO_CHANGE:
            bounds = _bounds(values[0])
            old = self.auxiliary(rowid)
            if identifier != rowid:
                self._make_room(identifier)
            self.tree.delete(rowid)
            self.tree.insert(identifier, bounds)
        else:
            old = self.auxiliary(rowid)
        shape = old[0] if values[0] is NO_CHANGE else _stored(values[0])
        rest = [before if value is NO_CHANGE else value for before, value in zip(old[1:], values[1:])]
        self._store_auxiliary(identifier, [shape, *rest])

    def _make_room(self, rowid: int) -> None:
        """Removes a row of that id where REPLACE asks for it."""
        if self.tree.leaf_of(rowid) is None:
            return
        if self.host.conflict_action() != REPLACE:
            raise sqlite_error(CONSTRAINT, f"UNIQUE constraint failed: {self.table_name}._shape")
        self.tree.delete(rowid)


def _bounds(value: Any) -> tuple[float, ...]:
    """The box of a polygon; a text that is none at all has an empty one."""
    if value is NO_CHANGE or polygons.is_refused(value):
        raise sqlite_error(ERROR, "_shape does not contain a valid polygon")
    polygon = polygons.read_polygon(value)
    return polygons.NOWHERE if polygon is None else polygons.box(polygon)


def _stored(value: Any) -> Any:
    """Polygons written as JSON are stored as blobs."""
    polygon = polygons.read_polygon(value) if isinstance(value, str) else None
    return value if polygon is None else polygons.to_blob(polygon)


class GeopolyCursor(RtreeCursor):
    """One scan; the engine checks the function."""

    def scan(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterator[tuple[Value, ...]]:
        """The rows whose boxes may meet the function."""
        table = self.table
        table.n_readers += 1
        try:
            if index_number == _BY_ROWID:
                batches: Iterable[Sequence[Cell]] = [self._by_id(arguments[0])]
            elif index_number == _ALL:
                batches = self._search("", ())
            else:
                if polygons.is_refused(arguments[0]):
                    raise sqlite_error(ERROR, "SQL logic error")
                batches = self._search(_CHECKS[index_number], _bounds(arguments[0]))
            has_values = any(number != ROWID for number in columns)
            for cell in chain.from_iterable(batches):
                values: Sequence[Any] = ()
                if has_values:
                    values = table.auxiliary(cell[0])
                yield tuple([cell[0] if number == ROWID else values[number] for number in columns])
        finally:
            table.n_readers -= 1
