"""Databases in files: opening, cold reads, loading, and a commit for every row.  Where the disk is waited for, wall time."""

from __future__ import annotations

from typing import Any

from comparison.data import shop, tables
from comparison.workload import Stage, connect, workload


class Saved:
    """A shop in a file that nobody has open."""

    def __init__(self, module: Any, stage: Stage) -> None:
        self.module, self.stage = module, stage
        self.path = stage.file()
        shop(module, stage, self.path).close()
        self.connection: Any = None
        self.rows = tables(stage.divisor)["sale"]

    def close(self) -> None:
        """Closes what the last run has opened."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def fresh(self) -> None:
        """Makes room for a new file."""
        self.close()
        self.path = self.stage.file()


@workload("file", Saved, reset=Saved.close)
def open_first_query(saved: Saved) -> Any:
    rows = []
    for _ in range(30):
        connection = connect(saved.module, saved.path)
        rows.append(connection.execute("SELECT name FROM customer WHERE id = 42").fetchone())
        connection.close()
    return rows


@workload("file", Saved, reset=Saved.close)
def cold_scan(saved: Saved) -> Any:
    saved.connection = connect(saved.module, saved.path)
    return saved.connection.execute("SELECT sum(quantity * price), max(day) FROM sale").fetchall()


@workload("file", Saved, reset=Saved.close)
def cold_fetch(saved: Saved) -> Any:
    saved.connection = connect(saved.module, saved.path)
    return saved.connection.execute("SELECT * FROM sale").fetchall()


@workload("file", Saved, reset=Saved.close)
def cold_lookups(saved: Saved) -> Any:
    connection = saved.connection = connect(saved.module, saved.path)
    keys = [n * 37 % 19_000 + 1 for n in range(300)]
    return [connection.execute("SELECT day, price FROM sale WHERE id = ?", (key,)).fetchone() for key in keys]


def _opened(module: Any, stage: Stage) -> Saved:
    saved = Saved(module, stage)
    saved.connection = connect(module, saved.path)
    return saved


@workload("file", _opened)
def file_point_select(saved: Saved) -> Any:
    execute = saved.connection.execute
    return [execute("SELECT day, price FROM sale WHERE id = ?", (n * 37 % 1900 + 1,)).fetchone() for n in range(1000)]


@workload("file", Saved, reset=Saved.fresh)
def bulk_load(saved: Saved) -> Any:
    connection = saved.connection = connect(saved.module, saved.path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("CREATE TABLE sale(id INTEGER PRIMARY KEY, customer, item, day, quantity, price REAL)")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO sale VALUES (?, ?, ?, ?, ?, ?)", saved.rows)
    connection.execute("COMMIT")
    return connection.execute("SELECT count(*), sum(id), sum(day) FROM sale").fetchall()


@workload("file", Saved, reset=Saved.fresh)
def create_index(saved: Saved) -> Any:
    connection = saved.connection = connect(saved.module)
    connection.execute("CREATE TABLE sale(id INTEGER PRIMARY KEY, customer, item, day, quantity, price REAL)")
    connection.executemany("INSERT INTO sale VALUES (?, ?, ?, ?, ?, ?)", saved.rows[:10_000])
    connection.execute("CREATE INDEX by_customer ON sale(customer, day)")
    connection.execute("CREATE INDEX by_price ON sale(price)")
    return connection.execute("SELECT min(customer), max(price) FROM sale").fetchall()


def _commit_mode(mode: str, pragma: str) -> None:
    def setup(module: Any, stage: Stage) -> Any:
        connection = connect(module, stage.file())
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute(pragma)
        connection.execute("CREATE TABLE log(id INTEGER PRIMARY KEY, text, n)")
        return connection

    def run(connection: Any) -> Any:
        for n in range(20 if "FULL" in pragma else 60):
            connection.execute("INSERT INTO log(text, n) VALUES (?, ?)", (f"line {n}", n))

    run.__name__ = f"commit_each_row_{mode}"
    workload("file", setup, clock="wall" if "FULL" in pragma else "cpu")(run)


_commit_mode("delete", "PRAGMA synchronous = FULL")
_commit_mode("truncate", "PRAGMA synchronous = NORMAL")
_commit_mode("persist", "PRAGMA synchronous = OFF")
_commit_mode("wal", "PRAGMA synchronous = NORMAL")
