-- what stricttables.html, gencol.html, withoutrowid.html and foreignkeys.html say
.each
create table s(a int, b integer, c real, d text, e blob, f any) strict
insert into s values(1,2,3,'x',x'00','any')
insert into s values('1','2','3',4,x'00',5)
insert into s values(1.0,'2.0','3.5','x',x'00',x'01')
insert into s values(1.5,1,1,'x',x'00',1)
insert into s values('1.5',1,1,'x',x'00',1)
insert into s values('abc',1,1,'x',x'00',1)
insert into s values(1,1,'abc','x',x'00',1)
insert into s values(1,1,x'00','x',x'00',1)
insert into s values(1,1,1,x'00',x'00',1)
insert into s values(1,1,1,'x','abc',1)
insert into s values(null,null,null,null,null,null)
insert into s values(1e19,1,1,'x',x'00',1)
insert into s values('9223372036854775808',1,1,'x',x'00',1)
insert into s values(9007199254740993.0,1,1,1.5,x'00','1')
select typeof(a),typeof(b),typeof(c),typeof(d),typeof(e),typeof(f),* from s
create table s2(a) strict
create table s3(a foo) strict
create table s4(a int(5)) strict
create table s5(a varchar) strict
create table s6(a integer primary key, b text) strict, without rowid
create table s7(a int primary key, b any) without rowid, strict
insert into s7 values(null,1)
insert into s7 values('1','001')
select typeof(a),typeof(b),b from s7
create table n7(a int, b any)
insert into n7 values('001','001')
select a,b,typeof(b) from n7
create table s8(a int) strict, strict
create table s9(a int) foo
create table s10(a int default 'abc') strict
insert into s10 default values
create table s11(a int, b int as (a||'x') stored) strict
insert into s11 values(1)
create table s12(a int, b int as (a||'x')) strict
insert into s12 values(1)
select * from s12
create table s13(a int check(typeof(a)='integer')) strict
insert into s13 values('5'),(5.0)
update s set a='7' where rowid=1
update s set a='x' where rowid=1
insert or ignore into s(a) values('x')
insert or replace into s(a) values('x')
select changes()
alter table s add column g
alter table s add column g text default 5
alter table s add column h int default 'x'
pragma table_list(s)
pragma integrity_check
create temp table s14(a int) strict
create table s15 as select 1
select strict, wr from pragma_table_list('s7')

.reset

.each
create table g(a integer primary key, b int, c text, d int generated always as (a*abs(b)) virtual, e text generated always as (substr(c,b,b+1)) stored)
insert into g values(1,2,'abcdef')
select * from g
insert into g(a,b,c,d) values(1,2,'x',3)
update g set d=5
update g set b=3
select * from g
create table g2(a as (1))
create table g3(a as (1), b as (2))
create table g4(a as (b), b as (a))
create table g5(a, b as (a) default 5)
create table g6(a, b as (a) primary key)
create table g7(a, b as (a) unique)
insert into g7 values(1),(1)
create table g8(a, b as (rowid))
create table g10(a, b as ((select 1)))
create table g11(a, b as (sum(a)))
create table g12(a, b as (a) stored stored)
create table g13(a, b as (a) virtual not null)
insert into g13 values(null)
create table g14(a, b int as (a||'x'), c as (typeof(b)))
insert into g14 values(5)
select *,typeof(b) from g14
create table g15(a, b as (a+1) check(b>5))
insert into g15 values(1)
insert into g15 values(9)
create table g16(a, b references g(a) as (a))
create table g17(a, b generated as (a))
create table g18(a, b generated always as (a+1), c as (b+1), d as (c+1))
insert into g18 values(1)
select * from g18
create index g18i on g18(d)
select a from g18 where d=4
alter table g18 add column e as (d*2)
alter table g18 add column f as (d*2) stored
select * from g18
alter table g18 drop column b
alter table g18 drop column e
pragma table_info(g18)
pragma table_xinfo(g18)
create table g19(a, b as (a) collate nocase)
create table g20(a collate nocase, b as (a))
insert into g20 values('X')
select b='x' from g20
insert into g20 default values
insert into g20(a) select 'y' returning b
create table g21(a, b as (new.a))
create table g22(a, b as (g22.a))
create table g23(a, b as (?1))
create table g24(a, b as (a) on conflict ignore)
create table g25(a, "b generated always" int)
create table g26(a, b text generated always)
create table g27(a, b generated always as (a) as (a))

.reset

.each
create table w(a text primary key, b) without rowid
insert into w values('x',1),(null,2)
insert into w values('x',1)
select rowid from w
select _rowid_ from w
create table w2(a,b) without rowid
create table w3(a integer primary key autoincrement) without rowid
create table w4(a integer primary key, b) without rowid
insert into w4(b) values(1)
insert into w4 values('abc',1)
select typeof(a),a from w4
create table w5(a,b,c, primary key(c,a)) without rowid
insert into w5 values(1,2,3),(1,3,2),(0,0,3)
select * from w5
create table w6(a,b,primary key(a,a,b)) without rowid
insert into w6 values(1,2)
pragma index_xinfo(sqlite_autoindex_w6_1)
pragma index_info(sqlite_autoindex_w5_1)
select last_insert_rowid()
create table w7(a primary key, rowid) without rowid
insert into w7 values(1,'mine')
select rowid from w7
create table w8(a int primary key desc, b unique) without rowid
insert into w8 values(1,5),(2,6)
insert into w8 values(3,5)
insert into w8 values(2,7)
replace into w8 values(2,5)
update w8 set a=a+1
delete from w8 where a=3 returning *
create index w5b on w5(b)
select a from w5 where b=3
create table w9(a primary key) without rowid strict
create table w10(a primary key) without foo
create table w11(a primary key) without
select type,name,tbl_name,sql from sqlite_master where tbl_name like 'w%'

.reset

.each
pragma foreign_keys=on
create table artist(artistid integer primary key, artistname text)
create table track(trackid integer, trackname text, trackartist integer, foreign key(trackartist) references artist(artistid))
insert into artist values(1,'D'),(2,'F')
insert into track values(14,'M',3)
insert into track values(14,'M',null)
update track set trackartist=3 where trackname='M'
insert into artist values(3,'S')
update track set trackartist=3 where trackname='M'
delete from artist where artistname='S'
delete from track
delete from artist where artistname='S'
insert into track values(1,'x',1)
update artist set artistid=4 where artistid=1
drop table artist
create table parent(a primary key, b unique, c, d, e, f)
create unique index i1 on parent(c,d)
create index i2 on parent(e)
create unique index i3 on parent(f collate nocase)
create table child1(f,g references parent(a))
create table child2(h,i references parent(b))
create table child3(j,k, foreign key(j,k) references parent(c,d))
create table child4(l,m references parent(e))
create table child5(n,o references parent(f))
create table child6(p,q, foreign key(p,q) references parent(b,c))
create table child7(r references parent(c))
create table child8(x,y, foreign key(x,y) references parent)
create table child9(x references parent)
create table child10(x,y,z, foreign key(x,y,z) references parent)
create table child11(x references nosuch)
create table child12(x references parent(nosuch))
create table child13(x, foreign key(y) references parent)
create table child14(x, y, foreign key(x,y) references parent(a))
insert into parent values(1,2,3,4,5,6)
insert into child1 values(1,1)
insert into child2 values(1,2)
insert into child3 values(3,4)
insert into child4 values(1,5)
insert into child5 values(1,6)
insert into child6 values(2,3)
insert into child7 values(3)
insert into child8 values(1,2)
insert into child9 values(1)
insert into child10 values(1,2,3)
insert into child11 values(1)
insert into child11 values(null)
insert into child12 values(1)
delete from parent
pragma foreign_key_check
pragma foreign_key_list(child3)
pragma foreign_key_list(child9)
create table p2(id integer primary key, x)
create table c2(pid default 9 references p2(id) on delete set default on update cascade deferrable initially deferred)
insert into p2 values(1,1),(2,2),(9,9)
insert into c2 values(1),(2)
begin
insert into c2 values(77)
commit
delete from c2 where pid=77
commit
update p2 set id=id+100 where id<9
select * from c2
delete from p2 where id=101
select * from c2
create table self(a primary key, b references self on delete cascade)
insert into self values(1,1),(2,1),(3,2)
insert into self values(5,4)
delete from self where a=1
select * from self
create table r(id primary key)
create table rc(x references r on delete restrict on update restrict deferrable initially deferred)
insert into r values(1)
insert into rc values(1)
begin
delete from r
update r set id=2
rollback
create table mm(x references p2 match full)
pragma foreign_key_list(mm)
create table mn(x references p2 match foo on delete no action)
pragma foreign_key_list(mn)
pragma defer_foreign_keys=1
pragma defer_foreign_keys
begin
pragma defer_foreign_keys=1
insert into child1 values(9,99)
commit
rollback
pragma defer_foreign_keys
alter table parent rename to parent2
select sql from sqlite_master where name like 'child_'
alter table artist add column z references artist
alter table artist add column z2 references artist default 5
alter table artist add column z3 references artist default null
pragma foreign_keys=off
drop table parent2
