-- plain rows, defaults, column lists, affinities
create table t(a integer primary key, b text default 'dflt', c real default 5, d, e numeric default (1+1), f blob)
insert into t values(1,2,3,4,5,6)
insert into t(b) values('x'),(7),(null)
insert into t(d,c) values(x'00','12'),('1e2','1e2'),(1.5,7)
insert into t default values
insert into t(a,e) values(null,'12abc'),('100','12'),(200.0,'1e3')
insert into t(a) values('x')
insert into t(a) values(1.5)
insert into t(a) values(x'31')
insert into t(rowid,b) values(300,'r')
insert into t(a,rowid) values(301,302)
insert into t(oid) values(400)
insert into t(a,a,b) values(500,501,'two')
select *, typeof(a),typeof(b),typeof(c),typeof(d),typeof(e),typeof(f) from t
select last_insert_rowid()
insert into t(zz) values(1)
insert into t values(1,2)
insert into t(a,b) values(1)
insert into t(a,b) values(1,2,3)
insert into t values(1,2),(1)
insert into main.t values(1)
insert into nosuch values(1)
insert into main.nosuch values(1)
insert into x.nosuch values(1)
insert into t(a) select 1,2
insert into t select 1,2
insert into t(a) select a+1000 from t
insert into t(b,d) select d,b from t where a<5
insert into t(a,b) select 2000, group_concat(a) from t limit 1
insert into t(a,b) with q(x) as (values(3000)) select x, 'cte' from q
with q(x) as (values(3001),(3002)) insert into t(a,b) select x, 'cte' from q
with q(x) as (values(7)) insert into t(b) values((select x from q))
select * from t

-- conflicts, rowid
create table t(a integer primary key, b unique, c not null default 9, check(b<>'bad'))
insert into t values(1,1,1),(2,2,2),(3,3,3)
insert into t values(1,10,1)
insert into t values(10,1,1)
insert into t values(10,10,null)
insert into t values(10,'bad',1)
insert into t values(10,10,1),(11,11,1),(1,12,1)
select * from t
insert or fail into t values(10,10,1),(11,11,1),(1,12,1)
select * from t
insert or ignore into t values(20,20,1),(11,21,1),(22,20,1),(23,23,null),(24,'bad',1)
select * from t
insert or replace into t values(20,1,5)
insert or replace into t values(1,2,null)
insert or replace into t values(5,'bad',null)
replace into t(b) values(2),(3),(10)
select * from t
insert or abort into t values(30,30,1),(20,31,1)
begin
insert into t values(40,40,1)
insert or rollback into t values(41,41,1),(20,31,1)
select * from t
commit
insert or replace into t select a+1, b, c from t
select * from t

-- conflict clauses on constraints
create table t(a integer primary key on conflict replace, b unique on conflict ignore, c not null on conflict ignore, d not null on conflict replace default 'd', e unique on conflict fail)
insert into t values(1,1,1,1,1),(2,2,2,null,2)
insert into t values(1,5,5,5,5)
insert into t values(7,2,2,2,7)
insert into t values(8,8,null,8,8)
insert into t values(9,9,9,9,9),(10,10,10,10,9)
insert or abort into t values(7,2,2,2,7)
insert or replace into t values(7,2,null,2,7)
insert or replace into t values(7,2,3,2,9)
update t set a=7
update t set a=1 where a=7
update t set b=2
select * from t

-- unnamed rowid
create table t(a,b)
insert into t(rowid,a) values(5,1)
insert into t values(2,2)
insert into t(rowid,a) values(5,1)
insert or replace into t(rowid,a) values(5,2)
insert or ignore into t(rowid,a) values(5,3)
insert into t(_rowid_,a) values(-10,1)
insert into t(rowid,a) values(null,9),('20',3)
insert into t(rowid,a) values('x',9)
insert into t(rowid,a) values(9223372036854775807,9)
select rowid,* from t
delete from t where rowid=9223372036854775807
insert into t(a) values(77)
select rowid,* from t

-- rowid shadowed
create table t(rowid, a)
insert into t(rowid,a) values(5,6)
insert into t(_rowid_,a) values(50,6)
select _rowid_,rowid,oid,a from t
update t set rowid=1 where a=6
select _rowid_,rowid,oid,a from t

-- composite unique, collations, partial, expression, desc
create table t(a text collate nocase, b, c, unique(a,b))
create unique index i1 on t(c) where c>10
create unique index i2 on t(b+c)
create index i3 on t(c desc, a collate binary)
insert into t values('x',1,1)
insert into t values('X',1,2)
insert into t values('X',2,0)
insert into t values('y',2,11),('z',5,11)
insert into t values('y',2,5),('z',3,5)
insert into t values('k',null,null),('k',null,null)
insert or replace into t values('X',1,200)
update t set c=11
update t set c=c+1
update or ignore t set a='k',b=1
update or replace t set a='k',b=1
select * from t

-- autoincrement
create table t(a integer primary key autoincrement, b unique)
insert into t(b) values(1),(2)
select * from sqlite_sequence
insert into t values(50,50)
insert into t(b) values(1)
insert or ignore into t(b) values(1)
insert or ignore into t(b) values(99)
insert or replace into t(b) values(1)
select * from t
select * from sqlite_sequence
delete from t
insert into t(b) values(3)
insert into t values(-5,6)
insert into t select null, b+100 from t
select * from t
select * from sqlite_sequence
update sqlite_sequence set seq=1000
insert into t(b) values(77)
delete from sqlite_sequence
insert into t(b) values(78)
select * from sqlite_sequence
create table t2(x integer primary key autoincrement)
insert into t2 default values
insert into t2 values(9223372036854775807)
insert into t2 values(null)
select * from sqlite_sequence
drop table t
select * from sqlite_sequence
insert into sqlite_sequence values('foo',1)
update t2 set x=5
alter table t2 rename to t3
select * from sqlite_sequence

-- strict
create table t(a int, b integer, c text, d real, e blob, f any) strict
insert into t values(1,'2',3,4,x'05',6)
insert into t values('x',1,1,1,x'01',1)
insert into t values(1,1.5,1,1,x'01',1)
insert into t values(1,1,x'01',1,x'01',1)
insert into t values(1,1,1,'abc',x'01',1)
insert into t values(1,1,1,1,'x',1)
insert into t values(1,1,1,1,x'01','000123')
update t set a='q'
update t set a='77', f=8.0
select *, typeof(a), typeof(b), typeof(c), typeof(d), typeof(f) from t
create table s2(id integer primary key, v text not null) strict
insert into s2 values('7',8)
insert into s2 values('q',8)
insert into s2(v) values(null)
select * from s2

-- generated columns
create table t(a, b as (a+1), c as (b*2) stored, d default (a), check(a<100))
create table t(a, b as (a+1), c as (b*2) stored, d default 5, check(a<100))
insert into t(a) values(1),(2)
create index i on t(b)
create unique index i2 on t(a+1) where a>1
insert into t values(3,4)
insert into t values(3,4,5,6)
insert into t(b) values(3)
insert into t(a,c) values(3,3)
update t set b=3
update t set a=a+10
insert into t(a) values(100)
insert into t(a) values(99) returning *
select * from t where b=100
delete from t where c=24
select * from t
create table g(a int, b text as (a) not null unique, c int as (b) stored check(c<>7))
insert into g(a) values(1),(null)
insert into g values(5),(6)
insert into g values(6)
insert into g values(7)
update g set a=6
update g set a=7 where a=6
insert or replace into g values(6)
select *, typeof(b), typeof(c) from g

-- without rowid
create table w(a,b,c,primary key(b,a)) without rowid
create unique index wi on w(c)
insert into w values(1,2,3),(2,2,4),(0,1,9)
insert into w values(1,2,3)
insert into w values(3,3,3)
insert into w values(null,3,3)
insert or replace into w values(5,5,3)
insert or ignore into w values(5,5,33),(6,6,6)
insert into w(rowid,a) values(1,2)
update w set c=c+1
update w set a=7 where b=2
update w set a=b, b=a
update or replace w set a=1,b=1
select * from w
delete from w where c=10
delete from w
insert into w select 1,2,3 union all select 4,5,6
select * from w
create table wt(k text collate nocase primary key, v real, x int) without rowid
insert into wt values('a','1',2),('B',2,'3')
insert into wt values('A',1,1)
insert into wt values('A',1,1) on conflict(k) do update set v=v+excluded.v, k=excluded.k
update wt set k='b'
update wt set k='b' where k='B'
select *, typeof(v) from wt

-- upsert
create table t(a integer primary key, b unique, c, d default 0)
insert into t values(1,1,1,0),(2,2,2,0)
insert into t values(1,5,5,5) on conflict(a) do update set c=excluded.c, d=d+1
insert into t values(9,2,5,5) on conflict(b) do update set c=excluded.c*10, d=d+1
insert into t values(9,2,5,5) on conflict do nothing
insert into t values(9,2,5,5) on conflict(a) do nothing
insert into t values(1,2,5,5) on conflict(a) do update set b=7 on conflict(b) do update set b=8
insert into t values(1,2,5,5) on conflict(b) do update set b=17 on conflict(a) do update set b=18
insert into t values(2,17,5,5) on conflict(b) do update set b=17 on conflict(a) do update set b=18
insert into t values(1,1,1,1),(3,3,3,3),(3,4,4,4) on conflict(a) do update set d=100
insert into t values(1,1,1,1) on conflict(a) do update set b=2
insert into t values(1,1,1,1) on conflict(a) do update set d=200 where c>excluded.c
insert into t values(1,1,1,1) on conflict(a) do update set d=200 where t.c>excluded.c-100
insert into t values(1,1,1,1) on conflict(c) do nothing
insert into t values(1,1,1,1) on conflict(a,b) do nothing
insert into t values(1,1,1,1) on conflict(a) do nothing on conflict(c) do nothing
insert into t as x values(1,1,1,1) on conflict(a) do update set c=x.c+1, a=a
insert into t as x values(1,1,1,1) on conflict(a) do update set a=a+50 returning a, b, x.c
insert into t select * from t where true on conflict(a) do update set d=excluded.d+1
insert into t values(60,60,60,60),(60,61,62,63) on conflict do update set (c,d)=(excluded.c, (select count(*) from t))
insert into t values(1,1,1,1) on conflict(a) do update set excluded.a=1
insert into t values(1,1,1,1) on conflict(a) do update set zz=1
insert into t values(1,1,1,1) on conflict(zz) do update set a=1
select * from t
create unique index pi on t(c) where c>50
insert into t values(100,100,60,1) on conflict(c) where c>50 do update set d='part'
insert into t values(100,100,60,1) on conflict(c) do update set d='part'
select * from t

-- returning
create table t(a integer primary key, b, c as (b||'!'))
insert into t(b) values(1),(2),(3) returning *
insert into t(b) values(1) returning a as id, b+1, rowid, c x, (select count(*) from t)
insert into t(b) select b from t returning t.a, t.*
update t set b=b*2 where a<3 returning *, a+b
update t set a=a+100 where a>6 returning a, rowid
delete from t where a>100 returning b, c, a
delete from t returning (select count(*) from t)
insert into t(b) values(1) returning zz
insert into t(b) values(1) returning count(*)
replace into t values(1,'r') returning b
insert or ignore into t values(1,'r') returning b
select * from t

create table t(a integer primary key, b, c)
insert into t values(1,2,3) returning a as x, b+c, *, rowid, upper('q') "up per"
insert into t values(2,2,3) returning (select max(a) from t), exists(select 1), case when a>1 then 'big' end
insert into t(b) select 7 from t where a=1 returning a
insert into t(b) values((select b from t where a=1)), ((select count(*) from t))
insert into t select a+10, b, c from t order by a desc limit 2
insert into t select 50,1,1 union select 51,2,2 union all select 50,1,1
insert into t(b) values(1) union select 2
insert into t(b) select * from (values (8),(9))
insert into t(a,b) select a+100, (select max(b) from t) from t where a in (select a from t where b=2)
insert into t(a) values(1) on conflict(a) do update set b=(select count(*) from t), c=excluded.a + t.a where excluded.a=1
insert into t(a,b) values(1,'n') on conflict(a) do update set (b,c)=(select excluded.b, 5) returning *
update t set b=(select b from t t2 where t2.a=t.a+1), c=case when c is null then -1 else c end where a<5
update t set c=a from (select max(a) as m from t) where t.a=m
update t set c=x.n from (select b, count(*) n from t group by b) as x where x.b is t.b
delete from t where exists (select 1 from t t2 where t2.a=t.a+10)
delete from t where (a,b) in (select a,b from t where a>100)
delete from t where a in (1,2,3) or b like '8%'
select * from t
select changes(), total_changes()
with recursive n(i) as (select 1 union all select i+1 from n where i<5) insert into t(a,b) select i+1000, i*i from n
with d as (delete from t) select 1
with x as (select a from t where a>1003) update t set c='w' where a in x returning a
with x as (select a from t where a>1003) delete from t where a in (select a from x) returning a
select * from t
create table s(x text, y int, check(y > 0), check(length(x) < 5) , constraint named check(x <> 'bad'))
insert into s values('abcdef', 1)
insert into s values('bad', 1)
insert into s values('ok', 0)
insert into s values(null, null)
insert or ignore into s values('abcdef', 1), ('fine', 2)
insert or replace into s values('abcdef', 1)
update s set y = -1
update or ignore s set y = y - 2
select * from s
create table d(a default current_date, b default (random() is not null), c default (abs(-5)), d default -3, e default +4, f default 'it''s', g default "dq", h default x'0102', i default null, j default true, k default (1=1))
insert into d(i) values(9)
insert into d default values
select typeof(a), length(a), b,c,d,e,f,g,h,i,j,k from d

-- the same shape with other constants
create table t(a integer primary key, b int not null, c text, d real default 4, e as (c || 'e'), check(b <> 13))
create index tc on t(c) where b > 2
create unique index te on t(b, c)
insert into t(a,b,c) values(1,1,'x')
insert into t(a,b,c) values(2,2,5)
insert into t(a,b,c) values(3,null,5)
insert into t(a,b,c) values(4,'4',5.5)
insert into t(a,b,c) values('5',5,5)
insert into t(a,b,c) values(null,6,6)
insert into t(a,b,c) values(2,7,7)
insert into t(a,b,c) values(8,2,'5')
insert into t(a,b,c) values(9,13,'5')
insert into t(a,b,c) values(10,14.5,x'00')
insert into t(a,b,c) values(11,14.0,null)
insert into t values(20,1,2,3)
insert into t values(21,1,3,'3')
insert into t values(22,1,4,null)
insert into t values(23,1,5)
insert into t(b) values(99)
insert into t(b) values(98)
insert into t(b) values('97')
insert into t(b) values(null)
insert into t(b,b) values(1,2)
alter table t add column f default 'f'
insert into t(b) values(96)
insert into t(a,b,c) values(50,95,'x')
drop index te
insert into t(a,b,c) values(51,95,'x')
create trigger tr after insert on t begin update t set f='tr' where a=new.a; end
insert into t(a,b,c) values(52,95,'x')
drop trigger tr
insert into t(a,b,c) values(53,95,'x')
pragma foreign_keys=on
create table c(x int references t(a), y)
insert into c(x,y) values(1,1)
insert into c(x,y) values(-1,1)
insert into c(x,y) values(2,2)
pragma foreign_keys=off
insert into c(x,y) values(-1,1)
select *, typeof(b), typeof(c), typeof(d) from t
select * from c

create table s(a,b,c)
insert into s values(1,'2',3.0),('x',null,x'00'),('4',5.5,'6.0'),(9223372036854775807,1,1)
create table t(a int, b text, c real)
insert into t select * from s
select *,typeof(a),typeof(b),typeof(c) from t
insert into t values('7',8,9),('q',1e3,'r')
select rowid,*,typeof(a),typeof(b),typeof(c) from t
select last_insert_rowid()
insert into t select * from s where 0
insert into t(c,b,a) select * from s
insert or replace into t select * from s
insert into t(rowid,a) values(9223372036854775806,1)
insert into t values(1,1,1)
create table z as select a, cast(b as text) b, cast(c as real) c from s
select *,typeof(a),typeof(b),typeof(c) from z
insert into z select * from z
select count(*) from z
create table y as select * from s where 0
insert into y values(1,2,3),(4,5,6)
select * from y
