create virtual table r using rtree(id,x0,x1,y0,y1,+a text,+b)
insert into r values(1,0,10,0,10,'aa',5)
insert into r values(2,5,3,0,1,'x',6)
insert into r(id,x0) values(3,5)
insert into r values(null,1.1,2.2,3.3,4.4,'t',null)
insert into r values('x',1,2,3,4,5,6)
insert into r values(1,0,1,0,1,5,6)
insert or replace into r values(1,0,1,0,1,5,6)
insert or ignore into r values(1,0,9,0,1,5,6)
select *,typeof(x0),typeof(a) from r
select * from r_node
select * from r_rowid
select * from r_parent
select id from r where rowid=1
select id from r where x0>=1 and x1<=5 and y0=3
select id from r where x0 between 1 and 2
select id from r where a='t'
select id from r where x0='a'
select id from r where id=1 and x0>0
select id from r where x0 in (0,1)
select id from r where id in (1,2)
select id from r where x0<5 or x0>7
select id from r where x0 is null
select id from r where x0>'5'
select id from r where x0 < 1.1
select id from r where x0 match 5
explain query plan select * from r where x0>=1 and x1<=5 and y0=3
explain query plan select * from r where id=1
update r set x0=100 where id=1
update r set x0=0.5,a='new' where id=1
update r set id=7 where id=1
update r set id=2 where id=7
select * from r
delete from r where id=7
select count(*) from r
select rtreecheck('r')
select rtreecheck('main','r')
select rtreedepth(data), rtreenode(2,data) from r_node where nodeno=1
create virtual table i using rtree_i32(id,x0,x1)
insert into i values(1,1.7,5000000000)
insert into i values(2,'3',4)
select * from i
select * from i where x0>1.5
alter table r rename to rr
select name,sql from sqlite_schema where name like 'rr%'
insert into rr values(9,0,1,0,1)
insert into rr(id,x0,x1,y0,y1) values(10,null,'5',x'31',1)
select * from rr
create virtual table q using rtree
create virtual table q using rtree(id,x0,x1,y0)
create virtual table q using rtree(id,a,b,c,d,e,f,g,h,i,j,k)
create virtual table q using rtree(id,x,x)
create virtual table q using rtree(id,+a,x0,x1)
create virtual table q using rtree(id int,x0 real,x1)
select name,type,hidden from pragma_table_xinfo('q')
drop table q
select name from sqlite_schema
pragma integrity_check
