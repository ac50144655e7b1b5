"""Nodes of CREATE, DROP and ALTER: columns, constraints and schema statements.

The `text` of a CREATE node is what SQLite writes into sqlite_schema: TEMP, IF NOT EXISTS and the schema name are gone,
the rest is the source text from the object's name on.

Source: https://www.sqlite.org/lang_createtable.html, lang_createindex.html, lang_createtrigger.html,
lang_altertable.html.
"""

from __future__ import annotations

from minisql.parser.ast.expressions import Expression, OrderingTerm, Part
from minisql.parser.ast.queries import Select, Statement, TableSource


class Constraint:
    """Base of column and table constraints; every one may have a CONSTRAINT name, which `name` holds."""

    __slots__ = ("name",)

    name: str | None


class PrimaryKey(Constraint):
    """PRIMARY KEY of a column (`columns` is None) or of a table."""

    __slots__ = ("columns", "conflict", "is_autoincrement", "is_descending")

    def __init__(
        self,
        name: str | None,
        columns: list[OrderingTerm] | None,
        is_descending: bool,
        is_autoincrement: bool,
        conflict: str | None,
    ) -> None:
        self.name = name
        self.columns = columns
        self.is_descending = is_descending
        self.is_autoincrement = is_autoincrement
        self.conflict = conflict


class Unique(Constraint):
    """UNIQUE of a column (`columns` is None) or of a table."""

    __slots__ = ("columns", "conflict")

    def __init__(self, name: str | None, columns: list[OrderingTerm] | None, conflict: str | None) -> None:
        self.name = name
        self.columns = columns
        self.conflict = conflict


class NotNullConstraint(Constraint):
    """NOT NULL of a column."""

    __slots__ = ("conflict",)

    def __init__(self, name: str | None, conflict: str | None) -> None:
        self.name = name
        self.conflict = conflict


class Check(Constraint):
    """CHECK (expression); `text` is what stands between the parentheses, trimmed: the name in the error of an
    unnamed one.
    """

    __slots__ = ("conflict", "expression", "text")

    def __init__(self, name: str | None, expression: Expression, text: str, conflict: str | None) -> None:
        self.name = name
        self.expression = expression
        self.text = text
        self.conflict = conflict


class Default(Constraint):
    """DEFAULT; `text` is the source text that PRAGMA table_info shows."""

    __slots__ = ("expression", "text")

    def __init__(self, name: str | None, expression: Expression, text: str) -> None:
        self.name = name
        self.expression = expression
        self.text = text


class CollateConstraint(Constraint):
    """COLLATE of a column."""

    __slots__ = ("collation",)

    def __init__(self, name: str | None, collation: str) -> None:
        self.name = name
        self.collation = collation


class Generated(Constraint):
    """[GENERATED ALWAYS] AS (expression) [VIRTUAL | STORED]."""

    __slots__ = ("expression", "is_stored", "text")

    def __init__(self, name: str | None, expression: Expression, text: str, is_stored: bool) -> None:
        self.name = name
        self.expression = expression
        self.text = text
        self.is_stored = is_stored


class ForeignKey(Constraint):
    """REFERENCES of a column (`columns` is None) or FOREIGN KEY of a table; actions are "NO ACTION", "RESTRICT",
    "SET NULL", "SET DEFAULT", "CASCADE".
    """

    __slots__ = ("columns", "is_deferred", "on_delete", "on_update", "parent", "parent_columns")

    def __init__(
        self,
        name: str | None,
        columns: list[str] | None,
        parent: str,
        parent_columns: list[str] | None,
        on_delete: str,
        on_update: str,
        is_deferred: bool,
    ) -> None:
        self.name = name
        self.columns = columns
        self.parent = parent
        self.parent_columns = parent_columns
        self.on_delete = on_delete
        self.on_update = on_update
        self.is_deferred = is_deferred


class ColumnDefinition(Part):
    """A column of CREATE TABLE; `type_name` is the text of the type as PRAGMA table_info shows it, "" without one.

    `is_typed` tells a type written as an empty quoted name from none.
    """

    __slots__ = ("constraints", "is_typed", "name", "position", "type_name")

    def __init__(
        self, name: str, type_name: str, is_typed: bool, constraints: list[Constraint], position: int
    ) -> None:
        self.name = name
        self.type_name = type_name
        self.is_typed = is_typed
        self.constraints = constraints
        self.position = position


class CreateTable(Statement):
    """CREATE TABLE; `select` for AS SELECT; `text` is the SQL that sqlite_schema keeps."""

    __slots__ = (
        "columns",
        "constraints",
        "if_not_exists",
        "is_strict",
        "is_temporary",
        "is_without_rowid",
        "name",
        "position",
        "schema",
        "select",
        "text",
    )

    def __init__(
        self,
        name: str,
        schema: str | None,
        columns: list[ColumnDefinition],
        constraints: list[Constraint],
        select: Select | None,
        is_temporary: bool,
        if_not_exists: bool,
        is_strict: bool,
        is_without_rowid: bool,
        text: str,
        position: int,
    ) -> None:
        self.name = name
        self.schema = schema
        self.columns = columns
        self.constraints = constraints
        self.select = select
        self.is_temporary = is_temporary
        self.if_not_exists = if_not_exists
        self.is_strict = is_strict
        self.is_without_rowid = is_without_rowid
        self.text = text
        self.position = position


class CreateIndex(Statement):
    """CREATE INDEX; `text` is the SQL that sqlite_schema keeps."""

    __slots__ = ("columns", "if_not_exists", "is_unique", "name", "position", "schema", "table", "text", "where")

    def __init__(
        self,
        name: str,
        schema: str | None,
        table: str,
        columns: list[OrderingTerm],
        where: Expression | None,
        is_unique: bool,
        if_not_exists: bool,
        text: str,
        position: int,
    ) -> None:
        self.name = name
        self.schema = schema
        self.table = table
        self.columns = columns
        self.where = where
        self.is_unique = is_unique
        self.if_not_exists = if_not_exists
        self.text = text
        self.position = position


class CreateView(Statement):
    """CREATE VIEW; `text` is the SQL that sqlite_schema keeps."""

    __slots__ = ("columns", "if_not_exists", "is_temporary", "name", "position", "schema", "select", "text")

    def __init__(
        self,
        name: str,
        schema: str | None,
        columns: list[str] | None,
        select: Select,
        is_temporary: bool,
        if_not_exists: bool,
        text: str,
        position: int,
    ) -> None:
        self.name = name
        self.schema = schema
        self.columns = columns
        self.select = select
        self.is_temporary = is_temporary
        self.if_not_exists = if_not_exists
        self.text = text
        self.position = position


class CreateTrigger(Statement):
    """CREATE TRIGGER; `time` is "BEFORE", "AFTER" or "INSTEAD OF"; `event` "INSERT", "UPDATE" or "DELETE"; steps
    are Insert, Update, Delete and Select; `text` is the SQL that sqlite_schema keeps.
    """

    __slots__ = (
        "event",
        "if_not_exists",
        "is_temporary",
        "name",
        "position",
        "schema",
        "steps",
        "table",
        "text",
        "time",
        "update_columns",
        "when",
    )

    def __init__(
        self,
        name: str,
        schema: str | None,
        time: str,
        event: str,
        update_columns: list[str] | None,
        table: TableSource,
        when: Expression | None,
        steps: list[Statement],
        is_temporary: bool,
        if_not_exists: bool,
        text: str,
        position: int,
    ) -> None:
        self.name = name
        self.schema = schema
        self.time = time
        self.event = event
        self.update_columns = update_columns
        self.table = table
        self.when = when
        self.steps = steps
        self.is_temporary = is_temporary
        self.if_not_exists = if_not_exists
        self.text = text
        self.position = position


class CreateVirtualTable(Statement):
    """CREATE VIRTUAL TABLE; `arguments` are raw texts, trimmed."""

    __slots__ = ("arguments", "if_not_exists", "module", "name", "position", "schema", "text")

    def __init__(
        self,
        name: str,
        schema: str | None,
        module: str,
        arguments: list[str],
        if_not_exists: bool,
        text: str,
        position: int,
    ) -> None:
        self.name = name
        self.schema = schema
        self.module = module
        self.arguments = arguments
        self.if_not_exists = if_not_exists
        self.text = text
        self.position = position


class Drop(Statement):
    """DROP TABLE, VIEW, INDEX or TRIGGER (`object_type`)."""

    __slots__ = ("if_exists", "name", "object_type", "position", "schema")

    def __init__(self, object_type: str, name: str, schema: str | None, if_exists: bool, position: int) -> None:
        self.object_type = object_type
        self.name = name
        self.schema = schema
        self.if_exists = if_exists
        self.position = position


class RenameTable(Statement):
    """ALTER TABLE ... RENAME TO."""

    __slots__ = ("new_name", "position", "schema", "table")

    def __init__(self, table: str, schema: str | None, new_name: str, position: int) -> None:
        self.table = table
        self.schema = schema
        self.new_name = new_name
        self.position = position


class RenameColumn(Statement):
    """ALTER TABLE ... RENAME [COLUMN] column TO new_name; `column_at` is the token of the column."""

    __slots__ = ("column", "column_at", "is_new_name_quoted", "new_name", "position", "schema", "table")

    def __init__(
        self,
        table: str,
        schema: str | None,
        column: str,
        new_name: str,
        position: int,
        is_new_name_quoted: bool,
        column_at: int,
    ) -> None:
        self.table = table
        self.schema = schema
        self.column = column
        self.new_name = new_name
        self.position = position
        self.is_new_name_quoted = is_new_name_quoted
        self.column_at = column_at


class AddColumn(Statement):
    """ALTER TABLE ... ADD [COLUMN]; `text` is the column definition as written."""

    __slots__ = ("column", "position", "schema", "table", "text")

    def __init__(self, table: str, schema: str | None, column: ColumnDefinition, text: str, position: int) -> None:
        self.table = table
        self.schema = schema
        self.column = column
        self.text = text
        self.position = position


class DropColumn(Statement):
    """ALTER TABLE ... DROP [COLUMN]; `column_at` is the token of the column."""

    __slots__ = ("column", "column_at", "position", "schema", "table")

    def __init__(self, table: str, schema: str | None, column: str, position: int, column_at: int) -> None:
        self.column_at = column_at
        self.table = table
        self.schema = schema
        self.column = column
        self.position = position


class SetNotNull(Statement):
    """ALTER TABLE ... ALTER [COLUMN] column SET NOT NULL; `text` is "NOT NULL ..." as written."""

    __slots__ = ("column", "conflict", "position", "schema", "table", "text")

    def __init__(
        self,
        table: str,
        schema: str | None,
        column: str,
        conflict: str | None,
        text: str,
        position: int,
    ) -> None:
        self.table = table
        self.schema = schema
        self.column = column
        self.conflict = conflict
        self.text = text
        self.position = position


class DropNotNull(Statement):
    """ALTER TABLE ... ALTER [COLUMN] column DROP NOT NULL."""

    __slots__ = ("column", "position", "schema", "table")

    def __init__(self, table: str, schema: str | None, column: str, position: int) -> None:
        self.table = table
        self.schema = schema
        self.column = column
        self.position = position


class AddConstraint(Statement):
    """ALTER TABLE ... ADD [CONSTRAINT name] CHECK (...); `text` is the constraint as written."""

    __slots__ = ("constraint", "position", "schema", "table", "text")

    def __init__(self, table: str, schema: str | None, constraint: Check, text: str, position: int) -> None:
        self.table = table
        self.schema = schema
        self.constraint = constraint
        self.text = text
        self.position = position


class DropConstraint(Statement):
    """ALTER TABLE ... DROP CONSTRAINT name."""

    __slots__ = ("name", "position", "schema", "table")

    def __init__(self, table: str, schema: str | None, name: str, position: int) -> None:
        self.table = table
        self.schema = schema
        self.name = name
        self.position = position
