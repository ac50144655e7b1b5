create table p(a primary key, b)
create table c(x references p on delete cascade on update set null, y)
insert into c values(99,1)
delete from c
pragma foreign_keys=1
insert into c values(1,1)
insert into p values(1,1),(2,2)
insert into c values(1,1),(2,2),(null,3)
delete from p where a=1
update p set a=5
select * from c
update c set x=7
update c set x=5
update c set x='5'
select *, typeof(x) from c
drop table p
create table m(z references nosuch)
insert into m values(1)
insert into m values(null)
delete from m
create table q(a,b)
create table m2(z references q(a))
insert into m2 values(1)
delete from q
insert into q values(1,1)
update q set b=2
update q set a=2

create table p(a integer primary key)
create table c(x integer primary key references p(a))
pragma foreign_keys=1
insert into p values(1),(2),(3)
insert into c values(1),(2)
drop table p
begin
drop table p
commit
update p set a=1 where a=1
update p set a=7 where a=2
delete from p where a>1
delete from p where a=3
insert or ignore into c values(77)
insert or replace into c values(77)
replace into p values(1)
begin
pragma defer_foreign_keys=1
insert into c values(77)
commit
rollback
begin
pragma defer_foreign_keys=1
insert into c values(77)
insert into p values(77)
commit
select * from c

-- actions
pragma foreign_keys=on
create table p(id integer primary key, u text unique)
create table c1(x integer references p(id) on delete cascade on update cascade, t text)
create table c2(x integer references p(id) on delete set null on update set null, t text)
create table c3(x integer default 9 references p(id) on delete set default on update set default, t text)
create table c4(x integer references p(id) on delete restrict on update restrict, t text)
create table c5(x text references p(u) on delete cascade on update cascade)
insert into p values(1,'a'),(2,'b'),(3,'c'),(4,'d'),(9,'z')
insert into c1 values(1,'c1'),(2,'c1'),(2,'c1b')
insert into c2 values(1,'c2'),(2,'c2')
insert into c3 values(1,'c3'),(2,'c3')
insert into c4 values(3,'c4')
insert into c5 values('a'),('b'),('d')
delete from p where id=1
update p set id=20 where id=2
update p set u='bb' where id=20
delete from p where id=3
update p set id=33 where id=3
update p set u=null where id=4
select * from c1
select * from c2
select * from c3
select * from c4
select * from c5
select * from p
select changes(), total_changes()
delete from p where id=9
delete from c3
delete from p where id=9
update p set id=id+1
replace into p values(20,'new')
select * from c1

-- composite, self reference, collation, affinity
pragma foreign_keys=on
create table p(a text collate nocase, b int, primary key(a,b))
create table c(x, y, foreign key(x,y) references p(a,b) on delete cascade on update cascade)
insert into p values('X',1),('Y',2)
insert into c values('x','1'),('Y',2),(null,5),('q',null)
insert into c values('x',3)
update p set a='Z' where b=1
delete from p where b=2
select *,typeof(y) from c
create table e(id integer primary key, boss integer references e(id) on delete cascade)
insert into e values(1,1),(2,1),(3,2),(4,3),(5,5)
insert into e values(6,7)
insert into e values(7,8),(8,7)
delete from e where id=2
select * from e
delete from e where id=1
select * from e
create table s(k text primary key, r text references s(k) on update cascade)
insert into s values('a','a'),('b','a'),('c','b')
update s set k='aa' where k='a'
update s set k='cc' where k='b'
select * from s
delete from s where k='aa'
update s set r=null
delete from s where k='aa'

-- deferred
pragma foreign_keys=on
create table p(a primary key)
create table c(x references p deferrable initially deferred, y references p)
insert into c values(1,null)
begin
insert into c values(1,null)
insert into c values(null,1)
insert into p values(1)
commit
begin
delete from p
insert into p values(1)
commit
begin
delete from p
commit
insert into p values(1)
commit
select * from p
savepoint s
insert into c values(5,null)
release s
rollback to s
release s
begin
insert into c values(5,null)
savepoint s2
insert into p values(5)
rollback to s2
commit
rollback
select * from c
begin
insert into c values(6,null)
delete from c where x=6
commit
begin
insert into c values(6,null)
update c set x=1 where x=6
commit
begin
insert into c values(8,null)
drop table c
commit

-- triggers and foreign keys, insert or ...
pragma foreign_keys=on
create table p(a integer primary key, n default 0)
create table c(x references p on delete cascade)
create table log(t)
create trigger cd after delete on c begin insert into log values('del '||old.x); update p set n=n+1; end
insert into p(a) values(1),(2)
insert into c values(1),(1),(2)
delete from p where a=1
select * from log
select * from p
insert or fail into c values(2),(9),(2)
select * from c
update or ignore c set x=99
delete from p
select * from log
create trigger ci before insert on c begin insert or ignore into p(a) values(new.x); end
insert into c values(50)
select * from p

-- mismatch
pragma foreign_keys=on
create table p(a, b unique, c collate nocase unique, d)
create unique index pd on p(d) where d>0
create unique index pc on p(c collate binary)
create table c1(x references p)
create table c2(x references p(a))
create table c3(x references p(d))
create table c4(x, y, foreign key(x,y) references p(b,c))
create table c5(x references p(b), y references p(c))
insert into c1 values(1)
insert into c2 values(1)
insert into c3 values(1)
insert into c4 values(1,1)
insert into c5 values(1,1)
insert into p values(1,1,1,1)
delete from p
create view vp as select 1 as z
create table c6(x references vp(z))
insert into c6 values(1)
drop table c1
drop table c2
drop table c3
drop table c4
insert into p values(1,1,'A',1)
insert into c5 values(1,'a')
delete from p
delete from c5
delete from p
