CREATE TABLE t(a)

CREATE INDEX i ON t(a)

CREATE TEMP TABLE tt(x)

SELECT type,name,tbl_name,sql FROM sqlite_schema

SELECT name FROM sqlite_master ORDER BY name DESC

SELECT name FROM sqlite_temp_schema

SELECT name FROM sqlite_temp_master

SELECT name FROM main.sqlite_schema

SELECT name FROM temp.sqlite_schema

INSERT INTO sqlite_schema VALUES(1,2,3,4,5)

UPDATE sqlite_master SET name='x'

DELETE FROM sqlite_schema

DROP TABLE sqlite_schema

CREATE INDEX si ON sqlite_schema(name)

SELECT count(*) FROM sqlite_schema WHERE rootpage>0

PRAGMA table_info(sqlite_schema)
