-- UPDATE of a view by columns that no INSTEAD OF UPDATE OF trigger names
.each
create table t(a,b,c)
create view v as select a,b,c from t
create trigger iu instead of update of a on v begin update t set a=new.a where a=old.a; end
update v set b=1
update v set a=1
update v set a=1,b=2
update v set b=1 where 0
update or ignore v set c=1
update v set b=1 from t where 0
update v set b=1 returning a
with q as (select 1) update v set c=2
create trigger iu2 instead of update of c on v when 0 begin select 1; end
update v set c=1
update v set b=1
create trigger iv2 instead of delete on v begin select 1; end
update v set b=1
insert into v values(1,2,3)
create trigger x1 after insert on t begin update v set b=1; end
insert into t values(1,2,3)
