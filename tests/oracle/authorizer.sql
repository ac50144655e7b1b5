-- Statements of which the authorizer of both engines must hear the same, one a line; up to the empty line without an authorizer.
create table t(a,b,c)
create table p(id integer primary key, x unique, y)
create table ch(cid integer primary key, pid references p(id) on delete cascade on update set null, z)
create table ch2(pid references p(x) on delete set default, z default 3, check(z>0))
create table w(k primary key, v) without rowid
create table g(a, b as (abs(a)), c as (a+1) stored)
create table ai(id integer primary key autoincrement, v)
create index t_a on t(a)
create index t_e on t(lower(b)) where c>0
create view v as select a, b from t
create view vv as select a+1 as q from v where b>0
create view ag as select count(*) as n, max(a) as m from t group by b
create table lg(m,n)
create trigger tr1 after insert on t when new.a>0 begin insert into lg values(new.a,length(new.b)); end
create trigger tr2 after update of y on p begin update lg set m=new.y where n=old.id; delete from lg where m is null; end
create trigger iv instead of insert on v begin insert into p(x) values(new.a); end
create trigger iv2 instead of update of a on v begin update t set a=new.a where a=old.a; end
create trigger iv3 instead of delete on vv begin delete from t where a=old.q; end
create temp table tt(a,b)
create temp view tv as select * from t
create temp trigger ttr before delete on w begin select old.k, max(1,2); end
insert into p values(1,2,3)
insert into w values(1,2)

select 1
select a from t
select a, a, b from t
select * from t
select count(*) from t
select rowid from t
select id, rowid from p
select 1 from t
select 1 from t, p
select a from t where b=1 order by c
select max(a) from t group by b having count(c)>1 order by min(b)
select abs(a), lower(b)||upper(c) from t
select * from v
select a from v
select b from v where a=1
select count(*) from v
select 1 from v
select * from vv
select * from ag
select n from ag
select * from tv
select * from tt
select t.a, p.x from t join p on t.a=p.id
select t.a from t left join p on t.a=p.id where p.y is null
select * from t natural join tt
select a from t join tt using(a)
select (select x from p where id=t.a) from t
select a from t where exists(select 1 from p where id=t.a)
select a from t where a in (select x from p)
select a from t where a in p
select a from t where a in (1,2,3)
select a from t union select x from p
select a from t union all select x from p order by 1
select a from t except select b from t intersect select x from p
select * from (select a, b from t) where a>0
select * from (select a, b from t limit 3) where a>0
with q as (select a from t) select * from q
with recursive c(n) as (select 1 union all select n+1 from c where n<3) select n from c
with recursive c(n) as (select a from t union select n+1 from c where n<3) select max(n) from c
with q as materialized (select a from t) select * from q
with q as (select a from t) select 1
values(1),(2)
select row_number() over (order by a) from t
select sum(a) over (partition by b order by c rows 1 preceding) from t
select sum(a) filter (where b>1) from t
select group_concat(a, b order by c) from t
select distinct a from t
select a from t limit (select max(x) from p)
select case when a then b else c end from t
select cast(a as text), a collate nocase from t
select a like b, a glob b, a->>b from t
select date(0), current_timestamp is null
select * from sqlite_master
select name from sqlite_schema
select * from sqlite_temp_master
select * from pragma_table_info('t')
select name from pragma_table_list
select value from json_each('[1]')
select * from json_tree('[1]')
select a, b from w
select v from w where k=1
select * from g
select b, c from g
select b from g where c>1
insert into t values(1,2,3)
insert into t(a) values(1)
insert into t select * from t
insert into t select id, x, y from p
insert into p default values
insert or replace into p values(1,2,3)
insert into p values(1,2,3) on conflict(id) do update set y=excluded.y where x>1
insert into p values(1,2,3) on conflict do nothing
insert into t values(1,2,3) returning a, b+1
insert into g(a) values(1)
insert into ai(v) values(1)
insert into v values(1,2)
insert into ch values(1,1,1)
insert into ch2(z) values(1)
insert into w values(1,2)
insert into tt values(1,2)
update t set a=1
update t set a=b+1 where c=2
update p set y=1
update p set x=1, y=2 where id=3
update p set id=7
update p set x=(select max(a) from t)
update p set (x,y)=(select a, b from t)
update p set y=t.a from t where t.b=p.x
update v set a=1
update w set v=1 where k=2
update w set k=1
update ch set pid=3
update g set a=2
update t set a=1 returning *
update t set rowid=1
delete from t
delete from t where a=1
delete from t where a=(select max(x) from p)
delete from p
delete from p where id=1
delete from w
delete from vv where q=1
delete from ch
delete from lg returning m
delete from tt
create table n1(a,b)
create table n2 as select a, b from t
create table n3(a primary key, b unique, check(a>b))
create table n4(a integer primary key autoincrement, b references p)
create table n5(a primary key) without rowid
create table if not exists n1(a)
create temp table n6(a)
create temp table n7 as select 1
create index i1 on n1(a)
create unique index i2 on n1(b) where a>1
create index i3 on n1(abs(a))
create index temp.i4 on n6(a)
create view v1 as select * from n1
create temp view v2 as select 1
create view if not exists v1 as select 2
create trigger x1 after insert on n1 begin select 1; end
create temp trigger x2 after insert on n1 begin delete from t; end
create trigger if not exists x1 after insert on n1 begin select 1; end
drop trigger x1
drop trigger x2
drop view v2
drop view v1
drop index i4
drop index i1
drop table n6
drop table n7
drop table n2
drop table n3
drop table n4
drop table n5
drop table if exists nope
reindex
reindex t
reindex t_a
reindex nocase
pragma user_version
pragma user_version=3
pragma main.table_info(t)
pragma table_info(t)
pragma foreign_keys=on
pragma foreign_keys
pragma journal_mode
pragma cache_size=100
pragma integrity_check
pragma nosuch
pragma temp.table_info('tt2')
pragma optimize
pragma foreign_key_check
insert into ch values(1,1,1)
insert into ch2 values(1,1)
update p set id=7
update p set x=8
delete from p
delete from p where id=1
delete from ch
update ch set pid=3
begin
savepoint s
release s
savepoint s
rollback to s
rollback
begin immediate
commit
begin exclusive
end
attach ':memory:' as aux
create table aux.t(a,b)
create index aux.ix on t(a)
select * from aux.t
select a from aux.t, main.t as m where m.b=1
insert into aux.t values(1,2)
create table aux.z as select * from main.t
select name from aux.sqlite_master
create temp trigger xx after insert on aux.t begin insert into main.lg values(1,new.a); end
insert into aux.t values(1,2)
drop table aux.t
create view aux.vw as select * from z
drop view aux.vw
detach aux
attach 'x'||'y' as b
detach database b
select nosuch from t
select likely(a), coalesce(b,c), ifnull(a,b), iif(a,b,c), nullif(a,b), min(a,b) from t
select * from t where (a,b)=(select x,y from p)
select * from t indexed by t_a where a=1
select 1 where 0
select a from t group by a
select count(*) from (select 1 from t)
select (select count(*) from p), (select max(a) from v)
select * from p where id=1 or x in (select b from v where a=p.y)
select t.* from t
select p.id, p.* from p
