-- Statements under which the hooks of both engines must be called alike, one a line; then those whose function calls are compared.
create table t(a,b unique)
insert into t values(1,2)
insert into t values(3,4),(5,6)
update t set a=9
update t set a=9 where 0
update t set rowid=rowid+10
delete from t where a=9 and b=2
delete from t
insert into t values(1,2),(3,4)
insert or replace into t values(7,2)
insert or ignore into t values(8,2)
insert into t values(8,2)
replace into t values(1,2),(1,4)
insert into t values(1,2) on conflict(b) do update set a=100
insert into t values(1,2) on conflict(b) do nothing
begin
insert into t values(50,60)
savepoint s
insert into t values(51,61)
rollback to s
release s
commit
begin
insert into t values(52,62)
rollback
begin
commit
begin
select * from t
commit
create table w(k primary key, v) without rowid
insert into w values(1,2)
update w set v=3
delete from w where k=1
create trigger tr after insert on t begin insert into w values(new.a,new.b); update t set a=a+1 where b=new.b; end
insert into t values(60,70)
drop trigger tr
create table p(id integer primary key, x)
create table ch(pid references p on delete cascade)
pragma foreign_keys=on
insert into p values(1,1),(2,2)
insert into ch values(1),(2)
delete from p where id=1
insert into ch values(99)
delete from p
create temp table tt(a)
insert into tt values(1)
attach ':memory:' as aux
create table aux.x(a)
insert into aux.x values(1)
insert into aux.x select a from t
create table n as select * from t
insert into n select * from n
update n set a=a where rowid>2
delete from n where rowid in (1,2)
insert into t(a) values(1) returning rowid
pragma user_version=4
drop table n
analyze
update t set b=b+1
insert or rollback into t values(1,4),(1,5),(1,5)
insert or fail into t values(1,400),(1,500),(1,500),(1,600)
with q as (select 1) insert into t select 1, 900 from q

create table t(a,b,c)
insert into t values(1,2,3),(4,5,6),(7,8,9)
create table u(a primary key,b)
insert into u values(1,1),(4,4)
select f(a) from t
select f(a), f(b) from t
select f(a) from t where f(b)>2
select f(a) x from t order by x
select f(a) from t order by f(a)
select f(a) from t order by f(b) desc
select f(a) x from t where x>1
select f(a) x from t group by x
select f(a) from t group by f(a)
select f(1) from t
select fd(1) from t
select fd(a) from t order by fd(a)
select f(a) and f(b) from t
select f(0) and f(1)
select f(1) or f(2)
select case f(a) when 1 then f(b) when f(4) then f(c) else f(0) end from t
select case when f(a)=1 then f(b) else f(c) end from t
select coalesce(f(null),f(2),f(3))
select ifnull(f(1),f(2))
select iif(f(0),f(1),f(2))
select nullif(f(1),f(2))
select max(f(1),f(2))
select f(a) in (f(1),f(2)) from t
select f(1) in (1,f(2),3)
select f(2) between f(1) and f(3)
select f(5) between f(1) and f(3)
select f(0) between f(1) and f(3)
select f(a) from t limit 1
select f(a) from t limit 1 offset 1
select f(a) from t where f(b)=5 and f(c)=6
select f(a) from t where f(b)=5 or f(c)=3
select distinct f(a) from t
select f(a) from t union all select f(b) from t
select sum(f(a)) from t
select sum(f(a)) filter (where f(b)>2) from t
select f(sum(a)) from t
select (select f(1)) from t
select (select f(t.a)) from t
select a from t where exists(select f(1) from u where u.a=t.a)
select exists(select f(a) from t)
select a from t where a in (select f(a) from u)
select f(t.a), f(u.b) from t join u on f(t.a)=f(u.a)
select f(x) from (select f(a) x from t)
select x from (select f(a) x from t)
select x, x from (select f(a) x from t)
select 1 from (select f(a) x from t)
select count(*) from (select f(a) x from t)
select x from (select f(a) x from t limit 2)
with q as (select f(a) x from t) select x from q
with q as (select f(1) x) select * from q, q as r
select f(a) from t where 0
select f(a) from t where a=1 and 0
select f(1) where f(0)
select row_number() over (order by f(a)) from t
select f(row_number() over (order by a)) from t
select sum(f(a)) over (order by b) from t
insert into t values(f(1),f(2),f(3))
insert into t select f(a),f(b),f(c) from t
delete from t where f(a)>100
insert into t values(1,1,1) returning f(a), f(b)
select f(a) from t where f(a) is null
select f(a) is f(b) from t limit 1
select f(a)+f(b)*f(c) from t limit 1
select -f(a), not f(b) from t limit 1
select f(a)||f(b) from t limit 1
select f(f(a)) from t limit 1
select f(a) collate nocase from t limit 1
select cast(f(a) as text) from t limit 1
select group_concat(f(a),f(b)) from t
select max(f(a)), f(b) from t
values(f(1),f(2)),(f(3),f(4))
select * from t order by f(a) limit 1
select f(a) x, f(a) y from t order by x, y limit 1
select a, f(b) from t group by a having f(a)>1 order by f(b)
create index ti on t(fd(a))
select a from t where fd(a)=1
create table ck(a check(f(a)>0), b default (f(5)))
insert into ck(a) values(1)
create table g(a, b as (fd(a)), c as (fd(a)+1) stored)
insert into g(a) values(1)
select * from g
select a from g
select b, b from g
select f(a) from t where a like f('x')
select f(a) glob f('*') from t limit 1
select f('abc') like f('a%')

-- The preupdate hook: every row, before it changes.
create table t(a,b default 5,c real)
insert into t values(1,2,3),(4,5,6)
insert into t(rowid,a) values(9,1)
update t set a=a+1
update t set rowid=20 where rowid=9
update t set b=b where rowid=20
delete from t where a=2
delete from t
create table w(k primary key,v) without rowid
insert into w values('a',1),('b',2),('c',3),('d',4)
update w set v=v+1 where k<'c'
update w set k='z' where k='a'
replace into w values('b',9)
insert into w values('b',10) on conflict do update set v=excluded.v
delete from w where k='b'
delete from w
create table u(id integer primary key, x unique, s, y)
insert into u(id,x,y) values(1,10,'p'),(2,20,'q'),(3,30,'r')
replace into u(id,x,y) values(1,20,'new')
update or replace u set x=30 where id=1
insert or ignore into u(x) values(30)
update u set y='m'
alter table u add column z default 7
update u set y='n' where id=1
delete from u where id=1
insert into u(id,x,y) select id+100,x+100,y from u
create table p(id integer primary key)
create table ch(id integer primary key,p references p on delete cascade on update set null)
pragma foreign_keys=on
insert into p values(1),(2),(3)
insert into ch values(1,1),(2,2),(3,3)
delete from p where id=1
update p set id=50 where id=2
create trigger pt after delete on p begin insert into t values(old.id,0,0); update t set a=1; end
create trigger tt after insert on t begin delete from t where a=77; insert into w values(new.a,1); end
delete from p where id=3
create table ai(id integer primary key autoincrement,x)
insert into ai(x) values(1)
insert into ai(x) values(2)
create temp table tm(a)
insert into tm values(1)
create table ctas as select 1 as a
create index ti on t(a)
alter table t rename to t9
create table i(a integer primary key, b int, c text)
insert into i values(5,'7',8)
update i set a=6, c=9.5
update i set b=1 where 0
insert into i values(6,1,1) on conflict(a) do update set b=99
insert into i values(6,1,1) on conflict(a) do nothing
insert or fail into i values(6,1,1)
delete from i returning a
attach ':memory:' as x2
create table x2.q(a)
insert into x2.q values(zeroblob(5))
begin
insert into q values(1)
rollback
insert into q default values
reindex
delete from q where rowid=1
update q set a=7
update q set a=a from (select 1) returning a
create table k(a integer primary key, b)
insert into k values(1,1),(2,2),(3,3),(4,4),(5,5),(6,6)
replace into k values(1,'again'),(2,'too')
insert or replace into k(a,b) select a, b || '!' from k
update k set b = b || '?' where a > 2
delete from k where a in (1,3,5)
insert into k select a+10, b from k
update k set a = a + 100 where a < 5
update or replace k set a = 16 where a = 14
delete from k where b like '%2%' returning *
create table n(a text, b int, c, primary key(b, c)) without rowid
insert into n values('x','1',2),('y',1,3),('z',2,2)
update n set a = b
update or replace n set c = 2
insert into n values('q',1,2) on conflict(b,c) do update set a = 'up', c = 9
delete from n where b = 2
delete from n
create table rec(a)
create trigger rt after insert on rec when new.a < 4 begin insert into rec values(new.a + 1); end
pragma recursive_triggers=on
insert into rec values(1)
create view v as select * from k
create trigger vt instead of insert on v begin insert into k values(new.a, new.b); end
insert into v values(77, 'through a view')
create trigger kb before update on k begin update k set b = 'before' where a = old.a + 1; end
update k set b = 'now' where a > 10
create temp trigger kd after delete on main.k begin insert into rec values(old.a); end
delete from k where a = 77
insert into k values(800, 1), (800, 2)
insert or ignore into k values(800, 1), (801, 2)
insert or rollback into k values(800, 1)
create table many(a, b)
create index many_a on many(a)
insert into many with recursive c(x) as (select 1 union all select x+1 from c where x < 20) select x, -x from c
update many set b = a where a % 3 = 0
update many set a = -a where a < 5
delete from many where a > 15
delete from many
create index many_b on many(b)
insert into many values(1, 2)
analyze
analyze many
analyze many_a
insert into k values(900, 1)
analyze main
drop index many_b
drop table many
drop table ai
create table ai2(id integer primary key autoincrement)
insert into ai2 values(5)
drop table ai2
create table ai3(id integer primary key autoincrement)
insert into ai3 values(5)
update sqlite_sequence set seq = 9
delete from sqlite_sequence

-- The WAL hook: every commit that wrote frames, once the statement is over.
create table t(a)
insert into t values(1)
pragma journal_mode=wal
insert into t values(2)
begin
insert into t values(3)
insert into t values(4)
commit
update t set a=a where 0
pragma wal_checkpoint
insert into t values(5)
attach ':memory:' as m
create table m.x(a)
insert into m.x values(1)
create temp table tt(a)
insert into tt values(1)
begin immediate
commit
savepoint s
insert into t values(6)
savepoint s2
insert into t values(7)
release s2
release s
begin
insert into t values(8)
rollback
insert into t values(9) returning a
delete from t
drop table t
create table t(a)
pragma user_version=5
vacuum
insert into t values(1)
pragma wal_autocheckpoint
pragma wal_autocheckpoint=2
insert into t values(6)
insert into t values(7)
pragma wal_autocheckpoint
pragma journal_mode=delete
insert into t values(8)
