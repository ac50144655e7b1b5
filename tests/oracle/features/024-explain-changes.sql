-- EXPLAIN of a change leaves changes() as a change of no rows
.each
create table t(a,b)
insert into t values(1,2),(3,4)
explain query plan insert into t values(1,2)
insert into t values(1,2),(3,4)
explain query plan insert into t values(1,2)
insert into t values(1,2),(3,4)
explain query plan update t set a=1
insert into t values(1,2),(3,4)
explain query plan delete from t
insert into t values(1,2),(3,4)
insert into t values(1,2),(3,4)
insert into t values(1,2),(3,4)
insert into t values(1,2),(3,4)
explain query plan with q as (select 1) delete from t
create table x(a)
create index xi on t(a)
drop index xi
alter table t add column c
analyze
create table y as select * from t
drop table y
