"""The data of the workloads: a shop with customers, items and sales, and notes with text and JSON.  The same every time."""

from __future__ import annotations

import json
import random
from functools import lru_cache
from typing import Any

from comparison.workload import Stage, connect

N_SALES, N_CUSTOMERS, N_ITEMS, N_NOTES = 20_000, 1_000, 400, 2_000

SCHEMA = """
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city TEXT, segment TEXT);
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, kind TEXT, price REAL);
CREATE TABLE sale(id INTEGER PRIMARY KEY, customer INTEGER, item INTEGER, day INTEGER, quantity INTEGER, price REAL);
CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT, body TEXT, doc TEXT);
CREATE INDEX sale_customer ON sale(customer);
"""
_WORDS = [
    *("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"),
    *("india", "juliet", "kilo", "lima", "mike", "november", "oscar", "papa"),
]
_CITIES = ["Ankara", "Bergen", "Cork", "Dijon", "Essen", "Faro", "Graz", "Haifa", "Izmir", "Jena"]


@lru_cache(4)
def tables(divisor: int = 1) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of all tables."""
    r = random.Random(17)
    n_sales, n_customers, n_notes = N_SALES // divisor, N_CUSTOMERS // divisor, N_NOTES // divisor
    customers = [
        (n, f"{r.choice(_WORDS)} {r.choice(_WORDS)} {n}", r.choice(_CITIES), r.choice("ABCDE"))
        for n in range(1, n_customers + 1)
    ]
    items = [(n, f"item {r.choice(_WORDS)} {n}", r.choice(_WORDS), round(r.uniform(1, 99), 2)) for n in range(1, N_ITEMS + 1)]
    sales = []
    for n in range(1, n_sales + 1):
        item = r.randrange(1, N_ITEMS + 1)
        sales.append((n, r.randrange(1, n_customers + 200), item, r.randrange(730), r.randrange(1, 20), items[item - 1][3]))
    notes = []
    for n in range(1, n_notes + 1):
        words = [r.choice(_WORDS) for _ in range(12)]
        doc = {"id": n, "tags": words[:3], "size": {"w": r.randrange(100), "h": r.randrange(100)}, "ok": n % 3 == 0}
        notes.append((n, " ".join(words[:3]), " ".join(words), json.dumps(doc)))
    return {"customer": customers, "item": items, "sale": sales, "note": notes}


def shop(module: Any, stage: Stage, path: str = ":memory:") -> Any:
    """A connection to the shop's database."""
    connection = connect(module, path)
    connection.executescript(SCHEMA)
    connection.execute("BEGIN")
    for name, rows in tables(stage.divisor).items():
        connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    connection.execute("COMMIT")
    return connection
