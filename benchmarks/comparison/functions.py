"""Functions, aggregates and collations that are written in Python."""

from __future__ import annotations

from typing import Any

from comparison.data import shop
from comparison.workload import Stage, workload


class Spread:
    """The difference of the largest and the smallest value."""

    def __init__(self) -> None:
        self.low: Any = None
        self.high: Any = None

    def step(self, value: Any) -> None:
        """Takes a value."""
        if self.low is None or value < self.low:
            self.low = value
        if self.high is None or value > self.high:
            self.high = value

    def finalize(self) -> Any:
        """The difference."""
        return None if self.low is None else self.high - self.low


def _by_last_word(a: str, b: str) -> int:
    a, b = a[::-1], b[::-1]
    return (a > b) - (a < b)


def _shop(module: Any, stage: Stage) -> Any:
    connection = shop(module, stage)
    connection.create_function("discount", 2, lambda price, quantity: price * (0.9 if quantity > 10 else 1), deterministic=True)
    connection.create_function("is_even", 1, lambda n: n % 2 == 0)
    connection.create_function("shorten", 1, lambda text: text[:8] + "...")
    connection.create_aggregate("spread", 1, Spread)
    connection.create_collation("backwards", _by_last_word)
    return connection


@workload("udf", _shop)
def udf_scalar(connection: Any) -> Any:
    return connection.execute("SELECT sum(discount(price, quantity)) FROM sale").fetchall()


@workload("udf", _shop)
def udf_condition(connection: Any) -> Any:
    return connection.execute("SELECT count(*) FROM sale WHERE is_even(day)").fetchall()


@workload("udf", _shop)
def udf_text(connection: Any) -> Any:
    return connection.execute("SELECT shorten(body) FROM note").fetchall()


@workload("udf", _shop)
def udf_aggregate(connection: Any) -> Any:
    return connection.execute("SELECT spread(day) FROM sale").fetchall()


@workload("udf", _shop)
def udf_aggregate_groups(connection: Any) -> Any:
    return connection.execute("SELECT item, spread(day) FROM sale GROUP BY item ORDER BY item").fetchall()


@workload("udf", _shop)
def udf_collation(connection: Any) -> Any:
    return connection.execute("SELECT name FROM customer ORDER BY name COLLATE backwards").fetchall()
