"""ON CONFLICT clauses of INSERT: which constraint each one answers, and the update of the row in the way.

Source: https://www.sqlite.org/lang_upsert.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.catalog.build import key_column_name, refuse_nulls, strip_collation
from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.assignments import map_assignments
from minisql.planner.constraints import conflicting_key
from minisql.planner.foreign_keys import limit_to_update
from minisql.planner.rows import names_scope, row_source
from minisql.planner.scope import Scope
from minisql.planner.targets import Target, emit_seek_row, key_registers
from minisql.planner.update import Updating, emit_update_row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minisql.catalog.schema import Index, Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.constraints import Write
    from minisql.planner.returning import Returning

_ANY = "any"


def begin_upserts(
    compiler: Compiler,
    target: Target,
    node: ast.Insert,
    write: Write,
    scope: Scope | None,
    returning: Returning | None,
) -> None:
    """Prepares `write` so that its conflicts are handled by the clauses, in their order."""
    table = target.table
    clauses: list[tuple[object, ast.Upsert]] = []
    for number, clause in enumerate(node.upserts, 1):
        answered = _ANY if clause.target is None else _find_constraint(compiler, table, clause, number, len(node.upserts))
        clauses.append((answered, clause))
    if clauses[0][0] is not _ANY:
        write.order = _check_order(target, [answered for answered, _ in clauses if answered is not _ANY])
    elif target.layout.clustered is None:
        # An INTEGER PRIMARY KEY that replaces would go last, but here the clause answers it.
        write.order = (None, *target.layout.indexes)

    def handle(index: Index | None) -> Callable[[], None] | None:
        wanted = None if index is not None and index.is_clustered else index
        for answered, clause in clauses:
            if answered is _ANY or answered is wanted:
                return lambda: _emit_action(compiler, target, node, write, scope, returning, clause, index)
        return None

    write.upsert = handle


def check_conflict_targets(compiler: Compiler, table: Table, alias: str | None, clauses: Sequence[ast.Upsert]) -> None:
    """Raises SQLite's error for a conflict target that is no constraint."""
    for number, clause in enumerate(clauses, 1):
        refuse_nulls(clause.target or ())
        if clause.target_where is not None:
            scratch = compiler.spawn()
            scratch.text = compiler.text
            scratch.emit_expression(clause.target_where, names_scope(table, alias, None))
        if clause.target is not None:
            _find_constraint(compiler, table, clause, number, len(clauses))


def constraints_of(compiler: Compiler, table: Table, clauses: Sequence[ast.Upsert]) -> set[Index | None]:
    """The unique indexes that conflict targets name; None for the rowid or the clustered primary key."""
    return {_find_constraint(compiler, table, clause, number, len(clauses)) for number, clause in enumerate(clauses, 1)}


def _find_constraint(compiler: Compiler, table: Table, clause: ast.Upsert, number: int, n_clauses: int) -> Index | None:
    """The unique index that a conflict target names; None for the rowid or the clustered primary key."""
    stripped = [strip_collation(term.expression) for term in clause.target or ()]
    terms = [term for term, _ in stripped]
    for term in terms:
        name = key_column_name(term)
        if name is not None and name.lower() not in table.column_positions and not _is_rowid(table, term):
            offset = compiler.offset(term.position) if isinstance(term, ast.Column) else -1
            raise sqlite_error(ERROR, f"no such column: {name}", offset)
    if len(terms) == 1 and stripped[0][1] is None and table.rowid_alias >= 0 and _is_column(table, terms[0], table.rowid_alias):
        return None
    if len(terms) == 1 and stripped[0][1] is None and not table.is_without_rowid and _is_rowid(table, terms[0]):
        return None
    for index in table.indexes:
        if not index.is_unique or len(index.columns) != len(terms):
            continue
        if index.where is not None and not (
            clause.target_where is not None and ast.equal(index.where, clause.target_where)
        ):
            continue
        if _matches(table, index, stripped):
            return None if index.is_clustered else index
    which = "" if n_clauses == 1 else f"{_ordinal(number)} "
    raise sqlite_error(ERROR, f"{which}ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint")


def _ordinal(number: int) -> str:
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{suffix}"


def _matches(table: Table, index: Index, terms: Sequence[tuple[ast.Expression, str | None]]) -> bool:
    """Whether every column of the index is a term, which may name the index's own collation but no other.

    SQLite takes no INTEGER PRIMARY KEY for a column of another constraint.
    """
    for column in index.columns:
        if 0 <= column.position == table.rowid_alias:
            return False
        if column.position >= 0:
            if not any(
                _is_column(table, term, column.position)
                and (name is None or name.upper() == column.collation.name.upper())
                for term, name in terms
            ):
                return False
        elif not any(ast.equal(column.expression, term) for term, _ in terms):
            return False
    return True


def _is_column(table: Table, term: ast.Expression, position: int) -> bool:
    name = key_column_name(term)
    return name is not None and table.column_positions.get(name.lower()) == position


def _is_rowid(table: Table, term: ast.Expression) -> bool:
    name = key_column_name(term)
    if name is None or table.is_without_rowid:
        return False
    return name.lower() in ("rowid", "_rowid_", "oid") and name.lower() not in table.column_positions


def _check_order(target: Target, answered: Sequence[object]) -> list[Index | None]:
    """Constraints with a clause come first, in the order of the clauses; then the other indexes, then the rowid."""
    order: list[Index | None] = []
    for constraint in [*answered, *target.layout.indexes, None]:
        if constraint not in order:
            order.append(constraint)  # type: ignore[arg-type]
    return order


def _emit_action(
    compiler: Compiler,
    target: Target,
    node: ast.Insert,
    write: Write,
    scope: Scope | None,
    returning: Returning | None,
    clause: ast.Upsert,
    index: Index | None,
) -> None:
    """DO NOTHING emits nothing; DO UPDATE changes the row that stands in the way.  The caller then leaves the new row."""
    if clause.assignments is None:
        return
    table = target.table
    alias = node.target.alias
    if index is None or index.is_clustered:
        key = key_registers(write.new, table)
    else:
        key = conflicting_key(compiler, target, index)
    # A target of that name hides the row that could not be inserted.
    is_hidden = (alias or table.name).lower() == "excluded"
    excluded = [] if is_hidden else [row_source(table, write.new, "excluded", is_qualified_only=True)]
    for source in excluded:
        source.columns = target.layout.excluded_columns(table)

    def make_scope() -> Scope:
        return Scope([*names_scope(table, alias, None).sources, *excluded], scope)

    assignments = map_assignments(compiler, table, clause.assignments, make_scope)
    if assignments.announcer is not None:
        assignments.announcer.name([clause.where], make_scope())
        assignments.announcer.finish()
    updating = Updating(compiler, table, assignments, op.ON_CONFLICT_ABORT)
    if updating.triggers or updating.may_replace:
        compiler.needs_statement_journal = True
    own = Target(table, target.layout, op.ON_CONFLICT_ABORT)
    own.cursor = target.cursor
    own.index_cursors = target.index_cursors
    own.foreign_keys = limit_to_update(compiler, target.foreign_keys, assignments.changed)
    if target.foreign_keys is not None and (own.foreign_keys is not None or updating.triggers):
        # What the update sets off may mend what it breaks.
        target.foreign_keys.is_single = False
    updating.target = own
    # What PRAGMA count_changes counts are inserted rows.
    updating.returning = None if returning is not None and returning.counter else returning
    row = row_source(table, updating.old, alias)
    emit_seek_row(compiler, own, key, updating.old, write.ignore)
    inner = Scope([row, *excluded], scope)
    if clause.where is not None:
        compiler.emit_condition(clause.where, inner, write.ignore, False, True)
    emit_update_row(compiler, updating, inner, write.ignore)
