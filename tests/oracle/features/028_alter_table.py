"""ALTER TABLE in every form over tables that indexes, views, triggers, keys and constraints refer to.

Source: https://www.sqlite.org/lang_altertable.html.
"""

from __future__ import annotations

from collections.abc import Iterator

SCHEMA = """.each
.reset
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT DEFAULT 'x' COLLATE NOCASE, c REAL CHECK(c<100), d AS (b||c), "e e" INT, [f f], CONSTRAINT u UNIQUE(b, c))
CREATE TABLE child(id, x REFERENCES t(a), y, FOREIGN KEY(x, y) REFERENCES t(b, c) ON DELETE CASCADE)
CREATE TABLE w(a, b, c, PRIMARY KEY(b, a)) WITHOUT ROWID
CREATE INDEX tb ON t(b, c DESC)
CREATE INDEX te ON t(b||'x', "e e") WHERE c>1 AND b<>'q'
CREATE UNIQUE INDEX wc ON w(c COLLATE RTRIM)
CREATE VIEW v AS SELECT a, t.b AS q, "e e" FROM t AS t WHERE c IN (SELECT c FROM w WHERE w.b=t.b)
CREATE VIEW vv(m, n) AS WITH t2 AS (SELECT b FROM main.t) SELECT v.q, (SELECT max(b) FROM t2) FROM v JOIN w ON v.a=w.a
CREATE TRIGGER tr AFTER UPDATE OF b, c ON t WHEN new.b<>old.b BEGIN INSERT INTO w(a,b,c) SELECT new.a, t.b, 1 FROM t WHERE t.b=new.b; UPDATE t SET c=new.c WHERE a=old.a; DELETE FROM child WHERE x=old.a; END
CREATE TRIGGER wr BEFORE DELETE ON w BEGIN SELECT t.b, w.b FROM t, w WHERE t.a=old.a ORDER BY t.c; END
CREATE TEMP TRIGGER tt AFTER INSERT ON t BEGIN UPDATE w SET b=new.b; END
CREATE TEMP VIEW tv AS SELECT b FROM main.t
INSERT INTO t(a,b,c) VALUES(1,'p',1.5),(2,'q',2)
INSERT INTO w VALUES(1,'p',1),(2,'q',2)
INSERT INTO child VALUES(1,1,1)
"""
LOOK = (
    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid",
    "SELECT type, name, tbl_name, sql FROM sqlite_temp_schema ORDER BY rowid",
    "SELECT * FROM v",
    "PRAGMA integrity_check",
)
FORMS = (
    "ALTER TABLE t RENAME TO t9",
    'ALTER TABLE t RENAME TO "new name"',
    "ALTER TABLE main.t RENAME TO [t t]",
    "ALTER TABLE w RENAME TO w9",
    "ALTER TABLE t RENAME TO T",
    "ALTER TABLE t RENAME TO w",
    "ALTER TABLE t RENAME TO tb",
    "ALTER TABLE t RENAME TO sqlite_x",
    "ALTER TABLE t RENAME TO 'quoted'",
    "ALTER TABLE v RENAME TO v2",
    "ALTER TABLE nope RENAME TO x",
    "ALTER TABLE sqlite_schema RENAME TO x",
    "ALTER TABLE temp.t RENAME TO x",
    "ALTER TABLE child RENAME TO kid",
    "ALTER TABLE t RENAME COLUMN b TO bb",
    "ALTER TABLE t RENAME b TO [b b]",
    'ALTER TABLE t RENAME COLUMN "e e" TO e',
    "ALTER TABLE t RENAME COLUMN [f f] TO 'g''g'",
    "ALTER TABLE t RENAME COLUMN c TO select",
    'ALTER TABLE t RENAME COLUMN c TO "select"',
    "ALTER TABLE t RENAME COLUMN a TO aa",
    "ALTER TABLE t RENAME COLUMN d TO dd",
    "ALTER TABLE t RENAME COLUMN b TO c",
    "ALTER TABLE t RENAME COLUMN b TO B",
    "ALTER TABLE t RENAME COLUMN nope TO x",
    "ALTER TABLE t RENAME COLUMN rowid TO x",
    "ALTER TABLE w RENAME COLUMN b TO bb",
    "ALTER TABLE w RENAME COLUMN a TO aa",
    "ALTER TABLE w RENAME COLUMN c TO cc",
    "ALTER TABLE child RENAME COLUMN x TO xx",
    "ALTER TABLE v RENAME COLUMN q TO r",
    "ALTER TABLE sqlite_schema RENAME COLUMN sql TO x",
    "ALTER TABLE t DROP COLUMN a",
    "ALTER TABLE t DROP COLUMN b",
    "ALTER TABLE t DROP COLUMN c",
    "ALTER TABLE t DROP COLUMN d",
    'ALTER TABLE t DROP "e e"',
    "ALTER TABLE t DROP COLUMN [f f]",
    "ALTER TABLE t DROP COLUMN nope",
    "ALTER TABLE w DROP COLUMN c",
    "ALTER TABLE w DROP COLUMN a",
    "ALTER TABLE child DROP COLUMN id",
    "ALTER TABLE child DROP COLUMN x",
    "ALTER TABLE child DROP COLUMN y",
    "ALTER TABLE v DROP COLUMN q",
    "ALTER TABLE t ADD COLUMN n",
    "ALTER TABLE t ADD n INT NOT NULL DEFAULT 5",
    "ALTER TABLE t ADD COLUMN n NOT NULL",
    "ALTER TABLE t ADD COLUMN n NOT NULL DEFAULT NULL",
    "ALTER TABLE t ADD COLUMN n PRIMARY KEY",
    "ALTER TABLE t ADD COLUMN n UNIQUE",
    "ALTER TABLE t ADD COLUMN n DEFAULT (1+1)",
    "ALTER TABLE t ADD COLUMN n DEFAULT CURRENT_TIME",
    "ALTER TABLE t ADD COLUMN n DEFAULT -5",
    "ALTER TABLE t ADD COLUMN n DEFAULT +'a'",
    "ALTER TABLE t ADD COLUMN n TEXT DEFAULT 12",
    "ALTER TABLE t ADD COLUMN n REFERENCES w",
    "ALTER TABLE t ADD COLUMN n REFERENCES w DEFAULT 5",
    "ALTER TABLE t ADD COLUMN n CHECK(n>0)",
    "ALTER TABLE t ADD COLUMN n DEFAULT 0 CHECK(n>0)",
    "ALTER TABLE t ADD COLUMN n CHECK(a<2)",
    "ALTER TABLE t ADD COLUMN n AS (a+1)",
    "ALTER TABLE t ADD COLUMN n AS (a+1) NOT NULL",
    "ALTER TABLE t ADD COLUMN n AS (NULL) NOT NULL",
    "ALTER TABLE t ADD COLUMN n AS (a+1) STORED",
    "ALTER TABLE t ADD COLUMN n AS (nope)",
    "ALTER TABLE t ADD COLUMN b",
    "ALTER TABLE t ADD COLUMN n COLLATE NOCASE",
    "ALTER TABLE t ADD COLUMN n COLLATE nope",
    "ALTER TABLE t ADD COLUMN 'n n' VARCHAR(10) DEFAULT 'it''s'",
    "ALTER TABLE w ADD COLUMN n DEFAULT 3",
    "ALTER TABLE v ADD COLUMN n",
    "ALTER TABLE sqlite_schema ADD COLUMN n",
    "ALTER TABLE t ALTER COLUMN b SET NOT NULL",
    "ALTER TABLE t ALTER COLUMN b DROP NOT NULL",
    'ALTER TABLE t ALTER COLUMN "e e" SET NOT NULL',
    "ALTER TABLE t ALTER [f f] SET NOT NULL",
    "ALTER TABLE t ALTER nope SET NOT NULL",
    "ALTER TABLE t ALTER COLUMN a SET NOT NULL",
    "ALTER TABLE t ALTER COLUMN d SET NOT NULL",
    "ALTER TABLE w ALTER COLUMN a DROP NOT NULL",
    "ALTER TABLE w ALTER COLUMN c SET NOT NULL",
    "ALTER TABLE v ALTER COLUMN q SET NOT NULL",
    "ALTER TABLE t ADD CONSTRAINT k CHECK(a>0)",
    "ALTER TABLE t ADD CHECK(a>0)",
    "ALTER TABLE t ADD CHECK(a>1)",
    "ALTER TABLE t ADD CONSTRAINT u CHECK(a>0)",
    "ALTER TABLE t ADD CONSTRAINT k CHECK(nope>0)",
    "ALTER TABLE t ADD CONSTRAINT k UNIQUE(a)",
    "ALTER TABLE t ADD CONSTRAINT k CHECK(a IN (SELECT 1))",
    "ALTER TABLE w ADD CONSTRAINT k CHECK(a>0) ",
    "ALTER TABLE t DROP CONSTRAINT u",
    "ALTER TABLE t DROP CONSTRAINT nope",
    "ALTER TABLE v DROP CONSTRAINT u",
    "ALTER TABLE t DROP COLUMN b CASCADE",
    "ALTER TABLE t",
    "ALTER TABLE t RENAME",
    "ALTER TABLE t ALTER COLUMN b TYPE INT",
    "ALTER TABLE t ALTER COLUMN b SET DEFAULT 5",
)


def blocks() -> Iterator[str]:
    """The statements of this table."""
    for form in FORMS:
        yield SCHEMA
        yield form
        yield from LOOK
        yield "INSERT INTO t(a,b,c) VALUES(7,'new',5)"
        yield "UPDATE t SET b='changed', c=6 WHERE a=1"
        yield "SELECT * FROM t"
        yield "SELECT * FROM w"
        yield "DELETE FROM w"
    yield from legacy()
    yield from texts()


def legacy() -> Iterator[str]:
    """PRAGMA legacy_alter_table, foreign keys on, and a schema with faults."""
    for legacy_mode in (0, 1):
        for keys in (0, 1):
            yield SCHEMA
            yield f"PRAGMA legacy_alter_table={legacy_mode}"
            yield f"PRAGMA foreign_keys={keys}"
            yield "ALTER TABLE t RENAME TO parent"
            yield from LOOK
            if not legacy_mode:
                yield "ALTER TABLE parent RENAME COLUMN b TO name"
                yield from LOOK
            yield "ALTER TABLE parent RENAME TO t"
            yield "SELECT sql FROM sqlite_schema WHERE name='child'"
        yield ".reset"
        yield f"PRAGMA legacy_alter_table={legacy_mode}"
        yield "CREATE TABLE a(x, y)"
        yield "CREATE VIEW broken AS SELECT nope FROM a"
        yield "ALTER TABLE a RENAME TO b"
        yield "ALTER TABLE a RENAME COLUMN x TO z"
        yield "ALTER TABLE a DROP COLUMN y"
        yield "ALTER TABLE a ADD COLUMN q"
        yield "DROP VIEW broken"
        yield "CREATE TRIGGER broken AFTER INSERT ON a BEGIN SELECT nope FROM missing; END"
        yield "ALTER TABLE a RENAME TO b"
        yield "ALTER TABLE a RENAME COLUMN x TO z"
        yield "SELECT name, sql FROM sqlite_schema"


def texts() -> Iterator[str]:
    """What stays of the text as written: comments, quotes, spaces, case."""
    for text in (
        "CREATE TABLE  t ( a , b /* b */ , [c] , CHECK ( b>0 ) )",
        "create table t(a,b,c,unique(b),check(t.b<>1 or \"b\"<5))",
        "CREATE TABLE t(a, b INT CONSTRAINT nn NOT NULL CONSTRAINT un UNIQUE ON CONFLICT IGNORE, c DEFAULT(1+2))",
        "CREATE TABLE t(a, 'b' TEXT, c, PRIMARY KEY(a , \"b\" DESC))",
        "CREATE TABLE \"t\"(a,b,c AS (b+1),FOREIGN KEY(b) REFERENCES t(b))",
        "CREATE TABLE t(a PRIMARY KEY,b UNIQUE,c) WITHOUT ROWID, STRICT",
        "CREATE TABLE t(a INT,b INT,c INT) STRICT",
    ):
        for form in (
            "ALTER TABLE t RENAME COLUMN b TO bee", "ALTER TABLE t RENAME TO tee", "ALTER TABLE t ADD COLUMN d INT DEFAULT 1", "ALTER TABLE t DROP COLUMN c",
            "ALTER TABLE t DROP COLUMN b", "ALTER TABLE t ALTER COLUMN b SET NOT NULL", "ALTER TABLE t ALTER COLUMN b DROP NOT NULL", "ALTER TABLE t DROP CONSTRAINT nn",
            "ALTER TABLE t DROP CONSTRAINT un", "ALTER TABLE t ADD CONSTRAINT ck CHECK(a<>9)",
        ):  # fmt: skip
            yield ".reset"
            yield text
            yield "CREATE INDEX i ON t ( a , b )"
            yield "CREATE VIEW v AS SELECT  t.b , B, \"b\" , [b] FROM  t /* from t */ ORDER BY b"
            yield form
            yield "SELECT sql FROM sqlite_schema"
            yield "ALTER TABLE t ADD CONSTRAINT ck2 CHECK(b IS NOT 'x')"
            yield "ALTER TABLE t DROP CONSTRAINT ck"
            yield "SELECT sql FROM sqlite_schema WHERE type='table'"
