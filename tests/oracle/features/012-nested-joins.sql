CREATE TABLE a(x)

CREATE TABLE b(x,y)

CREATE TABLE c(y)

INSERT INTO a VALUES(1),(2),(3)

INSERT INTO b VALUES(1,10),(2,20)

INSERT INTO c VALUES(10),(30)

SELECT * FROM a LEFT JOIN (b JOIN c ON b.y=c.y) ON a.x=b.x

SELECT * FROM (a JOIN b USING(x)) LEFT JOIN c USING(y)

SELECT * FROM a JOIN (b JOIN c ON b.y=c.y) ON a.x=b.x

SELECT * FROM (a LEFT JOIN b ON a.x=b.x) JOIN c ON 1

SELECT a.x FROM ((a JOIN b USING(x)))

SELECT * FROM (a, b) WHERE a.x=b.x

SELECT * FROM (a CROSS JOIN (b CROSS JOIN c)) WHERE a.x=1

SELECT * FROM a RIGHT JOIN (b LEFT JOIN c ON b.y=c.y) ON a.x=b.x

-- Parenthesised joins: the names that results show, USING and NATURAL within and around them, aliases.

.reset

.each
create table a(x,y)
create table b(x,y,z)
create table c(y,z,w)
create table d(y,w)
create table e(y,z,"y:1")
insert into a values(1,2)
insert into b values(1,2,3),(1,5,6)
insert into c values(2,3,4),(9,9,9)
insert into d values(2,4)
insert into e values(2,3,4)
select * from a join (b join c using(y)) on 1
select z, w from a join (b join c using(y,z)) on 1
select z from a join (b join c using(y)) on 1
select b.y, c.y from a join (b join c using(y)) on 1
select b.*, c.* from a join (b join c using(y)) on 1
select * from a join (b left join c using(y)) on 1
select * from a join (b full join c using(y)) on 1
select z,b.z,c.z from a join (b full join c using(z)) on 1
select * from a join (b right join c using(y,z)) using(y)
select * from a left join (b left join c using(y,z)) using(x)
select y from a left join (b left join c using(y,z)) using(x,y)
select * from a natural join (b natural join c)
select * from (b natural join c) natural join a
select * from (a join c using(y)) as s
select * from (a join c) as s
select x from (a join c) as s
select s.x from (a join c) as s
select a.x from (a join c) as s
select w from (a join c) as s
select y from (a join c) as s
select c.y from (a join c) as s
select s.* from (a join c) as s
select a.* from (a join c) as s
select * from b join (a join c) as s on 1
select s.x from b join (a join c) as s on 1
select x from b join (a join c) as s on 1
select w from b join (a join c) as s on 1
select a.* from b join (a join c) as s on 1
select s.* from b join (a join c) as s on 1
select s.w from b join (a join c) as s on 1
select a.rowid, b.rowid, c.rowid from a join (b join c) on 1
select * from a join (b join c using(y) join d using(y)) on 1
select * from a join (b join c using(y) join d using(w)) on 1
select * from a join (b join c using(y,z) join d using(w,y)) on 1
select * from a join (b natural join c natural join d) on 1
select * from a join ((b natural join c) natural join d) on 1
select * from a join (d natural join (b natural join c)) on 1
select * from a join (b join e) on 1
select e.*, b.* from a join (b join e) on 1
select e.y, b.y from a join (b join e) on 1
select "y:1" from a join (b join e) on 1
select * from (b join e)
select * from (b join e) join a
select * from (b join e using(y))
select * from (a join b using(x)) join e on 1
select * from a natural join (b join e on b.y=e.y)
select * from a join (b join (b as b2 join e))
select * from (select * from b join e)
select * from (select * from b join e) s join a
select * from ((a join b) join e)
select * from (a join b) as s
select s.* from (a join b) as s
select * from a join (b left join e on 0) on 1
select * from a left join (b natural join e) on 1
select * from ((a join b on a.x=b.x)) , e
select * from (a, b)
select * from (a, b), e
select * from e, (a, b)
create view vv as select * from a join (b join e) on 1
select * from vv
create table ct as select * from a join (b join e) on 1
select sql from sqlite_schema where name='ct'
select y from (a join c using(y)) where y=2
select y from b join (a join c using(y)) using(x,y) where y=2
select y from (b join c using(y)) join d using(y) order by y
select count(*), y from a join (b full join c using(y,z)) using(y) group by y
select b.y, c.y, y from (b full join c using(y)) order by 3
select (select y) from (b full join c using(y)) order by 1
select * from a as a1 left join (a as a2 left join (b as b1 join c using(y,z)) using(y)) using(x)
select * from a right join (b join c using(y)) using(x)
select * from a full join (b join c using(y)) using(x)
select * from a full join (b full join c using(y)) using(y)
select * from (a full join b using(y)) full join (c full join d using(y)) using(y)
