"""Full-text search and R-Trees next to the standard library's sqlite3, in the same run: ratios of time.

The texts are the paragraphs of Python's reference that the standard library carries (pydoc_data.topics).
Every query is checked to give the same rows; times are the best of several rounds.
"""

import argparse
import random
import sqlite3
import time
from pydoc_data.topics import topics
from typing import Any

import minisql

QUERIES = {
    "term": "SELECT rowid FROM t WHERE t MATCH 'statement'",
    "prefix": "SELECT rowid FROM t WHERE t MATCH 'obj*'",
    "phrase": "SELECT rowid FROM t WHERE t MATCH '\"of the\"'",
    "rank": "SELECT rowid FROM t WHERE t MATCH 'class' ORDER BY rank LIMIT 10",
    "highlight": "SELECT highlight(t, 0, '[', ']') FROM t WHERE t MATCH 'function' LIMIT 100",
    "snippet": "SELECT snippet(t, 0, '[', ']', '...', 10) FROM t WHERE t MATCH 'function' LIMIT 100",
}


def main() -> None:
    """Prints a line for each task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, default=2, help="how often each paragraph is entered")
    parser.add_argument("--boxes", type=int, default=5000, help="how many boxes the R-Tree gets")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    texts = [part for text in topics.values() for part in text.split("\n\n") if part.strip()] * options.copies
    connections: list[Any] = [module.connect(":memory:", isolation_level=None) for module in (minisql, sqlite3)]
    builds = [[_build(connection, texts) for connection in connections] for _ in range(options.rounds)]
    _show("build", [min(times) for times in zip(*builds)])
    for name, sql in QUERIES.items():
        _show(name, _compared(connections, sql, [()], options.rounds))
    source = random.Random(1)
    boxes = []
    for number in range(options.boxes):
        x, y = source.uniform(0, 1000), source.uniform(0, 1000)
        boxes.append((number, x, x + source.uniform(0, 5), y, y + source.uniform(0, 5)))
    for connection in connections:
        connection.execute("CREATE VIRTUAL TABLE r USING rtree(id, x0, x1, y0, y1)")
    _show("rtree build", [_timed(connection, "INSERT INTO r VALUES(?, ?, ?, ?, ?)", boxes) for connection in connections])
    window = "SELECT id FROM r WHERE x1>=? AND x0<=? AND y1>=? AND y0<=?"
    windows = [(x, x + 60, y, y + 60) for x, y in ((source.uniform(0, 900), source.uniform(0, 900)) for _ in range(50))]
    _show("rtree window", _compared(connections, window, windows, options.rounds))


def _show(name: str, seconds: list[float]) -> None:
    print(f"{name:14} {seconds[0] * 1e3:9.2f} ms {seconds[1] * 1e3:9.2f} ms  ratio {seconds[0] / seconds[1]:6.1f}")


def _build(connection: Any, texts: list[str]) -> float:
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(text)")
    return _timed(connection, "INSERT INTO t VALUES(?)", [(text,) for text in texts])


def _timed(connection: Any, sql: str, rows: list[Any]) -> float:
    start = time.process_time()
    connection.execute("BEGIN")
    connection.executemany(sql, rows)
    connection.execute("COMMIT")
    return time.process_time() - start


def _compared(connections: list[Any], sql: str, arguments: list[Any], rounds: int) -> list[float]:
    """The best time of each connection for a query with each of the arguments."""
    best = []
    answers = []
    for connection in connections:
        times = []
        for _ in range(rounds):
            start = time.process_time()
            rows = [sorted(connection.execute(sql, values).fetchall()) for values in arguments]
            times.append(time.process_time() - start)
        best.append(min(times))
        answers.append(rows)
    assert answers[0] == answers[1], sql
    return best


if __name__ == "__main__":
    main()
