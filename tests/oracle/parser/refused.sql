create table zz(a constraint foo not null check(a>5))
alter table t add column c check(x) not null
begin foo
begin transaction foo
begin deferred transaction 'x'
begin deferred foo
commit foo
end transaction x
rollback to x y
rollback transaction x to y
rollback transaction to
savepoint
release savepoint x y
release x y
vacuum into
vacuum x y
vacuum into 'a' 'b'
attach 'x' y
attach database x.y as z
attach 'x' as y key
detach
pragma
pragma x=
pragma x=y z
pragma x=-
pragma x=-y
pragma x(1
pragma x(1,2)
pragma a.b.c
pragma x='y'
pragma x=1.5
pragma x=x'00'
pragma x=null
pragma x=on
pragma x=(1)
analyze a.b.c
reindex a b
explain
explain query
explain query plan
explain explain select 1
explain query plan explain select 1
explain foo
drop
drop table
drop table if exists
drop table a,b
drop foo x
drop trigger if not exists x
alter
alter table
alter table t
alter table t rename
alter table t rename a
alter table t rename a to
alter table t rename a b
alter table t rename column to x
alter table t add
alter table t add column
alter table t drop
alter table t drop column
alter table t foo
alter table t alter
alter table t alter a
alter table t alter a set
alter table t alter a drop
alter table t alter a set not
alter view v rename to w
alter table a.b.c rename to d
alter table t rename to a.b
with
with a
with a as
with a as select 1
with a as (select 1)
with a as (select 1) foo
with a(b as (select 1) select 1
with a() as (select 1) select 1
with a as (insert into t values(1)) select 1
with a as materialized select 1
with recursive a as (select 1), a as (select 2) select 1
with a as (select 1) create table zz(a)
insert
insert into
insert into t
insert t values(1)
insert or into t values(1)
insert or foo into t values(1)
insert into t values
insert into t values(
insert into t values()
insert into t (a values(1)
insert into t default
insert into t default values(1)
insert into t set a=1
insert into t values(1) on conflict
insert into t values(1) on conflict do
insert into t values(1) on conflict(a) do foo
insert into t values(1) on duplicate key update a=1
insert into t values(1) returning
insert into t as values(1)
insert into t x values(1)
update
update t
update t set
update t set a
update t set a=
update t set a.b=1
update t set (a)=1
update t set (a,b)=(1,2,3)
update t set a=1 where
update t x set a=1
update t set a==1
delete
delete t
delete from t where
delete from t x
delete from t, u
select * from t where a = 
select * from t group
select * from t group by
select * from t order a
select * from t limit
select * from t limit 1,
select * from t limit 1 2
select * from t having a
select from t
select *, from t
select * from
select * from t,
select * from t join
select * from t join u on
select * from t join u using
select * from t join u using()
select * from t join u using(a
select * from t left u
select * from (select 1
select * from (select 1))
select * from t as
select * from t as a b
select * from t(1
select * from t(*)
select * from t indexed
select * from t indexed by
select * from t not
select * from 't' 'u'
select * from (t)
select * from (t) x
select * from ()
select 1 union
select 1 union all
select 1 union distinct select 2
select 1 minus select 2
(select 1)
(select 1) union select 2
select 1; select 2 from
; ; select
values
values 1
values(1),
values(1)(2)
create
create foo
create table
create table t
create table zz(
create table zz(a
create table zz(a b c d)
create table zz(a,b primary)
create table zz(a check)
create table zz(a check()
create table zz(a default)
create table zz(a default ())
create table zz(a collate)
create table zz(a references)
create table zz(a generated as (1))
create table zz(a as 1)
create table zz(a as ())
create table zz(foreign key(a) references b)
create table zz(a, foreign key a references b)
create table zz(a, foreign key(a))
create table zz(a, unique)
create table zz(a, check(1) b)
create table zz(a, primary key(a), b)
create table zz(a) without
create table zz(a) strict strict
create table zz(a), strict
create table zz as
create table zz as select
create table t a
create view
create view v
create view v as
create view v as insert into t values(1)
create view v(a,) as select 1
create index
create index i
create index i on
create index i on t
create index i on t(a
create index i on t(a) where
create index i on t(a) x
create unique i on t(a)
create trigger
create trigger x
create trigger x insert
create trigger x insert on t
create trigger x insert on t begin
create trigger x insert on t begin select 1
create trigger x insert on t begin select 1;
create trigger x insert of a on t begin select 1; end
create trigger x update of on t begin select 1; end
create trigger x after before on t begin select 1; end
create trigger x instead on t begin select 1; end
create virtual table
create virtual table x
create virtual table x using
create virtual x using y
select 1 from t where a isnull isnull
select 1 isnull notnull not null
select not not 1
select not
select - 
select 1 between 2
select 1 between 2 and
select 1 between 2 or 3 and 4
select 1 between 2 and 3 and 4
select 1 not between 2 and 3
select 1 in
select 1 not in (1,2
select 1 like
select 1 like 2 escape
select 1 escape 2
select 1 is
select 1 is not
select 1 is distinct
select 1 collate
select 1 collate 1
select 1 collate nocase collate binary
select case
select case when
select case when 1
select case when 1 then
select case when 1 then 2 else
select case when 1 then 2 else 3
select case 1 when 2 then 3 else 4 end end
select cast
select cast(
select cast(1
select cast(1)
select cast(1 as int
select exists
select exists(1)
select exists(select 1
select not exists(select 1)
select raise
select raise(
select raise(ignore
select raise(ignore,'x')
select f(
select f(1
select f(1,
select f(,1)
select f(distinct
select f(1) filter
select f(1) filter (
select f(1) filter (where
select f(1) filter (1)
select f(1) over
select f(1) over (
select f(1) over (partition
select f(1) over (partition by)
select f(1) over (order by)
select f(1) over (w partition by 1 order by 2)
select f(1) over (rows)
select f(1) over (rows between)
select f(1) over (rows current row exclude)
select f(1) over (rows current row exclude foo)
select 1 window
select 1 from t window w
select 1 from t window w as
select 1 from t window w as (
select 1 filter
select 1 over
select a.
select a.b.
select a.b.c.d
select .a
select a..b
select ?1a
select 1.a
select @a.b
select 'a' 'b' 'c'
select "a" "b" "c"
select [a] [b] [c]
select a -> 
select a ->> 
select 1 <> = 2
select 1 = = 2
select 1 ! 2
select 1 !< 2
select 1 ^ 2
select 1 ** 2
select 1 = 2 = 3
select 1 | | 2
select {1}
select \
select 1 \
select 'it''s
select "
select `
select [
select x'
select x'1
select x'1'
select X'0G'
select é
select €
select 1é
select 0b1
select 0x1g
select 1..2
select 1.2.3
select 1e5e
select $a::
select $a::b::c(d
select :1
select @1a
select #a
select ::
create table zz(window foo as (1))
create table zz(a, b no window current as (1))
select current_date.* from t
select 1 from t left "outer" join u
values (1, 2), (a) union foo
values (1, 2), (3) union select 1 foo
with x as (select 1) values (1, 2), (3) union foo
with a as (select 1), a as (select 2) foo
with a as (select 1), a as (select 2) select 1
select #1a
select 1 #1 from t
update 1__0 set a = 1
explain query 1__0 plan vacuum
alter table t add q int default 'x' generated always as (1) virtual
