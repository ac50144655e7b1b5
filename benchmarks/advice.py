"""What docs/speed.md advises, measured: the same work done in two ways.

    python benchmarks/advice.py                                    prints a table
    python benchmarks/advice.py --write docs/performance/advice.md writes the page

CPU time, wall time where the disk is waited for; the two ways in turn, medians of the rounds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import minisql

N = 20_000
Way = Callable[[], object]


class Advice:
    """A piece of advice: what is slow, what is quick, both as words and as calls."""

    def __init__(self, slow_words: str, slow: Way, quick_words: str, quick: Way, clock: Callable[[], float]) -> None:
        self.ways = ((slow_words, slow), (quick_words, quick))
        self.clock = clock

    def measure(self, rounds: int) -> tuple[float, float]:
        """Seconds of the slow and of the quick way."""
        times: tuple[list[float], list[float]] = [], []
        for _ in range(rounds):
            for found, (_, call) in zip(times, self.ways, strict=True):
                started = self.clock()
                call()
                found.append(self.clock() - started)
        return statistics.median(times[0]), statistics.median(times[1])


def shop() -> Any:
    """A database in memory: `sale` with an index, `goods`, and `mark` without an index."""
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.executescript(
        "CREATE TABLE sale(id INTEGER PRIMARY KEY, item INTEGER, price REAL, note TEXT);"
        "CREATE TABLE goods(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE mark(item INTEGER, colour TEXT);"
    )
    connection.executemany("INSERT INTO sale VALUES(?, ?, ?, ?)", [(i, i % 500, i / 8, f"note {i % 97}") for i in range(N)])
    connection.executemany("INSERT INTO goods VALUES(?, ?)", [(i, f"goods {i}") for i in range(500)])
    connection.executemany("INSERT INTO mark VALUES(?, ?)", [(i, f"colour {i % 7}") for i in range(500)])
    connection.execute("CREATE INDEX sale_item ON sale(item)")
    return connection


def statements(connection: Any) -> list[Advice]:
    """Advice on how to call."""
    query, changes = connection.execute, [(i % 500, i / 8, "new") for i in range(2000)]
    insert = "INSERT INTO sale(item, price, note) VALUES(?, ?, ?)"

    def one_by_one() -> None:
        query("BEGIN")
        for change in changes:
            query(insert, change)
        query("ROLLBACK")

    def at_once() -> None:
        query("BEGIN")
        connection.executemany(insert, changes)
        query("ROLLBACK")

    def fetch_one_by_one() -> None:
        cursor = query("SELECT * FROM sale")
        while cursor.fetchone() is not None:
            pass

    cpu = time.process_time
    return [
        Advice(
            "2,000 lookups, the key in the text",
            lambda: [query(f"SELECT price FROM sale WHERE id = {i}").fetchone() for i in range(2000)],
            "the key as a parameter",
            lambda: [query("SELECT price FROM sale WHERE id = ?", (i,)).fetchone() for i in range(2000)],
            cpu,
        ),
        Advice("2,000 inserts by `execute`", one_by_one, "by `executemany` over a list", at_once, cpu),
        Advice(
            "20,000 rows by `fetchone`", fetch_one_by_one, "by `fetchall`", lambda: query("SELECT * FROM sale").fetchall(), cpu
        ),
        Advice(
            "the last ten of all rows",
            lambda: query("SELECT * FROM sale").fetchall()[-10:],
            "of a query with ORDER BY id DESC LIMIT 10",
            lambda: query("SELECT * FROM sale ORDER BY id DESC LIMIT 10").fetchall(),
            cpu,
        ),
    ]


def plans(connection: Any) -> list[Advice]:
    """Advice on indexes and on how to write a query."""
    query, cpu = connection.execute, time.process_time
    connection.create_function("shout", 1, str.upper, deterministic=True)
    return [
        Advice(
            "200 searches by a column without an index",
            lambda: [query("SELECT id FROM sale WHERE price = ?", (i / 8,)).fetchall() for i in range(200)],
            "by one with an index",
            lambda: [query("SELECT id FROM sale WHERE item = ?", (i,)).fetchall() for i in range(200)],
            cpu,
        ),
        Advice(
            "an index made useless: `item + 0 = ?`, 50 times",
            lambda: [query("SELECT id FROM sale WHERE item + 0 = ?", (i,)).fetchall() for i in range(50)],
            "`item = ?`",
            lambda: [query("SELECT id FROM sale WHERE item = ?", (i,)).fetchall() for i in range(50)],
            cpu,
        ),
        Advice(
            "a join by a column without an index",
            lambda: query("SELECT count(*) FROM sale JOIN mark ON mark.item = sale.item").fetchall(),
            "by the other table's key",
            lambda: query("SELECT count(*) FROM sale JOIN goods ON goods.id = sale.item").fetchall(),
            cpu,
        ),
        Advice(
            "`count(*) > 0`, 50 times",
            lambda: [query("SELECT count(*) > 0 FROM sale WHERE price > ?", (i,)).fetchone() for i in range(50)],
            "`EXISTS`",
            lambda: [query("SELECT EXISTS(SELECT 1 FROM sale WHERE price > ?)", (i,)).fetchone() for i in range(50)],
            cpu,
        ),
        Advice(
            "a function in Python over 20,000 rows",
            lambda: query("SELECT count(*) FROM sale WHERE shout(note) = 'NOTE 5'").fetchall(),
            "a built-in one",
            lambda: query("SELECT count(*) FROM sale WHERE upper(note) = 'NOTE 5'").fetchall(),
            cpu,
        ),
    ]


def files(folder: str) -> list[Advice]:
    """Advice on writing to a file."""

    def opened(name: str, *pragmas: str) -> Any:
        connection = minisql.connect(f"{folder}/{name}.db", isolation_level=None)
        for pragma in pragmas:
            connection.execute(pragma).fetchall()
        connection.execute("CREATE TABLE t(a)")
        return connection

    plain, logged = opened("plain"), opened("logged", "PRAGMA journal_mode = wal", "PRAGMA synchronous = normal")

    def each(connection: Any) -> None:
        for number in range(200):
            connection.execute("INSERT INTO t VALUES(?)", (number,))

    def together() -> None:
        plain.execute("BEGIN")
        each(plain)
        plain.execute("COMMIT")

    wall = time.perf_counter
    return [
        Advice("200 inserts, a commit each", lambda: each(plain), "one transaction", together, wall),
        Advice(
            "200 commits with a rollback journal",
            lambda: each(plain),
            "`journal_mode = wal`, `synchronous = normal`",
            lambda: each(logged),
            wall,
        ),
    ]


def table(rounds: int) -> list[str]:
    """The lines of the table."""
    lines = ["| slower | ms | quicker | ms | times |", "| --- | ---: | --- | ---: | ---: |"]
    connection = shop()
    with tempfile.TemporaryDirectory(prefix="advice-") as folder:
        for advice in [*statements(connection), *plans(connection), *files(folder)]:
            slow, quick = advice.measure(rounds)
            (slow_words, _), (quick_words, _) = advice.ways
            unit = " (wall)" if advice.clock is time.perf_counter else ""
            times = f"{slow / max(quick, 1e-9):.1f}"
            lines.append(f"| {slow_words}{unit} | {1e3 * slow:.1f} | {quick_words} | {1e3 * quick:.1f} | {times} |")
    return lines


def main() -> int:
    """Measures and prints or writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", type=Path, metavar="FILE")
    options = parser.parse_args()
    lines = table(options.rounds)
    print("\n".join(lines))
    if options.write:
        head = [
            "# Advice, measured",
            "",
            "Written by `python benchmarks/advice.py --write docs/performance/advice.md`; do not edit. The same work in",
            f"two ways, CPU time (wall time where the disk is waited for), medians of {options.rounds} rounds; explained in",
            "[Making statements fast](../speed.md).",
            "",
        ]
        options.write.write_text("\n".join([*head, *lines]) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
