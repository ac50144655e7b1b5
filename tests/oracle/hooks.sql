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
