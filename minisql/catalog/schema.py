"""Schema objects: what a connection knows of its databases, built from the SQL in sqlite_schema.

`Catalog` holds one `Schema` per database (0 main, 1 temp, 2.. attached); names are looked up without regard to ASCII case.
The objects keep parsed expressions (defaults, checks, index expressions, view and trigger bodies) as AST and the original
text, which ALTER TABLE rewrites.  The planner reads them and never changes them; the engine replaces a Schema when its
cookie changes and bumps `Catalog.generation`, which invalidates cached programs.

Source: https://www.sqlite.org/schematab.html, https://www.sqlite.org/datatype3.html, https://www.sqlite.org/lang_createtable.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.values.shape import KeyShape, RowShape

if TYPE_CHECKING:
    from collections.abc import Callable

    from minisql.parser import ast
    from minisql.values.collation import Collation


class Column:
    """A table column.  `affinity` is one of values.affinity; `collation` a name as written ('BINARY' by default);
    `is_not_null` with `not_null_action` (ON_CONFLICT_* of bytecode.opcodes, NONE = ABORT);
    `default` AST or None with `default_text`; `generated` AST or None, `is_stored`; `hidden` as PRAGMA table_xinfo gives it
    (0 normal, 1 hidden, 2 virtual, 3 stored); `primary_key_position` 0 or from 1; `storage_position` in
    the record, -1 if virtual."""

    __slots__ = (
        "affinity",
        "collation",
        "declared_type",
        "default",
        "default_text",
        "default_value",
        "generated",
        "generated_text",
        "hidden",
        "is_not_null",
        "is_stored",
        "name",
        "not_null_action",
        "primary_key_position",
        "storage_position",
    )

    def __init__(self, name: str, declared_type: str, affinity: int) -> None:
        self.name = name
        self.declared_type = declared_type
        self.affinity = affinity
        self.collation = "BINARY"
        self.is_not_null = False
        self.not_null_action = 0
        self.default: ast.Expression | None = None
        self.default_text: str | None = None
        self.default_value: object = None  # value of a constant default, for records that are too short
        self.generated: ast.Expression | None = None
        self.generated_text: str | None = None
        self.is_stored = False
        self.hidden = 0
        self.primary_key_position = 0
        self.storage_position = -1


class IndexColumn:
    """A column of an index: table column `position` (-1: the rowid, -2: an expression), collation (`collation_name` as
    written in the schema), direction."""

    __slots__ = ("collation", "collation_name", "descending", "expression", "position")

    def __init__(
        self,
        position: int,
        collation: Collation,
        descending: bool = False,
        expression: ast.Expression | None = None,
        collation_name: str | None = None,
    ) -> None:
        self.collation_name = collation_name or collation.name
        self.position = position
        self.collation = collation
        self.descending = descending
        self.expression = expression


class Index:
    """An index.  `origin` 'c' (CREATE INDEX), 'u' (UNIQUE), 'pk' (PRIMARY KEY); `conflict_action` for UNIQUE and PRIMARY KEY;
    `columns` without the trailing rowid or primary-key columns, `entry_columns` with them; `statistics` from sqlite_stat1:
    (estimated rows, rows per distinct prefix...) or None.  For the primary key of a WITHOUT ROWID table `is_clustered` is true:
    its tree is the table itself."""

    __slots__ = (
        "columns",
        "conflict_action",
        "entry_columns",
        "estimates",
        "is_clustered",
        "is_unique",
        "name",
        "origin",
        "root_page",
        "schema_index",
        "shape",
        "sql",
        "statistics",
        "table",
        "where",
        "where_text",
    )

    def __init__(self, name: str, table: Table, columns: list[IndexColumn], is_unique: bool, origin: str) -> None:
        self.name = name
        self.table = table
        self.columns = columns
        self.entry_columns: list[IndexColumn] = columns
        self.is_unique = is_unique
        self.origin = origin
        self.conflict_action = 0
        self.where: ast.Expression | None = None
        self.where_text: str | None = None
        self.root_page = 0
        self.sql: str | None = None
        self.statistics: tuple[int, ...] | None = None
        self.shape: KeyShape | None = None
        self.is_clustered = False
        self.estimates: object = None  # a cache slot that belongs to the planner
        self.schema_index = table.schema_index


class ForeignKey:
    """A foreign key: child column positions, parent table name, parent column names (empty: the primary key), actions
    ('NO ACTION', 'RESTRICT', 'SET NULL', 'SET DEFAULT', 'CASCADE'), deferral, and the MATCH text."""

    __slots__ = ("columns", "is_deferred", "match", "on_delete", "on_update", "parent_columns", "parent_table")

    def __init__(self, columns: tuple[int, ...], parent_table: str, parent_columns: tuple[str, ...]) -> None:
        self.columns = columns
        self.parent_table = parent_table
        self.parent_columns = parent_columns
        self.on_delete = "NO ACTION"
        self.on_update = "NO ACTION"
        self.match = "NONE"
        self.is_deferred = False


class Check:
    """A CHECK constraint: name or None, expression and its text."""

    __slots__ = ("expression", "name", "text")

    def __init__(self, name: str | None, expression: ast.Expression, text: str) -> None:
        self.name = name
        self.expression = expression
        self.text = text


class Table:
    """A table, view or virtual table of one schema.

    `rowid_alias` is the position of the INTEGER PRIMARY KEY column or -1; `primary_key` the positions of the primary-key
    columns in key order; `column_positions` maps lower-case names; `shape` is a RowShape (rowid table) or a KeyShape (WITHOUT
    ROWID, `storage_columns` gives the table column stored in each field).  `view` is the SELECT of a view, else None;
    `view_columns` its explicit column names.  `module` and `module_arguments` for virtual tables.
    `conflict_action` belongs to the INTEGER PRIMARY KEY.  `calls`, `layout`, `paths` and
    `sound_in` are cache slots of the planner.
    """

    __slots__ = (
        "calls",
        "checks",
        "column_positions",
        "columns",
        "conflict_action",
        "foreign_keys",
        "has_autoincrement",
        "has_generated",
        "indexes",
        "is_connecting",
        "is_eponymous",
        "is_strict",
        "is_without_rowid",
        "layout",
        "module",
        "module_arguments",
        "module_instance",
        "name",
        "paths",
        "primary_key",
        "root_page",
        "row_estimate",
        "rowid_alias",
        "schema_index",
        "schema_name",
        "shape",
        "sound_in",
        "sql",
        "storage_columns",
        "triggers",
        "view",
        "view_columns",
    )

    def __init__(self, name: str, schema_index: int, schema_name: str) -> None:
        self.name = name
        self.schema_index = schema_index
        self.schema_name = schema_name
        self.columns: list[Column] = []
        self.column_positions: dict[str, int] = {}
        self.storage_columns: list[int] = []
        self.rowid_alias = -1
        self.primary_key: tuple[int, ...] = ()
        self.conflict_action = 0
        self.has_autoincrement = False
        self.has_generated = False
        self.is_without_rowid = False
        self.is_strict = False
        self.checks: list[Check] = []
        self.calls: tuple[tuple[str, int], ...] | None = None
        self.foreign_keys: list[ForeignKey] = []
        self.indexes: list[Index] = []
        self.triggers: list[Trigger] = []
        self.root_page = 0
        self.sql = ""
        self.shape: RowShape | KeyShape | None = None
        self.view: ast.Select | None = None
        self.view_columns: list[str] | None = None
        self.module: str | None = None
        self.module_arguments: tuple[str, ...] = ()
        self.module_instance: object = None
        self.is_connecting = False
        # Exists by its module's name alone.
        self.is_eponymous = False
        self.row_estimate: int | None = None  # from sqlite_stat1
        self.layout: object = None
        self.paths: object = None
        self.sound_in = -1


class Trigger:
    """A trigger: its statement AST (timing, event, columns, WHEN, steps) and where it lives.

    `watched_database` of a TEMP trigger is the database of its table once that has been found, else -1.
    """

    __slots__ = ("name", "schema_index", "sql", "statement", "table_name", "watched_database")

    def __init__(self, name: str, table_name: str, schema_index: int, statement: ast.CreateTrigger, sql: str) -> None:
        self.name = name
        self.table_name = table_name
        self.schema_index = schema_index
        self.statement = statement
        self.sql = sql
        self.watched_database = -1


class Schema:
    """The objects of one database, keyed by lower-case name."""

    __slots__ = ("cookie", "encoding", "file_format", "indexes", "is_loaded", "name", "tables", "triggers")

    def __init__(self, name: str) -> None:
        self.name = name
        self.tables: dict[str, Table] = {}
        self.indexes: dict[str, Index] = {}
        self.triggers: dict[str, Trigger] = {}
        self.cookie = 0
        self.encoding = "utf-8"
        self.file_format = 4
        self.is_loaded = False


class Catalog:
    """All schemas of a connection in order: main, temp, attached ones.  `generation` changes with every schema change.

    `load` is called before a name is looked up while a schema is not loaded, else it is None.
    """

    __slots__ = ("generation", "load", "schemas")

    def __init__(self) -> None:
        self.schemas: list[Schema | None] = [Schema("main"), Schema("temp")]
        self.generation = 0
        self.load: Callable[[], None] | None = None

    def schema_position(self, name: str) -> int:
        """The database number of a schema name, -1 if there is none ('main' is also number 0 when aliased)."""
        lowered = name.lower()
        for position, schema in enumerate(self.schemas):
            if schema is not None and schema.name.lower() == lowered:
                return position
        return 0 if lowered == "main" else -1

    def find_table(self, name: str, schema_name: str | None = None) -> Table | None:
        """A table or view; unqualified names are searched in temp, main, then attached databases in order."""
        if self.load is not None:
            self.load()
        lowered = name.lower()
        schemas = self.schemas
        if schema_name is None:
            table = schemas[1].tables.get(lowered) if schemas[1] is not None else None
            if table is None:
                for schema in schemas:
                    if schema is not None:
                        table = schema.tables.get(lowered)
                        if table is not None:
                            return table
            return table
        position = self.schema_position(schema_name)
        if position == 1 and lowered in ("sqlite_master", "sqlite_schema"):
            lowered = "sqlite_temp_schema"
        schema = schemas[position] if position >= 0 else None
        return schema.tables.get(lowered) if schema is not None else None

    def find_index(self, name: str, schema_name: str | None = None) -> Index | None:
        """An index, by the same search order."""
        if self.load is not None:
            self.load()
        lowered = name.lower()
        for position in self._search_order(schema_name):
            schema = self.schemas[position]
            if schema is not None and lowered in schema.indexes:
                return schema.indexes[lowered]
        return None

    def find_trigger(self, name: str, schema_name: str | None = None) -> Trigger | None:
        """A trigger, by the same search order."""
        if self.load is not None:
            self.load()
        lowered = name.lower()
        for position in self._search_order(schema_name):
            schema = self.schemas[position]
            if schema is not None and lowered in schema.triggers:
                return schema.triggers[lowered]
        return None

    def _search_order(self, schema_name: str | None) -> list[int]:
        if schema_name is not None:
            position = self.schema_position(schema_name)
            return [position] if position >= 0 else []
        return [1, 0, *range(2, len(self.schemas))]
