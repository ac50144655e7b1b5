"""Runs a function call in SQLite and in our registry and gives both outcomes in comparable form."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Sequence

import apsw

from minisql.errors import Error
from minisql.functions.registry import AggregateFunction, FunctionRegistry, ScalarFunction
from minisql.limits import DEFAULTS
from minisql.values.collation import BINARY
from minisql.values.storage_class import UTF8, encode_text


class Context:
    """A FunctionContext with fixed counters, the clock and a seeded source of randomness."""

    changes = 3
    total_changes = 7
    last_insert_rowid = 11
    encoding = UTF8
    limits = DEFAULTS
    pure_context: str | None = None

    def __init__(self) -> None:
        self.source = random.Random(1)

    def current_time_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def random_bytes(self, n: int) -> bytes:
        return self.source.randbytes(n)


REGISTRY = FunctionRegistry()
CONTEXT = Context()


def typed(value: object) -> object:
    """A value with its type; reals by their bits, text as bytes (it may be invalid UTF-8)."""
    if isinstance(value, float):
        return ("real", struct.pack("<d", value))
    if isinstance(value, str):
        return ("text", encode_text(value))
    return (type(value).__name__, value)


def ours(name: str, arguments: Sequence[object]) -> object:
    function = REGISTRY.find(name, len(arguments))
    assert isinstance(function, ScalarFunction), f"{name}/{len(arguments)} is missing"
    extra = ([BINARY] if function.needs_collation else []) + ([CONTEXT] if function.needs_context else [])
    try:
        return typed(function.call(*extra, *arguments))
    except Error as error:
        return ("error", str(error))


def ours_aggregate(name: str, rows: Sequence[Sequence[object]], n_args: int) -> object:
    function = REGISTRY.find(name, n_args)
    assert isinstance(function, AggregateFunction), f"{name}/{n_args} is missing"
    accumulator = function.make(BINARY) if function.needs_collation else function.make()
    try:
        for row in rows:
            accumulator.step(*row)
        result = typed(accumulator.value())
        if function.fold is not None and n_args == 1:
            assert typed(function.fold([row[0] for row in rows])) == result
        return result
    except Error as error:
        return ("error", str(error))


def theirs_sql(connection: apsw.Connection, expression: str, arguments: Sequence[object]) -> object:
    """The outcome of an SQL expression; text comes as a blob since apsw refuses invalid UTF-8."""
    try:
        kind, value, data = connection.execute(
            f"SELECT typeof(v), CASE WHEN typeof(v) <> 'text' THEN v END, CASE WHEN typeof(v) = 'text' THEN CAST(v AS BLOB) END"
            f" FROM (SELECT {expression} AS v LIMIT -1 OFFSET 0)",
            tuple(arguments),
        ).fetchall()[0]
    except apsw.Error as error:
        return ("error", str(error))
    return ("text", data) if kind == "text" else typed(value)


def theirs(connection: apsw.Connection, name: str, arguments: Sequence[object]) -> object:
    parameters = ", ".join(f"?{i + 1}" for i in range(len(arguments)))
    return theirs_sql(connection, f"{name}({parameters})", arguments)


def assert_same(connection: apsw.Connection, name: str, arguments: Sequence[object]) -> None:
    expected = theirs(connection, name, arguments)
    actual = ours(name, arguments)
    assert actual == expected, f"{name}{tuple(arguments)!r}: minisql {actual!r}, SQLite {expected!r}"
