-- ATTACH and DETACH: names, search order, temp objects, statements across databases.

.each
CREATE TABLE t(a, b)
INSERT INTO t VALUES(1,'main')
ATTACH ':memory:' AS aux
CREATE TABLE aux.t(a, b)
INSERT INTO aux.t VALUES(2,'aux')
CREATE TABLE aux.only(x)
INSERT INTO only VALUES(5)
SELECT * FROM t
SELECT * FROM aux.t
SELECT * FROM main.t
SELECT main.t.a, aux.t.a FROM main.t, aux.t
SELECT t.a FROM main.t, aux.t
SELECT * FROM main.t JOIN aux.t USING(a)
SELECT * FROM only
SELECT * FROM main.only
CREATE TEMP TABLE t(a, b)
INSERT INTO t VALUES(3,'temp')
SELECT * FROM t
SELECT * FROM temp.t
DROP TABLE t
SELECT * FROM t
INSERT INTO aux.t SELECT a+10, b FROM main.t
UPDATE aux.t SET b=b||'!' WHERE a IN (SELECT a+10 FROM main.t)
DELETE FROM aux.t WHERE a=2 RETURNING *
SELECT * FROM aux.t
UPDATE t SET b='from aux' FROM aux.t AS u WHERE u.a=t.a+10
SELECT * FROM t
CREATE VIEW aux.v AS SELECT * FROM t
SELECT * FROM v
CREATE VIEW aux.bad AS SELECT * FROM main.t
CREATE TEMP VIEW tv AS SELECT main.t.b, aux.t.b AS c FROM main.t, aux.t
SELECT * FROM tv
CREATE INDEX aux.ti ON t(a)
CREATE INDEX main.ti ON t(a)
CREATE INDEX aux.wrong ON only(x)
CREATE TRIGGER aux.tr AFTER INSERT ON t BEGIN INSERT INTO only VALUES(new.a); END
INSERT INTO aux.t VALUES(7,'seven')
SELECT * FROM only
CREATE TRIGGER aux.cross AFTER INSERT ON main.t BEGIN SELECT 1; END
CREATE TRIGGER aux.cross AFTER INSERT ON t BEGIN INSERT INTO main.t VALUES(1,1); END
CREATE TEMP TRIGGER tt AFTER INSERT ON aux.t BEGIN INSERT INTO main.t VALUES(new.a, 'by temp trigger'); END
INSERT INTO aux.t VALUES(8,'eight')
SELECT * FROM main.t
SELECT name FROM aux.sqlite_schema ORDER BY name
SELECT name FROM sqlite_temp_schema ORDER BY name
PRAGMA database_list
PRAGMA aux.table_info(t)
SELECT schema, name, type FROM pragma_table_list WHERE schema='aux' ORDER BY name
BEGIN
INSERT INTO main.t VALUES(100,1)
INSERT INTO aux.only VALUES(100)
SAVEPOINT s
DELETE FROM aux.only
DELETE FROM main.t
ROLLBACK TO s
SELECT count(*) FROM main.t, aux.only
ATTACH ':memory:' AS more
DETACH aux
ROLLBACK
SELECT count(*) FROM aux.only WHERE x=100
ATTACH ':memory:' AS aux
ATTACH ':memory:' AS AUX
ATTACH ':memory:' AS main
ATTACH ':memory:' AS temp
ATTACH ':memory:' AS 'with space'
CREATE TABLE "with space".q(a)
SELECT * FROM [with space].q
ATTACH DATABASE ':memory:' AS (1)
ATTACH (SELECT ':memory:') AS sub
ATTACH ':memory:' AS m3
ATTACH NULL AS nul
ATTACH '' AS empty
CREATE TABLE empty.e(a)
PRAGMA database_list
DETACH nope
DETACH main
DETACH temp
DETACH "with space"
DETACH DATABASE empty
SELECT * FROM e
ATTACH ':memory:' AS a1
ATTACH ':memory:' AS a2
ATTACH ':memory:' AS a3
ATTACH ':memory:' AS a4
SELECT count(*) FROM pragma_database_list
CREATE TABLE a1.copy AS SELECT * FROM main.t
SELECT count(*) FROM copy
INSERT INTO a2.copy SELECT 1
DROP TABLE a1.copy
DROP TABLE IF EXISTS a1.copy
DROP TABLE nope.copy
DROP TABLE IF EXISTS nope.copy
ALTER TABLE aux.only RENAME TO renamed
SELECT * FROM renamed
ALTER TABLE aux.renamed RENAME COLUMN x TO y
SELECT sql FROM aux.sqlite_schema WHERE name='tr'
REINDEX aux.ti
REINDEX aux.nope
ANALYZE aux
SELECT tbl, idx, stat FROM aux.sqlite_stat1 ORDER BY 1, 2
VACUUM nope
SELECT nope.t.a FROM t
INSERT INTO nope.t VALUES(1)
PRAGMA aux.user_version=7
PRAGMA main.user_version
PRAGMA aux.user_version
PRAGMA nope.user_version
DETACH aux
SELECT * FROM tv
INSERT INTO main.t VALUES(200,2)
SELECT a FROM t WHERE a=200
