-- Generated columns: kinds, types, constraints, what may not be in them, statements over them.

.each
CREATE TABLE g1(a, b AS (a*2), c INT AS (a||'1') STORED, d TEXT GENERATED ALWAYS AS (a) VIRTUAL)
INSERT INTO g1 VALUES(1)
INSERT INTO g1(a) VALUES('x'),(2.5),(NULL),(x'31')
SELECT *, typeof(b), typeof(c), typeof(d) FROM g1
INSERT INTO g1 VALUES(1,2)
INSERT INTO g1(a,b) VALUES(1,2)
INSERT INTO g1(b) VALUES(1)
UPDATE g1 SET b=1
UPDATE g1 SET (a,c)=(1,2)
UPDATE g1 SET a=9 WHERE a='x'
UPDATE g1 SET a=c WHERE a=9 RETURNING *
SELECT * FROM g1
CREATE TABLE g2(a AS (b), b AS (a))
CREATE TABLE g3(a AS (1))
CREATE TABLE g4(a AS (1), b AS (2))
CREATE TABLE g5(a, b AS (nope))
CREATE TABLE g6(a, b AS (rowid))
CREATE TABLE g7(a, b AS (random()))
CREATE TABLE g8(a, b AS ((SELECT 1)))
CREATE TABLE g9(a, b AS (?))
CREATE TABLE g10(a, b AS (sum(a)))
CREATE TABLE g11(a, b AS (row_number() OVER ()))
CREATE TABLE g12(a, b AS (a) PRIMARY KEY)
CREATE TABLE g13(a, b AS (a) DEFAULT 5)
CREATE TABLE g14(a, b DEFAULT 5 AS (a))
CREATE TABLE g15(a, b AS (a) UNIQUE, c AS (a+1) NOT NULL, d AS (a+2) CHECK(d<10))
INSERT INTO g15 VALUES(1)
INSERT INTO g15 VALUES(1)
INSERT INTO g15 VALUES(NULL)
INSERT INTO g15 VALUES(8)
INSERT OR IGNORE INTO g15 VALUES(1),(2),(9),(3)
INSERT OR REPLACE INTO g15 VALUES(1),(2)
INSERT INTO g15(a) VALUES(2) ON CONFLICT(b) DO UPDATE SET a=a+5
SELECT * FROM g15
CREATE TABLE g16(a, b AS (a) STORED PRIMARY KEY)
CREATE TABLE g17(a, b AS (a), PRIMARY KEY(b))
CREATE TABLE g18(a PRIMARY KEY, b AS (a||'x') STORED, c AS (b||'y')) WITHOUT ROWID
INSERT INTO g18 VALUES('k'),('j')
SELECT * FROM g18
CREATE INDEX g18c ON g18(c DESC)
SELECT a FROM g18 WHERE c>'jx' ORDER BY c
UPDATE g18 SET a='z' WHERE c='kxy'
SELECT * FROM g18
CREATE TABLE g19(a INTEGER PRIMARY KEY, b AS (a+1), c AS (b+1), d AS (c+1) STORED)
INSERT INTO g19 VALUES(1),(NULL)
SELECT * FROM g19
SELECT * FROM g19 WHERE b=3
SELECT d FROM g19 WHERE c BETWEEN 3 AND 4 ORDER BY b DESC
PRAGMA table_info(g19)
PRAGMA table_xinfo(g19)
CREATE TABLE g20(a, b TEXT COLLATE NOCASE AS (a))
INSERT INTO g20 VALUES('X'),('x'),(1)
SELECT count(*) FROM g20 WHERE b='X'
SELECT DISTINCT b FROM g20 ORDER BY 1
SELECT a FROM g20 WHERE b=1
CREATE TABLE g21(a INT, b INT AS (a) STORED) STRICT
INSERT INTO g21 VALUES(1),('2')
INSERT INTO g21 VALUES('x')
CREATE TABLE g22(a TEXT, b INT AS (a)) STRICT
INSERT INTO g22 VALUES('x')
INSERT INTO g22 VALUES('5')
SELECT *, typeof(b) FROM g22
CREATE TABLE g23(a, b AS (abs(a)) STORED)
INSERT INTO g23 VALUES(-9223372036854775808)
INSERT INTO g23 VALUES(-5)
SELECT * FROM g23
CREATE TABLE g25(a, b AS (g25.a))
CREATE TABLE g26(a, b AS (a) VIRTUAL STORED)
CREATE TABLE g27(a, b GENERATED ALWAYS (a))
CREATE TABLE g28(a, b GENERATED AS (a))
CREATE TABLE g29(a, b AS a)
CREATE TABLE g30(a, b INT ALWAYS AS (a))
CREATE TABLE g31(a, b AS (CURRENT_TIMESTAMP))
CREATE TABLE g32(a, b AS (datetime('now')))
CREATE TABLE g33(a, b AS (date(a)))
INSERT INTO g33 VALUES('2024-01-02 03:04:05')
SELECT * FROM g33
INSERT INTO g33 VALUES('now')
SELECT a FROM g33 WHERE a='now'
SELECT b FROM g33 WHERE a='now'
CREATE TABLE g34(a, b AS ("nope"))
CREATE TABLE g35(a, b AS ('lit'))
INSERT INTO g35 DEFAULT VALUES
INSERT INTO g35 VALUES(5)
SELECT * FROM g35
CREATE TRIGGER g35t AFTER INSERT ON g35 BEGIN UPDATE g35 SET a=new.b WHERE rowid=new.rowid; END
INSERT INTO g35 VALUES(6) RETURNING *
SELECT * FROM g35
CREATE TABLE g36 AS SELECT * FROM g19
SELECT sql FROM sqlite_schema WHERE name='g36'
INSERT INTO g36 SELECT * FROM g19
INSERT INTO g19 SELECT a+10 FROM g19
INSERT INTO g19 SELECT * FROM g19
INSERT INTO g19(a) SELECT a+20 FROM g19 WHERE b>10
SELECT * FROM g19
DELETE FROM g19 WHERE d>20
SELECT count(*) FROM g19
PRAGMA integrity_check
ALTER TABLE g19 RENAME COLUMN b TO bee
SELECT sql FROM sqlite_schema WHERE name='g19'
ALTER TABLE g19 DROP COLUMN c
ALTER TABLE g19 DROP COLUMN d
SELECT * FROM g19
CREATE UNIQUE INDEX g19b ON g19(bee) WHERE c>4
INSERT INTO g19 VALUES(40) ON CONFLICT(bee) WHERE c>4 DO NOTHING
SELECT bee FROM g19 INDEXED BY g19b WHERE c>4


.each
create table s22(a text, b int as (a), c int as (a) stored, d any as (a)) strict
insert into s22 values('x')
create table s23(a text, b int as (a)) strict
insert into s23 values('x')
create table s24(a text, z int, b int as (a)) strict
insert into s24(a) values('5')
update s24 set a='q'
update s24 set z='q'
insert or ignore into s24(a) values('w'),('6')
insert or replace into s24(a) values('w'),('6')
create table s25(a, b as (c) default 5, c)
create table s26(a, b default 5 as (a))
create index i on s24(s24.a)
create index temp.i on s24(a)
create index temp.i on nope(a)
create table tt(a, b as (tt.a))
create table tt(a, b as (b.a))
create table gw(k primary key, a text, b int as (a)) without rowid, strict
create table gw(k int primary key, a text, b int as (a)) without rowid, strict
insert into gw values(1,'x')
insert into gw values(1,'7')
