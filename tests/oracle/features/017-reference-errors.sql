-- texts of errors about names of databases, recursion and operators
.each
with recursive a as (select * from a) select * from a
with a as (select * from a) select * from a
with a as (select * from b), b as (select * from a) select * from a
with recursive a as (select 1 union all select * from a, a) select * from a
with recursive a as (select 1 union all select (select * from a)) select * from a
with recursive a(x) as (select 1 union all select x from (select * from a)) select * from a
with recursive a(x) as (select 1 union all select 1 from a union all select 2 from a) select * from a limit 3
with recursive a(x) as (select x from a union all select 1) select * from a
create table t(a)
with recursive a(x) as (select 1 union all select a.x from a join a b) select * from a
select 'a' REGEXP 'b'
select 'a' ReGexp 'b'
select 'a' not regexp 'b'
select 'a' MATCH 'b'
alter table t rename column z to y
alter table t rename z to y
alter table main.t drop column z
alter table t drop z
alter table t alter column z drop not null
create table nosuch.x(a)
create index nosuch.x on t(a)
drop table nosuch.x
analyze nosuch.t
reindex nosuch.t
