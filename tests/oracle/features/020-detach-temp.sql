-- DETACH temp before and after it is there
.each
detach temp
create temp table q(a)
detach temp
drop table q
detach temp

.reset

.each
detach temp
create temp view v as select 1
detach temp

.reset

.each
create table t(a)
with x as materialized (select 1) select * from x
detach temp
create temp trigger g after insert on t begin select 1; end
detach temp

.reset

.each
attach ':memory:' as x
detach temp
pragma temp_store=2
detach temp
