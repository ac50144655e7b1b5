create table t(a integer primary key, b, c unique)
create table log(x)
insert into t values(1,1,1),(2,2,2)
create trigger t1 before insert on t begin insert into log values('bi '||ifnull(new.a,'null')||' '||ifnull(new.rowid,'n')); end
create trigger t2 after insert on t begin insert into log values('ai '||new.a); end
create trigger t3 before update on t begin insert into log values('bu '||old.a||' '||new.a); end
create trigger t4 after update on t begin insert into log values('au '||old.a||' '||new.a); end
create trigger t5 before delete on t begin insert into log values('bd '||old.a); end
create trigger t6 after delete on t begin insert into log values('ad '||old.a); end
insert into t(b,c) values(5,5)
replace into t(b,c) values(6,5)
select * from log
delete from log
pragma recursive_triggers=1
replace into t(a,b,c) values(1,6,2)
select * from log
select * from t
delete from log
insert into t values(1,9,9) on conflict(a) do update set b=7
insert into t values(1,9,9) on conflict(a) do update set b=7 returning *
insert into t values(1,9,9) on conflict(a) do nothing returning *
select * from log
update t set a=a+10 returning a,b, (select count(*) from t), rowid
update t set a=10 where a=11
update or replace t set c=5
select changes(), total_changes(), last_insert_rowid()
delete from t
select * from log

create table t(a,b)
create table log(x)
create trigger t1 after insert on t begin insert into log values(1); insert into log values(2); select raise(ignore) where new.a=2; insert into log values(3); end
create trigger t2 before insert on t when new.a=4 begin select raise(ignore); end
insert into t values(1,1),(2,2),(4,4)
select * from t
select * from log
create trigger t3 before insert on t when new.a=5 begin select raise(abort,'boo'); end
create trigger t4 before insert on t when new.a=6 begin select raise(fail,'foo'); end
create trigger t5 before insert on t when new.a=7 begin select raise(rollback,'roo'||new.b); end
insert into t values(10,1),(5,1)
insert into t values(10,1),(6,1)
insert into t values(10,1),(7,1)
insert or ignore into t values(10,1),(5,1)
begin
insert into t values(10,1),(7,1)
commit
select a from t
select raise(abort,'x')
create trigger t6 before update of b on t begin select raise(ignore); end
update t set b=99
update t set a=a+1
update t set a=1, b=7
select * from t
create trigger t7 before delete on t when old.a>1 begin select raise(ignore); end
delete from t
select * from t

-- update of, when, new and old
create table t(a integer primary key,b,c)
create table log(id integer primary key, x)
create trigger u1 after update of b on t begin insert into log(x) values('u1 '||old.b||'>'||new.b); end
create trigger u2 after update of c,a on t when new.c is not old.c begin insert into log(x) values('u2 '||old.c||'>'||new.c); end
create trigger u3 after update on t when new.a<>old.a begin insert into log(x) select 'u3 '||a from t; end
insert into t values(1,1,1),(2,2,2)
update t set b=b+1
update t set c=c where a=1
update t set c=c+1
update t set a=a+10
update t set b=b+1,c=c+1,a=a+1
select * from log
select last_insert_rowid()

-- triggers that change the table they watch
create table t(a integer primary key,b)
create table log(x)
create trigger bi before insert on t begin update t set b=b+1; insert into log values(new.a); end
insert into t values(1,1),(2,2),(3,3)
select * from t
create trigger bu before update on t when old.a=1 begin delete from t where a=2; update t set b=100 where a=3; end
update t set b=b+1000
select * from t
drop trigger bu
create trigger bd before delete on t begin delete from t where a<>old.a; end
delete from t
select * from t
insert into t values(10,1),(20,2)
create trigger bu before update on t begin delete from t where a=old.a; end
update t set b=5
select * from t

-- recursion
create table t(n)
create trigger r after insert on t when new.n<50 begin insert into t values(new.n+1); end
insert into t values(1)
select count(*) from t
pragma recursive_triggers=on
insert into t values(1)
select count(*), max(n) from t
delete from t
create trigger r2 after delete on t begin delete from t where n=old.n-1; end
insert into t values(1)
delete from t where n=50
select count(*) from t
create table inf(n)
create trigger ri after insert on inf begin insert into inf values(new.n+1); end
insert into inf values(1)
select count(*) from inf

-- cascades between tables, conflict clauses of the outer statement win
create table a(x unique)
create table b(y unique)
create table c(z unique)
create trigger ab after insert on a begin insert into b values(new.x); end
create trigger bc after insert on b begin insert into c values(new.y); end
insert into a values(1)
insert into c values(2)
insert into a values(2)
select * from a
insert or ignore into a values(2)
select * from a
select * from b
insert into c values(3)
insert or replace into a values(3)
select count(*) from c
delete from a
insert or replace into a values(3)
insert or fail into a values(4),(3),(5)
select * from a
drop trigger ab
create trigger ab after insert on a begin insert or ignore into b values(new.x); end
insert into a values(1)
insert or abort into a values(2)
select * from a
select * from b

-- instead of
create table t(a integer primary key, b)
create view v as select a, b, a+b as s from t
create trigger vi instead of insert on v begin insert into t values(new.a, new.b); end
create trigger vu instead of update on v begin update t set b=new.b, a=new.a where a=old.a; end
create trigger vd instead of delete on v begin delete from t where a=old.a; end
insert into v values(1,2,3),(4,5,6)
insert into v(b) values(9)
insert into v(a,b) select a+10,b+10 from v
select changes(), total_changes(), last_insert_rowid()
select * from v
update v set b=b+100 where s>5
select changes()
update v set a=a+1000, b=s where a=1
delete from v where s>100
select * from v
insert into v(zz) values(1)
insert into v values(1)
update v set zz=1
update v set b=1 returning *
insert into v values(7,8,9) returning *, a+1
delete from v where a=7 returning s
insert into v values(1,1,1) on conflict do nothing
drop trigger vi
insert into v values(1,2,3)
drop trigger vu
update v set b=1
create view v2 as select * from v
create trigger v2d instead of delete on v2 begin delete from v where a=old.a; end
delete from v2
select * from t

-- temp triggers and order
create table t(a,b)
create table log(x)
create trigger t1 after insert on t begin insert into log values('t1'); end
create trigger t2 after insert on t begin insert into log values('t2'); end
create temp trigger t3 after insert on t begin insert into log values('t3'); end
create trigger t5 after insert on t begin insert into log values('t5'); end
create trigger t6 before insert on t begin insert into log values('t6'); end
insert into t values(1,1)
select * from log
drop trigger t3
delete from log
insert into t values(1,1)
select * from log
drop table t
select count(*) from sqlite_temp_master

-- raise texts
create table t(a)
create trigger x before insert on t begin select case when new.a=1 then raise(abort,'one') when new.a=2 then raise(fail, 'two '||new.a) when new.a=3 then raise(rollback, 5) when new.a=4 then raise(ignore) end; end
insert into t values(1)
insert into t values(2)
insert into t values(3)
insert into t values(4)
insert into t values(5)
select * from t

-- generated columns, without rowid, upsert in body
create table t(k primary key, v, g as (v*2)) without rowid
create table c(name primary key, n int)
create trigger ti after insert on t begin insert into c values('ins',1) on conflict(name) do update set n=n+1; end
create trigger tu after update on t begin insert into c values('upd '||old.g||' '||new.g,1) on conflict(name) do update set n=n+1; end
create trigger td after delete on t begin insert into c values('del',1) on conflict do update set n=n+excluded.n; end
insert into t values(1,2),(2,3),(3,4)
update t set v=v+1
update t set k=k+10 where k=1
delete from t where g>7
delete from t
select * from c

-- errors inside
create table t(a)
create trigger x after insert on t begin insert into nosuch values(1); end
insert into t values(1)
drop trigger x
create trigger x after insert on t begin select nosuch from t; end
insert into t values(1)
drop trigger x
create trigger x after insert on t begin select old.a; end
insert into t values(1)
drop trigger x
create trigger x after insert on t begin update t set b=1; end
insert into t values(1)
drop trigger x
create trigger x after insert on t begin insert into t values(1,2,3); end
insert into t values(1)
select * from t

-- REPLACE whose triggers put other rows in the way
pragma recursive_triggers=true
create table t0(c0,c1 unique)
create trigger c before delete on t0 begin insert into t0(c1) values(old.c1+100); end
insert into t0(c1) values(0),(1)
replace into t0(c1) values(0)
select rowid,* from t0
replace into t0(rowid,c1) values(10,1)
select rowid,* from t0
replace into t0(rowid,c1) values(11,10),(12,10),(12,101)
select rowid,* from t0

pragma recursive_triggers=true
create table t0(c0,c1 unique, c2 unique)
create trigger c after delete on t0 begin insert into t0(c1) values(old.c1); end
insert into t0(c1,c2) values(0,10),(1,11)
replace into t0(rowid,c1) values(100,0)
replace into t0(rowid,c2) values(100,10)
select rowid,* from t0
replace into t0(rowid,c1) values(100,0)
update or replace t0 set c2=5 where c1=1
select rowid,* from t0

pragma recursive_triggers=true
create table t0(c0 primary key,c1 unique) without rowid
create trigger c after delete on t0 begin insert into t0(c0,c1) values(old.c0,old.c1+100); end
insert into t0 values(0,10),(1,11)
replace into t0 values(0,5)
replace into t0 values(5,10)
select * from t0 order by 1

create table t(a integer primary key autoincrement)
insert into t default values
update sqlite_sequence set seq='5abc' where name='t'
insert into t default values
update sqlite_sequence set seq=null where name='t'
insert into t default values
update sqlite_sequence set seq=x'3939' where name='t'
insert into t default values
update sqlite_sequence set seq=200.7 where name='t'
insert into t default values
select * from t
select * from sqlite_sequence
