"""Rows handed out in great number: what an export, a data frame or a report does."""

from __future__ import annotations

from typing import Any

from comparison.data import shop
from comparison.workload import Stage, workload


def _shop(module: Any, stage: Stage) -> Any:
    return shop(module, stage)


@workload("fetch", _shop, query="SELECT * FROM sale", floor=lambda tables: tables["sale"][:])
def fetch_all(connection: Any) -> Any:
    return connection.execute("SELECT * FROM sale").fetchall()


@workload("fetch", _shop)
def fetch_columns(connection: Any) -> Any:
    return connection.execute("SELECT id, price FROM sale").fetchall()


@workload("fetch", _shop)
def fetch_iterate(connection: Any) -> Any:
    total = 0
    for row in connection.execute("SELECT id, quantity, price FROM sale"):
        total += row[1]
    return total


@workload("fetch", _shop)
def fetch_one_by_one(connection: Any) -> Any:
    cursor = connection.execute("SELECT id, quantity FROM sale WHERE id <= 8000")
    fetch, total = cursor.fetchone, 0
    row = fetch()
    while row is not None:
        total += row[1]
        row = fetch()
    return total


@workload("fetch", _shop)
def fetch_many(connection: Any) -> Any:
    cursor = connection.execute("SELECT * FROM sale")
    total = 0
    while rows := cursor.fetchmany(500):
        total += len(rows)
    return total


@workload("fetch", _shop, is_ordered=False)
def fetch_filtered(connection: Any) -> Any:
    return connection.execute("SELECT * FROM sale WHERE quantity > 3").fetchall()


@workload("fetch", _shop)
def fetch_by_key_order(connection: Any) -> Any:
    return connection.execute("SELECT * FROM sale WHERE id > 5000 ORDER BY id").fetchall()


@workload("fetch", _shop)
def fetch_text(connection: Any) -> Any:
    return connection.execute("SELECT id, title, body, doc FROM note").fetchall()
