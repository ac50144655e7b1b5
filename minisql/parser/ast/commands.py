"""Nodes of the statements that neither query nor define: transactions, PRAGMA, ATTACH, ANALYZE, VACUUM, EXPLAIN.

Source: https://www.sqlite.org/lang.html.
"""

from __future__ import annotations

from minisql.parser.ast.expressions import Expression
from minisql.parser.ast.queries import Statement


class Analyze(Statement):
    """ANALYZE; `name` alone may be a database, a table or an index."""

    __slots__ = ("name", "position", "schema")

    def __init__(self, name: str | None, schema: str | None, position: int) -> None:
        self.name = name
        self.schema = schema
        self.position = position


class Reindex(Statement):
    """REINDEX; `name` alone may be a collation, a table, an index or EXPRESSIONS."""

    __slots__ = ("name", "position", "schema")

    def __init__(self, name: str | None, schema: str | None, position: int) -> None:
        self.name = name
        self.schema = schema
        self.position = position


class Vacuum(Statement):
    """VACUUM [schema] [INTO file]."""

    __slots__ = ("into", "schema")

    def __init__(self, schema: str | None, into: Expression | None) -> None:
        self.schema = schema
        self.into = into


class Attach(Statement):
    """ATTACH file AS name [KEY key]; a bare identifier arrives as a Column node and counts as a string."""

    __slots__ = ("file", "key", "name")

    def __init__(self, file: Expression, name: Expression, key: Expression | None) -> None:
        self.file = file
        self.name = name
        self.key = key


class Detach(Statement):
    """DETACH name."""

    __slots__ = ("name",)

    def __init__(self, name: Expression) -> None:
        self.name = name


class Pragma(Statement):
    """PRAGMA name, name = value or name(value); a signed number keeps its minus sign; `is_quoted`: the value stood in quotes.
    """

    __slots__ = ("is_quoted", "name", "position", "schema", "value")

    def __init__(self, name: str, schema: str | None, value: str | None, position: int, is_quoted: bool = False) -> None:
        self.is_quoted = is_quoted
        self.name = name
        self.schema = schema
        self.value = value
        self.position = position


class Begin(Statement):
    """BEGIN; `mode` is "DEFERRED", "IMMEDIATE" or "EXCLUSIVE"."""

    __slots__ = ("mode",)

    def __init__(self, mode: str) -> None:
        self.mode = mode


class Commit(Statement):
    """COMMIT or END."""

    __slots__ = ()


class Rollback(Statement):
    """ROLLBACK, or ROLLBACK TO savepoint."""

    __slots__ = ("savepoint",)

    def __init__(self, savepoint: str | None) -> None:
        self.savepoint = savepoint


class Savepoint(Statement):
    """SAVEPOINT name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Release(Statement):
    """RELEASE name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Explain(Statement):
    """EXPLAIN or EXPLAIN QUERY PLAN."""

    __slots__ = ("is_query_plan", "statement")

    def __init__(self, statement: Statement, is_query_plan: bool) -> None:
        self.statement = statement
        self.is_query_plan = is_query_plan
