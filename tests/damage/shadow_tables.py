"""Random changes to the bytes of shadow tables: `python -m tests.damage.shadow_tables [--seeds N]`.

Whatever stands in %_data, %_segdir, %_node and the others, statements on the table end with rows or a database error.
"""

from __future__ import annotations

import argparse
import random
from typing import Any

import apsw

import minisql

WORDS = ["one", "two", "three", "four", "five", "onto", "thread", "running"]
FULL_TEXT = (
    "SELECT rowid, * FROM t",
    "SELECT rowid FROM t WHERE t MATCH 'one'",
    "SELECT count(*) FROM t WHERE t MATCH 'thr*'",
    "SELECT rowid FROM t WHERE t MATCH '\"one two\" OR four'",
    "INSERT INTO t(rowid, a, b) VALUES(500, 'one two', 'x')",
    "DELETE FROM t WHERE rowid=7",
    "UPDATE t SET a='five', b='x' WHERE rowid=9",
    "INSERT INTO t(t) VALUES('integrity-check')",
    "INSERT INTO t(t) VALUES('optimize')",
    "INSERT INTO t(t) VALUES('rebuild')",
    "PRAGMA integrity_check",
)
FTS5 = (
    *FULL_TEXT,
    "SELECT rowid, rank FROM t WHERE t MATCH 'one' ORDER BY rank",
    "SELECT highlight(t, 0, '[', ']'), snippet(t, -1, '[', ']', '.', 5) FROM t WHERE t MATCH 'two'",
)
BOXES = (
    "SELECT count(*) FROM t", "DELETE FROM t WHERE rowid=5", "PRAGMA integrity_check", "SELECT rowid FROM t WHERE rowid=7",
)  # fmt: skip
KINDS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "fts5": ("fts5(a, b, prefix='2')", ("data", "idx", "docsize", "config", "content"), FTS5),
    "fts5 columns": ("fts5(a, b, detail=column)", ("data", "idx"), FTS5),
    "fts5 none": ("fts5(a, b, detail=none)", ("data", "idx"), FTS5),
    "fts5 without content": ("fts5(a, b, content='', contentless_delete=1)", ("data", "idx", "docsize"), FTS5),
    "fts4": (
        "fts4(a, b, prefix='3')",
        ("segdir", "segments", "docsize", "stat", "content"),
        (*FULL_TEXT, "SELECT matchinfo(t, 'pcnalsxyb'), offsets(t), snippet(t) FROM t WHERE t MATCH 'one'"),
    ),
    "rtree": (
        "rtree(id, x0, x1, y0, y1, +note)",
        ("node", "rowid", "parent"),
        (*BOXES, "SELECT * FROM t WHERE x0>3 AND x1<30", "SELECT rtreecheck('t')", "UPDATE t SET x0=x0-1 WHERE id<20"),
    ),
    "geopoly": (
        "geopoly(a)",
        ("node", "rowid", "parent"),
        (*BOXES, "SELECT rowid, a FROM t WHERE geopoly_overlap(_shape, '[[1,1],[9,1],[9,9],[1,1]]')"),
    ),
}


def sound_file(kind: str) -> bytes:
    """A database by SQLite with a table of a kind."""
    source = random.Random(5)
    connection = apsw.Connection(":memory:")
    connection.execute("PRAGMA page_size=1024")
    connection.execute(f"CREATE VIRTUAL TABLE t USING {KINDS[kind][0]}")
    if kind.startswith("fts5"):
        connection.execute("INSERT INTO t(t, rank) VALUES('pgsz', 64)")
    for i in range(60):
        if kind == "rtree":
            connection.execute("INSERT INTO t VALUES(?, ?, ?, ?, ?, ?)", (i, i, i + 2, i, i + 3, f"note {i}"))
        elif kind == "geopoly":
            connection.execute("INSERT INTO t(_shape, a) VALUES(?, ?)", (f"[[{i},{i}],[{i + 2},{i}],[{i + 2},{i + 3}],[{i},{i}]]", i))
        else:
            text = " ".join(source.choice(WORDS) for _ in range(source.randrange(1, 30)))
            connection.execute("INSERT INTO t(rowid, a, b) VALUES(?, ?, ?)", (i + 1, text, source.choice(WORDS)))
    if kind == "fts5 without content":
        connection.execute("DELETE FROM t WHERE rowid%3=0")
    return connection.serialize("main")


def changed(data: bytes, source: random.Random) -> bytes:
    """Bytes with some others, fewer or more."""
    result = bytearray(data)
    for _ in range(source.randrange(1, 4)):
        if not result:
            break
        place = source.randrange(len(result))
        action = source.random()
        if action < 0.6:
            result[place] = source.choice([0, 1, 2, 127, 128, 255, source.randrange(256)])
        elif action < 0.8:
            del result[place : place + source.randrange(1, 5)]
        else:
            result[place:place] = bytes([source.randrange(256)])
    return bytes(result)


def damage(connection: Any, kind: str, source: random.Random) -> None:
    """Changes a value of a shadow table."""
    table = f"t_{source.choice(KINDS[kind][1])}"
    key = "segid" if table == "t_idx" else "k" if table == "t_config" else "rowid"
    rows = connection.execute(f"SELECT {key}, * FROM {table}").fetchall()
    if not rows:
        return
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    row, place = source.choice(rows), source.randrange(len(names))
    value = row[place + 1]
    if isinstance(value, bytes) and value:
        value = changed(value, source)
    else:
        value = source.choice([None, 0, -1, 1 << 40, "abc", b"", b"\x80\x80", 7, 2.5])
    connection.execute(f"UPDATE OR IGNORE {table} SET {names[place]}=? WHERE {key}=?", (value, row[0]))


def run(kind: str, data: bytes, seed: int) -> int:
    """Damages a file and runs the statements in some order; returns how many failed.  Anything but minisql.Error passes through."""
    source = random.Random(seed)
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.deserialize(data)
    n_failed = 0
    try:
        for _ in range(source.randrange(1, 4)):
            try:
                damage(connection, kind, source)
            except minisql.Error:
                n_failed += 1
        statements = list(KINDS[kind][2])
        source.shuffle(statements)
        for sql in statements:
            try:
                connection.execute(sql).fetchall()
            except minisql.Error:
                n_failed += 1
    finally:
        connection.close()
    return n_failed


def main() -> None:
    """Prints a line for each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=500)
    options = parser.parse_args()
    for kind in KINDS:
        data = sound_file(kind)
        n_failed = sum(run(kind, data, seed) for seed in range(options.seeds))
        print(f"{kind}: {options.seeds} damaged files, {n_failed} statements failed, nothing but database errors", flush=True)


if __name__ == "__main__":
    main()
