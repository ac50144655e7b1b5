"""The SET clause: which columns get which values.

Source: https://www.sqlite.org/lang_update.html section 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import ERROR, Error, sqlite_error
from minisql.limits import COLUMN
from minisql.parser import ast
from minisql.planner.announcing import Announcer
from minisql.planner.authorization import UPDATE, allows
from minisql.planner.expressions import row_operands, row_size
from minisql.planner.references import referenced_names
from minisql.planner.scope import ROWID_NAMES, Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.layout import RowRegisters

ROWID = -1


class Assignments:
    """A SET clause.  `items` are (positions, expression) pairs, several positions for a row subquery; ROWID for the rowid.

    `names` are the lower-case names set (for UPDATE OF); `assigned` the positions set, `changed` those and the generated
    columns that depend on them; `expressions` one scalar per assigned column, as UPDATE FROM needs them.
    """

    __slots__ = (
        "announcer", "assigned", "changed", "is_key_changed", "items", "names", "sets_rowid", "superseded",
        "table",
    )  # fmt: skip

    def __init__(self, table: Table, items: list[tuple[tuple[int, ...], ast.Expression]], names: set[str]) -> None:
        self.table = table
        self.items = items
        self.names = names
        self.superseded: list[ast.Expression] = []
        # While an authorizer is set: what has announced the values, and goes on with WHERE.
        self.announcer: Announcer | None = None
        self.assigned = {position for positions, _ in items for position in positions}
        alias = table.rowid_alias
        self.sets_rowid = ROWID in self.assigned or alias in self.assigned
        self.assigned.discard(ROWID)
        if self.sets_rowid and alias >= 0:
            self.assigned.add(alias)
        self.changed = _with_dependents(table, self.assigned)
        self.is_key_changed = self.sets_rowid or (
            table.is_without_rowid and any(position in self.assigned for position in table.primary_key)
        )

    @property
    def expressions(self) -> list[ast.Expression]:
        """The values one by one, for UPDATE FROM to gather."""
        return [single for positions, expression in self.items for single in _scalars(positions, expression)]

    def emit_values(self, compiler: Compiler, new: RowRegisters, scope: Scope, given: Sequence[int] | None) -> None:
        """Puts the values into the new row, computed in `scope` or taken from the registers `given`."""
        number = 0
        for expression in self.superseded:
            # Does nothing, but must mean something.
            compiler.emit_expression(expression, scope)
        for positions, expression in self.items:
            registers = [new.rowid if position == ROWID else new.column(position) for position in positions]
            if given is not None:
                for register in registers:
                    compiler.emit(op.SCopy, given[number], register)
                    number += 1
            elif len(registers) == 1:
                compiler.emit_expression(expression, scope, registers[0])
            else:
                for operand, register in zip(row_operands(compiler, expression, scope), registers):
                    compiler.emit(op.SCopy, operand[0], register)


def _scalars(positions: tuple[int, ...], expression: ast.Expression) -> list[ast.Expression]:
    if len(positions) == 1 or not isinstance(expression, ast.ScalarSubquery):
        return [expression]
    return [ast.ScalarSubquery(_one_column(expression.select, number, len(positions))) for number in range(len(positions))]


def _one_column(select: ast.Select, number: int, width: int) -> ast.Select:
    """The SELECT with only its n-th result column (of `width`)."""
    if any(isinstance(core, ast.Core) and len(core.columns) != width for core in select.cores):
        # What a star stands for gets names.
        names = [f"column{n}" for n in range(width)]
        rows = ast.With(False, [ast.CommonTable("rows", names, select, None, -1)])
        source = ast.TableSource("rows", None, None, None, False, -1, None)
        column = ast.ResultColumn(ast.Column(names[number], None, None, False, -1), None, 0, 0)
        return ast.Select([ast.Core([column], False, [source], None, None, None, None)], [], None, None, None, rows)
    cores: list[ast.Core | ast.Values] = []
    for core in select.cores:
        if isinstance(core, ast.Values):
            cores.append(ast.Values([[row[number]] for row in core.rows]))
        else:
            cores.append(
                ast.Core(
                    [core.columns[number]],
                    core.is_distinct,
                    core.sources,
                    core.where,
                    core.group_by,
                    core.having,
                    core.windows,
                )
            )
    return ast.Select(cores, select.operators, select.order_by, select.limit, select.offset, select.with_clause)


def map_assignments(
    compiler: Compiler,
    table: Table,
    assignments: Sequence[ast.Assignment],
    make_scope: Callable[[], Scope] | None = None,
) -> Assignments:
    """Finds the columns; the rightmost of several assignments to one column counts.

    `make_scope` makes a scope in which the values could be resolved, for the order of errors.
    """
    if sum(len(assignment.columns) for assignment in assignments) > compiler.context.limits[COLUMN]:
        raise sqlite_error(ERROR, "too many columns in set list")
    items: list[tuple[tuple[int, ...], ast.Expression]] = []
    announcer = Announcer(compiler) if compiler.authorized is not None else None
    names: set[str] = set()
    for number, assignment in enumerate(assignments):
        columns = assignment.columns
        expression = assignment.expression
        is_subquery = isinstance(expression, ast.ScalarSubquery)
        if assignment.is_row and not is_subquery:
            _check_width(compiler, assignment, make_scope)
        try:
            positions = tuple(_position(table, name) for name in columns)
        except Error:
            # What is wrong with the values up to here is reported first.
            if make_scope is not None:
                resolve_values(compiler, assignments[: number + 1], make_scope())
            raise
        if assignment.is_row and is_subquery:
            _check_width(compiler, assignment, make_scope)
        names.update(name.lower() for name in columns)
        if announcer is not None:
            if make_scope is not None:
                announcer.name([expression], make_scope())
            if not _allows_update(compiler, table, positions):
                continue
        if isinstance(expression, ast.RowValue) and assignment.is_row:
            items.extend(((position,), item) for position, item in zip(positions, expression.items))
        else:
            items.append((positions, expression))
    kept, superseded = _rightmost(items)
    result = Assignments(table, kept, names)
    result.superseded = superseded
    result.announcer = announcer
    return result


def _check_width(compiler: Compiler, assignment: ast.Assignment, make_scope: Callable[[], Scope] | None) -> None:
    """`(a, b) = ...` needs as many values.  SQLite knows the width of a subquery only after it has looked for the columns."""
    n = len(assignment.columns)
    if n == 1 and not isinstance(assignment.expression, ast.RowValue):
        return
    size = _width(compiler, assignment.expression, make_scope)
    if size != n:
        raise sqlite_error(ERROR, f"{n} columns assigned {size} values")


def _width(compiler: Compiler, expression: ast.Expression, make_scope: Callable[[], Scope] | None) -> int:
    """How many values an expression gives; a subquery without stars need not be bound to know."""
    if isinstance(expression, ast.ScalarSubquery):
        core = expression.select.cores[0]
        if isinstance(core, ast.Values):
            return len(core.rows[0])
        if all(isinstance(column, ast.ResultColumn) for column in core.columns):
            return len(core.columns)
    return row_size(compiler, expression, make_scope() if make_scope is not None else Scope([]))


def resolve_values(compiler: Compiler, assignments: Sequence[ast.Assignment], scope: Scope) -> None:
    """Emits the values only so that their names are looked up."""
    for assignment in assignments:
        expression = assignment.expression
        for value in expression.items if isinstance(expression, ast.RowValue) else [expression]:
            if isinstance(value, ast.ScalarSubquery):
                row_operands(compiler, value, scope)
            else:
                compiler.emit_expression(value, scope)


def _allows_update(compiler: Compiler, table: Table, positions: tuple[int, ...]) -> bool:
    """Asks the authorizer for every column; one that is to be ignored keeps its value."""
    names = ["ROWID" if position == ROWID else table.columns[position].name for position in positions]
    return all([allows(compiler, UPDATE, table.name, name, table.schema_name) for name in names])


def _rightmost(
    items: list[tuple[tuple[int, ...], ast.Expression]],
) -> tuple[list[tuple[tuple[int, ...], ast.Expression]], list[ast.Expression]]:
    """The assignments that count, and the expressions of the others."""
    taken: set[int] = set()
    kept = []
    superseded = []
    for positions, expression in reversed(items):
        if len(positions) == 1 and positions[0] in taken:
            superseded.append(expression)
            continue
        taken.update(positions)
        kept.append((positions, expression))
    kept.reverse()
    return kept, superseded


def _position(table: Table, name: str) -> int:
    lowered = name.lower()
    position = table.column_positions.get(lowered)
    if position is None:
        if lowered in ROWID_NAMES and not table.is_without_rowid and table.view is None:
            return ROWID
        raise sqlite_error(ERROR, f"no such column: {name}")
    if table.columns[position].generated is not None:
        raise sqlite_error(ERROR, f'cannot UPDATE generated column "{table.columns[position].name}"')
    return position


def _with_dependents(table: Table, assigned: set[int]) -> set[int]:
    changed = set(assigned)
    if not table.has_generated:
        return changed
    names = {table.columns[position].name.lower() for position in changed}
    is_growing = True
    while is_growing:
        is_growing = False
        for position, column in enumerate(table.columns):
            if column.generated is not None and position not in changed and names & referenced_names(column.generated):
                changed.add(position)
                names.add(column.name.lower())
                is_growing = True
    return changed
