-- Statements that change the schema, and others behind which SQLite runs SQL of its own: the authorizer must hear the same.
-- One a line, in sections that begin with a new database at each empty line.

create table t(a,b,c unique)
create index t_a on t(a)
create view v as select a,c from t
create table u(id integer primary key autoincrement, x references t(c), y)
create trigger tr after insert on t begin insert into u(x) values(new.a); end
create temp table tt(a,b)
create temp view tv as select * from t
create temp trigger ttr after insert on t begin select 1; end
create table w(k primary key, v, z) without rowid
create table s(a int, b text not null) strict
attach ':memory:' as aux
create table aux.ax(a,b)
create index aux.axi on ax(a)
insert into t values(1,2,3),(4,5,6)
insert into u(x) values(3)
alter table t rename to t2
alter table t2 rename a to aa
alter table t2 rename column aa to a
alter table t2 rename to t
alter table t drop column b
alter table w drop column z
alter table w rename v to vv
alter table w rename to ww
alter table w2 rename to ww
alter table tt rename to tt2
alter table tt2 rename a to aa
alter table tt2 drop column b
alter table aux.ax rename to ax2
alter table ax2 rename a to aa
alter table ax2 drop column b
alter table v rename to v2
alter table v rename a to b
alter table v drop column a
alter table sqlite_master rename to q
alter table t rename nosuch to q
alter table t drop column nosuch
alter table t drop column c
alter table t rename a to c
alter table t rename to u
alter table s alter column a set not null
alter table s alter column b drop not null
alter table s alter column nosuch drop not null
alter table s add constraint q check(a>0)
alter table s add check(a>0)
alter table s drop constraint q
alter table s drop constraint nosuch
alter table tt2 alter column aa set not null
alter table tt2 add constraint q check(aa>0)
alter table tt2 drop constraint q
alter table ax2 alter column aa set not null
alter table ax2 add constraint q check(aa>0)
alter table t add column q
alter table t add column q2 not null default 3
alter table t add column q3 check(q3>0)
alter table s add column q3 int check(q3>0)
alter table s add column q4 int
alter table u rename to u2
alter table u2 rename x to xx
alter table u2 drop column y
analyze
analyze
analyze t
analyze main
analyze aux
analyze temp
analyze t_a
analyze nosuch
analyze ax2
analyze tt2
pragma optimize
pragma optimize(-1)
reindex
reindex t
reindex t_a
reindex nocase
reindex binary
reindex nosuch
reindex aux.axi
reindex expressions
vacuum
vacuum main
vacuum aux
vacuum temp
vacuum nosuch
create table cta as select * from t
create temp table ctt as select a from t where a>0
create table aux.ctx as select * from ax2
create table if not exists cta as select 1
drop table cta
drop table ctt
drop table aux.ctx
drop table u2
drop table if exists nosuch
drop table w
drop table ww
drop view v
drop index t_a
drop trigger tr
drop table t
create virtual table f using fts5(x,y)
drop table f
create virtual table f using fts5(x,y)
alter table f rename to g
vacuum
create virtual table temp.f using fts5(x)
drop table f

pragma legacy_alter_table=on
create table t(a,b)
create table k(id integer primary key autoincrement)
create view v as select a from t
alter table t rename to t2
alter table t2 rename a to c
alter table t2 drop column c
alter table t2 rename to t2
alter table t2 rename b to b
pragma legacy_alter_table=off
create virtual table f using fts5(x)
alter table f rename to g
alter table g add column c
alter table g drop column c
alter table g rename x to c
create table h(a,b check(b>0))
alter table h drop column b
alter table h add constraint c1 check(a>0 and b<(9))
alter table h add constraint c2 check(abs(a)>0)
alter table h add constraint c2 check(abs(a)>0)
alter table h add constraint c3 check(nosuch>0)
alter table h alter column b set not null on conflict ignore
alter table h alter nosuch set not null
alter table nosuch alter nosuch set not null
alter table nosuch drop constraint c
alter table v drop constraint c
alter table g drop constraint c
alter table nosuch rename to h
alter table k rename to sqlite_x
alter table k rename to h
alter table k drop column id
alter table h rename nosuch to b
alter table h rename a to b

create table t(a,b)
create index i on t(a)
insert into t values(1,2)
analyze
drop index i
create index temp.ii on t(a)
create temp table q(a unique,b)
insert into q values(1,2)
create index temp.ii on q(b)
analyze temp
drop index ii
drop table q

create table lg(a)
create table t(a)
insert into lg(a) values(abs(1)),(2)
insert into lg(a) values(abs(1)),(abs(2)),(lower(3))
insert into lg(a) values(random()),(random())
insert into lg(a) values(1),(a)
insert into lg(a) values(1),((select 1)),(3)
insert into lg(a) values((select 1)),(2)
insert into lg(a) values(1),(max(1,2))
insert into lg(a) values(1),(current_date)
insert into lg(a) values(1),(2) on conflict do nothing
insert into lg(a) values(1),('a' like 'b')
insert into lg(a) values(1),(1 in (select 2))
with q as (select 1) insert into lg values(1),(2)
insert into t values(1)
insert into t values(1),(2)
with q as (select 1) insert into lg values(1),((select * from q))

create table temp.q(a unique)
create view temp.v as select * from q
create temp view v2 as select * from q
create temp table q2(a)
create table temp.q3 as select 1 a
create index temp.i on q(a)
create trigger temp.tr after insert on q begin select 1; end
create temp trigger tr2 after insert on q begin select 1; end
create trigger tr3 after insert on q begin select 1; end
create table m(a)
create trigger temp.trm after insert on m begin select 1; end
drop table temp.q
drop view temp.v
drop view v2
drop table q3
drop table m
create temp table aa(id integer primary key autoincrement)
create table temp.aa2(id integer primary key autoincrement)
drop table aa
create temp table if not exists aa2(a)
create view if not exists v9 as select 1
create view if not exists v9 as select 1
create table v9(a)
create view v9 as select 1
create index if not exists nosuch on v9(a)
create trigger if not exists g after insert on q2 begin select 1; end
create trigger if not exists g after insert on q2 begin select 1; end
drop trigger g
