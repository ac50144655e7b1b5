-- ALTER TABLE beside a window function without OVER
.each
create table t(a,b)
create view v as select rank() from t
create view v2 as select rank() over () from t
alter table t rename a to c
alter table t rename to t3
create trigger tr after insert on t3 begin select rank(); end
alter table t3 rename c to d
alter table t3 rename to t4
select sql from sqlite_master
