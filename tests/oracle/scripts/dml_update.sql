create table t(a integer primary key, b, c)
insert into t values(1,1,1),(2,2,2),(3,3,3),(4,4,4)
update t set b=10 where a=2
update t set b=b+1, c=b
update t set (b,c)=(c,b) where a in (1,3)
update t set (b,c)=(select max(a), min(b) from t) where a=4
update t set b=1, b=2
update t set a=5 where a=1
update t set a=a+1
update t set a=a-1
update t set a=10-a
update t set rowid=rowid+100
update t set a='x' where a=108
update t set a=null where a=108
select * from t
update t set b=(select sum(x.b) from t x where x.a<=t.a)
select * from t
update t as q set b=q.c where q.a>100
update t set zz=1
update t set a=zz
update nosuch set a=1
update t set b=1 where nosuch=1
update t set (b,c)=(1)
update t set (b,c)=(1,2,3)
update t set (b,c)=(select 1)
update t set (b)=(5) where a=107
update t set b=1 where 0
update t set b=1 where null
select changes()
with q as (select 104 as k) update t set b='cte' where a=(select k from q)
select * from t

-- indexes lead
create table t(a,b,c)
create index ta on t(a)
create index tb on t(b,c)
insert into t values(1,1,1),(2,2,2),(3,3,3),(4,4,4),(5,5,5)
update t set a=a+10 where a>2
update t set a=a+1 where a>0
update t set b=b+100 where b between 2 and 4
update t set c=c+1 where b>100 and c<100
update t set a=null where a=2
update t set b=c, c=b where a is null
select * from t
delete from t where a>12
delete from t where b=1 or c=1
select * from t
delete from t where a is null
select count(*) from t

-- or forms
create table t(a integer primary key, b unique, c not null, check(c<100))
insert into t values(1,1,1),(2,2,2),(3,3,3)
update t set b=1 where a=2
update or ignore t set b=1
update or replace t set b=1 where a>1
select * from t
insert into t values(2,2,2),(1,5,5)
insert or ignore into t values(2,2,2),(1,5,5)
update or fail t set b=b+10, c=case a when 3 then null else c end
select * from t
update or ignore t set c=null where a=1
update or replace t set c=null where a=1
update or ignore t set c=c+98
select * from t
update t set a=a+1
update t set a=3 where a=2
update or ignore t set a=3 where a=2
update or replace t set a=3 where a=2
begin
update or rollback t set a=3
rollback
select * from t

-- from
create table t(a integer primary key, b, c)
create table s(x, y)
insert into t values(1,1,1),(2,2,2),(3,3,3)
insert into s values(1,10),(2,20),(2,21),(9,90)
update t set b=y from s where x=a
select * from t
update t set b=s.y+q.z, c=s.x from s, (select 5 as z) q where s.x=t.a and t.a=1
update t as tt set c=(select count(*) from s where x=tt.a) from s where s.x=tt.a
update t set b=s.y from s left join t t2 on t2.a=s.x where s.x=t.a returning *
update t set b=u.a from t as u where u.a=t.a+1
update t set (b,c)=(y,x) from s where x=a and y<15
update t set (b,c)=(select y,x from s s2 where s2.x=s.x limit 1) from s where x=a
select * from t
create table w(k primary key, v) without rowid
insert into w values(1,1),(2,2)
update w set v=y from s where x=k
select * from w

-- order by limit is not in the reference build
create table t(a integer primary key, b)
insert into t values(1,1),(2,2),(3,3)
update t set b=9 where a=1 or b=3
delete from t where a in (1,2)
select * from t

-- delete
create table t(a integer primary key, b, c)
insert into t values(1,1,1),(2,2,2),(3,3,3),(4,4,4)
delete from t where a=2
delete from t where b=3
delete from t where a>10
delete from t as x where x.a=1
delete from t where nosuch=1
delete from nosuch
delete from main.nosuch
delete from t where c in (select c from t where a=4)
insert into t values(1,1,1),(2,2,2),(3,3,3),(4,4,4)
delete from t
select changes()
insert into t values(1,1,1),(2,2,2),(3,3,3),(4,4,4)
delete from t where 1
delete from t where b=(select max(b) from t)
with q as (select 1) delete from t where a in q
select count(*) from t
delete from sqlite_master
update sqlite_schema set name='x'
insert into sqlite_master values(1,2,3,4,5)
create view v as select 1 as x
delete from v
update v set x=1
insert into v values(1)

-- savepoints and transactions
create table t(a)
begin
insert into t values(1)
savepoint x
insert into t values(2)
rollback to x
insert into t values(3)
release x
commit
select * from t
rollback
commit
begin
begin
rollback
savepoint a
savepoint b
insert into t values(5)
release a
release a
rollback to zz
select * from t
begin immediate
insert into t values(7)
end
begin exclusive
rollback transaction
select * from t

-- one row by a unique key
create table t(a int, b text collate nocase unique, c real, d, unique(a,d), unique(c))
create unique index te on t(d collate nocase)
insert into t values(1,'x',1.5,'q'),(2,'Y',2,'r'),(3,null,3,null),(4,'4',4,5)
update t set d=d||'1' where b='X' and a=1
update t set d=d||'1' where b='X' and a=2
update t set d='z' where c='2'
update t set d='w' where c=2 and a+0=2
update t set a=40 where b=4
update t set a=41 where a='40' and d=5
update t set a=42 where a=41 and d='5'
update t set d='n' where b=null
update t set d=6 where d='W'
update t set d=6 where 'w'=d
update t set b='new' where t.b='4'
update t set b='new' where c=3 returning *
delete from t where b='NEW'
delete from t where c=1.5 and b='nope'
delete from t where d=6 returning *
select * from t
create table w(a text, b int, c unique, primary key(b,a)) without rowid
insert into w values('1',1,'p'),('2',2,'q'),('3','3','r')
update w set c='P' where a=1 and b='1'
update w set c='PP' where c='P'
update w set b=20 where c='q'
delete from w where c='r' and a='9'
delete from w where c='r' and a='3'
delete from w where b=20 and a=2
select * from w
update w set c=null
update w set b=9 where c=null
select * from w
