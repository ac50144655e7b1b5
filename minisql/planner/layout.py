"""How the rows of a table lie in registers while a statement changes them.

A row that is being written, or that was read in order to be changed, is a block of consecutive registers: first the stored
columns in the order of the record (so that Insert takes them as they lie and a cursor loads them as they come), then the
virtual columns.  The rowid has a register of its own, except that an INTEGER PRIMARY KEY column and the rowid share one.

`TableLayout` holds what can be known of a table once and for all; it is made on first use and kept in `Table.layout`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from minisql.catalog.build import constant_value
from minisql.catalog.schema import Column
from minisql.planner.references import referenced_names
from minisql.values import affinity

if TYPE_CHECKING:
    from minisql.bytecode.builder import ProgramBuilder
    from minisql.catalog.schema import Table


class TableLayout:
    """What DML needs to know of one table.

    `offsets[position]` places a table column in the block; `n_stored` registers are the record, `n_block` includes virtual
    columns; `rowid_offset` is the INTEGER PRIMARY KEY's or -1; `affinities` has one item per stored register, or is None when
    no column changes a value; `not_null` and `generated` list column positions (the latter in the order in which they
    can be computed); `copies` are (from, to) offsets of a key column that a WITHOUT ROWID table stores twice (it is in the
    key with two collations); `constant_defaults` and `computed_defaults` divide the columns with a DEFAULT; `indexes` are
    the secondary indexes in the order in which SQLite checks them, and `entries` the block offsets of the entries of those
    without expressions (a rowid that no column holds counts as 0, it is the last item); `field_maps` remembers how the column
    lists of INSERTs map to columns, `prototypes` belongs to plain_insert.
    """

    __slots__ = (
        "_bare_columns",
        "_excluded_columns",
        "affinities",
        "clustered",
        "computed_defaults",
        "constant_defaults",
        "copies",
        "entries",
        "field_maps",
        "generated",
        "has_virtual",
        "indexes",
        "insertable",
        "known_indexes",
        "n_block",
        "n_stored",
        "not_null",
        "offsets",
        "prototypes",
        "rowid_offset",
        "strict_types",
    )

    def __init__(self, table: Table) -> None:
        columns = table.columns
        stored = table.storage_columns or [i for i, column in enumerate(columns) if not _is_virtual(column)]
        offsets = [-1] * len(columns)
        copies = []
        for offset, position in enumerate(stored):
            if offsets[position] < 0:
                offsets[position] = offset
            else:
                copies.append((offsets[position], offset))
        self.copies = tuple(copies)
        self.n_stored = len(stored)
        following = self.n_stored
        for position in range(len(columns)):
            if offsets[position] < 0:
                offsets[position] = following
                following += 1
        self.n_block = following
        self.has_virtual = following > self.n_stored
        self.offsets = tuple(offsets)
        self.rowid_offset = offsets[table.rowid_alias] if table.rowid_alias >= 0 else -1
        kinds = tuple(_stored_affinity(columns[position]) for position in stored)
        self.affinities = kinds if any(kind != affinity.BLOB for kind in kinds) else None
        self.not_null = tuple(
            position
            for position, column in enumerate(columns)
            if column.is_not_null and position != table.rowid_alias
        )
        self.generated = _generated_order(table)
        self.insertable = tuple(
            position for position, column in enumerate(columns) if column.generated is None and column.hidden == 0
        )
        self.strict_types = (
            tuple((columns[position].declared_type.upper(), columns[position].name, table.name) for position in stored)
            if table.is_strict
            else None
        )
        self.clustered = next((index for index in table.indexes if index.is_clustered), None)
        self.constant_defaults: dict[int, object] = {}
        self.computed_defaults: set[int] = set()
        for position, column in enumerate(columns):
            if column.default is not None:
                is_constant, _ = constant_value(column.default)
                if is_constant:
                    self.constant_defaults[position] = column.default_value
                else:
                    self.computed_defaults.add(position)
        self.known_indexes = tuple(table.indexes)
        self._bare_columns, self._excluded_columns = cast("tuple[list[Column], list[Column]]", ([], []))
        self.indexes = tuple(index for index in table.indexes if not index.is_clustered)
        self.entries = {
            index: tuple(
                offsets[column.position] if column.position >= 0 else max(self.rowid_offset, 0)
                for column in index.entry_columns
            )
            for index in self.indexes
            if all(column.expression is None for column in index.columns)
        }
        self.prototypes: dict[tuple[str, ...] | None, object] = {}
        self.field_maps: dict[tuple[str, ...], tuple[tuple[int, ...], dict[int, int]]] = {}

    def bare_columns(self, table: Table) -> list[Column]:
        """The columns as OLD and NEW have them: without affinity, except the INTEGER PRIMARY KEY.

        Source: found by experiment; no document says so.
        """
        if not self._bare_columns:
            for position, column in enumerate(table.columns):
                kind = affinity.INTEGER if position == table.rowid_alias else affinity.NONE
                self._bare_columns.append(_bare(column, kind, column.collation))
        return self._bare_columns

    def excluded_columns(self, table: Table) -> list[Column]:
        """The columns as `excluded` has them: plain values, with neither affinity nor collation ("").

        Source: found by experiment; no document says so.
        """
        if not self._excluded_columns:
            self._excluded_columns = [_bare(column, affinity.NONE, "") for column in table.columns]
        return self._excluded_columns


def _bare(column: Column, kind: int, collation: str) -> Column:
    bare = Column(column.name, column.declared_type, kind)
    bare.collation = collation
    bare.hidden = column.hidden
    return bare


def table_layout(table: Table) -> TableLayout:
    """The layout of a table, from its cache slot; made again when indexes have come or gone."""
    layout = cast("TableLayout | None", table.layout)
    if layout is None or layout.known_indexes != tuple(table.indexes):
        layout = TableLayout(table)
        table.layout = layout
    return layout


class RowRegisters:
    """One row in registers: `base` of the block and the register of the `rowid`.

    `json_columns` are those whose text is known to be JSON, which a JSON function that gets them must know.
    """

    __slots__ = ("base", "json_columns", "layout", "rowid")

    def __init__(self, layout: TableLayout, base: int, rowid: int) -> None:
        self.layout = layout
        self.base = base
        self.rowid = rowid
        self.json_columns: frozenset[int] = frozenset()

    def column(self, position: int) -> int:
        """The register of a table column."""
        return self.base + self.layout.offsets[position]

    def column_registers(self) -> list[int]:
        """The registers of all table columns, in the table's order."""
        base = self.base
        return [base + offset for offset in self.layout.offsets]

    def all_registers(self) -> tuple[int, ...]:
        """The block and the rowid: what a sub-program gets as its arguments, see `allocate_row`."""
        base = self.base
        block = tuple(range(base, base + self.layout.n_block))
        return block if self.layout.rowid_offset >= 0 else (*block, self.rowid)


def allocate_row(builder: ProgramBuilder, layout: TableLayout) -> RowRegisters:
    """Registers for one row: the block, then the rowid unless a column holds it."""
    base = builder.registers(layout.n_block)
    rowid = base + layout.rowid_offset if layout.rowid_offset >= 0 else builder.register()
    return RowRegisters(layout, base, rowid)


def _is_virtual(column: Column) -> bool:
    return column.generated is not None and not column.is_stored


def _stored_affinity(column: Column) -> int:
    return column.affinity if column.affinity > affinity.BLOB else affinity.BLOB


def _generated_order(table: Table) -> tuple[int, ...]:
    """Generated columns so that each stands behind those that it is computed from."""
    pending = [position for position, column in enumerate(table.columns) if column.generated is not None]
    if len(pending) < 2:
        return tuple(pending)
    names = {position: referenced_names(table.columns[position].generated) for position in pending}
    order: list[int] = []
    while pending:
        waiting = {table.columns[position].name.lower() for position in pending}
        ready = [position for position in pending if not (names[position] & waiting)]
        if not ready:  # a loop: CREATE TABLE lets it pass, the statement that computes it reports it
            ready = pending[:]
        order.extend(ready)
        pending = [position for position in pending if position not in ready]
    return tuple(order)
