-- Joins, grouping, ordering, compounds, subqueries, common tables, expressions, errors.
create table t1(a integer primary key, b int, c text, d real)
insert into t1 values(1,10,'one',1.5),(2,20,'two',2.5),(3,20,'three',null),(4,null,'four',4.5),(5,30,'ONE',-1)
create table t2(x int, y text collate nocase, z)
insert into t2 values(1,'One','1'),(2,'TWO',2),(2,'two',2.0),(7,'seven',null),(null,'nil',x'00')
create table t3(k text primary key, v int) without rowid
insert into t3 values('one',1),('two',2),('three',3)
create index i1 on t1(b)
create index i2 on t2(x,y)
select * from t1, t2
select * from t1, t2 where a=x
select * from t1 join t2 on a=x
select * from t1 left join t2 on a=x
select * from t1 left join t2 on a=x where x is null
select * from t1 left join t2 on a=x and b>10
select * from t1 right join t2 on a=x
select * from t1 full join t2 on a=x
select * from t1 full outer join t2 on a=x where b>10 or x>3
select * from t2 left join t1 on a=x left join t3 on k=y
select * from t1 natural join t2
select * from (select a as x, b from t1) natural join t2
select * from (select a as x, b from t1) natural left join t2
select * from (select a as x, b from t1) natural full join t2
select x, b from (select a as x, b from t1) join t2 using(x)
select x, b from (select a as x, b from t1) full join t2 using(x)
select x, b from (select a as x, b from t1) right join t2 using(x)
select * from t1 join (t2 left join t3 on k=y) on a=x
select * from t1 left join (t2 join t3 on k=y) on a=x
select * from t1 left join (t2 cross join t3) on a=x and v=a
select t2.*, a from t1 left join (t2 join t3 on k=y) on a=x
select * from t1 as q where q.rowid=3
select rowid, oid, _rowid_, a from t1
select rowid, * from t2
select t2.rowid from t1,t2 where t2.rowid=t1.a
select count(*), count(b), count(distinct b), sum(b), avg(b), total(b), min(b), max(b), group_concat(c) from t1
select b, count(*), max(c), min(a) from t1 group by b
select b, c, max(a) from t1 group by b
select b, c, min(a) from t1 group by b
select a, c, max(d), min(d) from t1
select max(d), a from t1
select min(d), a, c from t1
select b, sum(a) from t1 group by b having sum(a)>3
select b, sum(a) as s from t1 group by b having s>3
select b as q, count(*) from t1 group by q order by 2 desc, 1
select b%3, count(*) from t1 group by b%3
select b%3 as m, b%3+1, count(*) from t1 group by m
select sum(a) from t1 having count(*)>2
select 1 from t1 having 1
select count(*) filter (where b>10), sum(a) filter (where c like 'o%') from t1
select group_concat(c,'-'), group_concat(distinct b) from t1
select group_concat(c, ',' order by a desc) from t1
select string_agg(c, ',' order by c) from t1
select y, count(*) from t2 group by y
select distinct y from t2
select distinct b, d>2 from t1
select distinct b from t1 order by a
select c from t1 order by c
select c from t1 order by c collate nocase, a desc
select b from t1 order by b nulls last
select b from t1 order by b desc nulls first
select a, b as c from t1 order by c
select a, -b as b from t1 order by b
select a, -b as b from t1 order by +b
select a from t1 order by 2
select a from t1 order by 0
select a from t1 group by 3
select a from t1 limit 2
select a from t1 limit 2 offset 1
select a from t1 limit -1 offset 3
select a from t1 limit 0
select a from t1 order by a desc limit 2 offset 1
select a from t1 limit 'x'
select a from t1 limit 1+1
select a from t1 limit (select 2)
values(1,2),(3,4)
values(1),(2),(3) order by 1 desc limit 2
select * from (values(1,2),(3,4))
select column1 from (values(1,2),(3,4)) where column2>2
select a from t1 union select x from t2
select a from t1 union all select x from t2
select a from t1 except select x from t2
select a from t1 intersect select x from t2
select a from t1 union select x from t2 union all select 1
select a from t1 union all select x from t2 order by a
select a from t1 union all select x from t2 order by 1 desc limit 3 offset 1
select a, b from t1 union select x, y from t2 order by b
select y from t2 union select 'TWO'
select 'TWO' union select y from t2
select c from t1 union select y from t2
select 1 union select 1.0
select 1.0 union select 1
select 1 union all select 1.0
select a from t1 union select x,y from t2
select a from t1 union select x from t2 order by zz
select a from t1 order by a union select x from t2
select (select a from t1), (select b from t1 where a=9)
select (select a,b from t1)
select a, (select count(*) from t2 where x=a) from t1
select a, (select y from t2 where x=a order by y desc limit 1) from t1
select a from t1 where exists(select 1 from t2 where x=a)
select a from t1 where not exists(select 1 from t2 where x=a)
select a from t1 where a in (select x from t2)
select a from t1 where a not in (select x from t2)
select a from t1 where a not in (select x from t2 where x is not null)
select a from t1 where a in t2
select k from t3 where v in (1,3)
select a from t1 where a in (1,3,'5',null)
select a from t1 where a not in (1,3,null)
select a in () , null in (), a not in () from t1 where a=1
select a from t1 where (a,b) = (2,20)
select a from t1 where (a,b) in (select x, 20 from t2)
select a from t1 where (a,b) in ((2,20),(3,20))
select a from t1 where (a,b) < (3,5)
select (1,2) = (1,2), (1,2) < (1,3), (1,null) = (1,2), (1,null) is (1,null)
select (select 1,2) = (1,2)
select (1,2,3) = (1,2)
select (1,2)
with q as (select a,b from t1) select * from q where b=20
with q(m,n) as (select a,b from t1) select n,m from q order by n
with q as (select 1 as v), r as (select v+1 as w from q) select * from q,r
with recursive c(n) as (values(1) union all select n+1 from c where n<10) select sum(n) from c
with recursive c(n) as (values(1) union all select n+1 from c) select n from c limit 5
with recursive c(n) as (values(1) union select (n*2)%7 from c) select n from c
with recursive c(n,l) as (select 1,0 union all select n+1,l+1 from c where l<3 order by 2 desc) select * from c
with recursive f(a,b) as (select 0,1 union all select b,a+b from f limit 10) select a from f
with recursive t(x) as (select 1 union all select x+1 from t where x<3), u(y) as (select x from t union all select y+10 from u where y<20) select * from u
with q as (select * from q) select * from q
with q(a) as (select 1,2) select * from q
select case when b>15 then 'big' when b is null then 'none' else 'small' end from t1
select case b when 10 then 'ten' when 20 then 'twenty' end from t1
select a, b between 15 and 25, b not between 15 and 25 from t1
select c like 'o%', c like 'O__', c glob 'o*', c not like '%e' from t1
select 'a%b' like 'a\%b' escape '\'
select cast('12abc' as int), cast(3.7 as integer), cast(5 as text)||'x', cast(x'41' as text), cast('1e3' as real)
select 1/0, 5/2, 5.0/2, 5%3, -5%3, 1<<3, 255>>4, 5&3, 5|3, ~5, not 5, not null
select 9223372036854775807+1, -9223372036854775808-1, 9223372036854775807*2
select null and 0, null and 1, null or 1, null or 0, null is null, null is not 1, 1 is 1.0
select 'a'<'b', 'a'<1, 1<'a', x'00'>'z', null<1, '10'<9, 10<'9'
select b<'15', c<5, '15'>b, b='20', d='1.5' from t1
select typeof(b), typeof(c), typeof(d), typeof(x'') from t1 where a<3
select coalesce(b,0), ifnull(d,'none'), nullif(b,20), iif(b>15,1,0) from t1
select abs(-5), max(1,2,3), min(3,1,2), length('abc'), upper('abc'), substr('hello',2,3), round(2.567,2), instr('hello','l'), replace('aXbX','X','-'), hex('abc'), quote('it''s'), trim(' x '), unicode('A'), char(65,66)
select printf('%d-%s',5,'x'), format('%05.2f',3.14159)
select no_such_col from t1
select t9.a from t1
select a from t9
select main.t1.a from t1
select main.t9.a from t1
select x, a from t1, t2 where b=zz
select a from t1, (select a from t1)
select rowid from t1, t2
select nofunc(1)
select abs()
select abs(1,2)
select count(a,b) from t1
select sum(count(*)) from t1
select a from t1 where count(*)>1
select *
select t1.* from t2
select "a", "nope" from t1 where a=1
select 'x' "lbl", 1 as "q"
select true, false, true+1
select a from t1 where b is true
select a from t1 where (b>15) is not true
select * from t1 where rowid between 2 and 3
select * from t1 where a>2 and a<=4 order by a desc
select * from t1 where b=20 or a=1
select * from t1 where b>=10 and b<30 order by b desc
select * from t2 where x=2 and y='two'
select * from t2 where x=2 and y>'a'
select * from t2 where x is null
select * from t2 where x in (1,2) order by x desc
select k,v from t3 where k>='one' order by k desc
select * from t1 indexed by i1 where b=20
select * from t1 indexed by nope where b=20
select * from t1 not indexed where b=20
create view v1 as select a, b*2 as bb, c from t1 where b is not null
select * from v1
select bb from v1 where a>1 order by bb
select v1.a, t2.y from v1 join t2 on v1.a=t2.x
create view v2(p,q) as select b, count(*) from t1 group by b
select * from v2 where q>1
select * from v2, v1 where p*2=bb
select count(*) from v1
select v.*, w.q from v1 v left join v2 w on w.p=v.bb/2
select a, row_number() over (order by b desc) from t1
select a, sum(b) over (order by a) from t1
select a, b, rank() over (partition by b order by a), count(*) over () from t1
select a, lag(a) over (order by a), lead(a,2,'x') over (order by a) from t1
select a, sum(b) over w, max(c) over w from t1 window w as (order by a rows between 1 preceding and current row)
select b, sum(sum(a)) over (order by b) from t1 group by b
select a, first_value(c) over (partition by b order by a desc) from t1 order by a
select a, ntile(2) over (order by a), dense_rank() over (order by b), percent_rank() over (order by b), cume_dist() over (order by b) from t1 order by a
select row_number() from t1
select sum(a) over nope from t1
select a from t1 where row_number() over () > 1
select 1 where 0
select 5 where 1 order by 1
select 1 limit 0
select (select sum(a) from t1 where t1.b=o.b) from t1 o
select o.a, (select group_concat(i.c) from t1 i where i.b=o.b and i.a<>o.a) from t1 o
select a from t1 o where b=(select max(b) from t1 i where i.b=o.b)
select (select (select o.a+1)) from t1 o
select * from (select a, b from t1 order by b desc) limit 2
select * from (select a from t1 limit 3) where a>1
select * from (select distinct b from t1) order by 1
select count(*) from (select 1 union all select 2)
select * from (select 1 as a union select 2) where a>1
select sum(a) from (select a from t1 union all select x from t2)
select x.a, y.a from t1 x, t1 y where x.a<y.a and x.b=y.b
select x.a, y.a, z.a from t1 x, t1 y, t1 z where x.a=y.a and y.b=z.b
select * from t1 cross join t3 where c=k
select a||b||c from t1
select * from t1 where c='one' collate nocase
select y from t2 where y='two' collate binary
select 'abc' collate nocase = 'ABC', 'abc' = 'ABC' collate nocase
select 'abc' collate nope
select max(y), min(y collate binary) from t2
select a from t1 where a=1.0
select a from t1 where a='2'
select a from t1 where a='x'
select a from t1 where a>2.5
select a from t1 where a>'abc'
select a from t1 where a<'abc'
select a from t1 where a>null
select b from t1 where b='20.0'
select x from t2 where z='2'
select x from t2 where z=2
select typeof(z), z from t2 where z>='1'
