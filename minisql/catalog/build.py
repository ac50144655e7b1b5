"""Schema objects from parsed CREATE statements: columns, keys, automatic indexes, record shapes.

In goes the AST of one CREATE statement with the root page and text of its sqlite_schema row; out comes a Table, Index or
Trigger.  The same functions serve a new statement (`is_loading` false: SQLite's errors for wrong definitions) and the
loading of a stored schema (`is_loading` true: what SQLite tolerates in a file, such as an unknown collation, passes).
Names inside expressions (CHECK, generated columns, partial indexes) are bound later, by the planner.

Automatic indexes are numbered as SQLite numbers them, for their names are found again in sqlite_schema; `Table.indexes`
is in the order in which SQLite walks it: newest first, those with ON CONFLICT REPLACE last, because that order decides
which constraint is reported first.

Source: https://www.sqlite.org/lang_createtable.html, https://www.sqlite.org/fileformat2.html sections 2.4 and 2.5,
https://www.sqlite.org/withoutrowid.html, https://www.sqlite.org/stricttables.html, https://www.sqlite.org/gencol.html.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from minisql import limits
from minisql.catalog.schema import Check, Column, ForeignKey, Index, IndexColumn, Table, Trigger
from minisql.catalog.shapes import finish_index, finish_table
from minisql.errors import ERROR, ERROR_MISSING_COLLSEQ, Error, sqlite_error
from minisql.parser import ast
from minisql.values import affinity as affinities
from minisql.values.cast import cast
from minisql.values.collation import Collation
from minisql.values.storage_class import Value

FindCollation = Callable[[str], Collation | None]

# The numbers of bytecode.opcodes.ON_CONFLICT_*, a room that the catalog does not see.
CONFLICT_ACTIONS: dict[str | None, int] = {
    None: 0,
    "ROLLBACK": 1,
    "ABORT": 2,
    "FAIL": 3,
    "IGNORE": 4,
    "REPLACE": 5,
}
_REPLACE = CONFLICT_ACTIONS["REPLACE"]
_STANDARD_TYPES = frozenset({"ANY", "BLOB", "INT", "INTEGER", "REAL", "TEXT"})
_COLUMN_KEY_KINDS = (ast.PrimaryKey, ast.Unique, ast.ForeignKey)


def build_table(
    statement: ast.CreateTable,
    schema_index: int,
    schema_name: str,
    find_collation: FindCollation,
    root_page: int = 0,
    sql: str = "",
    is_loading: bool = False,
    column_limit: int = limits.DEFAULTS[limits.COLUMN],
) -> Table:
    """A table with its automatic indexes (root page 0 until their own rows are read); not yet entered into a Schema.

    Raises SQLite's error for a wrong definition.  Source: https://www.sqlite.org/lang_createtable.html.
    """
    table = Table(statement.name, schema_index, schema_name)
    table.root_page = root_page
    table.sql = sql
    table.is_strict = statement.is_strict
    table.is_without_rowid = statement.is_without_rowid
    work = _TableWork(table, find_collation, is_loading)
    for definition in statement.columns:
        _add_column(work, definition, column_limit)
    for constraint in statement.constraints:
        _add_table_constraint(work, constraint)
    if statement.is_strict:
        _check_strict_types(table)
    _finish_primary_key(work)
    if table.has_generated and all(column.generated is not None for column in table.columns):
        raise sqlite_error(ERROR, "must have at least one non-generated column")
    finish_table(table)
    return table


class _TableWork:
    """What the construction of one table passes around."""

    __slots__ = ("find_collation", "has_primary_key", "is_loading", "n_indexes", "table")

    def __init__(self, table: Table, find_collation: FindCollation, is_loading: bool) -> None:
        self.table = table
        self.find_collation = find_collation
        self.is_loading = is_loading
        self.has_primary_key = False
        self.n_indexes = 0

    def collation(self, name: str) -> Collation:
        found = self.find_collation(name)
        if found is None:
            if not self.is_loading:
                raise sqlite_error(ERROR_MISSING_COLLSEQ, f"no such collation sequence: {name}")
            return missing_collation(name)
        return found


def missing_collation(name: str) -> Collation:
    """A stand-in for a collation that a stored schema names and the connection lacks: it fails at its first use."""

    def fail(_first: str, _second: str = "") -> int:
        raise sqlite_error(ERROR_MISSING_COLLSEQ, f"no such collation sequence: {name}")

    return Collation(name, fail, fail)


def _add_column(work: _TableWork, definition: ast.ColumnDefinition, column_limit: int) -> None:
    table = work.table
    if len(table.columns) >= column_limit:
        raise sqlite_error(ERROR, f"too many columns on {table.name}")
    lowered = definition.name.lower()
    if lowered in table.column_positions:
        raise sqlite_error(ERROR, f"duplicate column name: {definition.name}")
    column = new_column(definition)
    table.column_positions[lowered] = len(table.columns)
    table.columns.append(column)
    if not definition.constraints:
        return
    # A COLLATE behind UNIQUE still governs that index, so simple clauses come first.
    keys = []
    for constraint in definition.constraints:
        if isinstance(constraint, _COLUMN_KEY_KINDS):
            keys.append(constraint)
        else:
            _set_column_clause(work, column, constraint)
    position = len(table.columns) - 1
    for constraint in keys:
        if isinstance(constraint, ast.PrimaryKey):
            _add_primary_key(work, constraint, [position], [column.collation], [constraint.is_descending])
        elif isinstance(constraint, ast.Unique):
            _add_automatic_index(work, [position], [column.collation], [False], "u", constraint.conflict)
        else:
            _add_foreign_key(table, constraint, position)


def new_column(definition: ast.ColumnDefinition) -> Column:
    """A column with its declared type and affinity, without its constraints.

    Standard type names are kept in upper case, all others as written, as PRAGMA table_info shows them.
    """
    declared_type = definition.type_name
    if declared_type.upper() in _STANDARD_TYPES:
        declared_type = declared_type.upper()
    # An empty quoted name is a type that none of the rules knows.
    is_unknown = definition.is_typed and not declared_type
    affinity = affinities.NUMERIC if is_unknown else affinities.affinity_of_type(declared_type)
    return Column(definition.name, declared_type, affinity)


def _set_column_clause(work: _TableWork, column: Column, constraint: ast.Constraint) -> None:
    table = work.table
    if isinstance(constraint, ast.NotNullConstraint):
        column.is_not_null = True
        column.not_null_action = CONFLICT_ACTIONS[constraint.conflict]
    elif isinstance(constraint, ast.Default):
        _set_default(column, constraint, work.is_loading)
    elif isinstance(constraint, ast.Check):
        table.checks.append(Check(constraint.name, constraint.expression, constraint.text))
    elif isinstance(constraint, ast.CollateConstraint):
        work.collation(constraint.collation)
        column.collation = constraint.collation
    elif isinstance(constraint, ast.Generated):
        if column.default_text is not None:
            raise sqlite_error(ERROR, f'error in generated column "{column.name}"')
        column.generated = constraint.expression
        column.generated_text = constraint.text
        column.is_stored = constraint.is_stored
        column.hidden = 3 if constraint.is_stored else 2
        table.has_generated = True


def _set_default(column: Column, constraint: ast.Default, is_loading: bool) -> None:
    if column.generated is not None:
        raise sqlite_error(ERROR, "cannot use DEFAULT on a generated column")
    if not is_loading and not is_constant_or_function(constraint.expression):
        raise sqlite_error(ERROR, f"default value of column [{column.name}] is not constant")
    column.default = constraint.expression
    column.default_text = constraint.text
    is_constant, value = constant_value(constraint.expression)
    if is_constant:
        column.default_value = affinities.apply_affinity(value, column.affinity)


_FORBIDDEN_IN_DEFAULT = (ast.Variable, ast.ScalarSubquery, ast.Exists, ast.InSelect, ast.InTable, ast.Raise)


def is_constant_or_function(expression: object) -> bool:
    """Tells whether a DEFAULT is made of literals, operators and function calls only.

    Source: https://www.sqlite.org/lang_createtable.html section 3.2.
    """
    pending: list[object] = [expression]
    while pending:
        node = pending.pop()
        if isinstance(node, (list, tuple)):
            pending.extend(node)
        elif isinstance(node, ast.Column):
            if node.table is not None or node.name.lower() not in ("true", "false"):
                return False
        elif isinstance(node, _FORBIDDEN_IN_DEFAULT):
            return False
        elif isinstance(node, (ast.Expression, ast.Part)):
            pending.extend(getattr(node, name) for name in ast.fields(type(node)))
    return True


def constant_value(expression: object) -> tuple[bool, Value]:
    """(True, value) of a DEFAULT that is a plain constant: literal, sign, TRUE, FALSE, CAST of one.

    Other expressions, though they may not vary, are evaluated for every row: (False, None).
    """
    signs = 0
    while isinstance(expression, ast.Unary) and expression.operator in ("-", "+"):
        signs += expression.operator == "-"
        expression = expression.operand
    if isinstance(expression, ast.Literal):
        value = expression.value
    elif isinstance(expression, ast.Column) and expression.table is None:
        lowered = expression.name.lower()
        if lowered not in ("true", "false"):
            return False, None
        value = int(lowered == "true")
    elif isinstance(expression, ast.Cast):
        is_constant, inner = constant_value(expression.operand)
        if not is_constant:
            return False, None
        value = cast(inner, affinities.affinity_of_type(expression.type_name))
    else:
        return False, None
    if signs % 2:
        number = cast(value, affinities.NUMERIC) if value is not None else None
        value = None if number is None else -number  # type: ignore[operator]
    return True, value


def _add_table_constraint(work: _TableWork, constraint: ast.Constraint) -> None:
    table = work.table
    if isinstance(constraint, ast.PrimaryKey):
        positions, collations, descending = _key_columns(work, constraint.columns or [], True)
        _add_primary_key(work, constraint, positions, collations, descending)
    elif isinstance(constraint, ast.Unique):
        positions, collations, descending = _key_columns(work, constraint.columns or [])
        _add_automatic_index(work, positions, collations, descending, "u", constraint.conflict)
    elif isinstance(constraint, ast.Check):
        table.checks.append(Check(constraint.name, constraint.expression, constraint.text))
    elif isinstance(constraint, ast.ForeignKey):
        _add_foreign_key(table, constraint, None)


def _key_columns(
    work: _TableWork, terms: Sequence[ast.OrderingTerm], is_primary: bool = False
) -> tuple[list[int], list[str], list[bool]]:
    positions: list[int] = []
    collations: list[str] = []
    descending: list[bool] = []
    table = work.table
    if len(terms) > limits.DEFAULTS[limits.COLUMN]:
        raise sqlite_error(ERROR, "too many columns in index")
    refuse_nulls(terms)
    for term in terms:
        expression, collation = strip_collation(term.expression)
        name = key_column_name(expression)
        if name is None or (not is_primary and is_plain_text(term.expression)):
            raise sqlite_error(ERROR, "expressions prohibited in PRIMARY KEY and UNIQUE constraints")
        position = table.column_positions.get(name.lower(), -1)
        if position < 0:
            raise sqlite_error(ERROR, f"no such column: {name}")
        if collation is not None:
            work.collation(collation)
        positions.append(position)
        collations.append(collation or table.columns[position].collation)
        descending.append(term.is_descending)
    return positions, collations, descending


def strip_collation(expression: ast.Expression) -> tuple[ast.Expression, str | None]:
    """The expression without COLLATE around it, and the outermost collation name or None."""
    collation = None
    while isinstance(expression, ast.Collate):
        collation = collation or expression.collation
        expression = expression.operand
    return expression, collation


def refuse_nulls(terms: Sequence[ast.OrderingTerm]) -> None:
    """Raises for NULLS FIRST and NULLS LAST, which a key cannot have."""
    for term in terms:
        if term.nulls is not None:
            raise sqlite_error(ERROR, f"unsupported use of NULLS {term.nulls}")


def key_column_name(expression: ast.Expression) -> str | None:
    """The column name of a key term; a string literal counts as a name there, as SQLite has it."""
    if isinstance(expression, ast.Column) and expression.table is None:
        return expression.name
    if isinstance(expression, ast.Literal) and isinstance(expression.value, str):
        return expression.value
    return None


def _add_primary_key(
    work: _TableWork, constraint: ast.PrimaryKey, positions: list[int], collations: list[str], descending: list[bool]
) -> None:
    table = work.table
    if work.has_primary_key:
        raise sqlite_error(ERROR, f'table "{table.name}" has more than one primary key')
    work.has_primary_key = True
    for number, position in enumerate(positions, 1):
        column = table.columns[position]
        if column.generated is not None:
            raise sqlite_error(ERROR, "generated columns cannot be part of the PRIMARY KEY")
        column.primary_key_position = column.primary_key_position or number
    is_alias = (
        len(positions) == 1
        and table.columns[positions[0]].declared_type == "INTEGER"
        # "INTEGER PRIMARY KEY DESC" is no alias by an old mistake that files depend on; PRIMARY KEY(x DESC) is one.
        and not (constraint.columns is None and constraint.is_descending)
    )
    if is_alias:
        table.rowid_alias = positions[0]
        table.conflict_action = CONFLICT_ACTIONS[constraint.conflict]
        table.has_autoincrement = constraint.is_autoincrement
        table.primary_key = tuple(positions)
        return
    if constraint.is_autoincrement:
        raise sqlite_error(ERROR, "AUTOINCREMENT is only allowed on an INTEGER PRIMARY KEY")
    _add_automatic_index(work, positions, collations, descending, "pk", constraint.conflict)
    table.primary_key = tuple(dict.fromkeys(positions))


def _add_automatic_index(
    work: _TableWork, positions: list[int], collations: list[str], descending: list[bool], origin: str, conflict: str | None
) -> None:
    table = work.table
    columns = [
        IndexColumn(position, work.collation(name), is_descending, None, name)
        for position, name, is_descending in zip(positions, collations, descending)
    ]
    action = CONFLICT_ACTIONS[conflict]
    for index in table.indexes:
        if not _has_same_columns(index.columns, columns):
            continue
        if index.conflict_action != action:
            if index.conflict_action and action:
                raise sqlite_error(ERROR, "conflicting ON CONFLICT clauses specified")
            index.conflict_action = index.conflict_action or action
            if index.conflict_action == _REPLACE:
                table.indexes.remove(index)
                insert_index(table, index)
        if origin == "pk":
            index.origin = "pk"
        return
    work.n_indexes += 1
    index = Index(f"sqlite_autoindex_{table.name}_{work.n_indexes}", table, columns, True, origin)
    index.conflict_action = action
    insert_index(table, index)


def insert_index(table: Table, index: Index) -> None:
    """Enters an index into `table.indexes` where SQLite has it: in front, but behind the others if it replaces."""
    indexes = table.indexes
    if index.conflict_action != _REPLACE:
        indexes.insert(0, index)
        return
    place = next((i for i, other in enumerate(indexes) if other.conflict_action == _REPLACE), len(indexes))
    indexes.insert(place, index)


def _has_same_columns(first: list[IndexColumn], second: list[IndexColumn]) -> bool:
    return len(first) == len(second) and all(
        one.position == two.position and one.collation.name.upper() == two.collation.name.upper()
        for one, two in zip(first, second)
    )


def _add_foreign_key(table: Table, constraint: ast.ForeignKey, position: int | None) -> None:
    parent_columns = tuple(constraint.parent_columns or ())
    if constraint.columns is None:
        assert position is not None
        if len(parent_columns) > 1:
            column = table.columns[position].name
            raise sqlite_error(ERROR, f"foreign key on {column} should reference only one column of table {constraint.parent}")
        columns: tuple[int, ...] = (position,)
    else:
        if parent_columns and len(parent_columns) != len(constraint.columns):
            raise sqlite_error(
                ERROR,
                "number of columns in foreign key does not match the number of columns in the referenced table",
            )
        for name in constraint.columns:
            if name.lower() not in table.column_positions:
                raise sqlite_error(ERROR, f'unknown column "{name}" in foreign key definition')
        columns = tuple(table.column_positions[name.lower()] for name in constraint.columns)
    key = ForeignKey(columns, constraint.parent, parent_columns)
    key.on_delete = constraint.on_delete
    key.on_update = constraint.on_update
    key.is_deferred = constraint.is_deferred
    # SQLite lists the newest first.
    table.foreign_keys.insert(0, key)


def _check_strict_types(table: Table) -> None:
    for position, column in enumerate(table.columns):
        if column.declared_type not in _STANDARD_TYPES:
            if not column.declared_type and column.affinity == affinities.BLOB:
                raise sqlite_error(ERROR, f"missing datatype for {table.name}.{column.name}")
            raise sqlite_error(ERROR, f'unknown datatype for {table.name}.{column.name}: "{column.declared_type}"')
        if column.declared_type == "ANY":
            column.affinity = affinities.BLOB
        if column.primary_key_position and position != table.rowid_alias:
            column.is_not_null = True


def _finish_primary_key(work: _TableWork) -> None:
    table = work.table
    if not table.is_without_rowid:
        return
    if table.has_autoincrement:
        raise sqlite_error(ERROR, "AUTOINCREMENT not allowed on WITHOUT ROWID tables")
    if not work.has_primary_key:
        raise sqlite_error(ERROR, f"PRIMARY KEY missing on table {table.name}")
    if table.rowid_alias >= 0:
        position = table.rowid_alias
        table.rowid_alias = -1
        action = next((name for name, code in CONFLICT_ACTIONS.items() if code == table.conflict_action), None)
        _add_automatic_index(work, [position], [table.columns[position].collation], [False], "pk", action)
    for position in table.primary_key:
        table.columns[position].is_not_null = True
    for index in table.indexes:
        if index.origin == "pk":
            index.is_clustered = True


def build_index(
    statement: ast.CreateIndex,
    table: Table,
    find_collation: FindCollation,
    root_page: int = 0,
    sql: str | None = None,
    is_loading: bool = False,
) -> Index:
    """An index of CREATE INDEX, not yet entered into its table or a Schema.

    Source: https://www.sqlite.org/lang_createindex.html.
    """
    work = _TableWork(table, find_collation, is_loading)
    columns: list[IndexColumn] = []
    refuse_nulls(statement.columns)
    for term in statement.columns:
        columns.append(_index_column(work, term))
    index = Index(statement.name, table, columns, statement.is_unique, "c")
    index.where = statement.where
    index.root_page = root_page
    index.sql = sql
    finish_index(index)
    return index


def _index_column(work: _TableWork, term: ast.OrderingTerm) -> IndexColumn:
    table = work.table
    expression, collation_name = strip_collation(term.expression)
    name = None if is_plain_text(term.expression) else key_column_name(expression)
    position = table.column_positions.get(name.lower(), -1) if name is not None else -1
    if position < 0:
        if isinstance(expression, ast.Column) and expression.table is not None:
            if expression.table.lower() == table.name.lower():
                position = table.column_positions.get(expression.name.lower(), -1)
        elif name is not None and is_string_like(expression) is False:
            raise sqlite_error(ERROR, f"no such column: {name}")
    if position < 0:
        name = collation_name or _expression_collation(table, expression)
        return IndexColumn(-2, work.collation(name), term.is_descending, expression, name)
    name = collation_name or table.columns[position].collation
    return IndexColumn(position, work.collation(name), term.is_descending, None, name)


def is_plain_text(term: ast.Expression) -> bool:
    """Whether a key term is a string that names no column, as more than one COLLATE stands behind it."""
    if not isinstance(term, ast.Collate) or not isinstance(term.operand, ast.Collate):
        return False
    return isinstance(strip_collation(term)[0], ast.Literal)


def _expression_collation(table: Table, expression: ast.Expression) -> str:
    while isinstance(expression, ast.Cast) or (isinstance(expression, ast.Unary) and expression.operator == "+"):
        expression = expression.operand
    if isinstance(expression, ast.Column):
        position = table.column_positions.get(expression.name.lower(), -1)
        if position >= 0:
            return table.columns[position].collation
    return "BINARY"


def is_string_like(expression: ast.Expression) -> bool:
    """Tells whether a name that matches no column may be meant as a string."""
    return isinstance(expression, ast.Literal) or (isinstance(expression, ast.Column) and expression.is_double_quoted)


def build_view(statement: ast.CreateView, schema_index: int, schema_name: str, sql: str = "") -> Table:
    """A view: its SELECT and, if they were given, its column names; the planner finds the other names.

    Source: https://www.sqlite.org/lang_createview.html.
    """
    view = Table(statement.name, schema_index, schema_name)
    view.sql = sql
    view.view = statement.select
    view.view_columns = statement.columns
    return view


def build_virtual_table(statement: ast.CreateVirtualTable, schema_index: int, schema_name: str, sql: str = "") -> Table:
    """A virtual table that is not connected yet: the engine asks its module for the columns at first use.

    Source: https://www.sqlite.org/lang_createvtab.html.
    """
    table = Table(statement.name, schema_index, schema_name)
    table.sql = sql
    table.module = statement.module
    table.module_arguments = tuple(statement.arguments)
    return table


def build_trigger(statement: ast.CreateTrigger, schema_index: int, sql: str = "") -> Trigger:
    """A trigger; the engine enters it into the table that it watches.

    Source: https://www.sqlite.org/lang_createtrigger.html.
    """
    return Trigger(statement.name, statement.table.name, schema_index, statement, sql)


def malformed_schema(name: str, error: Error | str | None, code: int) -> Error:
    """The error for a stored schema that does not make sense."""
    detail = str(error) if error is not None else ""
    return sqlite_error(code, f"malformed database schema ({name})" + (f" - {detail}" if detail else ""))


def builtin_schema_table(schema_index: int, schema_name: str) -> Table:
    """sqlite_schema itself (sqlite_temp_schema for the temp database): five columns at root page 1.

    Source: https://www.sqlite.org/schematab.html.
    """
    # SQLite answers to both names and reports sqlite_master; sqlite_temp_master for the temp database.
    table = Table("sqlite_temp_master" if schema_index == 1 else "sqlite_master", schema_index, schema_name)
    model = _schema_table_model()
    table.columns, table.column_positions = model.columns, model.column_positions
    table.storage_columns, table.shape = model.storage_columns, model.shape
    table.root_page = 1
    table.sql = f"CREATE TABLE {table.name}(type text,name text,tbl_name text,rootpage int,sql text)"
    return table


@functools.cache
def _schema_table_model() -> Table:
    """What all tables of this kind share: nobody alters their columns, and every database that is opened has one."""
    model = Table("sqlite_master", 0, "main")
    for name, declared_type in (
        ("type", "TEXT"),
        ("name", "TEXT"),
        ("tbl_name", "TEXT"),
        ("rootpage", "INT"),
        ("sql", "TEXT"),
    ):
        model.column_positions[name] = len(model.columns)
        model.columns.append(Column(name, declared_type, affinities.affinity_of_type(declared_type)))
    finish_table(model)
    return model
