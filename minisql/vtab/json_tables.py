"""json_each, json_tree and their jsonb forms as table-valued functions.

Source: https://www.sqlite.org/json1.html section 4.24.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from minisql.functions.json_rows import COLUMNS, json_each_columns, json_rows
from minisql.vtab.protocol import INNOCUOUS, Module, Value
from minisql.vtab.table_function import TableFunction


def make_module(name: str) -> Module:
    """The module of one of the four names."""
    rows = partial(_rows, name.endswith("tree"), name.startswith("jsonb"))
    at_once = _rows_at_once if name == "json_each" else None
    return TableFunction(COLUMNS, ("json", "root"), rows, (0, 1, 3), first_rowid=0, rows_at_once=at_once, risk=INNOCUOUS)


def _rows_at_once(arguments: list[Any], columns: tuple[int, ...]) -> list[tuple[Value, ...]] | None:
    if not arguments:
        return []
    is_given = len(arguments) > 1
    return json_each_columns(arguments[0], arguments[1] if is_given else None, is_given, columns)


def _rows(is_tree: bool, is_binary: bool, owner: Any, arguments: list[Any], n_given: int) -> Iterable[tuple[Value, ...]]:
    if not n_given:
        return ()
    # A root that is absent is not the same as NULL.
    root = arguments[1] if n_given > 1 else "$"
    return json_rows(arguments[0], root, is_tree, is_binary)
