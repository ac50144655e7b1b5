"""The authorizer's events of the SQL that SQLite runs inside ALTER TABLE: queries and updates of the schema's own rows.

A statement is written as a row of words: `select` is a SELECT, `name` the reading of a column, `+name` its update and `name()`
a call; `LIKE` is the operator.  The answer DENY fails ALTER TABLE as it fails such a statement; IGNORE changes nothing here,
for minisql alters the schema in its own way.

Source: https://www.sqlite.org/c3ref/set_authorizer.html; the order was taken from tests/oracle/test_authorizer.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.planner.announcing import announce_expressions
from minisql.planner.authorization import ALTER_TABLE, UPDATE, allows, schema_table
from minisql.planner.read_authorization import ask_function, ask_read, ask_select
from minisql.planner.schema_rows import TEMP, loaded_schema

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.parser import ast
    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Scope

_TEST = "select LIKE name LIKE sql sqlite_rename_test() sql type name"
_QUOTES = "sqlite_rename_quotefix() sql +sql LIKE name LIKE sql"
_TABLE_TEXTS = "sqlite_rename_table() type name sql +sql type tbl_name LIKE name"
_TABLE_NAMES = "+tbl_name type LIKE name type substr() name name +name tbl_name type type type"
_TEMPORARY_TEXTS = (
    "sqlite_rename_table() type name sql +sql tbl_name sqlite_rename_test() sql type name tbl_name +tbl_name type"
)
_COLUMN_TEXTS = "sqlite_rename_column() sql type name +sql LIKE name type tbl_name"
_TEMPORARY_COLUMNS = "sqlite_rename_column() sql type name +sql type"
_DROP_COLUMN = "sqlite_drop_column() sql +sql type tbl_name"
_FAIL = "select sqlite_fail()"
_FIND_CONSTRAINT = "select sqlite_fail() type tbl_name sqlite_find_constraint() sql"
_ADD_CONSTRAINT = "sqlite_add_constraint() sql +sql type tbl_name"
_DROP_CONSTRAINT = "sqlite_drop_constraint() sql +sql type tbl_name"


def allows_rename_table(compiler: Compiler, table: Table) -> bool:
    """The events of RENAME TO; False if it is to be ignored."""
    if not allows_alteration(compiler, table):
        return False
    if compiler.context.authorizer is not None:
        _ask(compiler, table, f"{_TABLE_TEXTS} {_TABLE_NAMES}")
        sequence = loaded_schema(compiler.context.catalog, table.schema_index).tables.get("sqlite_sequence")
        if sequence is not None:
            _ask_of(compiler, sequence, "+name name")
        if table.schema_index != TEMP:
            _ask_temporary(compiler, _TEMPORARY_TEXTS)
        _ask_everywhere(compiler, table, _TEST)
    return _end(compiler)


def announce_rename_column(compiler: Compiler, table: Table) -> None:
    """The events of RENAME COLUMN behind that of ALTER TABLE."""
    if compiler.context.authorizer is not None:
        _ask_everywhere(compiler, table, _TEST)
        _ask_everywhere(compiler, table, _QUOTES)
        _ask(compiler, table, _COLUMN_TEXTS)
        _ask_temporary(compiler, _TEMPORARY_COLUMNS)
        _ask_everywhere(compiler, table, _TEST)
    _end(compiler)


def allows_drop_column(compiler: Compiler, table: Table, column: str) -> bool:
    """The events of DROP COLUMN; False if it is to be ignored."""
    if not allows_alteration(compiler, table, column):
        return False
    if compiler.context.authorizer is not None:
        _ask_everywhere(compiler, table, _TEST)
        _ask_everywhere(compiler, table, _QUOTES)
        _ask(compiler, table, _DROP_COLUMN)
        _ask_everywhere(compiler, table, _TEST)
    return _end(compiler)


def allows_set_not_null(compiler: Compiler, table: Table, column: str) -> bool:
    """The events of SET NOT NULL, which looks for rows that have NULL; False if it is to be ignored."""
    if not allows_alteration(compiler, table, column):
        return False
    if compiler.context.authorizer is not None:
        _ask(compiler, table, _FAIL)
        ask_read(compiler, None, table, column, None)
        _ask(compiler, table, f"sqlite_add_constraint() {_DROP_CONSTRAINT}")
    return _end(compiler)


def allows_drop_constraint(compiler: Compiler, table: Table, column: str | None) -> bool:
    """The events of DROP CONSTRAINT, and with a column of DROP NOT NULL; False if it is to be ignored."""
    if not allows_alteration(compiler, table, column):
        return False
    if compiler.context.authorizer is not None:
        _ask(compiler, table, _DROP_CONSTRAINT)
    return _end(compiler)


def allows_add_constraint(compiler: Compiler, table: Table, check: ast.Check, scope: Scope) -> bool:
    """The events of ADD CONSTRAINT, which looks for its name and for rows that fail it; False if it is to be ignored."""
    if not allows_alteration(compiler, table):
        return False
    if compiler.context.authorizer is not None:
        announce_expressions(compiler, [check.expression], scope)
        if check.name is not None:
            _ask(compiler, table, _FIND_CONSTRAINT)
        _ask(compiler, table, _FAIL)
        announce_expressions(compiler, [check.expression], scope)
        _ask(compiler, table, _ADD_CONSTRAINT)
    return _end(compiler)


def allows_alteration(compiler: Compiler, table: Table, column: str | None = None) -> bool:
    """The event of every ALTER TABLE; False if it is to be ignored."""
    return allows(compiler, ALTER_TABLE, table.schema_name, table.name, column)


def _end(compiler: Compiler) -> bool:
    # Of the SQL that SQLite runs the authorizer hears; of our own ways to the same end it does not.
    compiler.authorized = None
    return True


def _ask_everywhere(compiler: Compiler, table: Table, words: str) -> None:
    """The events of a statement that SQLite runs for the table's database and for TEMP."""
    _ask(compiler, table, words)
    if table.schema_index != TEMP:
        _ask_temporary(compiler, words)


def _ask_temporary(compiler: Compiler, words: str) -> None:
    catalog = compiler.context.catalog
    _ask_of(compiler, loaded_schema(catalog, TEMP).tables[schema_table(TEMP)], words)


def _ask(compiler: Compiler, table: Table, words: str) -> None:
    """The events of a statement about the schema table of a table's database."""
    stored = loaded_schema(compiler.context.catalog, table.schema_index).tables[schema_table(table.schema_index)]
    _ask_of(compiler, stored, words)


def _ask_of(compiler: Compiler, table: Table, words: str) -> None:
    for word in words.split():
        if word == "select":
            ask_select(compiler, None, None)
        elif word == "LIKE":
            ask_function(compiler, None, word, None)
        elif word.endswith("()"):
            ask_function(compiler, None, word[:-2], None)
        elif word[0] == "+":
            allows(compiler, UPDATE, table.name, word[1:], table.schema_name)
        else:
            ask_read(compiler, None, table, word, None)
