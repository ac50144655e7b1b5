"""The fast exit for `INSERT INTO t VALUES (constants)`: a program of an earlier statement with other constants.

Two INSERTs of one row of constants into the same columns of a table differ in nothing but their register templates.  So the
first of them is compiled by the general path and remembered in the table's layout; those that follow copy its template and put
their own values where the row's block begins.  Whatever the values can change in the code is part of the key (is a rowid
given?) or sends the statement to the general path (NULL in a NOT NULL column, a rowid that is no integer, a wrong number of
values), which also reports all errors.

Source: DESIGN, "Front end".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from minisql.bytecode.program import Instruction, Program
from minisql.parser import ast
from minisql.planner.layout import table_layout
from minisql.planner.scope import ROWID_NAMES
from minisql.values.affinity import BLOB, INTEGER, REAL, TEXT, apply_affinity

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.planner.context import PlanContext

# The row's block is the first thing that INSERT asks registers for.
_BASE = 1
_UNCHANGED = {BLOB: (int, str, float, bytes), TEXT: (str, bytes), INTEGER: (int, bytes), REAL: (bytes,)}
_RELEVANT_FLAGS = ("ignore_check_constraints", "foreign_keys", "defer_foreign_keys")


class Prototype:
    """A remembered program: its `code`, `template` and cursors, the schema `generation` it belongs to, and for each value
    (register, affinity, whether NULL is refused, classes that the affinity leaves alone); `rowid_number` is the value that
    is the rowid or -1."""

    __slots__ = ("code", "databases", "flags", "generation", "n_cursors", "needs_journal", "rowid_number", "slots", "template")

    def __init__(self, program: Program, generation: int, flags: tuple[bool | None, ...]) -> None:
        self.code: list[Instruction] = program.code
        self.template = program.template
        self.n_cursors = program.n_cursors
        self.databases = program.write_databases
        self.needs_journal = program.needs_statement_journal
        self.generation = generation
        self.flags = flags
        self.slots: list[tuple[int, int, bool, tuple[type, ...]]] = []
        self.rowid_number = -1


def compile_plain_insert(
    node: ast.Insert, context: PlanContext, compile_general: Callable[[], Program]
) -> Program | None:
    """The program of an INSERT of constants; None when the statement needs the general path."""
    select = node.select
    if (
        select is None
        or node.conflict is not None
        or node.upserts
        or node.returning is not None
        or node.with_clause is not None
        or len(select.cores) != 1
        or select.order_by is not None
        or select.limit is not None
        or select.with_clause is not None
    ):
        return None
    core = select.cores[0]
    if core.__class__ is not ast.Values or len(core.rows) != 1:
        return None
    values = core.rows[0]
    for value in values:
        if value.__class__ is not ast.Literal:
            return None
    table = context.catalog.find_table(node.target.name, node.target.schema)
    if table is None or table.triggers or context.authorizer is not None:
        return None
    prototypes = table_layout(table).prototypes if table.view is None and table.module is None else None
    if prototypes is None:
        return None
    key = None if node.columns is None else tuple(node.columns)
    prototype = prototypes.get(key)
    flags = context.flags
    relevant = tuple([flags.get(name) for name in _RELEVANT_FLAGS])
    if (
        prototype is None
        or prototype.generation != context.catalog.generation  # type: ignore[attr-defined]
        or prototype.flags != relevant  # type: ignore[attr-defined]
    ):
        if not flags.get("minisql_fast_path", True) or not _is_plain(table, key, values):
            return None
        program = compile_general()
        prototypes[key] = _prototype(program, table, key, context.catalog.generation, relevant)
        return program
    assert isinstance(prototype, Prototype), "nothing else is remembered there"
    return _filled(prototype, values)


def _filled(prototype: Prototype, values: list[ast.Expression]) -> Program | None:
    slots = prototype.slots
    if len(slots) != len(values):
        return None
    rowid_number = prototype.rowid_number
    if rowid_number >= 0 and values[rowid_number].value.__class__ is not int:  # type: ignore[attr-defined]
        return None
    template = prototype.template.copy()
    for (register, kind, refuses_null, unchanged), node in zip(slots, values):
        value = node.value  # type: ignore[attr-defined]
        if value is None:
            if refuses_null:
                return None
        elif value.__class__ not in unchanged:
            value = apply_affinity(value, kind)
        template[register] = value
    program = Program(prototype.code, template, prototype.n_cursors, (), "insert")
    program.readonly = False
    program.read_databases = program.write_databases = prototype.databases
    program.needs_statement_journal = prototype.needs_journal
    return program


def _is_plain(table: Table, names: tuple[str, ...] | None, values: list[ast.Expression]) -> bool:
    """Whether a program for these values may serve as a prototype."""
    layout = table_layout(table)
    if layout.copies or table.name[:7].lower() == "sqlite_":
        return False
    positions = _positions(table, names)
    if positions is None or len(positions) != len(values) or len(set(positions)) != len(positions):
        return False
    for position, node in zip(positions, values):
        value = node.value  # type: ignore[attr-defined]
        if position == table.rowid_alias:
            if value.__class__ is not int:
                return False
        elif value is None and table.columns[position].is_not_null:
            return False
    return True


def _positions(table: Table, names: tuple[str, ...] | None) -> tuple[int, ...] | None:
    """The columns that the values go to; None if there is something special about them."""
    layout = table_layout(table)
    if names is None:
        return layout.insertable
    positions = []
    for name in names:
        position = table.column_positions.get(name.lower())
        if position is None or table.columns[position].generated is not None or name.lower() in ROWID_NAMES:
            return None
        positions.append(position)
    return tuple(positions)


def _prototype(
    program: Program, table: Table, names: tuple[str, ...] | None, generation: int, flags: tuple[bool | None, ...]
) -> Prototype:
    prototype = Prototype(program, generation, flags)
    layout = table_layout(table)
    for number, position in enumerate(_positions(table, names) or ()):
        column = table.columns[position]
        kind = max(column.affinity, BLOB)
        if position == table.rowid_alias:
            prototype.rowid_number = number
        prototype.slots.append(
            (_BASE + layout.offsets[position], kind, column.is_not_null, _UNCHANGED.get(kind, (int, bytes)))
        )
    return prototype
