-- what nulls.html, rowvalue.html, partialindex.html, expridx.html and quirks.html say
.each
create table n(a,b,c)
insert into n values(1,0,0),(2,0,1),(3,1,0),(4,1,1),(5,null,0),(6,null,1),(7,null,null)
select a, case when b<>0 then 1 else 0 end from n
select a+10,case when not b<>0 then 1 else 0 end from n
select a+20,case when b<>0 and c<>0 then 1 else 0 end from n
select a+30,case when b<>0 or c<>0 then 1 else 0 end from n
select a+40,case b when c then 1 else 0 end, case c when null then 1 else 0 end from n
select count(*),count(b),sum(b),avg(b),min(b),max(b) from n
select a from n where b<10
select a from n where not b>10
select a from n where b<10 or c=1
select a from n where not (b<10 and c=1)
select distinct b from n
select b from n union select b from n
create table nu(x unique)
insert into nu values(null),(null),(1)
select * from nu order by x desc
select * from n order by b nulls last, a
select * from n order by b desc nulls first, a
select (1,2,3)<(1,2,4),(1,2)=(1,null),(1,2)<(2,null),(1,null)<(1,2),(1,2) is (1,2),(1,null) is (1,null),(1,2) between (1,1) and (1,3),(1,2)<>(1,3)
select (1,2) in (select 1,2),(1,2) in ((1,2),(3,4))
select (1,2)=(select 1,2),(select 1,2)=(select 1,2),(1,2)=(1,2,3)
select (1,2)=1
select 1=(1,2)
select (1,2)+1
select max((1,2))
select (1,2),3
select case (1,2) when (1,2) then 'y' end
select (a,b)=(1,0) from n limit 1
update n set (b,c)=(b+1,c+1) where (a,b)=(1,0)
select * from n where (a,b)>(3,0) order by (a,b)
select * from n where (a,b) in (values(1,1),(3,1))
select * from n order by a,b limit (select 2) offset (1)
select a from n limit '2'
select a from n limit 'x'
select a from n limit 1.5
select a from n limit 2.0
select a from n limit -1 offset 5
select a from n limit null
select a from n limit 2,3
select a from n limit a
select a from n limit 5 offset -3
create unique index pi on n(b) where c=1
insert into n values(8,1,1)
insert into n values(9,1,0)
explain query plan select * from n where b=1 and c=1
explain query plan select * from n where b=1
create index p2 on n(a) where b is not null
explain query plan select a from n where a=1 and b>5
explain query plan select a from n where a=1 and b is not null
create index p3 on n(a) where a in (1,2)
create index ex on n(a+b, abs(c))
explain query plan select * from n where a+b=3
create index ex2 on n(a, nosuchf(b))
create index ex4 on n((select 1))
create index ex5 on n(a collate nosuch)
create index ex6 on n(a,b) where max(a)>1
create table "select"(a)
create table 'quoted'('c 1' int, [c 2], `c 3`)
select "c 1",[c 2],`c 3`,'c 1' from quoted
insert into quoted values(1,2,3)
select 'c 1' from quoted
select "nosuch" from quoted
select quoted."c 1" from quoted
create table k(key,abort,desc1,"order",row,rows,window,filter,over,first,last,nulls,generated,always,exclude,groups,ties,others,materialized,within)
insert into k(key) values(1)
select key,row,window,filter,over from k
select 1 as filter, 2 as over, 3 as window, 4 as row
select filter from (select 1 as filter)
create table select2(select)
select count from (select 1 count)
select 1 "a b", 2 'c d', 3 [e f], 4 as 'g'
select 1where 1
select 1from n limit 1
select 0x1g
select 1a
select 123abc
select 'a''b', "a""b", ''''
select --comment
1 /* c /* d */ , 2
select 1 /* unterminated
select 'unterminated
select "unterminated
;
select 1;
select +-+-1, - - 1, -(-1), ~~5, not not 5, not -1
select 5 is not null is 1, 5 isnull isnull, null notnull
select 1 between 0 and 2 and 3 between 2 and 4
select 'x' like 'X' escape '\' , 'x' not like 'y' escape 'y'
select case 1 when 1 then 2 when 3 then 4 else 5 end case2
select cast('1' as int) + cast(2.7 as integer)
select "a" from (select 1 as A)
select A.a from (select 1 as a) as A
select rowid from (select 1)
select rowid from n order by rowid desc limit 1
select oid, _rowid_, rowid, n.oid from n limit 1
create table ro(rowid,oid)
insert into ro values('x','y')
select rowid,oid,_rowid_ from ro
create table ro2(a integer primary key, rowid)
insert into ro2 values(5,'r')
select rowid,oid,_rowid_ from ro2
create table ip(a int primary key, b integer primary key)
create table ip2(a integer, primary key(a asc))
create table ip3(a integer, primary key(a desc))
create table ip4(a "INTEGER" primary key)
create table ip5(a integer(8) primary key)
insert into ip2 values(null)
insert into ip3 values(null)
insert into ip4 values(null)
insert into ip5 values(null)
insert into ip2 values('x')
insert into ip2 values(1.0),('2'),(x'33')
insert into ip2 values(2.5)
