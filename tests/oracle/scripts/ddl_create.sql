create table t(a,b)
create table T(a)
create index i on t(a)
create index i on t(b)
create index if not exists i on t(b)
create table i(a)
create view t as select 1
create view v as select 1
create view v as select 1
create table v(a)
create index t on t(a)
create index j on v(a)
create index j on nosuch(a)
create index j on t(nosuch)
create index sqlite_j on t(a)
create table sqlite_t(a)
create table x.t(a)
create temp table main.t(a)
drop table v
drop view t
drop table nosuch
drop index nosuch
drop trigger nosuch
drop view nosuch
drop table main.nosuch
drop view main.nosuch
drop index main.nosuch
drop trigger main.nosuch
drop table x.nosuch
drop index x.nosuch
drop trigger x.nosuch
drop table if exists x.nosuch
drop index if exists x.nosuch
drop table if exists v
drop view if exists t
drop table sqlite_master
create table u(a unique, b primary key)
drop index sqlite_autoindex_u_1
create index sqlite_master.j on t(a)
create index j on sqlite_master(name)
drop index if exists nosuch
create trigger v after insert on t begin select 1; end
create trigger v after insert on t begin select 1; end
create trigger if not exists v after insert on t begin select 1; end
create trigger tr after insert on v begin select 1; end
create trigger tr instead of insert on t begin select 1; end
create trigger tr after insert on nosuch begin select 1; end
create trigger tr after insert on sqlite_master begin select 1; end
create trigger sqlite_tr after insert on t begin select 1; end
create table k(a primary key, b primary key)
create table k(a, a)
create table k(a, primary key(zz))
create table k(a, unique(zz))
create table k(a text primary key autoincrement)
create table k(a primary key) without rowid, strict
create table k(a) without rowid
create table k(a foo) strict
create table k(a) strict
create table k(a int as (b), b as (a))
create table k(a as (1))
create table k(a default (b))
create table k(a, foreign key(b) references t)
create table k(a, foreign key(a) references t(a,b))
create table k(a check (b>1))
create table k(a check ((select 1)))
create table k(a primary key as (1))
create table k(a collate foo)
create table k as select 1,2 as b,3,2 as b, a from t
create table k2(a) foo
create index j on t(a) where b>(select 1)
create index j on t(random())
create index j on t(a,b+1,a collate foo)
create index j on t(a+?1)
create view v3 as select ?1
create table k3(a check(a>?))
create trigger tr2 after insert on t begin select ?1; end
create index j on t(a,b+1,"zz")
create table if not exists t(a)
create view if not exists t as select 1
create index if not exists t on t(a)

-- expressions in definitions
create table t(a,b, c as (a+1))
create table k(a check(count(a)>1))
create table k(a check(a.b>1))
create table k(a check(k.a>1))
create table kk(a check(t.a>1))
create table kk(a check(main.kk.a>1))
create table k2(a check(nosuch(a)))
create table k2(a check(abs(a,1)))
create table k2(a check(random()>1), b as (random()))
create table k2(a, b as (c))
create table k2(a, b as (rowid))
create table k2(a, b check(rowid>1))
create table k22(a, b as (b))
create table k23(a, b as (c), c as (b))
create table k3(a, b as (count(a)))
create table k3(a, b as (?1))
create table k3(a, b as (current_timestamp))
create table k4(a, b as (main.k4.a))
create table k5(a, b as (k5.a))
create table k6(a, b default 5 as (a))
create index i1 on t(count(a))
create index i1 on t(a) where count(a)>1
create index i1 on t(a) where random()>1
create index i1 on t(a) where ?1
create index i1 on t(a) where nosuch>1
create index i1 on t(t.a+1)
create index i2 on t(main.t.a+1)
create index i3 on t("nosuch")
create index i4 on t(a) where rowid>1
create index i5 on t((select 1))
create index i5 on t(a, a)
create index i6 on t(current_timestamp)
create index i8 on t(lower(a))
insert into t(a) values('now'),(5)
create index i9 on t(a nulls first)
create index i10 on t(c)
create index i12 on t(1)
create index i13 on t(a,b) where a is not null and b='x' or "zz"
create view v(a,b) as select 1
select * from v
create view v2(a,a) as select 1,2
select * from v2
create view v3 as select * from nosuch
select * from v3
drop view v3
create trigger tr update of nosuch on t begin select 1; end
create trigger tr3 after update of a on t begin insert into main.t values(1); end
create trigger tr3 after update of a on t begin select count(*) from x.y; end
create trigger tr5 after update of a on t begin insert into t values(1) returning a; end
create temp table tt(a)
create trigger main.tr7 after insert on tt begin select 1; end
create trigger temp.tr8 after insert on t begin select 1; end
create trigger tr9 instead of insert on v begin select 1; end
create trigger tr10 before insert on v begin select 1; end
create trigger aux.tr10 before insert on v begin select 1; end
create view x.v as select 1
create view sqlite_v as select 1
create view main.v9 as select * from temp.tt
select name from sqlite_temp_master

-- texts
create  table   main . zz  ( a , b )  ;
create table zz3(a integer primary key autoincrement)  -- comment
create table zz4(a check(a > 0 ), b default ( 1+ 2)) /* foo */ ;
create  unique index  if not exists main.iz on zz(a)
create index   "q i" on zz(a, b desc) where a  > 1
create view  temp.vv as select * from zz
create  trigger  main.tz  after insert on zz begin  select 1 ; end
create  temp trigger   tz2  after insert on zz begin  select 1 ; end
create  temp trigger   tz2  after insert on temp.zz begin  select 1 ; end
create trigger tz4  after insert on main.zz begin  select 1 ; end
create trigger temp.tz5  after insert on main.zz begin  select 1 ; end
create temp table zz2(a,b)
create trigger main.tz6  after insert on temp.zz2 begin  select 1 ; end
create temp view vq as select 1
create view temp.vq as select 1
create temp view main.vq as select 1
select type,name,tbl_name,rootpage,sql from sqlite_temp_master
create temp table zz(a)
drop table zz
select type,name,tbl_name,rootpage,sql from sqlite_temp_master
drop table zz
select type,name,tbl_name,rootpage,sql from sqlite_temp_master

-- create as
create table u(x int, y text collate nocase, z real, w decimal(10,2), v blob, "we ird" int, "select" text)
insert into u values(1,'a',2,'3.5',x'00',7,'sel')
create table k as select *, x+1, x as xx, upper(y) as q, cast(x as text) c, 'lit' from u
create table if not exists k as select 1
create table "k x" as select x from u
create table k3 as select rowid, 1.5 as r from u
create temp table k4 as select 1 as a
create table averyveryverylongnamefortable as select 1 as aaaaaaaaaaaaaaaaaaaaaaaaaa, 2 as bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, 3 as cccccccccccccccccccc, x as ddddddddd from u
create table k5 as values(1,2),(3,4)
create table k6 as select z, w, cast(x as real) r, cast('5' as numeric) n, count(*), y||'!' as "group" from u
create table k7 as with q(a,b) as (select 1, 'x') select * from q
create table k8 as select * from u union all select * from u order by 1 limit 1
create table k9 as select name, sql from sqlite_master where name='k9'
select *, typeof(z) from k
select *, typeof(z), typeof(r) from k6
select * from k9
select sql from sqlite_temp_master

-- unique index over duplicates, reindex, drop
create table t(a,b)
insert into t values(1,1),(1,2),(null,1),(null,1),('x',3),('X',4)
create unique index ta on t(a)
create unique index ta on t(a) where a<>1
create unique index tab on t(a,b)
create unique index tx on t(a collate nocase) where a>'A'
create unique index te on t(a||'')
create index tb on t(b desc)
select name from sqlite_master
select a,b from t where a='x'
select b from t order by b desc
insert into t values(7,1)
drop index tb
drop index tab
select name from sqlite_master
reindex t
reindex
reindex nosuch
create table w(a primary key, b) without rowid
insert into w values(2,1),(1,1)
create unique index wb on w(b)
create index wb2 on w(b)
select * from w where b=1
drop table w
drop table t
select * from sqlite_master

-- drop with dependents
create table t(a integer primary key autoincrement, b unique)
create table log(x)
insert into t(b) values(1)
create trigger tr after insert on t begin insert into log values(1); end
create temp trigger ttr after insert on t begin insert into log values(2); end
create view v as select * from t
drop table t
select name from sqlite_master
select name from sqlite_temp_master
select * from sqlite_sequence
select * from v
create table t(z)
select * from v
insert into t values(5)
select * from log
drop table sqlite_sequence

-- in a transaction
begin
create table t(a primary key, b)
insert into t values(1,2)
create index i on t(b)
rollback
select * from sqlite_master
begin
create table t(a primary key, b)
insert into t values(1,2)
savepoint s
create index i on t(b)
create table t2(c)
rollback to s
insert into t2 values(1)
create table t2(d)
insert into t2(d) values(1)
commit
select name from sqlite_master
select * from t where b=2
