create table t(a,b /* x */ , check(a>0))
insert into t values(1,2)
alter table t add column c not null
alter table t add column c default (random())
alter table t add column c as (a) stored
alter table t add column c check(c>5) default 3
alter table t add column c int  default 3  not null /* foo */ ;
pragma foreign_keys=1
alter table t add d references t default 5
alter table t add d references t default null
alter table t add e collate nocase as (b||'x')
select * from t
insert into t(a,b) values(5,6)
select * from t
create table s(a int) strict
alter table s add b
alter table s add b foo
insert into s values(1)
alter table s add c int default 'x'
alter table s add c text default 'x'
select * from s
create table w(a primary key, b unique, foreign key (b) references t(a)) without rowid
alter table w add c
alter table nosuch add b
alter table t add a
alter table t add q unique
alter table t add q primary key
alter table t add q default (1+1)
alter table t add r default current_timestamp
alter table t add g references s
create view vv as select 1
alter table vv add g
alter table sqlite_master add g
alter table t rename to s
alter table t rename to sqlite_foo
alter table sqlite_master rename to u
alter table nosuch rename to u
alter table vv rename to u
alter table t add h check (h>1) default 0
alter table t add h check (h>1) default 5

-- rename table
create table t(a,b unique, c references t(a), check(t.a>0))
create table w(a primary key, b, foreign key (b) references t(a)) without rowid
create view v as select t.a, t.b from t, main.w where t.a=1 and w.a=2
create trigger tr after insert on t begin insert into w select t.a from t; update t set a=1 where t.b=2; delete from t where b in (select x.a from t as x where x.a in (select a from t)); end
create temp trigger ttr after insert on t begin select * from t; end
create index i on t(a) where b>0
create table ch(x references t, y references "t"(a), foreign key(x) references t(a) on delete cascade)
alter table t rename to u
select name, tbl_name, sql from sqlite_master
select name, tbl_name, sql from sqlite_temp_master
alter table u rename to "we ird"
alter table w rename to W
alter table w rename to w2
insert into "we ird"(a,b) values(1,5)
create table ai(x integer primary key autoincrement)
insert into ai values(5)
alter table ai rename to ai2
insert into ai2 values(null)
select * from sqlite_sequence

-- rename column
create table t(a,b,c unique,d check(d>0), e as (b+1), primary key(a))
create view v as select a,b from t
create trigger xt after update of b on t begin update t set b=new.b where a=old.a and d>1; select old.b from t where b>1; insert into t(a,b) values(1,2) on conflict(a) do update set b=excluded.b; end
create index xi on t(b, c) where b>1
create table fk(x references t(a), y, foreign key (y) references t(b))
alter table v rename a to z
alter table sqlite_master rename name to z
alter table t rename zz to y
alter table t rename a to b
alter table nosuch rename a to b
alter table t rename b to "b b"
alter table t rename "b b" to q
alter table t rename column a to k
alter table fk rename y to yy
select sql from sqlite_master
insert into t(k,q,c,d) values(1,2,3,4)
update t set q=9
select * from v

-- drop column
create table t(a,b,c unique,d check(d>0), e as (b+1), f, primary key(a))
create index fi on t(f)
insert into t(a,b,c,d,f) values(1,2,3,4,5)
create view v as select a,f from t
alter table v drop column a
alter table t drop column zz
alter table t drop column a
alter table t drop column c
alter table t drop column b
alter table t drop column f
drop index fi
alter table t drop column f
drop view v
alter table t drop column f
alter table t drop column d
alter table t drop column e
alter table t drop column b
select * from t
create table one(a)
alter table one drop column a
create table two(a,b as (a))
alter table two drop column a
create table x(a,b,c, check(b>0))
create trigger xt after update of c on x begin select new.a; end
insert into x values(1,2,3)
alter table x drop column b
alter table x drop column a
drop trigger xt
alter table x drop column a
select * from x
create table w(a,b,c,primary key(b)) without rowid
insert into w values(1,2,3),(7,8,9)
create index wc on w(c)
alter table w drop column a
select * from w
create table m(a , b /* foo */ , c int default (3) , d)
insert into m values(1,2,3,4)
alter table m drop column b
alter table m drop column d
select * from m
pragma integrity_check

-- constraints
create table t(a,b not null /*x*/ default 5, c int , constraint ck check(a>0), check(b>0))
insert into t values(1,2,3),(2,2,null)
alter table t alter column a set not null
alter table t alter a set not null
alter table t alter c set not null
alter table t alter c set not null on conflict ignore
alter table t alter b drop not null
alter table t alter b drop not null
alter table t alter zz drop not null
alter table t alter zz set not null
select sql from sqlite_master
alter table t drop constraint ck
alter table t drop constraint ck
alter table t drop constraint nosuch
alter table t add constraint c2 check(a<100)
alter table t add check(c is null or c<50)
alter table t add constraint c3 check(a<1)
alter table t add constraint c2 check(a<1000)
alter table t add constraint c4 check(zz<1000)
select sql from sqlite_master
insert into t values(null,1,1)
insert into t values(500,1,1)
create view v as select 1
alter table v alter a set not null
alter table v drop constraint x
alter table nosuch drop constraint x
alter table t alter column a set not null
create table p(a integer primary key not null, b text constraint nn not null constraint u unique constraint ch check(b<>''))
alter table p drop constraint nn
alter table p drop constraint u
alter table p drop constraint ch
alter table p alter b set not null
alter table p alter a drop not null
select sql from sqlite_master where name='p'

create table t0(a integer primary key check(a <> 'b'), b blob)
create index i0 on t0(a collate nocase)
create table log(x)
create trigger g0 before delete on t0 begin insert into log values('g0 ' || quote(old.b)); update t0 set a = old.b where a = ''; end
create trigger g1 before delete on t0 begin insert into log values('g1 ' || quote(old.a)); select raise(rollback, 3) where old.a = -1; end
alter table t0 rename column a to r1
select sql from sqlite_master
update t0 set r1=zz, r1=1

create table t0(a integer primary key, b numeric)
create table t1(a text, b text default 7 unique)
create table log(x)
create trigger g0 before update of b on t0 begin insert into log values('g0 ' || quote(new.a)); update t1 set b = new.a where b = 3; end
alter table t1 rename column b to r2
select sql from sqlite_master
alter table t0 rename column b to r2
alter table t0 rename column a to r3
select sql from sqlite_master
create table t0(a integer primary key, b real default null unique, c int check(c <> 5))
create table log(x)
create trigger g1 before delete on t0 when old.c > 1.5 begin insert into log values('g1 ' || quote(old.a)); insert or ignore into t0(c) values(old.a); end
alter table t0 drop column c
select sql from sqlite_master
delete from t0 where a > 5
delete from t0 where a = 5
delete from t0 where a > 5 and b < x'31'

create table t0(a integer primary key, b real default null unique, c int check(c <> 5))
create table log(x)
create trigger g1 before delete on t0 when old.c > 1.5 begin insert into log values('g1 ' || quote(old.a)); end
alter table t0 drop column c

create table t0(a integer primary key, b real default null unique, c int check(c <> 5))
create table log(x)
create trigger g1 before delete on t0 when old.c > 1.5 begin insert into t0(c) values(2); end
alter table t0 drop column c

create table t0(a integer primary key, b real default null unique, c int check(c <> 5))
create table log(x)
create trigger g1 before delete on t0 begin insert into t0(c) values(2); end
alter table t0 drop column c

create table t0(a integer primary key, b real default null unique, c int check(c <> 5))
create table log(x)
create trigger g1 before delete on t0 begin update t0 set a=1 where c=5; end
alter table t0 drop column c
create trigger g2 before delete on t0 begin select nosuch(1); insert into nosuch values(1); end
alter table t0 drop column c
alter table t0 rename to t3
alter table t0 rename column a to k

create table t0(a integer primary key, b real default null unique, c int check(c <> 5))
create table log(x)
create trigger g1 before delete on t0 when old.c > 1.5 begin insert into log values('g1 ' || quote(old.a)); insert or ignore into t0(c) values(old.a); end
savepoint s
alter table t0 drop column c
select sql from sqlite_master
delete from t0 where a > 5 and b < x'31'

create table t(a,b)
update t set zz = yy
update t set zz = 1
update t set zz = a, b = yy
update t set a = yy, zz = 1
update t set (a,zz) = (select 1, yy)
update t set (a,zz) = (1, yy)
