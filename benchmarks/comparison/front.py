"""Statements that the engine has never seen: texts that differ from run to run, so nothing is found in a cache."""

from __future__ import annotations

import itertools
from typing import Any

from comparison.data import shop
from comparison.workload import Stage, connect, workload


class Fresh:
    """A connection to a small shop and numbers that were not used yet."""

    def __init__(self, module: Any, stage: Stage) -> None:
        self.connection = shop(module, Stage(stage.folder, 20))
        self.connection.execute("CREATE TABLE log(id INTEGER PRIMARY KEY, text, n, x REAL)")
        self.numbers = itertools.count(1)


@workload("front", Fresh)
def new_point_select(fresh: Fresh) -> Any:
    execute = fresh.connection.execute
    return [execute(f"SELECT name, city FROM customer WHERE id = {n % 50} + 0 * {n}").fetchone() for n in _take(fresh, 200)]


@workload("front", Fresh)
def new_expressions(fresh: Fresh) -> Any:
    execute = fresh.connection.execute
    return [
        execute(f"SELECT {n} + 3 * (4 - {n}), CASE WHEN {n} > 5 THEN 'a' ELSE 'b' END, coalesce(NULL, {n}, abs(-7))").fetchone()
        for n in _take(fresh, 200)
    ]


@workload("front", Fresh)
def new_insert(fresh: Fresh) -> Any:
    execute = fresh.connection.execute
    for n in _take(fresh, 200):
        execute(f"INSERT INTO log(text, n, x) VALUES ('text {n}', {n}, {n}.5)")
    return execute("SELECT count(*), sum(n) FROM log").fetchall()


@workload("front", Fresh)
def new_update(fresh: Fresh) -> Any:
    execute = fresh.connection.execute
    for n in _take(fresh, 200):
        execute(f"UPDATE item SET price = price + {n} WHERE id = {n % 400}")
    return execute("SELECT sum(price) FROM item").fetchall()


@workload("front", Fresh)
def new_join(fresh: Fresh) -> Any:
    execute = fresh.connection.execute
    return [
        execute(
            f"SELECT c.name, i.name, s.quantity FROM sale AS s JOIN customer AS c ON c.id = s.customer JOIN item AS i ON "
            f"i.id = s.item WHERE s.id = {n % 900} AND i.price > {n} * 0.0 ORDER BY i.name LIMIT 5"
        ).fetchall()
        for n in _take(fresh, 100)
    ]


@workload("front", Fresh)
def new_aggregate(fresh: Fresh) -> Any:
    execute = fresh.connection.execute
    return [
        execute(
            f"SELECT segment, count(*), max(length(name)) FROM customer WHERE id <> {n} AND city IN ('Cork', 'Faro', 'Jena') "
            "GROUP BY segment HAVING count(*) > 0 ORDER BY 2 DESC, 1"
        ).fetchall()
        for n in _take(fresh, 100)
    ]


def _take(fresh: Fresh, n: int) -> Any:
    return itertools.islice(fresh.numbers, n)


def _empty(module: Any, stage: Stage) -> Any:
    return connect(module)


@workload("front", _empty)
def create_and_drop(connection: Any) -> Any:
    execute = connection.execute
    for n in range(20):
        execute(f"CREATE TABLE t{n}(id INTEGER PRIMARY KEY, a TEXT NOT NULL DEFAULT 'x', b REAL CHECK (b > 0), UNIQUE (a, b))")
        execute(f"CREATE INDEX i{n} ON t{n}(b, a)")
        execute(f"CREATE VIEW v{n} AS SELECT a, sum(b) AS total FROM t{n} GROUP BY a")
    for n in range(20):
        execute(f"DROP VIEW v{n}")
        execute(f"DROP TABLE t{n}")
    return execute("SELECT count(*) FROM sqlite_schema").fetchall()
