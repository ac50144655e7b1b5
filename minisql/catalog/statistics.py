"""Statistics of sqlite_stat1: rows in a table, rows per distinct prefix of an index.

Each row is (table, index or NULL, text); the text holds integers, for an index the number of rows and then, for its first
column, its first two, ..., how many rows agree in them on average; words such as `unordered`, `noskipscan`, `sz=120` follow.

Source: https://www.sqlite.org/fileformat2.html section 2.6.3 ("The sqlite_stat1 table").
"""

from __future__ import annotations

from collections.abc import Iterable

from minisql.catalog.schema import Schema


def apply_statistics(schema: Schema, rows: Iterable[tuple[object, ...]]) -> None:
    """Gives tables and indexes their statistics; rows that name nothing known are passed over."""
    for table in schema.tables.values():
        table.row_estimate = None
    for index in schema.indexes.values():
        index.statistics = None
    for table_name, index_name, text in rows:
        if not isinstance(table_name, str) or not isinstance(text, str):
            continue
        table = schema.tables.get(table_name.lower())  # type: ignore[assignment]
        numbers = parse_statistics(text)
        if table is None or not numbers:
            continue
        if not isinstance(index_name, str):
            table.row_estimate = numbers[0]
            continue
        lowered = index_name.lower()
        if lowered == table_name.lower():
            # A WITHOUT ROWID table's own tree goes by the table's name.
            index = next((other for other in table.indexes if other.is_clustered), None)  # type: ignore[assignment]
        else:
            index = schema.indexes.get(lowered)  # type: ignore[assignment]
        if index is not None and index.table is table:
            index.statistics = numbers
            if index.where is None:
                table.row_estimate = numbers[0]


def parse_statistics(text: str) -> tuple[int, ...]:
    """The leading integers of a statistics text."""
    numbers = []
    for word in text.split():
        if not word.isdigit():
            break
        numbers.append(int(word))
    return tuple(numbers)
