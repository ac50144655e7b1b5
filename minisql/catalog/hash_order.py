"""The order in which SQLite walks the tables of a schema, which ANALYZE and some PRAGMAs show.

SQLite keeps them in a hash table whose elements are linked in one list as well.  As long as there are four or less, a
newcomer goes to the front of the list.  From the fifth on there are buckets: a newcomer goes in front of the one that came
before it into its bucket, and to the front of the list when it is the first there.  The buckets grow with the table (at most
to 64), and then all elements enter anew in the order of the list.

Left out: buckets do not shrink when tables are dropped, of which a schema keeps no memory here.

Source: https://www.sqlite.org/pragma.html#pragma_table_list leaves the order open; it was fitted to schemas of 1 to 80 tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minisql.catalog.schema import Schema, Table

_FIRST_GROWTH = 5
_MAX_BUCKETS = 64
_IGNORED_CASE = 0xDF
_MULTIPLIER = 0x9E3779B1


def tables_in_walk_order(schema: Schema) -> list[Table]:
    """Tables and views of a schema, sqlite_schema among them, each once."""
    named = {table.name: table for table in schema.tables.values()}
    return [named[name] for name in walk_order(named)]


def walk_order(names: Iterable[str]) -> list[str]:
    """Names in the order of the list, given in the order in which they came."""
    order: list[str] = []
    n_buckets = 0
    newest: dict[int, str] = {}
    for count, name in enumerate(names, 1):
        if count >= _FIRST_GROWTH and count > 2 * n_buckets and n_buckets < _MAX_BUCKETS:
            n_buckets = min(3 * count, _MAX_BUCKETS)
            before, order, newest = order, [], {}
            for other in before:
                _enter(order, newest, n_buckets, other)
        _enter(order, newest, n_buckets, name)
    return order


def _enter(order: list[str], newest: dict[int, str], n_buckets: int, name: str) -> None:
    place = 0
    if n_buckets:
        bucket = _hash(name) % n_buckets
        if bucket in newest:
            place = order.index(newest[bucket])
        newest[bucket] = name
    order.insert(place, name)


def _hash(name: str) -> int:
    value = 0
    for byte in name.encode("utf-8", "surrogateescape"):
        value = (value + (byte & _IGNORED_CASE)) * _MULTIPLIER & 0xFFFFFFFF
    return value
