-- PRAGMAs show schemas in the order of a hash table
.each
CREATE TABLE zebra(a, b REFERENCES zebra(a))
PRAGMA table_list
CREATE TABLE apple(a, b REFERENCES zebra(a))
CREATE VIEW v AS SELECT 1
PRAGMA table_list
CREATE TABLE Mango(a, b REFERENCES zebra(a))
PRAGMA table_list
CREATE TABLE kiwi(a PRIMARY KEY, b REFERENCES mango(a)) WITHOUT ROWID
CREATE TABLE plum(a INTEGER PRIMARY KEY AUTOINCREMENT, b REFERENCES kiwi(a))
CREATE TEMP TABLE t(a)
CREATE TEMP TABLE u(a)
PRAGMA table_list
PRAGMA temp.table_list
PRAGMA table_list(sqlite_schema)
PRAGMA table_list(sqlite_master)
PRAGMA table_list(sqlite_temp_master)
PRAGMA table_list(MANGO)
CREATE TABLE t7(a, b REFERENCES nosuch)
CREATE TABLE t8(a, b REFERENCES kiwi)
CREATE TABLE t9(a, b REFERENCES kiwi)
CREATE TABLE t10(a, b REFERENCES kiwi)
CREATE TABLE t11(a, b REFERENCES kiwi)
CREATE TABLE t12(a, b REFERENCES kiwi)
CREATE TABLE t13(a, b REFERENCES kiwi)
PRAGMA table_list
INSERT INTO t13 VALUES (1,1)
INSERT INTO t11 VALUES (1,1)
INSERT INTO t12 VALUES (1,1)
INSERT INTO t8 VALUES (1,1)
INSERT INTO t7 VALUES (1,1)
PRAGMA foreign_key_check
PRAGMA optimize(-1)
PRAGMA optimize(3)
CREATE INDEX t8_b ON t8(b)
PRAGMA optimize(3)
ANALYZE
SELECT rowid, * FROM sqlite_stat1
ANALYZE t8
SELECT rowid, * FROM sqlite_stat1
INSERT INTO t8 VALUES (2,2),(3,3),(4,4),(5,5),(6,6),(7,7),(8,8),(9,9),(10,10)
PRAGMA optimize(-1)
INSERT INTO t8 VALUES (2,2),(3,3),(4,4),(5,5),(6,6),(7,7),(8,8),(9,9),(10,10)
PRAGMA optimize(-1)
DELETE FROM t13
PRAGMA optimize(-1)
