-- Orders that an index could give but a sort gives cheaper: the rows are the same.
create table z(id integer primary key, a int, b int, c text)
insert into z values(1,2,5,'x'),(2,1,5,'y'),(3,2,4,'z'),(4,null,1,'w'),(5,1,5,'v'),(6,null,2,'u'),(7,2,5,'t')
create index za on z(a)
create index zbd on z(b desc)
select * from z order by a
select * from z order by a desc
select * from z order by a, b
select * from z order by a desc, b
select * from z order by b
select * from z order by b desc
select * from z order by b desc, a
select a, c, count(*) from z group by a
select a, group_concat(c) from z group by a
select b, group_concat(c) from z group by b
select b, c, max(id) from z group by b
select a, b, group_concat(c) from z group by a, b
select b, a, group_concat(c) from z group by b, a
select c, rank() over (partition by a order by b) from z
select c, row_number() over (order by a desc) from z
select c, sum(id) over (order by b rows unbounded preceding) from z
select distinct a, c from z
select distinct a from z
select * from z order by a limit 2
select a, max(c) from z group by a order by a desc
select a, count(*) from z group by a order by count(*) desc
