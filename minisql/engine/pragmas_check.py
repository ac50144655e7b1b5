"""PRAGMAs that examine data: integrity_check, quick_check, foreign_key_check, optimize.

Source: https://www.sqlite.org/pragma.html#pragma_integrity_check, https://www.sqlite.org/foreignkeys.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.catalog.hash_order import tables_in_walk_order
from minisql.engine.analyze import analyze
from minisql.engine.checking import check_database, check_foreign_keys
from minisql.engine.names import quoted
from minisql.engine.pragma_table import Rows, parse_integer, pragma
from minisql.errors import ERROR, sqlite_error

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.engine.session import Session

_DEFAULT_ERRORS = 100


def _check(session: Session, database: int | None, value: str | None, is_quick: bool) -> Rows:
    n_errors = _DEFAULT_ERRORS
    table_name = None
    if value is not None:
        if value.__class__ is str and value.lstrip("-").isdigit():
            n_errors = parse_integer(value)
            if n_errors <= 0:
                n_errors = _DEFAULT_ERRORS
        else:
            table_name = value
    session.ensure_schemas()
    if table_name is not None:
        table_of_check(session, database, table_name)
    numbers = (
        [database]
        if database is not None
        else [
            number
            for number, btree in enumerate(session.btrees)
            if btree is not None and (number != 1 or session.is_temp_used())
        ]
    )
    rows: list[tuple[Any, ...]] = []
    for number in numbers:
        session.ensure_reading(number)
        for text, n_found in check_database(session, number, n_errors, is_quick, table_name):
            rows.append((text,))
            n_errors -= n_found
            if n_errors <= 0:
                return rows
    return rows or [("ok",)]


def table_of_check(session: Session, database: int | None, name: str) -> Table:
    """The table that a check is about; raises `no such table`."""
    schema = None if database is None else session.catalog.schemas[database]
    table = session.catalog.find_table(name, None if schema is None else schema.name)
    if table is None:
        raise sqlite_error(ERROR, f"no such table: {name}" if schema is None else f"no such table: {schema.name}.{name}")
    return table


@pragma("integrity_check")
def integrity_check(session: Session, database: int | None, value: str | None) -> Rows:
    """Examines pages, records, indexes and constraints; one row per error, or "ok"."""
    return _check(session, database, value, False)


@pragma("quick_check")
def quick_check(session: Session, database: int | None, value: str | None) -> Rows:
    """As integrity_check, without comparing indexes with their tables."""
    return _check(session, database, value, True)


@pragma("foreign_key_check", "table rowid parent fkid")
def foreign_key_check(session: Session, database: int | None, value: str | None) -> Rows:
    """Rows whose foreign keys point nowhere."""
    session.ensure_schemas()
    number = database or 0
    schema = session.catalog.schemas[number]
    assert schema is not None
    if value is None:
        tables = [table for table in tables_in_walk_order(schema) if table.foreign_keys]
    else:
        tables = [table_of_check(session, database, value)]
    session.ensure_reading(number)
    return [row for table in tables for row in check_foreign_keys(session, table)]


@pragma("optimize", "optimize")
def optimize(session: Session, database: int | None, value: str | None) -> Rows:
    """Analyzes tables whose indexes have no statistics or, with bit 0x10000, that have grown or shrunk more than tenfold.

    With bit 1 the statements are returned and not run.
    """
    mask = _OPTIMIZE_DEFAULT if value is None else parse_integer(value)
    if not mask & _ANALYZE_BIT:
        return []
    session.ensure_schemas()
    rows: list[tuple[Any, ...]] = []
    for number, schema in enumerate(session.catalog.schemas):
        if schema is None or (database is not None and number != database) or number == 1:
            continue
        due = [table for table in tables_in_walk_order(schema) if _is_analysis_due(session, table, mask)]
        if mask & _SHOW_BIT:
            rows += [(f"ANALYZE {quoted(schema.name)}.{quoted(table.name)}",) for table in due]
        else:
            for table in due:
                analyze(session, (schema.name, table.name), [])
    return rows


_SHOW_BIT, _ANALYZE_BIT, _ALL_TABLES_BIT = 0x1, 0x2, 0x10000
_OPTIMIZE_DEFAULT = 0xFFFE


def _is_analysis_due(session: Session, table: Table, mask: int) -> bool:
    if not table.root_page or table.name.lower().startswith("sqlite_"):
        return False
    indexes = [index for index in table.indexes if index.where is None]
    lacks_statistics = any(index.statistics is None for index in table.indexes)
    if not mask & _ALL_TABLES_BIT and not (table.indexes and lacks_statistics):
        return False
    session.ensure_reading(table.schema_index)
    n_rows = session.estimated_rows(table.schema_index, table.root_page)
    known = table.row_estimate
    if known is None and indexes and indexes[0].statistics is not None:
        known = indexes[0].statistics[0]
    if known is None or lacks_statistics:
        return n_rows > 0 or not table.indexes
    return n_rows > 10 * known or (n_rows * 10 < known if n_rows else known >= 10)
