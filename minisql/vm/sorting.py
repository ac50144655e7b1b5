"""Sorting rows: several stable native sorts, one per ORDER BY term, from the last term to the first.

Each pass looks at one column.  When all its values are numbers, or all are text that sorts by code point, `list.sort` with an
`itemgetter` runs in C.  A column of mixed storage classes is partitioned by class first (NULL, numbers, text, blobs) and each
part is sorted natively.  `reverse=True` keeps equal rows in their order, so descending terms need no wrapper.

Rejected: `cmp_to_key` (22 times slower on 20,000 floats), tuple keys (a second allocation for each row).
Source: https://www.sqlite.org/lang_select.html#orderby; https://www.sqlite.org/datatype3.html section 4.3.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from minisql.bytecode.program import SortSpec
from minisql.values.collation import BINARY, text_order_key
from minisql.values.compare import record_key_function
from minisql.vm.picking import GETTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minisql.values.collation import Collation

Row = tuple[Any, ...]

_NUMBERS = ({int}, {float}, {int, float})
_TEXT = {str}
_BLOB = {bytes}
_NULL = {type(None)}


def sort_rows(rows: list[Row], spec: SortSpec) -> None:
    """Sorts rows in place by a SortSpec; stable.

    Source: https://www.sqlite.org/lang_select.html#orderby
    """
    if len(rows) < 2:
        return
    keys = spec.keys
    for term in range(len(keys) - 1, -1, -1):
        _sort_pass(rows, keys[term], spec.collations[term], spec.descending[term], spec.nulls_first[term])


def _sort_pass(rows: list[Row], position: int, collation: Collation | None, descending: bool, nulls_first: bool) -> None:
    getter = itemgetter(position)
    kinds = set(map(type, map(getter, rows)))
    if kinds in _NUMBERS or kinds == _BLOB:
        rows.sort(key=getter, reverse=descending)
    elif kinds == _TEXT:
        rows.sort(key=_text_key(rows, position, getter, collation), reverse=descending)
    elif kinds != _NULL:
        _sort_mixed(rows, position, collation, descending, nulls_first)


def _text_key(
    rows: list[Row], position: int, getter: Callable[[Row], Any], collation: Collation | None
) -> Callable[[Row], Any]:
    """The native getter when code points decide, else the collation's key."""
    if collation is None or collation.is_binary:
        if all(map(str.isascii, map(getter, rows))):
            return getter
        if collation is None:
            return lambda row: text_order_key(row[position])
    key = collation.key
    return lambda row: key(row[position])


def _sort_mixed(rows: list[Row], position: int, collation: Collation | None, descending: bool, nulls_first: bool) -> None:
    nulls: list[Row] = []
    numbers: list[Row] = []
    texts: list[Row] = []
    blobs: list[Row] = []
    part_of = {type(None): nulls, int: numbers, float: numbers, str: texts, bytes: blobs}
    for row in rows:
        part_of[row[position].__class__].append(row)
    getter = itemgetter(position)
    numbers.sort(key=getter, reverse=descending)
    blobs.sort(key=getter, reverse=descending)
    if texts:
        texts.sort(key=_text_key(texts, position, getter, collation), reverse=descending)
    ordered = blobs + texts + numbers if descending else numbers + texts + blobs
    rows[:] = nulls + ordered if nulls_first else ordered + nulls


def ascending_spec(collations: Sequence[Collation | None]) -> SortSpec:
    """The SortSpec of rows sorted by all their columns, ascending.

    Source: https://www.sqlite.org/lang_select.html#compound_select_statements
    """
    n = len(collations)
    effective = tuple([BINARY if collation is None else collation for collation in collations])
    return SortSpec(tuple(range(n)), effective, (False,) * n, (True,) * n, n)


def sort_key_function(spec: SortSpec) -> Callable[[Row], Any]:
    """Returns a function from rows to keys that sort natively as the SortSpec says; for heaps and merges.

    Source: https://www.sqlite.org/lang_select.html#orderby
    """
    pick = GETTERS[spec.keys]
    make_key = record_key_function(spec.collations, spec.descending, spec.nulls_first)
    return lambda row: make_key(pick(row))
