"""Short ways to the rows that an UPDATE or DELETE changes: one row by its rowid or a unique key, or a scan.

Source: https://www.sqlite.org/lang_update.html, https://www.sqlite.org/optoverview.html section 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.parser import ast
from minisql.planner.rows import emit_virtual_columns
from minisql.planner.scope import ROWID, ROWID_NAMES
from minisql.values import affinity

if TYPE_CHECKING:
    from minisql.catalog.schema import Index, IndexColumn, Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.layout import RowRegisters
    from minisql.planner.scope import Scope
    from minisql.planner.targets import Target



class RowChoice:
    """At most one row: its rowid (`index` None) or the key of a unique `index` must equal `values`, and `rest` must hold."""

    __slots__ = ("index", "rest", "values")

    def __init__(self, index: Index | None, values: list[ast.Expression], rest: list[ast.Expression]) -> None:
        self.index = index
        self.values = values
        self.rest = rest


def choose_row(
    compiler: Compiler, table: Table, target: ast.TableSource, where: ast.Expression | None
) -> RowChoice | None:
    """Finds `rowid = value`, or such terms for all columns of a unique index, where the values are the same for all rows."""
    if where is None or target.indexed_by is not None or not compiler.uses_fast_path:
        return None
    terms = where.terms if isinstance(where, ast.And) else [where]
    equal: dict[int, tuple[int, ast.Expression]] = {}
    for number, term in enumerate(terms):
        if isinstance(term, ast.Binary) and term.operator == "=":
            for side, value in ((term.left, term.right), (term.right, term.left)):
                position = _position(table, target, side)
                if position is not None and _is_plain(value):
                    if position == ROWID:
                        return RowChoice(None, [value], terms[:number] + terms[number + 1 :])
                    equal.setdefault(position, (number, value))
    if not equal or target.is_not_indexed:
        return None
    for index in table.indexes:
        if index.is_unique and index.where is None and all(_is_served(table, column, equal) for column in index.columns):
            used = {equal[column.position][0] for column in index.columns}
            rest = [term for number, term in enumerate(terms) if number not in used]
            return RowChoice(index, [equal[column.position][1] for column in index.columns], rest)
    return None


def _is_plain(value: ast.Expression) -> bool:
    """A constant or parameter: it has no affinity and no collation of its own."""
    return isinstance(value, (ast.Literal, ast.Variable))


def _is_served(table: Table, column: IndexColumn, equal: dict[int, tuple[int, ast.Expression]]) -> bool:
    """Whether the index compares the column as `=` does."""
    position = column.position
    return position in equal and column.collation_name.upper() == table.columns[position].collation.upper()


def _position(table: Table, target: ast.TableSource, node: ast.Expression) -> int | None:
    """The column of the target that a name means, ROWID for the rowid and its alias; None for anything else."""
    if not isinstance(node, ast.Column) or node.schema is not None:
        return None
    if node.table is not None and node.table.lower() != (target.alias or target.name).lower():
        return None
    position = table.column_positions.get(node.name.lower())
    if position is None:
        return ROWID if not table.is_without_rowid and node.name.lower() in ROWID_NAMES else None
    return ROWID if position == table.rowid_alias else position


def explain_choice(compiler: Compiler, table: Table, name: str, choice: RowChoice | None) -> None:
    """The line of EXPLAIN QUERY PLAN for a chosen row, or (None) for a scan of the table."""
    if not compiler.wants_explain:
        return
    if choice is None:
        compiler.explain(f"SCAN {name}")
    elif choice.index is None:
        compiler.explain(f"SEARCH {name} USING INTEGER PRIMARY KEY (rowid=?)")
    else:
        index = choice.index
        terms = " AND ".join(f"{table.columns[column.position].name}=?" for column in index.columns)
        kind = "PRIMARY KEY" if index.is_clustered else f"INDEX {index.name}"
        compiler.explain(f"SEARCH {name} USING {kind} ({terms})")


def emit_chosen_row(
    compiler: Compiler,
    target: Target,
    row: RowRegisters,
    choice: RowChoice,
    scope: Scope,
    emit_body: Callable[[int], None],
) -> None:
    """Seeks the row, tests the other terms, runs the body once; the body gets the label that skips it."""
    table = target.table
    emit = compiler.emit
    done = compiler.label()
    index = choice.index
    if index is None:
        emit(op.SeekRowid, target.cursor, done, row.base, compiler.emit_expression(choice.values[0], scope))
    else:
        key = _emit_key(compiler, table, index, choice.values, scope, done)
        if index.is_clustered:
            emit(op.NotFound, target.cursor, done, row.base, key)
        else:
            _emit_seek_by_entry(compiler, target, index, key, row, done)
    if not table.is_without_rowid and target.layout.rowid_offset < 0:
        emit(op.Rowid, target.cursor, row.rowid)
    emit_virtual_columns(compiler, table, row)
    for other in choice.rest:
        compiler.emit_condition(other, scope, done, False, True)
    emit_body(done)
    compiler.place(done)


def _emit_key(
    compiler: Compiler, table: Table, index: Index, values: list[ast.Expression], scope: Scope, done: int
) -> tuple[int, ...]:
    """The index key with the columns' affinities, as `=` applies them; NULL equals nothing."""
    first = compiler.registers(len(values))
    kinds = []
    for offset, (column, value) in enumerate(zip(index.columns, values)):
        compiler.emit_expression(value, scope, first + offset)
        compiler.emit(op.IsNull, first + offset, done)
        kind = table.columns[column.position].affinity
        kinds.append(affinity.NUMERIC if kind >= affinity.NUMERIC else kind)
    if any(kind > affinity.BLOB for kind in kinds):
        compiler.emit(op.Affinity, first, p4=tuple(kinds))
    return tuple(range(first, first + len(values)))


def _emit_seek_by_entry(
    compiler: Compiler, target: Target, index: Index, key: tuple[int, ...], row: RowRegisters, done: int
) -> None:
    """From an index entry to the row."""
    emit = compiler.emit
    table = target.table
    cursor = target.index_cursors.get(index)
    if cursor is None:
        cursor = compiler.builder.cursor()
        emit(op.OpenRead, cursor, index.root_page, table.schema_index, index.shape)
    emit(op.NotFound, cursor, done, 0, key)
    if not table.is_without_rowid:
        rowid = compiler.register()
        emit(op.IdxRowid, cursor, rowid)
        emit(op.SeekRowid, target.cursor, done, row.base, rowid)
        return
    clustered = target.layout.clustered
    assert clustered is not None, "the table has no rowid"
    fields = {(column.position, column.collation_name.upper()): field for field, column in enumerate(index.entry_columns)}
    registers = []
    for column in clustered.columns:
        register = compiler.register()
        emit(op.Column, cursor, fields[column.position, column.collation_name.upper()], register)
        registers.append(register)
    emit(op.NotFound, target.cursor, done, row.base, tuple(registers))


_COMPARISONS = frozenset(("=", "<", "<=", ">", ">=", "IS"))


def _searchable_names(where: ast.Expression) -> set[str]:
    """The lower-case names of columns that are compared as they are, in any term of ANDs and ORs: an index may serve them."""
    names: set[str] = set()
    pending = [where]
    while pending:
        term = pending.pop()
        operands: list[ast.Expression] = []
        if isinstance(term, (ast.And, ast.Or)):
            pending.extend(term.terms)
        elif isinstance(term, ast.Binary):
            if term.operator in _COMPARISONS:
                operands = [term.left, term.right]
        elif isinstance(term, (ast.Between, ast.InList, ast.InSelect, ast.InTable, ast.IsNull, ast.NotNull, ast.Like)):
            operands = [term.operand]
        for operand in operands:
            while isinstance(operand, ast.Collate) or (isinstance(operand, ast.Unary) and operand.operator == "+"):
                operand = operand.operand
            if isinstance(operand, ast.Column):
                names.add(operand.name.lower())
            elif isinstance(operand, ast.RowValue):
                names.update(item.name.lower() for item in operand.items if isinstance(item, ast.Column))
    return names


def may_use_index(compiler: Compiler, table: Table, where: ast.Expression | None) -> bool:
    """Tells whether an index or the rowid may lead the search for rows, so that a plain scan would be a waste."""
    if not compiler.uses_fast_path:
        return True
    if where is None:
        return False
    names = _searchable_names(where)
    if names & ROWID_NAMES or (table.rowid_alias >= 0 and table.columns[table.rowid_alias].name.lower() in names):
        return True
    for index in table.indexes:
        first = index.columns[0]
        if first.position < 0 or table.columns[first.position].name.lower() in names:
            return True
    return False
