CREATE TABLE t(i INTEGER, r REAL, t TEXT, n NUMERIC, b BLOB, x)

INSERT INTO t VALUES('12','12','12','12','12','12')

INSERT INTO t VALUES(12.0,12,12.0,12.0,12.0,12.0)

INSERT INTO t VALUES('12.5','1e3',1e3,'1e3',1e3,'1e3')

INSERT INTO t VALUES('abc','abc',X'61','abc',X'61',NULL)

INSERT INTO t VALUES(' 5 ','5 ',' 5','0x10','9223372036854775808','')

SELECT *, typeof(i), typeof(r), typeof(t), typeof(n), typeof(b), typeof(x) FROM t

SELECT i='12', r='12', t=12, n='12', b=12, x=12 FROM t

SELECT i<'2', t<2, x<2, x<'2' FROM t

SELECT '12'=i, 12=t, 12.0=t, i=t, i=x, t=x FROM t

SELECT x FROM t ORDER BY x

SELECT b FROM t ORDER BY b DESC

SELECT i IN ('12'), '12' IN (i), t IN (12), x IN (12) FROM t

SELECT max(x), min(x), max(t), min(i) FROM t

SELECT CAST(i AS TEXT)=12, +i='12', -i='-12' FROM t

SELECT i BETWEEN '1' AND '20', t BETWEEN 1 AND 2 FROM t

CREATE TABLE types(a CHARINT, b FLOATING POINT, c STRING, d DOUBLE PRECISION, e BIGINT, f CLOB, g BLOBBY, h DATETIME, j)

INSERT INTO types VALUES('1','1','1','1','1','1','1','1','1')

SELECT typeof(a),typeof(b),typeof(c),typeof(d),typeof(e),typeof(f),typeof(g),typeof(h),typeof(j) FROM types

SELECT NULL < 1, 1 < 'a', 'a' < X'00', 2 < 10, '2' < '10'

SELECT (SELECT i FROM t LIMIT 1)='12', (SELECT x FROM t LIMIT 1)=12

CREATE VIEW v AS SELECT i, CAST(t AS INTEGER) AS ti, i+0 AS e FROM t

SELECT i='12', ti='12', e='12' FROM v

CREATE TABLE empty_types(a "", b [], c ``, d "" (3), e "" "", f " ", g '')

SELECT type FROM pragma_table_info('empty_types')

INSERT INTO empty_types VALUES('1','2','3','4','5','6','7'),('a',X'31',2.0,NULL,'1e2','0x1','')

SELECT a, b, c, d, e, f, g, typeof(a), typeof(b), typeof(c), typeof(d), typeof(e), typeof(f), typeof(g) FROM empty_types

SELECT a='1', a=1, g<'8' FROM empty_types

CREATE TABLE empty_copied AS SELECT a, c FROM empty_types

SELECT sql FROM sqlite_schema WHERE name='empty_copied'

CREATE TABLE empty_strict(a "") STRICT

CREATE TABLE missing_strict(a) STRICT

CREATE TABLE empty_generated(a, b "" GENERATED ALWAYS AS (a), c GENERATED ALWAYS AS (a))

ALTER TABLE empty_generated ADD COLUMN d ""

INSERT INTO empty_generated VALUES('1','2')

SELECT a, b, c, d, typeof(b), typeof(c), typeof(d) FROM empty_generated
