-- rowids are counted anew where neither INTEGER PRIMARY KEY nor index holds on to them
.each
CREATE TABLE a(x)
INSERT INTO a VALUES (10),(20),(30),(40)
DELETE FROM a WHERE x = 20
CREATE TABLE b(x, y PRIMARY KEY)
INSERT INTO b(rowid, x, y) VALUES (5,1,1),(9,2,2),(100,3,3)
CREATE TABLE c(id INTEGER PRIMARY KEY, x)
INSERT INTO c VALUES (5,1),(9,2)
CREATE TABLE d(id INTEGER PRIMARY KEY AUTOINCREMENT, x)
INSERT INTO d VALUES (5,1),(9,2)
CREATE TABLE e(x, y AS (x+1) STORED, CHECK (x > 0))
INSERT INTO e(rowid, x) VALUES (-7,1),(99,3)
CREATE TABLE f(x)
CREATE INDEX f_x ON f(x) WHERE x > 100
INSERT INTO f(rowid, x) VALUES (-7,1),(99,3)
VACUUM
SELECT rowid, * FROM a
SELECT rowid, * FROM b
SELECT * FROM c
SELECT * FROM d
SELECT rowid, * FROM e
SELECT rowid, * FROM f
INSERT INTO a VALUES (9)
SELECT rowid FROM a
SELECT * FROM sqlite_sequence
CREATE VIEW v AS SELECT rowid AS r, x FROM a
CREATE TRIGGER t AFTER INSERT ON c BEGIN SELECT 1; END
VACUUM
SELECT last_insert_rowid(), changes(), total_changes()
SELECT rowid, type, name, rootpage FROM sqlite_schema
SELECT * FROM v
PRAGMA integrity_check
DROP TABLE d
CREATE TABLE g(a, b UNIQUE)
CREATE TABLE h(a UNIQUE, id INTEGER PRIMARY KEY AUTOINCREMENT)
VACUUM
SELECT rowid, type, name, rootpage FROM sqlite_schema
DROP TABLE h
VACUUM
SELECT rowid, type, name, rootpage FROM sqlite_schema
BEGIN
VACUUM
COMMIT
VACUUM nosuch
VACUUM temp
VACUUM main

.reset

-- a root page that moves in an auto-vacuum database
.each
PRAGMA auto_vacuum = 1
CREATE TABLE b(x)
CREATE TABLE c(y)
CREATE INDEX i ON b(x)
INSERT INTO b VALUES (1),(2)
DROP TABLE c
SELECT name, rootpage FROM sqlite_schema
INSERT INTO b(rowid, x) VALUES (77,1),(99,3)
SELECT * FROM b WHERE x = 3
CREATE TABLE d(z, UNIQUE(z))
CREATE INDEX j ON b(x DESC)
INSERT INTO d VALUES (5)
DROP INDEX i
SELECT name, rootpage FROM sqlite_schema
SELECT x FROM b ORDER BY x DESC
SELECT * FROM d WHERE z = 5
PRAGMA integrity_check
