-- min() and max() answered by an index, and what bare columns show then.
create table m(a,b,c int)
insert into m values(null,5,1),(3,6,2),(1,7,3),(3,8,null)
create index ma on m(a)
select min(a), b from m
select max(a), b from m
select min(a) from m where b>6
select max(a), b from m where c is not null
select min(b), a from m
select max(rowid), b from m
select min(rowid) from m where b>5
select min(a) from m where a>1
select max(a) from m where a<3
select min(a), max(a) from m
select min(a)+1, count(*) from m
delete from m where a is not null
select min(a), b from m
select max(a), b from m
delete from m
select min(a), b from m
select max(a) from m
select count(*) from m
