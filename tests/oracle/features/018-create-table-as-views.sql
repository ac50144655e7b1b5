CREATE TABLE a AS SELECT 1 AS x, 'two' AS y, 3.0 AS z, NULL AS n, X'00' AS b

SELECT sql FROM sqlite_schema

SELECT *, typeof(x), typeof(y), typeof(z), typeof(n), typeof(b) FROM a

CREATE TABLE IF NOT EXISTS a(q)

CREATE TABLE a(q)

CREATE TABLE c(i INT, t VARCHAR(10), r DOUBLE, u, d DECIMAL(5,2))

CREATE TABLE d AS SELECT * FROM c

SELECT sql FROM sqlite_schema WHERE name='d'

CREATE TABLE e AS SELECT i+1, t||'x', max(r) FROM c

SELECT sql FROM sqlite_schema WHERE name='e'

CREATE TEMP TABLE tt(x)

INSERT INTO tt VALUES(5)

SELECT * FROM temp.tt

SELECT name FROM sqlite_temp_schema

CREATE VIEW v AS SELECT x, y FROM a

CREATE VIEW v2(p,q) AS SELECT x, y FROM a

CREATE VIEW v3(p) AS SELECT x, y FROM a

SELECT * FROM v

SELECT p, q FROM v2

SELECT * FROM v3

CREATE VIEW IF NOT EXISTS v AS SELECT 1

CREATE VIEW v AS SELECT 1

CREATE TEMP VIEW tv AS SELECT x FROM tt

SELECT * FROM tv

DROP VIEW v

SELECT * FROM v

DROP VIEW v

DROP VIEW IF EXISTS v

DROP TABLE v2

DROP VIEW a

INSERT INTO v2 VALUES(1,2)

DELETE FROM v2

UPDATE v2 SET p=1

SELECT type, name, tbl_name FROM sqlite_schema ORDER BY name

CREATE VIEW bad AS SELECT * FROM nothere

SELECT * FROM bad

DROP TABLE a

SELECT * FROM v2

CREATE TABLE "quoted name"("a b" INT, [c d], `e f`)

SELECT sql FROM sqlite_schema WHERE name LIKE 'quoted%'

INSERT INTO "quoted name" VALUES(1,2,3)

SELECT "a b", [c d], `e f` FROM 'quoted name'

CREATE TABLE sqlite_x(a)

CREATE TABLE dup(a, A)

CREATE TABLE main.m(x)

CREATE TABLE nodb.m(x)
