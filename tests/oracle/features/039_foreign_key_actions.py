"""Foreign keys: every action for DELETE and UPDATE, immediate and deferred, over kinds of keys, with what a transaction leaves.

Source: https://www.sqlite.org/foreignkeys.html.
"""

from __future__ import annotations

from collections.abc import Iterator

ACTIONS = ("", "NO ACTION", "RESTRICT", "CASCADE", "SET NULL", "SET DEFAULT")
DEFERRED = ("", " DEFERRABLE INITIALLY DEFERRED")
# name: (parent table, rows, child columns, child rows, key of the parent, of the child, new key)
KEYS = {
    "rowid": ("p(a INTEGER PRIMARY KEY, v)", "(1,'one'),(2,'two'),(9,'nine')", "x INTEGER DEFAULT 9", "(1,1),(2,1),(3,2),(4,NULL)", "a", "x", "5"),
    "text": ("p(a TEXT PRIMARY KEY, v) WITHOUT ROWID", "('1','one'),('2','two'),('9','nine')", "x TEXT DEFAULT '9'", "(1,1),(2,1),(3,2),(4,NULL)", "a", "x", "'5'"),
    "unique": ("p(i INTEGER PRIMARY KEY, a UNIQUE, v)", "(1,1,'one'),(2,2,'two'),(3,9,'nine')", "x DEFAULT 9", "(1,1),(2,1),(3,2),(4,NULL)", "a", "x", "5"),
    "nocase": ("p(a TEXT COLLATE NOCASE UNIQUE, v)", "('k','one'),('m','two'),('z','nine')", "x TEXT DEFAULT 'Z'", "(1,'K'),(2,'k'),(3,'m'),(4,NULL)", "a", "x", "'q'"),
    "orphan": ("p(a INTEGER PRIMARY KEY, v)", "(1,'one'),(2,'two')", "x INTEGER DEFAULT 9", "(1,1),(2,1),(3,2),(4,NULL)", "a", "x", "5"),
}


def tables(key: str, delete: str, update: str, deferred: str) -> Iterator[str]:
    """Fresh parent and child tables with rows."""
    parent, rows, child, child_rows, parent_key, _, _ = KEYS[key]
    actions = (f" ON DELETE {delete}" if delete else "") + (f" ON UPDATE {update}" if update else "")
    yield "DROP TABLE IF EXISTS c"
    yield "DROP TABLE IF EXISTS p"
    yield f"CREATE TABLE {parent}"
    yield f"CREATE TABLE c(id INTEGER PRIMARY KEY, {child} REFERENCES p({parent_key}){actions}{deferred})"
    yield f"INSERT INTO p VALUES{rows}"
    yield f"INSERT INTO c VALUES{child_rows}"


def blocks() -> Iterator[str]:
    """The statements of this table."""
    yield "PRAGMA foreign_keys=ON"
    for key in KEYS:
        for action in ACTIONS:
            for deferred in DEFERRED:
                yield from tables(key, action, action, deferred)
                yield from operations(key)
    for delete in ACTIONS[1:]:
        for update in ACTIONS[1:]:
            yield from tables("rowid", delete, update, "")
            yield "DELETE FROM p WHERE a=1"
            yield "SELECT * FROM c"
            yield "UPDATE p SET a=a+10 WHERE a=2"
            yield "SELECT * FROM c"
            yield "REPLACE INTO p VALUES(2,'again')"
            yield "SELECT * FROM c"
            yield "PRAGMA foreign_key_list(c)"
    yield from self_references()
    yield from composite_keys()
    yield from faults()


def operations(key: str) -> Iterator[str]:
    """What can be done to parents and children, alone and within a transaction."""
    _, _, _, _, parent_key, child_key, new = KEYS[key]
    first = "'k'" if key == "nocase" else "1"
    second = "'m'" if key == "nocase" else "2"
    yield f"INSERT INTO c VALUES(20,{new})"
    yield f"UPDATE c SET {child_key}={new} WHERE id=1"
    yield f"UPDATE c SET {child_key}=NULL WHERE id=2"
    yield f"UPDATE p SET {parent_key}={parent_key} WHERE {parent_key}={first}"
    yield f"UPDATE p SET v='other' WHERE {parent_key}={first}"
    yield "BEGIN"
    yield f"DELETE FROM p WHERE {parent_key}={first}"
    yield f"SELECT id, {child_key} FROM c ORDER BY id"
    yield "COMMIT"
    yield f"INSERT OR IGNORE INTO p({parent_key},v) VALUES({first},'back')"
    yield "COMMIT"
    yield "ROLLBACK"
    yield f"UPDATE p SET {parent_key}={new} WHERE {parent_key}={second}"
    yield f"SELECT id, {child_key} FROM c ORDER BY id"
    yield "SAVEPOINT one"
    yield f"UPDATE p SET {parent_key}={second} WHERE {parent_key}={new}"
    yield f"DELETE FROM p WHERE {parent_key}={second}"
    yield "RELEASE one"
    yield "ROLLBACK TO one"
    yield "RELEASE one"
    yield f"SELECT id, {child_key} FROM c ORDER BY id"
    yield "DELETE FROM p"
    yield f"SELECT id, {child_key} FROM c ORDER BY id"
    yield f"SELECT {parent_key}, v FROM p ORDER BY 1"
    yield "PRAGMA foreign_key_check"
    yield "DROP TABLE p"
    yield f"SELECT id, {child_key} FROM c ORDER BY id"
    yield "DELETE FROM c"


def self_references() -> Iterator[str]:
    """A table that refers to itself."""
    for action in ACTIONS:
        for deferred in DEFERRED:
            for kind in ("a INTEGER PRIMARY KEY", "i INTEGER PRIMARY KEY, a UNIQUE"):
                clause = f" ON DELETE {action} ON UPDATE {action}" if action else ""
                yield "DROP TABLE IF EXISTS s"
                yield f"CREATE TABLE s({kind}, up REFERENCES s(a){clause}{deferred})"
                yield "INSERT INTO s(a,up) VALUES(1,1),(2,1),(3,2),(4,4),(5,NULL)"
                yield "INSERT INTO s(a,up) VALUES(7,8),(8,7)"
                yield "INSERT INTO s(a,up) VALUES(9,99)"
                yield "DELETE FROM s WHERE a=4"
                yield "UPDATE s SET a=50, up=50 WHERE a=4"
                yield "UPDATE s SET a=20 WHERE a=2"
                yield "SELECT a, up FROM s ORDER BY a"
                yield "DELETE FROM s WHERE a IN (1,2,20)"
                yield "SELECT a, up FROM s ORDER BY a"
                yield "DELETE FROM s"
                yield "SELECT count(*) FROM s"


def composite_keys() -> Iterator[str]:
    """Keys of two columns, partly NULL."""
    for action in ACTIONS:
        for deferred in DEFERRED:
            clause = f" ON DELETE {action} ON UPDATE {action}" if action else ""
            yield "DROP TABLE IF EXISTS d"
            yield "DROP TABLE IF EXISTS q"
            yield "CREATE TABLE q(a, b, v, PRIMARY KEY(a,b))"
            yield f"CREATE TABLE d(id INTEGER PRIMARY KEY, x DEFAULT 3, y DEFAULT 3, FOREIGN KEY(x,y) REFERENCES q{clause}{deferred})"
            yield "INSERT INTO q VALUES(1,1,'a'),(1,2,'b'),(3,3,'c'),(NULL,4,'d')"
            yield "INSERT INTO d VALUES(1,1,1),(2,1,2),(3,1,NULL),(4,NULL,7),(5,3,3)"
            yield "INSERT INTO d VALUES(6,2,1)"
            yield "INSERT INTO d VALUES(7,NULL,4)"
            yield "UPDATE q SET b=9 WHERE a=1 AND b=1"
            yield "SELECT * FROM d ORDER BY id"
            yield "UPDATE q SET a=NULL WHERE b=2"
            yield "SELECT * FROM d ORDER BY id"
            yield "DELETE FROM q WHERE a=1 OR b=2"
            yield "SELECT * FROM d ORDER BY id"
            yield "SELECT * FROM q ORDER BY v"
            yield "PRAGMA foreign_key_check(d)"
            yield "BEGIN"
            yield "PRAGMA defer_foreign_keys=1"
            yield "DELETE FROM q"
            yield "COMMIT"
            yield "ROLLBACK"


def faults() -> Iterator[str]:
    """Mismatched keys, missing parents, dropping, and switching enforcement within a transaction."""
    yield """.each
DROP TABLE IF EXISTS c
DROP TABLE IF EXISTS p
CREATE TABLE p(a, b UNIQUE, c, d TEXT COLLATE NOCASE)
CREATE UNIQUE INDEX pc ON p(c) WHERE c>0
CREATE UNIQUE INDEX pd ON p(d)
CREATE TABLE c1(x REFERENCES p)
INSERT INTO c1 VALUES(1)
CREATE TABLE c2(x REFERENCES p(a))
INSERT INTO c2 VALUES(1)
CREATE TABLE c3(x REFERENCES p(c))
INSERT INTO c3 VALUES(1)
CREATE TABLE c4(x REFERENCES p(nope))
INSERT INTO c4 VALUES(1)
INSERT INTO c4 VALUES(NULL)
CREATE TABLE c5(x REFERENCES missing(a))
INSERT INTO c5 VALUES(1)
INSERT INTO c5 VALUES(NULL)
CREATE TABLE c6(x, y, FOREIGN KEY(x) REFERENCES p(a,b))
CREATE TABLE c7(x, y, FOREIGN KEY(x,nope) REFERENCES p(a,b))
CREATE TABLE c8(x REFERENCES p(a,b))
CREATE TABLE c9(x REFERENCES p(d))
INSERT INTO p(d) VALUES('Text')
INSERT INTO c9 VALUES('tEXT')
DELETE FROM p
INSERT INTO p(b) VALUES(1)
DELETE FROM p
DROP TABLE c1
DROP TABLE c2
DROP TABLE c3
DROP TABLE c4
DROP TABLE c5
DELETE FROM p
SELECT * FROM c9
DROP TABLE p
DROP TABLE c9
DROP TABLE p
CREATE TABLE p(a INTEGER PRIMARY KEY)
CREATE TABLE c(x REFERENCES p DEFERRABLE INITIALLY DEFERRED)
BEGIN
INSERT INTO c VALUES(1)
PRAGMA foreign_keys=OFF
PRAGMA foreign_keys
COMMIT
INSERT INTO p VALUES(1)
COMMIT
SELECT * FROM c
BEGIN
INSERT INTO c VALUES(2)
SAVEPOINT s
INSERT INTO c VALUES(3)
ROLLBACK TO s
DELETE FROM c WHERE x=2
COMMIT
SELECT * FROM c
SAVEPOINT t
INSERT INTO c VALUES(5)
RELEASE t
ROLLBACK
PRAGMA foreign_keys=OFF
INSERT INTO c VALUES(6)
DELETE FROM p
PRAGMA foreign_keys=ON
PRAGMA foreign_key_check
SELECT "table", rowid, parent, fkid FROM pragma_foreign_key_check('c')
UPDATE c SET x=6 WHERE x=6
UPDATE c SET x=7 WHERE x=6
DELETE FROM c
DROP TABLE p
CREATE TABLE i(a INTEGER PRIMARY KEY, b REFERENCES i DEFERRABLE)
INSERT INTO i VALUES(1,2)
CREATE TABLE j(a INTEGER PRIMARY KEY, b REFERENCES j DEFERRABLE INITIALLY IMMEDIATE)
INSERT INTO j VALUES(1,2)
CREATE TABLE k(a INTEGER PRIMARY KEY, b REFERENCES k NOT DEFERRABLE INITIALLY DEFERRED)
INSERT INTO k VALUES(1,2)
CREATE TABLE m(a INTEGER PRIMARY KEY, b REFERENCES m MATCH FULL ON DELETE SET NULL MATCH SIMPLE)
PRAGMA foreign_key_list(m)
INSERT INTO m VALUES(1,1),(2,1)
DELETE FROM m WHERE a=1
SELECT * FROM m
CREATE VIEW pv AS SELECT 1 AS a
CREATE TABLE cv(x REFERENCES pv(a))
INSERT INTO cv VALUES(1)
CREATE TABLE g(a INTEGER PRIMARY KEY)
CREATE TABLE gc(x, y AS (x+1) REFERENCES g)
INSERT INTO g VALUES(5)
INSERT INTO gc VALUES(4)
INSERT INTO gc VALUES(5)
UPDATE gc SET x=9
DELETE FROM g
CREATE TABLE n1(a INTEGER PRIMARY KEY)
CREATE TABLE n2(x INTEGER NOT NULL REFERENCES n1 ON DELETE SET NULL)
INSERT INTO n1 VALUES(1)
INSERT INTO n2 VALUES(1)
DELETE FROM n1
SELECT * FROM n2
CREATE TABLE chain1(a INTEGER PRIMARY KEY)
CREATE TABLE chain2(a INTEGER PRIMARY KEY REFERENCES chain1 ON DELETE CASCADE ON UPDATE CASCADE)
CREATE TABLE chain3(a REFERENCES chain2 ON DELETE CASCADE ON UPDATE CASCADE)
INSERT INTO chain1 VALUES(1),(2)
INSERT INTO chain2 VALUES(1),(2)
INSERT INTO chain3 VALUES(1),(2),(2)
CREATE TRIGGER chain_log AFTER DELETE ON chain3 BEGIN SELECT RAISE(ABORT, 'kept') WHERE old.a=2; END
UPDATE chain1 SET a=a+10
SELECT a FROM chain3
DELETE FROM chain1 WHERE a=11
SELECT a FROM chain3
UPDATE chain1 SET a=2
DELETE FROM chain1
SELECT a FROM chain3
"""
