"""Free literals: those whose value changes nothing in a program but the constants that it holds.

A literal is free where it is compared with a column in WHERE: `column op literal`, `column BETWEEN literal AND literal`,
`column IN (literals)`, below any AND, OR, NOT and IN or EXISTS with a subquery; and where it is a value of a column in a
one-row INSERT or in UPDATE, unless the column's affinity may make an integer of it; UPDATE may add it to a column as well, or
compute with it in another way.  What the planner decides there depends on the class of the value, and on whether it is 0, 1 or
-1.

Arithmetic of literals may stand in a comparison too: see `literal_arithmetic`.

Everywhere else a literal may mean more than its value: a column's number in ORDER BY, a name, a limit, a pattern.  So it may
where what it is compared with is not the column of a plain table: a view or a subquery may have a constant for a column, a
partial index or an index on an expression may be matched.

Source: https://www.sqlite.org/optoverview.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from minisql.parser import ast
from minisql.planner.literal_arithmetic import numbers_in
from minisql.values.affinity import BLOB, REAL

if TYPE_CHECKING:
    from minisql.catalog.schema import Catalog

_COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">="))
_ARITHMETIC = frozenset(("+", "-", "*", "/", "%"))
_KEEPING_REALS = frozenset((BLOB, REAL))
_CONSTANT_NAMES = frozenset(("true", "false"))


Computed: TypeAlias = "list[tuple[ast.Expression, str]]"
"""Nodes with the names of those attributes that are arithmetic of literals."""


def free_literals(statement: ast.Statement, catalog: Catalog, computed: Computed) -> list[object]:
    """The values of all free literals of a statement; none for one that is no plain SELECT, INSERT, UPDATE or DELETE.

    Adds to `computed` where conditions compare a column with arithmetic of literals, which are not among the answer.
    """
    conditions: list[ast.Expression] = []
    values: list[object] = []
    if isinstance(statement, ast.Select):
        if not _add_conditions(statement, catalog, conditions):
            return []
    elif isinstance(statement, (ast.Update, ast.Delete)):
        if statement.with_clause is not None or not _is_plain(statement.target, catalog):
            return []
        if isinstance(statement, ast.Update):
            if statement.sources:
                return []
            for assignment in statement.assignments:
                if len(assignment.columns) == 1 and assignment.expression.__class__ is ast.Binary:
                    values += _computed_with(assignment.expression)
                elif len(assignment.columns) == 1:
                    values += _stored(assignment.columns[0], assignment.expression, statement.target, catalog)
        if statement.where is not None:
            conditions.append(statement.where)
    elif isinstance(statement, ast.Insert):
        return _inserted(statement, catalog)
    else:
        return []
    while conditions:
        node = conditions.pop()
        if isinstance(node, (ast.And, ast.Or)):
            conditions += node.terms
        elif isinstance(node, ast.Unary):
            if node.operator == "NOT":
                conditions.append(node.operand)
        elif isinstance(node, (ast.InSelect, ast.Exists)):
            if not _add_conditions(node.select, catalog, conditions):
                return []
        else:
            values += _compared(node, computed)
    return values


def _add_conditions(select: ast.Select, catalog: Catalog, conditions: list[ast.Expression]) -> bool:
    """Adds the conditions of a SELECT; False if its FROM has anything but plain tables."""
    if select.with_clause is not None:
        return False
    for core in select.cores:
        if not isinstance(core, ast.Core) or not all([_is_plain(item, catalog) for item in core.sources]):
            return False
        if core.where is not None:
            conditions.append(core.where)
    return True


def _is_plain(item: ast.FromItem, catalog: Catalog) -> bool:
    """Whether a FROM item is a stored table all of whose columns are stored, with indexes on columns over all of its rows."""
    if not isinstance(item, ast.TableSource):
        return False
    table = catalog.find_table(item.name, item.schema)
    if table is None or table.view is not None or table.module is not None or table.has_generated:
        return False
    return all(
        [index.where is None and all([column.position != -2 for column in index.columns]) for index in table.indexes]
    )


def _inserted(statement: ast.Insert, catalog: Catalog) -> list[object]:
    """The values of an INSERT of one row."""
    select = statement.select
    if statement.with_clause is not None or statement.upserts or select is None or select.with_clause is not None:
        return []
    core = select.cores[0]
    if len(select.cores) > 1 or not isinstance(core, ast.Values) or len(core.rows) > 1:
        return []
    target = statement.target
    table = catalog.find_table(target.name, target.schema) if _is_plain(target, catalog) else None
    if table is None:
        return []
    names = statement.columns
    if names is None:
        names = [column.name for column in table.columns]
    if len(names) != len(core.rows[0]) or len({name.lower() for name in names}) < len(names):
        return []
    values: list[object] = []
    for name, expression in zip(names, core.rows[0]):
        values += _stored(name, expression, target, catalog)
    return values


def _stored(name: str, expression: ast.Expression, target: ast.TableSource, catalog: Catalog) -> list[object]:
    """The value that goes to a column, unless the column may make a value of another class of it, depending on the value."""
    table = catalog.find_table(target.name, target.schema)
    if not isinstance(expression, ast.Literal) or table is None:
        return []
    position = table.column_positions.get(name.lower())
    if position is None:
        return []
    if expression.value.__class__ is float and table.columns[position].affinity not in _KEEPING_REALS:
        return []
    return [expression.value]


def _computed_with(expression: ast.Expression) -> list[object]:
    """The values that are added to a column, multiplied with it and so on: whatever they are, it is computed for each row."""
    values: list[object] = []
    pending = [expression]
    while pending:
        node = pending.pop()
        if not isinstance(node, ast.Binary) or node.operator not in _ARITHMETIC:
            continue
        sides = node.left, node.right
        if all(isinstance(side, ast.Literal) for side in sides):
            # Computed when it is compiled.
            return []
        for side in sides:
            if isinstance(side, ast.Literal):
                values.append(side.value)
            elif isinstance(side, ast.Binary) or _is_column(side):
                pending.append(side)
            else:
                return []
    return values


def _compared(node: ast.Expression, computed: Computed) -> list[object]:
    """The values that a comparison compares a column with."""
    values: list[object]
    if isinstance(node, ast.Binary):
        if node.operator in _COMPARISONS:
            if _is_column(node.left):
                return _values_of(node, ("right",), computed)
            if _is_column(node.right):
                return _values_of(node, ("left",), computed)
    elif isinstance(node, ast.Between):
        if _is_column(node.operand):
            return _values_of(node, ("low", "high"), computed)
    elif isinstance(node, ast.InList) and _is_column(node.operand):
        values = [item.value for item in node.items if isinstance(item, ast.Literal)]
        if len(values) == len(node.items):
            return values
    return []


def _values_of(node: ast.Expression, names: tuple[str, ...], computed: Computed) -> list[object]:
    """The literals among some attributes of a node, all of which have to be literals or arithmetic of them."""
    values: list[object] = []
    places: Computed = []
    for name in names:
        operand = getattr(node, name)
        if isinstance(operand, ast.Literal):
            values.append(operand.value)
        elif numbers_in(operand):
            places.append((node, name))
        else:
            return []
    computed += places
    return values


def _is_column(node: ast.Expression) -> bool:
    return isinstance(node, ast.Column) and not node.is_double_quoted and node.name.lower() not in _CONSTANT_NAMES
