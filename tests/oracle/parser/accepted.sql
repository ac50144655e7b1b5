select a, b as x, c y from t where a=1 and b<2 or not c>=3 group by a, b having count(*)>1 order by 1 desc nulls last, b asc limit 10 offset 5
select distinct t.a, u.* from t join u using (a) left join v on t.a = v.x natural join u as z cross join t q
select * from t, u, (select 1 as z from t) s, (t join u on t.a=u.a) where a between 1 and 2 and b not in (1,2,3) and c in (select a from u) and a not like 'x%' escape '\'
select case a when 1 then 'x' when 2 then 'y' else null end, case when a is null then 1 end from t
select sum(a) over (partition by b order by c rows between 1 preceding and current row exclude ties), count(distinct a) filter (where b>0) from t window w as (order by a)
select rank() over w, lead(a, 1, 0) over (w rows unbounded preceding) from t window w as (partition by b order by c), w2 as (w)
with recursive r(n) as (values(1) union all select n+1 from r where n<10), q as materialized (select 2), z as not materialized (select 3) select * from r, q
insert into t(a,b) values (1,2),(3,4) on conflict(a) where b>0 do update set b=excluded.b, (a,c)=(1,2) where a>1 on conflict do nothing returning *, a+1 as z
insert or replace into t as q default values returning 1
replace into main.t select * from u order by 1 limit 2
update or ignore t as q indexed by i set a=1, b=b+1 from u where q.a=u.a returning a
delete from t not indexed where a is not null and b isnull or c notnull or a not null returning *
create table if not exists main.z(a integer primary key autoincrement, b text not null on conflict ignore default 'x', c real default (1+2) check(c>0), d unique collate nocase references t(a) on delete cascade on update set null deferrable initially deferred, e as (a+1) stored, f generated always as (b) virtual, constraint pk unique(a,b desc) on conflict fail, foreign key(a,b) references t(a,b) match full, check(a<b)) strict, without rowid
create temp table if not exists z as select 1 as x
create unique index if not exists main.i on t(a collate nocase desc, b+1, c) where a>0
create view if not exists main.w(x,y) as select a, b from t
create trigger if not exists main.tr after update of a, b on t for each row when new.a>1 begin insert into u values(new.a, old.b); update u set a=1 where d=2; delete from u where a=raise(abort,'x'); select raise(ignore); end
create virtual table if not exists main.vt using fts5(a, b, c='x,y')
alter table t rename to tt
alter table main.t rename column a to aa
alter table t add column zz integer default 5 not null
alter table t drop column c
alter table t alter column a set not null on conflict fail
alter table t alter a drop not null
alter table t add constraint cc check(a>0) on conflict ignore
alter table t drop constraint cc
drop table if exists main.zz
drop index if exists i
begin immediate transaction
commit transaction
rollback transaction to savepoint x
savepoint x
release savepoint x
pragma main.cache_size = -5
pragma table_info(t)
analyze main.t
reindex t
vacuum main into 'x'
attach database ':memory:' as x key 'y'
detach database x
explain query plan select * from t
explain select 1
select a -> 'x' ->> 2 || 'z', -a collate nocase, ~b & 3 | 4 << 2 >> 1, a % 2 / 3 * 4 - 5 + 6, a == b, a <> b, a != b, a is not b, a is not distinct from b, a is distinct from c from t
select ?, ?1, :a, @b, $c::d(e), x'0a', 1.5e10, .5, 0x1f, 1_000, 'it''s', "a", [b], `c` from t
select a union select b union all select c intersect select 1 except values(3),(4) union select 1 order by 1 limit 1, 2
select (1,2) = (3,4), (select 1,2), exists (select 1), not exists (select 2), cast(a as decimal(10,-5)), current_time, current_date, raise(fail, 'x')
select group_concat(distinct a order by b desc), f(all a), count(*), g() from t('x', 1) as tt, main.u(2)
select (((1))), ((1)+(2)), (a), t.a, main.t.a, 't'.a from t as t1 indexed by foo, t t2 not indexed where (a,b) in (values(1,2)) and a in t and b in main.u and c in f(1,2)
values (1,2),(3,4)
select a, count(*) from t group by 1 having max(b) > 2 and min(c) < 4 or sum(a) is null limit -1 offset 3
select t.*, u.rowid, oid, _rowid_ from t, u on t.a = u.a left outer join (values(1),(2)) as v using (column1) full join t q on q.a = 1
select a is true, a is not false, a is null, a is not null, a isnull, a not null, (a, b) is (1, 2), a in (), a not in () from t
select 1 as "select", 2 as 'from', 3 as [group by], 4 `order`
select sum(a) filter (where b > 1) over (partition by c order by b desc nulls last range between unbounded preceding and 1 following exclude no others) from t
select sum(a) over (groups 2 preceding), sum(a) over (rows between 1 following and 2 following exclude group) from t
with a(x) as not materialized (select 1 union select 2), b as (select x from a) insert into u(a, d) select x, x from b where true on conflict do nothing
update t set (a, b) = (select 1, 2), c = excluded from (select 1 as excluded) where a in (select a from u) returning rowid as r
create table c1(a integer primary key on conflict replace, b varchar(10) default current_timestamp, c decimal(10, -2) default -1.5, d default abc, e text collate rtrim null, unique (b, c), check (a > 0) check (b > 0))
create table c2(a any, b int, primary key (a, b)) strict, without rowid
create table c3(a references c2 (a) on delete set default on update no action match simple not deferrable, constraint fk foreign key (a) references c2 (a) deferrable initially immediate)
create trigger tg before delete on t when old.a > case when 1 then 2 else 3 end begin insert or ignore into u select 1, 2; replace into u(a) values (1); with z as (select 1) select * from z; end
explain query plan update t set a = 1
pragma foreign_keys = on
pragma foreign_keys = "on"
pragma journal_mode('delete')
pragma table_info([t "u"])
pragma cache_size = '-5'
pragma cache_size = +5
pragma x = default
pragma x = replace
select sum(a) over "select" from t window "select" as (order by a), [x y] as ("select" rows current row)
alter table t rename a to replace
alter table t rename a to "b"
pragma main.user_version(5)
vacuum
end
rollback to x
create virtual table z using x(1__0, #1, ?0)
