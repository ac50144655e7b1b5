"""completion(prefix, wholeline): words that could stand at the end of a line of SQL.

First the keywords, then the schemas, whatever is in them, and the columns of their tables; `phase` tells which.  Without a
prefix it is the last word of the line.

Source: https://www.sqlite.org/completion.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.values.cast import to_text
from minisql.vtab.protocol import EQ, INNOCUOUS, ROWID, Cursor, IndexInfo, Module, Value, VirtualTable

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost

_PREFIX, _LINE = 1, 2
_KEYWORD, _SCHEMA, _TABLE, _COLUMN = 1, 7, 8, 9

_KEYWORDS = """
REINDEX INDEXED INDEX DESC ESCAPE EACH CHECK KEY BEFORE FOREIGN FOR IGNORE REGEXP EXPLAIN INSTEAD ADD DATABASE AS SELECT TABLE
LEFT THEN END DEFERRABLE ELSE EXCLUDE DELETE TEMPORARY TEMP OR ISNULL NULLS SAVEPOINT INTERSECT TIES NOTNULL NOT NO NULL LIKE
EXCEPT TRANSACTION ACTION ON NATURAL ALTER RAISE EXCLUSIVE EXISTS CONSTRAINT INTO OFFSET OF SET TRIGGER RANGE GENERATED DETACH
HAVING GLOB BEGIN INNER REFERENCES UNIQUE QUERY WITHOUT WITH OUTER RELEASE ATTACH BETWEEN NOTHING GROUPS GROUP CASCADE ASC
DEFAULT CASE COLLATE CREATE CURRENT_DATE IMMEDIATE JOIN INSERT MATCH PLAN ANALYZE PRAGMA MATERIALIZED DEFERRED DISTINCT IS
UPDATE VALUES VIRTUAL ALWAYS WHEN WHERE RECURSIVE ABORT AFTER RENAME AND DROP PARTITION AUTOINCREMENT TO IN CAST COLUMN COMMIT
CONFLICT CROSS CURRENT_TIMESTAMP CURRENT_TIME CURRENT PRECEDING FAIL LAST FILTER REPLACE FIRST FOLLOWING FROM FULL LIMIT IF
ORDER RESTRICT OTHERS OVER RETURNING RIGHT ROLLBACK ROWS ROW UNBOUNDED UNION USING VACUUM VIEW WINDOW DO BY INITIALLY ALL
PRIMARY
"""
"""In the order in which sqlite3_keyword_name lists them."""


def make_module(name: str) -> Module:
    """The module completion."""
    return CompletionModule()


class CompletionModule(Module):
    """completion, which exists without being created."""

    is_eponymous_only = True
    risk = INNOCUOUS

    def connect(
        self, owner: VtabHost, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Declares the columns."""
        declaration = "CREATE TABLE x(candidate TEXT, prefix TEXT HIDDEN, wholeline TEXT HIDDEN, phase INT HIDDEN)"
        return declaration, CompletionTable(owner)


class CompletionTable(VirtualTable):
    """The table; it keeps nothing."""

    def __init__(self, host: VtabHost) -> None:
        self.host = host

    def best_index(self, info: IndexInfo) -> bool | None:
        """Takes the prefix (bit 1) and the line (bit 2)."""
        used = {}
        for constraint in info.constraints:
            if constraint.operator == EQ and constraint.column in (_PREFIX, _LINE) and constraint.column not in used:
                if not constraint.is_usable:
                    return False
                used[constraint.column] = constraint
        for number, column in enumerate(sorted(used), 1):
            info.index_number |= column
            used[column].argument = number
            used[column].omit = True
        info.estimated_cost = 5000.0 - 1000 * len(used)
        return None

    def open(self) -> Cursor:
        """Makes a cursor."""
        return CompletionCursor(self.host)


class CompletionCursor(Cursor):
    """One search for words."""

    def __init__(self, host: VtabHost) -> None:
        self.host = host

    def scan(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterator[tuple[Value, ...]]:
        """The words that begin like the prefix, whatever the case of their ASCII letters."""
        values = iter(arguments)
        prefix = next(values) if index_number & _PREFIX else None
        line = next(values) if index_number & _LINE else None
        prefix = to_text(prefix) if prefix is not None else None
        line = to_text(line) if line is not None else None
        start = prefix or _last_word(line or "")
        if prefix is None and start:
            prefix = start
        wanted = _folded(start)
        rowid = 0
        for word, phase in self._words():
            if _folded(word[: len(start)]) == wanted:
                rowid += 1
                row = (word, prefix, line, phase, rowid)
                yield tuple([row[4] if number == ROWID else row[number] for number in columns])

    def _words(self) -> Iterator[tuple[str, int]]:
        """All words and their phases."""
        for keyword in _KEYWORDS.split():
            yield keyword, _KEYWORD
        host = self.host
        schemas = [row[1] for row in host.execute("PRAGMA database_list")]
        for schema in schemas:
            yield schema, _SCHEMA
        for name in self._names(schemas, "SELECT name FROM {}.sqlite_schema"):
            yield name, _TABLE
        columns = "SELECT t.name FROM {0}.sqlite_schema s JOIN pragma_table_xinfo(s.name, '{1}') t WHERE s.type='table'"
        for name in self._names(schemas, columns):
            yield name, _COLUMN

    def _names(self, schemas: Sequence[str], sql: str) -> list[str]:
        """What a query finds in all schemas; as a UNION in SQL, several give each name once and in order."""
        found: list[str] = []
        for schema in schemas:
            found += [name for (name,) in self.host.execute(sql.format(_quoted(schema), schema.replace("'", "''")))]
        return found if len(schemas) == 1 else sorted(set(found))


def _last_word(line: str) -> str:
    start = len(line)
    while start and line[start - 1].isascii() and (line[start - 1].isalnum() or line[start - 1] == "_"):
        start -= 1
    return line[start:]


def _folded(text: str) -> str:
    return "".join([character.lower() if character.isascii() else character for character in text])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
