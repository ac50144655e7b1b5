"""Triggers: every timing, event and kind of table, WHEN, RAISE, what they see and in which order they run.

Source: https://www.sqlite.org/lang_createtrigger.html.
"""

from __future__ import annotations

from collections.abc import Iterator

TABLES = {
    "rowid": "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c)",
    "plain": "CREATE TABLE t(a, b, c UNIQUE)",
    "without": "CREATE TABLE t(a PRIMARY KEY, b, c) WITHOUT ROWID",
    "generated": "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c, d AS (a+1), e AS (b||c) STORED)",
    "strict": "CREATE TABLE t(a INT, b ANY, c TEXT, PRIMARY KEY(a)) STRICT",
}
STATEMENTS = (
    "INSERT INTO t(a,b,c) VALUES(4,4,'d'),(5,5,'e')",
    "INSERT INTO t(a,b,c) SELECT a+10, b, c||'x' FROM t WHERE a<3",
    "INSERT OR REPLACE INTO t(a,b,c) VALUES(1,'r','z')",
    "INSERT OR IGNORE INTO t(a,b,c) VALUES(1,'r','y')",
    "UPDATE t SET b=b||'!' WHERE a<3",
    "UPDATE t SET a=a+100, c='q' WHERE a=2",
    "UPDATE t SET b=b WHERE 0",
    "UPDATE OR IGNORE t SET a=1 WHERE a=3",
    "DELETE FROM t WHERE a IN (1,4)",
    "DELETE FROM t",
)
EVENTS = ("INSERT", "UPDATE", "UPDATE OF b", "UPDATE OF a, c", "DELETE")


def body(event: str, timing: str) -> str:
    """A trigger body that logs what it sees."""
    old = "NULL, NULL, NULL" if event == "INSERT" else "old.a, old.b, old.c"
    new = "NULL, NULL, NULL" if event == "DELETE" else "new.a, new.b, new.c"
    return f"INSERT INTO log SELECT '{timing} {event}', {old}, {new}, count(*) FROM t;"


def blocks() -> Iterator[str]:
    """The statements of this table."""
    for table in TABLES.values():
        for conditions in ("", "WHEN {0}.b > 1", "WHEN {0}.a IN (SELECT a FROM t)", "FOR EACH ROW WHEN 1"):
            yield ".reset"
            yield table
            yield "CREATE TABLE log(what, oa, ob, oc, na, nb, nc, n)"
            yield "INSERT INTO t(a,b,c) VALUES(1,1,'a'),(2,2,'b'),(3,3,'c')"
            for timing in ("BEFORE", "AFTER"):
                for number, event in enumerate(EVENTS):
                    when = conditions.format("old" if event == "DELETE" else "new")
                    yield f"CREATE TRIGGER {timing}{number} {timing} {event} ON t {when} BEGIN {body(event.split()[0], timing)} END"
            for statement in STATEMENTS:
                yield statement
                yield "SELECT * FROM log"
                yield "DELETE FROM log"
            yield "SELECT * FROM t ORDER BY 1"
    yield from raises()
    yield from changes_within()
    yield from instead_of()
    yield OTHERS


def raises() -> Iterator[str]:
    """RAISE with every action, before and after, in and out of a transaction."""
    for action in ("IGNORE", "ROLLBACK, 'no'", "ABORT, 'no'", "FAIL, 'no'", "ABORT, 'no ' || new.a", "FAIL, NULL", "ABORT, 42"):
        for timing in ("BEFORE", "AFTER"):
            for event in ("INSERT", "UPDATE", "DELETE"):
                name = action.replace("new.", "old.") if event == "DELETE" else action
                row = "old" if event == "DELETE" else "new"
                yield ".reset"
                yield "CREATE TABLE t(a INTEGER PRIMARY KEY, b)"
                yield "CREATE TABLE log(x)"
                yield "INSERT INTO t VALUES(1,1),(2,2),(3,3)"
                yield f"CREATE TRIGGER r {timing} {event} ON t WHEN {row}.a%10=2 BEGIN INSERT INTO log VALUES({row}.a); SELECT RAISE({name}); INSERT INTO log VALUES('behind'); END"
                yield "BEGIN"
                yield "INSERT INTO log VALUES('begun')"
                yield {"INSERT": "INSERT INTO t VALUES(11,1),(12,2),(13,3)", "UPDATE": "UPDATE t SET b=b+10", "DELETE": "DELETE FROM t"}[event]
                yield "SELECT * FROM t"
                yield "SELECT * FROM log"
                yield "COMMIT"
                yield {"INSERT": "INSERT INTO t VALUES(21,1),(22,2),(23,3)", "UPDATE": "UPDATE t SET b=b+10", "DELETE": "DELETE FROM t"}[event]
                yield "SELECT * FROM t"
                yield "SELECT * FROM log"


def changes_within() -> Iterator[str]:
    """A trigger that changes the rows that the statement is about to change."""
    for timing in ("BEFORE", "AFTER"):
        for event in ("INSERT", "UPDATE", "DELETE"):
            for action in (
                "DELETE FROM t WHERE a=2",
                "UPDATE t SET b=b+100 WHERE a=2",
                "UPDATE t SET a=a+50 WHERE a=3",
                "INSERT OR IGNORE INTO t VALUES(3,'from trigger')",
                "INSERT OR REPLACE INTO t VALUES(2,'replaced')",
                "UPDATE t SET b=(SELECT count(*) FROM t)",
            ):
                yield ".reset"
                yield "CREATE TABLE t(a INTEGER PRIMARY KEY, b)"
                yield "INSERT INTO t VALUES(1,1),(2,2),(3,3),(4,4)"
                yield f"CREATE TRIGGER r {timing} {event} ON t BEGIN {action}; END"
                yield {"INSERT": "INSERT INTO t VALUES(11,1),(2,2),(13,3)", "UPDATE": "UPDATE t SET b=b+10", "DELETE": "DELETE FROM t WHERE a<4"}[event]
                yield "SELECT * FROM t"
                yield {"INSERT": "INSERT INTO t VALUES(21,1),(23,3)", "UPDATE": "UPDATE t SET b=b+10 WHERE a>1 RETURNING *", "DELETE": "DELETE FROM t WHERE b>1 RETURNING *"}[event]
                yield "SELECT * FROM t"
                yield "SELECT changes(), total_changes(), last_insert_rowid()"


def instead_of() -> Iterator[str]:
    """INSTEAD OF on views of several shapes."""
    for view in (
        "SELECT a, b FROM t",
        "SELECT a, b FROM t WHERE b>1",
        "SELECT a, count(*) AS b FROM t GROUP BY a",
        "SELECT a, b FROM t UNION ALL SELECT a+100, b FROM t",
        "SELECT t.a, u.b FROM t JOIN t AS u ON t.a=u.a+1",
        "SELECT DISTINCT b AS a, a AS b FROM t ORDER BY b DESC",
    ):
        yield ".reset"
        yield "CREATE TABLE t(a INTEGER PRIMARY KEY, b)"
        yield "CREATE TABLE log(what, oa, ob, na, nb)"
        yield "INSERT INTO t VALUES(1,1),(2,2),(3,3)"
        yield f"CREATE VIEW v AS {view}"
        yield "UPDATE v SET b=1"
        yield "INSERT INTO v VALUES(1,1)"
        yield "DELETE FROM v"
        yield "CREATE TRIGGER vi INSTEAD OF INSERT ON v BEGIN INSERT INTO log VALUES('i',NULL,NULL,new.a,new.b); END"
        yield "CREATE TRIGGER vu INSTEAD OF UPDATE ON v BEGIN INSERT INTO log VALUES('u',old.a,old.b,new.a,new.b); END"
        yield "CREATE TRIGGER vd INSTEAD OF DELETE ON v WHEN old.a<>2 BEGIN INSERT INTO log VALUES('d',old.a,old.b,NULL,NULL); DELETE FROM t WHERE a=old.a; END"
        yield "INSERT INTO v VALUES(7,8),(9,10)"
        yield "INSERT INTO v(b) VALUES(5)"
        yield "INSERT INTO v SELECT b, a FROM v"
        yield "INSERT INTO v DEFAULT VALUES"
        yield "UPDATE v SET b=b*2"
        yield "UPDATE v SET a=(SELECT max(a) FROM t) WHERE b=2"
        if "DISTINCT" not in view and "UNION" not in view:
            # SQLite forgets old.b there: it is not among the columns that it thinks are used
            yield "UPDATE v SET b=t.b FROM t WHERE t.a=v.a"
        yield "DELETE FROM v WHERE a<3"
        yield "SELECT * FROM log"
        yield "SELECT * FROM t"
        yield "INSERT INTO v VALUES(1,2) RETURNING a, b"
        yield "UPDATE v SET b=5 RETURNING *"
        yield "DELETE FROM v RETURNING a"
        yield "SELECT changes()"


OTHERS = """.each
.reset
CREATE TABLE t(a INTEGER PRIMARY KEY, b)
CREATE TABLE u(x, y)
CREATE VIEW v AS SELECT * FROM t
CREATE TRIGGER x1 BEFORE INSERT ON v BEGIN SELECT 1; END
CREATE TRIGGER x2 INSTEAD OF INSERT ON t BEGIN SELECT 1; END
CREATE TRIGGER x3 AFTER INSERT ON nope BEGIN SELECT 1; END
CREATE TRIGGER x4 AFTER INSERT ON sqlite_schema BEGIN SELECT 1; END
CREATE TRIGGER x5 AFTER INSERT ON t BEGIN END
CREATE TRIGGER x6 AFTER INSERT ON t BEGIN SELECT 1 END
CREATE TRIGGER x7 AFTER INSERT ON t BEGIN INSERT INTO main.u VALUES(1,1); END
CREATE TRIGGER x8 AFTER INSERT ON t BEGIN DELETE FROM u INDEXED BY q; END
CREATE TRIGGER x9 AFTER INSERT ON t BEGIN INSERT INTO u DEFAULT VALUES; END
CREATE TRIGGER x10 AFTER INSERT ON t BEGIN UPDATE u SET x=1 LIMIT 1; END
CREATE TRIGGER x11 AFTER INSERT ON t BEGIN WITH q AS (SELECT 1) INSERT INTO u SELECT 1,1; END
CREATE TRIGGER x12 AFTER INSERT ON t BEGIN CREATE TABLE z(a); END
CREATE TRIGGER x13 AFTER INSERT ON t BEGIN INSERT INTO u VALUES(?,1); END
CREATE TRIGGER x14 AFTER INSERT ON t WHEN ? BEGIN SELECT 1; END
CREATE TRIGGER x15 AFTER UPDATE OF nope ON t BEGIN SELECT 1; END
CREATE TRIGGER x16 AFTER INSERT ON t BEGIN SELECT old.a; END
CREATE TRIGGER x17 AFTER INSERT ON t BEGIN SELECT new.nope; END
CREATE TRIGGER x18 AFTER DELETE ON t BEGIN SELECT new.a; END
CREATE TRIGGER x19 AFTER INSERT ON t WHEN old.a BEGIN SELECT 1; END
CREATE TRIGGER x20 AFTER INSERT ON t WHEN new.nope BEGIN SELECT 1; END
CREATE TRIGGER x21 AFTER INSERT ON t BEGIN INSERT INTO nope VALUES(1); END
CREATE TRIGGER x22 AFTER INSERT ON t BEGIN INSERT INTO u VALUES(1); END
CREATE TRIGGER x23 AFTER INSERT ON t FOR EACH STATEMENT BEGIN SELECT 1; END
CREATE TRIGGER main.x24 AFTER INSERT ON t BEGIN SELECT 1; END
CREATE TRIGGER temp.x25 AFTER INSERT ON t BEGIN SELECT 1; END
CREATE TRIGGER nope.x26 AFTER INSERT ON t BEGIN SELECT 1; END
CREATE TRIGGER x27 INSERT ON t BEGIN SELECT 1; END
CREATE TRIGGER x27 INSERT ON t BEGIN SELECT 1; END
CREATE TRIGGER IF NOT EXISTS x27 INSERT ON t BEGIN SELECT 1; END
CREATE TRIGGER x28 AFTER INSERT ON main.t BEGIN SELECT 1; END
CREATE TEMP TRIGGER x29 AFTER INSERT ON main.t BEGIN SELECT 1; END
SELECT name, tbl_name, sql FROM sqlite_schema WHERE type='trigger'
SELECT name, tbl_name, sql FROM sqlite_temp_schema
INSERT INTO t VALUES(1,1)
DROP TRIGGER x16
DROP TRIGGER x16
DROP TRIGGER IF EXISTS x16
INSERT INTO t VALUES(1,1)
DROP TRIGGER x17
INSERT INTO t VALUES(1,1)
DROP TRIGGER x19
DROP TRIGGER x20
INSERT INTO t VALUES(1,1)
DROP TRIGGER x21
INSERT INTO t VALUES(1,1)
DROP TRIGGER x22
INSERT INTO t VALUES(1,1)
DROP TRIGGER x13
DROP TRIGGER x14
INSERT INTO t VALUES(1,1)
SELECT * FROM u
UPDATE t SET b=2
DELETE FROM t
DROP TRIGGER x18
DELETE FROM t
DROP TABLE t
SELECT name FROM sqlite_schema WHERE type='trigger'
SELECT name FROM sqlite_temp_schema
.reset
CREATE TABLE a(x)
CREATE TABLE b(x)
CREATE TABLE c(x)
CREATE TRIGGER ta AFTER INSERT ON a BEGIN INSERT INTO b VALUES(new.x+1); INSERT INTO b VALUES(new.x+2); END
CREATE TRIGGER tb AFTER INSERT ON b BEGIN INSERT INTO c VALUES(new.x*10), (new.x*10+1); END
INSERT INTO a VALUES(1)
SELECT changes(), total_changes(), last_insert_rowid()
SELECT * FROM c
INSERT INTO a SELECT x FROM a RETURNING x, last_insert_rowid()
CREATE TRIGGER tc AFTER INSERT ON c BEGIN UPDATE a SET x=x+1; DELETE FROM b WHERE x>100; SELECT changes(); END
INSERT INTO a VALUES(5)
SELECT * FROM a
SELECT changes(), total_changes(), last_insert_rowid()
CREATE TRIGGER self AFTER UPDATE ON a WHEN new.x<20 BEGIN UPDATE a SET x=x+1 WHERE rowid=new.rowid; END
UPDATE a SET x=10 WHERE rowid=1
SELECT * FROM a
PRAGMA recursive_triggers=1
UPDATE a SET x=10 WHERE rowid=1
SELECT * FROM a
CREATE TRIGGER forever AFTER DELETE ON c BEGIN DELETE FROM c WHERE x=old.x+1; END
DELETE FROM c WHERE x=20
SELECT * FROM c ORDER BY x
CREATE TABLE loop(n)
CREATE TRIGGER endless AFTER INSERT ON loop BEGIN INSERT INTO loop VALUES(new.n+1); END
INSERT INTO loop VALUES(1)
SELECT count(*) FROM loop
CREATE TABLE o(id INTEGER PRIMARY KEY, v)
CREATE TRIGGER o1 BEFORE INSERT ON o BEGIN INSERT INTO c VALUES('before ' || coalesce(new.id,'null') || ' ' || new.v); END
CREATE TRIGGER o2 AFTER INSERT ON o BEGIN INSERT INTO c VALUES('after ' || coalesce(new.id,'null') || ' ' || new.rowid); END
INSERT INTO o(v) VALUES('auto')
INSERT INTO o VALUES(NULL,'null')
INSERT INTO o VALUES('7','text')
INSERT INTO o VALUES('x','bad')
SELECT x FROM c WHERE x LIKE 'before%' OR x LIKE 'after%'
CREATE TABLE d(a DEFAULT 5, b TEXT)
CREATE TRIGGER d1 BEFORE INSERT ON d BEGIN INSERT INTO c VALUES(typeof(new.a) || typeof(new.b)); END
CREATE TRIGGER d2 AFTER INSERT ON d BEGIN INSERT INTO c VALUES(typeof(new.a) || typeof(new.b)); END
INSERT INTO d(b) VALUES(12)
INSERT INTO d DEFAULT VALUES
SELECT x FROM c WHERE x LIKE '%null%' OR x LIKE '%text%'
"""
