"""Every conflict clause, of the statement and of the constraint, for every kind of constraint, statement and table.

Source: https://www.sqlite.org/lang_conflict.html, https://www.sqlite.org/lang_createtable.html#constraint_enforcement.
"""

from __future__ import annotations

from collections.abc import Iterator

ALGORITHMS = ("ABORT", "FAIL", "IGNORE", "REPLACE", "ROLLBACK")

# name: (columns and constraints with {0} for the constraint's own clause, first rows, new rows of which the second violates it)
CONSTRAINTS = {
    "ipk": ("a INTEGER PRIMARY KEY {0}, b, c", "(1,1,1),(2,2,2),(3,3,3)", "(10,10,10),(2,20,20),(11,11,11)"),
    "pk": ("a TEXT PRIMARY KEY {0}, b, c", "('x',1,1),('y',2,2),('z',3,3)", "('p',10,10),('y',20,20),('q',11,11)"),
    "unique": ("a, b UNIQUE {0}, c", "(1,1,1),(2,2,2),(3,3,3)", "(10,10,10),(20,2,20),(11,11,11)"),
    "two": ("a, b, c, UNIQUE(b,c) {0}", "(1,1,1),(2,2,2),(3,3,3)", "(10,10,10),(20,2,2),(11,11,11)"),
    "notnull": ("a, b NOT NULL {0}, c", "(1,1,1),(2,2,2),(3,3,3)", "(10,10,10),(20,NULL,20),(11,11,11)"),
    "default": ("a, b NOT NULL {0} DEFAULT 77, c", "(1,1,1),(2,2,2),(3,3,3)", "(10,10,10),(20,NULL,20),(11,11,11)"),
    "check": ("a, b, c, CHECK (b < 100)", "(1,1,1),(2,2,2),(3,3,3)", "(10,10,10),(20,200,20),(11,11,11)"),
    "without": ("a, b, c, PRIMARY KEY(a,b) {0}", "(1,1,1),(2,2,2),(3,3,3)", "(10,10,10),(2,2,20),(11,11,11)"),
    "withoutu": ("a PRIMARY KEY, b UNIQUE {0}, c", "(1,1,1),(2,2,2),(3,3,3)", "(10,10,10),(20,2,20),(11,11,11)"),
    "partial": ("a, b, c", "(1,1,1),(2,2,2),(3,3,3)", "(10,10,10),(20,2,20),(11,11,11)"),
    "expression": ("a, b, c", "(1,'a','p'),(2,'b','q'),(3,'c','r')", "(10,'d','s'),(20,'B','t'),(11,'e','u')"),
    "nocase": ("a, b TEXT COLLATE NOCASE UNIQUE {0}, c", "(1,'a',1),(2,'b',2),(3,'c',3)", "(10,'d',10),(20,'B',20),(11,'e',11)"),
    "both": ("a PRIMARY KEY {0}, b UNIQUE, c", "(1,1,1),(2,2,2),(3,3,3)", "(10,10,10),(1,2,20),(11,11,11)"),
}
OPTIONS = {"without": " WITHOUT ROWID", "withoutu": " WITHOUT ROWID"}
INDEXES = {
    "partial": "CREATE UNIQUE INDEX ix ON t(b) WHERE c > 0",
    "expression": "CREATE UNIQUE INDEX ix ON t(lower(b))",
}
WITHOUT_CLAUSE = ("check", "partial", "expression")
# what UPDATE sets so that its second row violates the constraint
UPDATES = {
    "ipk": "a = CASE a WHEN 1 THEN 50 WHEN 2 THEN 3 ELSE a+100 END",
    "pk": "a = CASE a WHEN 'x' THEN 'w' WHEN 'y' THEN 'z' ELSE a||'!' END",
    "two": "(b,c) = (CASE b WHEN 1 THEN 50 WHEN 2 THEN 3 ELSE b+100 END, CASE c WHEN 2 THEN 3 ELSE c END)",
    "notnull": "b = CASE b WHEN 1 THEN 50 WHEN 3 THEN 60 END",
    "default": "b = CASE b WHEN 1 THEN 50 WHEN 3 THEN 60 END",
    "check": "b = CASE b WHEN 1 THEN 50 WHEN 2 THEN 300 ELSE 60 END",
    "without": "(a,b) = (CASE a WHEN 1 THEN 50 WHEN 2 THEN 3 ELSE a+100 END, CASE b WHEN 2 THEN 3 ELSE b END)",
    "expression": "b = CASE b WHEN 'a' THEN 'x' WHEN 'b' THEN 'C' ELSE b||'!' END",
    "nocase": "b = CASE b WHEN 'a' THEN 'x' WHEN 'b' THEN 'C' ELSE b||'!' END",
    "both": "a = CASE a WHEN 1 THEN 50 WHEN 2 THEN 3 ELSE a+100 END",
}
PLAIN_UPDATE = "b = CASE b WHEN 1 THEN 50 WHEN 2 THEN 3 ELSE b+100 END"


def set_up(kind: str, own: str) -> Iterator[str]:
    """A fresh table with three rows and a log of its triggers."""
    body, rows, _ = CONSTRAINTS[kind]
    yield "DROP TABLE IF EXISTS t"
    yield f"CREATE TABLE t({body.format(f'ON CONFLICT {own}' if own else '').replace(' ,', ',')}){OPTIONS.get(kind, '')}"
    if kind in INDEXES:
        yield INDEXES[kind]
    yield f"INSERT INTO t VALUES{rows}"


def blocks() -> Iterator[str]:
    """The statements of this table."""
    for kind, (_, _, new_rows) in CONSTRAINTS.items():
        for own in ("", *(() if kind in WITHOUT_CLAUSE else ALGORITHMS)):
            for clause in ("", *ALGORITHMS):
                yield from set_up(kind, own)
                word = f" OR {clause}" if clause else ""
                yield f"INSERT{word} INTO t VALUES{new_rows}"
                yield "SELECT * FROM t ORDER BY 1, 2, 3"
                yield f"UPDATE{word} t SET {UPDATES.get(kind, PLAIN_UPDATE)}"
                yield "SELECT * FROM t ORDER BY 1, 2, 3"
    yield from in_transactions()
    yield from from_selects()
    yield from with_triggers()


def in_transactions() -> Iterator[str]:
    """What is left of an open transaction."""
    for kind in ("ipk", "unique", "notnull", "check", "without"):
        _, _, new_rows = CONSTRAINTS[kind]
        for clause in ALGORITHMS:
            yield from set_up(kind, "")
            yield "BEGIN"
            yield "INSERT INTO t VALUES(30,30,30)"
            yield f"INSERT OR {clause} INTO t VALUES{new_rows}"
            yield "SELECT * FROM t ORDER BY 1"
            yield "COMMIT"
            yield "SELECT * FROM t ORDER BY 1"
            yield "SAVEPOINT s"
            yield "DELETE FROM t WHERE c=3"
            yield f"UPDATE OR {clause} t SET {UPDATES.get(kind, PLAIN_UPDATE)}"
            yield "ROLLBACK TO s"
            yield "RELEASE s"
            yield "SELECT * FROM t ORDER BY 1"


def from_selects() -> Iterator[str]:
    """Rows that come from the table itself or another one; REPLACE as a statement."""
    for kind in ("ipk", "unique", "two", "notnull", "without", "nocase"):
        for clause in ALGORITHMS:
            yield from set_up(kind, "")
            yield f"INSERT OR {clause} INTO t SELECT a, b, c+100 FROM t ORDER BY 1 DESC"
            yield "SELECT * FROM t ORDER BY 1, 2, 3"
            yield f"INSERT OR {clause} INTO t(a,b,c) SELECT 9, 9, 9 UNION ALL SELECT * FROM t UNION ALL SELECT 8, NULL, 8"
            yield "SELECT * FROM t ORDER BY 1, 2, 3"
        yield "REPLACE INTO t VALUES(1,1,'again')"
        yield "REPLACE INTO t(a,c) VALUES(1,'again')"
        yield "SELECT * FROM t ORDER BY 1, 2, 3"
        yield "INSERT OR IGNORE INTO t DEFAULT VALUES"
        yield "SELECT count(*) FROM t"


def with_triggers() -> Iterator[str]:
    """Conflict clauses inside of triggers give way to the clause of the outer statement; REPLACE fires DELETE triggers if recursive."""
    for recursive in (0, 1):
        yield f"PRAGMA recursive_triggers={recursive}"
        for clause in ("", *ALGORITHMS):
            for inner in ("", *ALGORITHMS):
                word = f" OR {clause}" if clause else ""
                inner_word = f" OR {inner}" if inner else ""
                yield "DROP TABLE IF EXISTS t"
                yield "DROP TABLE IF EXISTS log"
                yield "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE)"
                yield "CREATE TABLE log(n UNIQUE, what)"
                yield "INSERT INTO t VALUES(1,1),(2,2)"
                yield "INSERT INTO log VALUES(5,'five')"
                yield f"CREATE TRIGGER ti AFTER INSERT ON t BEGIN INSERT{inner_word} INTO log VALUES(new.b,'ins'); END"
                yield "CREATE TRIGGER td AFTER DELETE ON t BEGIN INSERT INTO log VALUES(-old.b,'del'); END"
                yield f"INSERT{word} INTO t VALUES(3,3),(4,5),(6,6)"
                yield "SELECT * FROM t"
                yield "SELECT * FROM log ORDER BY 1"
                yield f"INSERT{word} INTO t VALUES(7,1)"
                yield "SELECT * FROM log ORDER BY 1"
