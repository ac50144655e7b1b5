attach ':memory:' as aux
create table aux.t(a integer primary key, b unique)
create table main.t(a, b)
create temp table t(a, b)
insert into t values(1,'temp')
insert into main.t values(1,'main')
insert into aux.t values(1,'aux')
select b from t
select b from main.t
select b from aux.t
insert into aux.t values(1,'x')
insert into aux.t values(2,'aux')
insert into aux.t select 5, b from main.t
update aux.t set b=b||'!' where a=1
update temp.t set b='tt'
delete from aux.t where a=5
replace into aux.t values(1,'r')
insert into aux.t values(1,'u') on conflict(a) do update set b=excluded.b||t.b
select * from aux.t
create index aux.tb on t(b)
create index tb2 on t(b)
create view aux.v as select * from t
select * from aux.v
create trigger aux.tr after insert on t begin insert into t(b) values('trig'||new.a); end
insert into aux.t values(100,'q')
select * from aux.t
create temp trigger tt after delete on aux.t begin insert into temp.t values('td', old.b); end
create temp trigger tt after delete on aux.t begin insert into t values('td', old.b); end
delete from aux.t where a=100
select * from temp.t
drop table t
select b from t
drop table t
select b from t
drop table aux.t
select name from aux.sqlite_master
select b from t
create table aux.x as select * from (values(1,2))
insert into x values(3,4)
select * from aux.x
alter table aux.x rename to y
alter table aux.y add column z default 9
alter table y rename column column1 to c1
select sql from aux.sqlite_master
drop table aux.y
create table aux.au(i integer primary key autoincrement)
insert into aux.au values(null),(null)
select * from aux.sqlite_sequence
detach aux
insert into aux.au values(null)
detach aux
attach ':memory:' as main
attach ':memory:' as temp

-- names and quoting
create table "my table"("a b" integer primary key, [c d] text, `e f` default 'x', "select")
insert into "my table"("c d", "select") values('v', 1)
insert into [my table] default values
update "my table" set "c d" = "c d" || '!', "e f" = "nope" where "a b" = 1
select * from "my table"
create index "my index" on "my table"("c d", "select" desc)
create trigger "my trigger" after update of "c d" on "my table" begin insert into "my table"("c d") values(old."c d"); end
update "my table" set "c d" = 'w' where "a b" = 1
select * from "my table"
insert into "my table" values(1,2,3,4)
insert into "my table"("a b") values('x')
alter table "my table" rename column "c d" to cd
alter table "my table" rename to t2
select sql from sqlite_master
delete from t2 where "cd" = 'w'
drop index "my index"
drop trigger "my trigger"
drop table t2
create table t(a, "b" text default "bee", c default (lower('X')))
insert into t(a) values("text"),('x')
select * from t
create table r(rowid text, _rowid_ text, oid text)
insert into r values(1,2,3)
update r set rowid='z'
delete from r where oid='3'
select count(*) from r

-- big and odd values
create table t(a integer primary key, b, c numeric, d real, e text)
insert into t values(9223372036854775807, 9223372036854775807, '9223372036854775808', 9223372036854775807, 1e100)
delete from t where a>5
insert into t values(-9223372036854775808, -9223372036854775808, '-9223372036854775809', 1e-320, 0.1)
insert into t values(9223372036854775808, 1, 1, 1, 1)
insert into t values('9223372036854775806', 1, 1, 1, 1)
insert into t values('  5  ', '  5  ', '  5  ', '  5  ', '  5  ')
insert into t values('6.0', '6.0', '6.0', '6.0', 6.0)
insert into t values(7e0, 7e0, 7e0, 7e0, 7e0)
insert into t values('8abc', 1, 1, 1, 1)
insert into t values(x'39', x'39', x'39', x'39', x'39')
insert into t values(10, x'', '', '', '')
insert into t values(11, 1e400, 1e400, -1e400, 1e400)
insert into t(a,b) values(20,zeroblob(3000))
insert into t(a,b) values(21,hex(zeroblob(1500)))
select a, typeof(b), typeof(c), typeof(d), typeof(e), length(b), c, d, e from t
update t set c = b, d = b, e = b where a < 100
select a, typeof(c), typeof(d), typeof(e) from t
create index tc on t(c)
create index td on t(d desc)
create index te on t(e collate nocase)
select a from t where d > 5 order by d
delete from t where c > 5
select a from t
