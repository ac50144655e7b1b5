"""The virtual tables rtree and rtree_i32.

Source: https://www.sqlite.org/rtree.html.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

from minisql.errors import CONSTRAINT, ERROR, LOCKED, sqlite_error
from minisql.values.affinity import apply_numeric
from minisql.values.cast import to_integer
from minisql.vtab.protocol import (
    EQ,
    GE,
    GT,
    INNOCUOUS,
    LE,
    LT,
    MATCH,
    ROWID,
    Cursor,
    IndexInfo,
    Module,
    Value,
    VirtualTable,
)  # fmt: skip
from minisql.vtab.rtree.checking import check_tree
from minisql.vtab.rtree.geometry import GeometryQuery, parse_geometry
from minisql.vtab.rtree.nodes import Cell, CellFormat
from minisql.vtab.rtree.tree import MAX_DEPTH, ROOT, Tree
from minisql.vtab.shadow_tables import corrupt, rowid_of

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost

MAX_CELLS = 51
_MAX_AUXILIARY = 100
_LARGEST_ROWID = (1 << 63) - 1
REPLACE = 5
_LETTERS = {EQ: "A", LE: "B", LT: "C", GE: "D", GT: "E", MATCH: "F"}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "A": operator.eq, "B": operator.le, "C": operator.lt, "D": operator.ge, "E": operator.gt,
}  # fmt: skip
SHADOWS = frozenset(("node", "parent", "rowid"))


class RtreeModule(Module):
    """Makes R-Trees of floats or integers."""

    risk = INNOCUOUS

    def __init__(self, is_integer: bool) -> None:
        self.is_integer = is_integer

    def create(
        self, owner: VtabHost, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Creates the shadow tables."""
        declaration, names, n_coordinates = self._columns(arguments)
        cells = CellFormat(n_coordinates // 2, self.is_integer)
        size = min(owner.page_size(schema_name) - 64, 4 + cells.cell.size * MAX_CELLS)
        prefix = shadow_prefix(schema_name, table_name)
        create_shadow_tables(owner, prefix, len(names) - 1 - n_coordinates, size)
        return declaration, RtreeTable(owner, prefix, cells, names, table_name, size)

    def connect(
        self, owner: VtabHost, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Connects to shadow tables that are there; the root tells the size of a node."""
        declaration, names, n_coordinates = self._columns(arguments)
        prefix = shadow_prefix(schema_name, table_name)
        size = stored_node_size(owner, prefix, table_name)
        cells = CellFormat(n_coordinates // 2, self.is_integer)
        return declaration, RtreeTable(owner, prefix, cells, names, table_name, size)

    def _columns(self, arguments: Sequence[str]) -> tuple[str, list[str], int]:
        """The declaration, the names of the columns, and how many coordinates there are."""
        if len(arguments) < 3:
            raise sqlite_error(ERROR, "Too few columns for an rtree table")
        if len(arguments) > _MAX_AUXILIARY:
            raise sqlite_error(ERROR, "Too many columns for an rtree table")
        kind = "INT" if self.is_integer else "REAL"
        declared = []
        names = []
        n_auxiliary = 0
        for number, argument in enumerate(arguments):
            text = argument.strip()
            if text.startswith("+"):
                n_auxiliary += 1
                names.append(_first_word(text[1:].strip()))
                declared.append(names[-1])
            elif n_auxiliary:
                raise sqlite_error(ERROR, "Auxiliary rtree columns must be last")
            else:
                names.append(_first_word(text))
                declared.append(f"{names[-1]} {'INT' if number == 0 else kind}")
        n_coordinates = len(arguments) - 1 - n_auxiliary
        bare = [_bare(name) for name in names]
        lowered = [name.lower() for name in bare]
        for number, name in enumerate(lowered):
            if name in lowered[:number]:
                raise sqlite_error(ERROR, f"duplicate column name: {bare[number]}")
        if n_coordinates < 2:
            raise sqlite_error(ERROR, "Too few columns for an rtree table")
        if n_coordinates > 10:
            raise sqlite_error(ERROR, "Too many columns for an rtree table")
        if n_coordinates % 2:
            raise sqlite_error(ERROR, "Wrong number of columns for an rtree table")
        return f"CREATE TABLE x({', '.join(declared)})", bare, n_coordinates

    def is_shadow_name(self, suffix: str) -> bool:
        """The three tables."""
        return suffix.lower() in SHADOWS


def make_module(name: str) -> Module:
    """rtree or rtree_i32."""
    return RtreeModule(name == "rtree_i32")


def _bare(name: str) -> str:
    """A name without its quotes."""
    if name[:1] in ("'", '"', "`", "["):
        closing = "]" if name[0] == "[" else name[0]
        return name[1:-1].replace(closing * 2, closing)
    return name


def _first_word(text: str) -> str:
    """The first token of an argument: the column's name as it was written."""
    if text[:1] in ("'", '"', "`", "["):
        closing = "]" if text[0] == "[" else text[0]
        end = text.find(closing, 1)
        while end > 0 and closing != "]" and text[end + 1 : end + 2] == closing:
            end = text.find(closing, end + 2)
        return text[: end + 1]
    end = 0
    while end < len(text) and (text[end].isalnum() or text[end] in "_$" or not text[end].isascii()):
        end += 1
    return text[:end]


def shadow_prefix(schema_name: str, table_name: str) -> str:
    """The quoted schema and the beginning of the shadow tables' names."""
    schema = schema_name.replace('"', '""')
    return f'"{schema}"."' + table_name.replace('"', '""') + "_"


def create_shadow_tables(host: VtabHost, prefix: str, n_auxiliary: int, size: int) -> None:
    """Creates the three tables with an empty root."""
    extra = "".join(f",a{number}" for number in range(n_auxiliary))
    host.execute(f'CREATE TABLE {prefix}rowid"(rowid INTEGER PRIMARY KEY,nodeno{extra})')
    host.execute(f'CREATE TABLE {prefix}node"(nodeno INTEGER PRIMARY KEY,data)')
    host.execute(f'CREATE TABLE {prefix}parent"(nodeno INTEGER PRIMARY KEY,parentnode)')
    host.execute(f'INSERT INTO {prefix}node" VALUES(1, zeroblob({size}))')


def stored_node_size(host: VtabHost, prefix: str, table_name: str) -> int:
    """The size of the root as it is stored."""
    rows = host.execute(f'SELECT length(data) FROM {prefix}node" WHERE nodeno = {ROOT}')
    size = rows[0][0] if rows else 0
    if not isinstance(size, int) or size < 512 - 64:
        raise sqlite_error(ERROR, f'undersize RTree blobs in "{table_name}_node"')
    return size


class RtreeTable(VirtualTable):
    """One R-Tree; `is_plain` unless another kind of table lies over it."""

    is_plain: ClassVar[bool] = True

    def __init__(
        self,
        host: VtabHost,
        prefix: str,
        cells: CellFormat,
        names: Sequence[str],
        table_name: str,
        node_size: int,
    ) -> None:
        self.host = host
        self.prefix = prefix
        self.table_name = table_name
        self.cells = cells
        self.names = names
        self.n_auxiliary = len(names) - 1 - cells.n_coordinates
        self.tree = Tree(host, prefix, cells, node_size)
        self.n_readers = 0
        self._prepare()

    def _prepare(self) -> None:
        names = ", ".join(f"a{number}" for number in range(self.n_auxiliary))
        settings = ", ".join(f"a{number}=?" for number in range(self.n_auxiliary))
        self.auxiliary_sql = f'SELECT {names} FROM {self.prefix}rowid" WHERE rowid=?'
        self._set_auxiliary_sql = f'UPDATE {self.prefix}rowid" SET {settings} WHERE rowid=?'
        self._next_sql = f'SELECT max(rowid) FROM {self.prefix}rowid"'

    # Planning

    def best_index(self, info: IndexInfo) -> bool | None:
        """By id (plan 1), or by coordinates and MATCH (plan 2; a letter and a column each in the index string)."""
        n = self.cells.n_coordinates
        for constraint in info.constraints:
            if constraint.operator == MATCH and constraint.is_usable:
                break
        else:
            for constraint in info.constraints:
                if constraint.is_usable and constraint.column in (ROWID, 0) and constraint.operator == EQ:
                    info.index_number = 1
                    constraint.argument = 1
                    constraint.omit = True
                    info.estimated_cost = 30.0
                    info.estimated_rows = 1
                    info.is_unique = True
                    return None
        info.index_number = 2
        parts = []
        for constraint in info.constraints:
            column = constraint.column
            letter = _LETTERS.get(constraint.operator)
            if not constraint.is_usable or letter is None:
                continue
            if (1 <= column <= n and letter != "F") or (letter == "F" and column >= 0):
                parts.append(letter + chr(ord("0") + column - 1))
                constraint.argument = len(parts)
                constraint.omit = letter in "BDF"
        info.index_string = "".join(parts) or None
        n_rows = self._row_estimate() >> len(parts)
        info.estimated_cost = 6.0 * n_rows
        info.estimated_rows = n_rows
        return None

    def _row_estimate(self) -> int:
        return 1048576

    def open(self) -> Cursor:
        """Makes a cursor."""
        return RtreeCursor(self)

    def auxiliary(self, identifier: int) -> Sequence[Any]:
        """What is stored beside a box; NULLs if that is lost."""
        rows = self.host.execute(self.auxiliary_sql, (identifier,))
        return rows[0] if rows else (None,) * _MAX_AUXILIARY

    # Changes

    def update_insert_row(self, rowid: Any, values: Sequence[Any]) -> int:
        """INSERT: the first column is the rowid; one that is given by that name does not count."""
        self._check_unread()
        n = self.cells.n_coordinates
        box = self._box(values[1 : n + 1])
        if values[0] is None:
            identifier = self._new_rowid()
        else:
            identifier = to_integer(values[0])
            if self.tree.leaf_of(identifier) is not None:
                if self.host.conflict_action() != REPLACE:
                    raise sqlite_error(CONSTRAINT, f"UNIQUE constraint failed: {self.table_name}.{self.names[0]}")
                self.tree.delete(identifier)
        self.tree.insert(identifier, box)
        self._store_auxiliary(identifier, values[n + 1 :])
        return identifier

    def update_delete_row(self, rowid: int) -> None:
        """DELETE."""
        self._check_unread()
        self.tree.delete(rowid)

    def update_change_row(self, rowid: int, new_rowid: Any, values: Sequence[Any]) -> None:
        """UPDATE: the old box goes, the new one comes."""
        self._check_unread()
        n = self.cells.n_coordinates
        box = self._box(values[1 : n + 1])
        # A new id is chosen when the old one is free.
        identifier = to_integer(values[0]) if values[0] is not None else rowid
        if identifier != rowid and self.tree.leaf_of(identifier) is not None:
            if self.host.conflict_action() != REPLACE:
                raise sqlite_error(CONSTRAINT, f"UNIQUE constraint failed: {self.table_name}.{self.names[0]}")
            self.tree.delete(identifier)
        self.tree.delete(rowid)
        if values[0] is None:
            identifier = self._new_rowid()
        self.tree.insert(identifier, box)
        self._store_auxiliary(identifier, values[n + 1 :])

    def _check_unread(self) -> None:
        """While a scan remembers its place in the tree the tree cannot change."""
        if self.n_readers:
            raise sqlite_error(LOCKED, "database table is locked")

    def _box(self, values: Sequence[Any]) -> tuple[float, ...]:
        box = self.cells.coordinates(values)
        for number in range(0, len(box), 2):
            if box[number] > box[number + 1]:
                low, high = self.names[1 + number], self.names[2 + number]
                raise sqlite_error(CONSTRAINT, f"rtree constraint failed: {self.table_name}.({low}<={high})")
        return box

    def _new_rowid(self) -> int:
        largest: int = self.host.execute(self._next_sql)[0][0] or 0
        if largest < _LARGEST_ROWID:
            return largest + 1
        # A free one is found as for any table.
        found = self.host.change(f'INSERT INTO {self.prefix}rowid"(rowid) VALUES(NULL)', ())
        self.host.execute(f'DELETE FROM {self.prefix}rowid" WHERE rowid=?', (found,))
        return found

    def _store_auxiliary(self, rowid: int, values: Sequence[Any]) -> None:
        if self.n_auxiliary:
            self.host.execute(self._set_auxiliary_sql, (*values, rowid))

    # Transactions and the rest

    def rollback(self) -> None:
        """Forgets the nodes in memory."""
        self.tree.forget()

    def rename(self, new_name: str) -> None:
        """Renames the shadow tables."""
        for suffix in ("rowid", "node", "parent"):
            new = f"{new_name}_{suffix}".replace('"', '""')
            self.host.execute(f'ALTER TABLE {self.prefix}{suffix}" RENAME TO "{new}"')

    def destroy(self) -> None:
        """Drops the shadow tables."""
        for suffix in ("node", "rowid", "parent"):
            self.host.execute(f'DROP TABLE {self.prefix}{suffix}"')

    def integrity(self, schema: str, name: str, is_quick: bool) -> str | None:
        """For PRAGMA integrity_check."""
        problems = check_tree(self)
        return f"In RTree {schema}.{name}:\n" + "\n".join(problems) if problems else None


class RtreeCursor(Cursor):
    """One scan, depth first."""

    def __init__(self, table: RtreeTable) -> None:
        self.table = table

    def scan(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterable[tuple[Value, ...]]:
        """The rows that meet the constraints."""
        return chain.from_iterable(self._batches(index_number, index_string, arguments, columns))

    def _batches(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterator[Iterable[tuple[Value, ...]]]:
        """The rows leaf by leaf."""
        table = self.table
        table.n_readers += 1
        try:
            if index_number == 1:
                batches: Iterable[Sequence[Cell]] = [self._by_id(arguments[0])]
            else:
                batches = self._search(index_string or "", arguments)
            n = table.cells.n_coordinates
            if any(number > n for number in columns):
                for cells in batches:
                    yield [self._with_auxiliary(cell, columns) for cell in cells]
                return
            if not columns:
                yield from ([()] * len(cells) for cells in batches)
                return
            picked = operator.itemgetter(*[max(number, 0) for number in columns])
            for cells in batches:
                yield map(picked, cells) if len(columns) > 1 else zip(map(picked, cells))
        finally:
            table.n_readers -= 1

    def _with_auxiliary(self, cell: Cell, columns: Sequence[int]) -> tuple[Value, ...]:
        n = self.table.cells.n_coordinates
        auxiliary = self.table.auxiliary(cell[0])
        return tuple([
            cell[0] if number == ROWID else cell[number] if number <= n else auxiliary[number - n - 1] for number in columns
        ])  # fmt: skip

    def _by_id(self, value: Any) -> list[Cell]:
        rowid = rowid_of(value)
        if rowid is not None:
            cell = self.table.tree.cell_of(rowid)
            if cell is not None:
                return [cell]
        return []

    def _search(self, index_string: str, arguments: Sequence[Any]) -> Iterator[Sequence[Cell]]:
        """The cells of each leaf, depth first through the nodes whose boxes may hold what is looked for."""
        checks: list[tuple[str, int, Any]] = []
        geometries: list[GeometryQuery] = []
        for place, argument in enumerate(arguments):
            letter = index_string[2 * place]
            column = ord(index_string[2 * place + 1]) - ord("0") + 1
            if letter == "F":
                geometries.append(GeometryQuery(parse_geometry(self.table.host, argument), self.table))
                continue
            if isinstance(argument, str):
                argument = apply_numeric(argument)
            if isinstance(argument, (int, float)):
                checks.append((letter, column, argument))
            elif argument is None or letter in "ADE":
                return
        tree = self.table.tree
        if geometries:
            for cell in geometries[0].search(tree, tree.root(), checks, geometries[1:], _may_hold, _holds):
                yield (cell,)
            return
        meeting = filter_of(checks, True)
        holding = filter_of(checks, False)
        nodes = tree.read_nodes()
        if ROOT not in nodes:
            nodes[ROOT] = tree.cells_of(ROOT)
        height, cells_of_root = nodes[ROOT]
        if height > MAX_DEPTH:
            raise corrupt()
        stack = [(iter(cells_of_root if not height else meeting(cells_of_root)), height)]
        while stack:
            cells, height = stack[-1]
            if height == 0:
                stack.pop()
                yield holding(list(cells))
                continue
            for cell in cells:
                node = nodes.get(cell[0])
                if node is None:
                    node = nodes[cell[0]] = tree.cells_of(cell[0])
                below = node[1]
                stack.append((iter(below if height == 1 else meeting(below)), height - 1))
                break
            else:
                stack.pop()


Check = tuple[str, int, Any]


def _holds(cell: Cell, checks: Sequence[Check]) -> bool:
    return all(_COMPARE[letter](cell[column], value) for letter, column, value in checks)


def _may_hold(cell: Cell, checks: Sequence[Check]) -> bool:
    """Whether a row below a cell may meet the constraints: both coordinates of a dimension lie between those of the cell."""
    for letter, column, value in checks:
        low = cell[column - 1 + column % 2]
        high = cell[column + column % 2]
        if letter in "BC":
            if low > value:
                return False
        elif letter in "DE":
            if high < value:
                return False
        elif value < low or value > high:
            return False
    return True


def filter_of(checks: Sequence[Check], is_node: bool) -> Callable[[list[Cell]], list[Cell]]:
    """The function that picks the cells that meet the constraints (rows), or whose boxes may hold what meets them (nodes).

    One pass over the cells for each bound: a comprehension costs less than a call for each cell (benchmarks/fts.py).
    """
    passes: list[tuple[str, int, Any]] = []
    for letter, column, value in checks:
        low, high = (column - 1 + column % 2, column + column % 2) if is_node else (column, column)
        if not is_node:
            passes.append((letter, column, value))
            continue
        if letter in "ABC":
            passes.append(("B", low, value))
        if letter in "ADE":
            passes.append(("D", high, value))

    passes.sort(key=operator.itemgetter(0))
    if [letter for letter, _place, _value in passes] == ["B", "B", "D", "D"]:
        # A window in two dimensions.
        (_, b, right), (_, d, top), (_, a, left), (_, c, bottom) = passes

        def in_window(cells: list[Cell]) -> list[Cell]:
            return [
                cell for cell in cells if cell[a] >= left and cell[b] <= right and cell[c] >= bottom and cell[d] <= top
            ]

        return in_window

    def picked(cells: list[Cell]) -> list[Cell]:
        for letter, place, value in passes:
            if letter == "B":
                cells = [cell for cell in cells if cell[place] <= value]
            elif letter == "D":
                cells = [cell for cell in cells if cell[place] >= value]
            elif letter == "C":
                cells = [cell for cell in cells if cell[place] < value]
            elif letter == "E":
                cells = [cell for cell in cells if cell[place] > value]
            else:
                cells = [cell for cell in cells if cell[place] == value]
        return cells

    return picked
