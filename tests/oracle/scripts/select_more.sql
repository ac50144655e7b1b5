-- Aliases, affinities, collations, windows, views, nested joins.
create table t1(a integer primary key, b int, c text, d real)
insert into t1 values(1,10,'one',1.5),(2,20,'two',2.5),(3,20,'three',null),(4,null,'four',4.5),(5,30,'ONE',-1)
create table t2(x int, y text collate nocase, z)
insert into t2 values(1,'One','1'),(2,'TWO',2),(2,'two',2.0),(7,'seven',null),(null,'nil',x'00')
create table g(a int, b int generated always as (a*2) virtual, c int as (a+b) stored, d text default 'x')
insert into g(a) values(1),(2),(5)
select * from g
select b,c from g where b>2
select rowid, b from g order by b desc
create index gi on g(b)
select a from g where b=4
select name from pragma_table_info('t1')
select name, type from pragma_table_info('t2') where name like 'x%'
select * from sqlite_temp_master
select count(*) from t1 where b=20 and c>'a' or d<0
select max(a), count(*) from t1 where 0
select a from t1 where 0
select max(a) from t1 group by b having count(*)>5
select count(*), b from t1
select b, count(*) from t1 where a>100 group by b
select sum(x.a*y.b) from t1 x, t1 y
select a, count(*) over (partition by b) c from t1 order by c, a
select t1.*, t2.* from t1 join t2 on t1.b=t2.x*10
select * from t1 where a in (select max(a) from t1 group by b)
select * from t1 where b in (select b from t1 group by b having count(*)>1)
select a, (select count(*) from t2 where t2.x<t1.a) as n from t1 where n>0 order by n desc, a
select a+1 as a from t1 where a=2
select a as b, b as a from t1 order by a
select a as b, b as a from t1 order by b
select c as a from t1 order by a
select a as x from t1 group by x having x>2
select b, sum(a) from t1 group by 1 order by 2
select distinct b from t1 order by b desc limit 2
select distinct c from t1 order by length(c), c
select distinct b from t1 order by a desc
select count(distinct b), sum(distinct b), avg(distinct b) from t1
select group_concat(distinct y) from t2
select count(*) from t1, t2 where a<x
select 1 in (1,2), 3 in (select 1 union select 2), null in (select 1), 1 in (select null), 'a' in ('A','b')
select 'a' collate nocase in ('A','b'), y in ('ONE') from t2
select z in (2), z in ('2'), x in ('2') from t2
select '2' in (select x from t2), 2 in (select z from t2), 2.0 in (select x from t2)
select exists (select * from t1 where b=20), not exists(select 1 from t1 where b=99)
select (select c from t1 where a=t2.x) from t2
select (select max(a) from t1 where b<=t2.x*10 group by b limit 1) from t2
select case when exists(select 1 from t2 where x=a) then 'y' else 'n' end from t1
select * from t1 where (select count(*) from t2 where x=a)>1
select * from (select x, count(*) n from t2 group by x) q join t1 on q.x=t1.a
select * from t1 join (select x, count(*) n from t2 group by x) q on q.x=t1.a where n>=1
select * from (t1 join t2 on a=x)
select q.a from (t1 join t2 on a=x) q
select * from (t1) , (t2) where a=x
select * from ((select a from t1) p join (select x from t2) q on p.a=q.x)
select a from t1 where a=(select x from t2 where y='one')
with a as (select 1 x), b as (select x+1 y from a) select * from a join b on y=x+1
with t1 as (select 99 as a) select * from t1
with q as (select * from t1) select p.a from q p, q r where p.a=r.a+1
with recursive q(n) as (select 1 union all select n+1 from q where n<4) select a.n, b.n from q a, q b where a.n+b.n=5
with recursive tree(id,lvl) as (select 1,0 union all select a, lvl+1 from t1, tree where t1.a=tree.id+1) select * from tree
with q(x) as materialized (select a from t1) select x from q where x>3
with q(x) as not materialized (select a from t1) select x from q where x>3
select * from (with w as (select 5 v) select v from w)
select (with w as (select 5 v) select v from w)
values(1) union values(2) order by 1 desc
select * from (values(1,'a'),(2,'b')) v(p,q)
select v.column1, v.column2 from (values(1,'a'),(2,'b')) v
select * from (select 1 union all select 2 union all select 3) limit 2 offset 1
select a from t1 where b=20 union all select a from t1 where a>3 order by a desc
select a,b from t1 union all select x,y from t2 order by 2,1
select a from (select a from t1 union select x from t2) where a<3
select a from t1 except select x from t2 except select 3
select a from t1 intersect select x from t2 union select 100
select a as q from t1 union select x from t2 order by q desc
select x from t2 union select a as q from t1 order by q
select a, b from t1 order by b, a desc
select a from t1 order by -a
select a from t1 order by (select max(x) from t2 where x<=a), a desc
select a from t1 order by c like 'o%' desc, a
select b, c from t1 order by b desc, c collate nocase
select b from t1 group by b order by count(*) desc, b
select b, max(a) as m from t1 group by b order by m desc
select sum(a) as s from t1 order by s
select b%2, b%2=0 from t1 group by b%2
select upper(c) u, count(*) from t1 group by upper(c) order by u
select c collate nocase, count(*) from t1 group by c collate nocase
select typeof(sum(a)), typeof(avg(a)), typeof(total(a)), typeof(min(c)) from t1
select a/2, a/2.0, a%2, -a, +a, ~a, a<<1, a||'' from t1 where a=5
select a from t1 where a between 2 and 4 and a<>3
select a from t1 where not (a=1 or a=2)
select a from t1 where a=1 or b=20 or c='four'
select a from t1 where (a=1 and b=10) or (a=5 and b=30)
select a from t1 where b is null or d is null
select a from t1 where b is not null and d is not null
select a from t1 where b is 20
select a from t1 where b is not 20
select a from t1 where c>'o' and c<'p'
select a from t1 where c like 'ONE'
select a from t1 where d
select a from t1 where not d
select a from t1 where c
select 1 where null
select 1 where 'a'
select 1 where '1a'
select likely(a>2), unlikely(0), likelihood(1,0.5) from t1 where a=3
select likelihood(1, 2)
select iif(1,2,3), iif(0,2,3), iif(null,2), coalesce(null,null,3), coalesce(1)
select max(null,1), min('a',1), max(1,2.0,'x')
select nullif(1,1), nullif(1,2), ifnull(null,5)
select sum(b) filter (where a>2), count(*) filter (where 0) from t1
select b, group_concat(c) filter (where a>1) from t1 group by b
select abs(-9223372036854775808)
select substr('abc',0), substr('abc',-2), substr('abc',2,1)
select sum(9223372036854775807) + sum(1) from t1 where a<2
select sum(9223372036854775807) from t1
select a from t1 limit 2,1
select a from t1 limit 10 offset 3
select a from t1 limit null
select (select a from t1 order by a desc), (select a from t1 limit 1 offset 2)
select a from t1 where rowid=2 or rowid=4
select a from t1 where rowid in (5,1,3)
select a from t1 where rowid in (5,1,3) order by rowid desc
select a from t1 where a in (select x from t2) order by a desc
select rowid from t2 where rowid>2 order by rowid desc
select t2.rowid, t1.rowid from t1, t2 where t1.rowid=t2.rowid and t2.rowid<3
select x, rowid from t2 group by x
select max(rowid), rowid from t2
select a, b from t1 where (b, a) > (10, 2) order by a
select (a,b)=(select 2,20) from t1
select a from t1 where (a,b) in (select x,x*10 from t2)
select a from t1 where (a, 1) in (values(1,1),(2,1))
select * from t1 a join t1 b using(a) where a<3
select a, a.b from t1 a join t1 b using(a) where b.b=20
select * from t1 natural join t1
select * from t1 a natural join t1 b
select 1 from t1 join t2 using(nope)
select * from t1 join t2 on t1.a=t3.x
select * from t1 left join t2 using(x)
select a.b.c from t1 a
select t1.nope from t1
select x.* from t1
select count(*) from t1 group by count(*)
select a from t1 group by a having sum(sum(a))>1
select a from t1 order by sum(a)
select sum(a) from t1 order by a
select max(a) over () from t1 group by b
select a, sum(b) over (order by a rows 1 preceding) from t1
select a, sum(b) over (order by a rows between unbounded preceding and unbounded following) from t1
select a, group_concat(c,'.') over (order by a rows between 1 following and 2 following) from t1
select a, sum(b) over (order by b range between 10 preceding and 10 following) from t1 order by a
select a, sum(a) over (order by b groups between 1 preceding and current row) from t1 order by a
select a, sum(a) over (order by a rows between 1 preceding and 1 following exclude current row) from t1
select a, nth_value(c,2) over (order by a), last_value(c) over (order by a rows between current row and unbounded following) from t1
select a, sum(a) filter (where b>10) over (order by a) from t1
select a, row_number() over w1, rank() over w2 from t1 window w1 as (order by a), w2 as (order by b) order by a
select a, sum(a) over (w order by a) from t1 window w as (partition by b) order by a
select * from (select a, row_number() over (order by a desc) rn from t1) where rn<=2
select sum(rn) from (select row_number() over () rn from t1)
select a, sum(a) over (partition by (select max(x) from t2)) from t1
select b, count(*), sum(count(*)) over () from t1 group by b
select b, rank() over (order by count(*) desc) from t1 group by b order by b
select distinct sum(a) over (partition by b) from t1
select a from t1 order by row_number() over (order by a desc)
select 1,2,3 union all select 4,5
select a from t1 union
select quote(x'0102'), x'', typeof(x'')
select 0x10, 1e3, .5, 1_000
select 'it''s', "c" from t1 limit 1
select `a`, [b] from t1 limit 1
select current_date = date('now'), current_timestamp is not null
select cast(null as text), cast('abc' as blob), cast(1.9 as int), cast(-1.9 as int), cast('0x10' as int)
select 1 <> 1.0, '1' = 1, 1 == 1, 1 != 2
select 5 between 1 and 10, 5 not between 1 and 10, null between 1 and 2
select glob('a*','abc'), like('a%','ABC')
select a is b, a is not b, a is distinct from b, a is not distinct from a from t1
select t.a, u.a from t1 t left join t1 u on u.a=t.a+1 left join t2 v on v.x=u.a order by t.a
select t.a, v.y from t1 t left join t1 u on u.a=t.a+1 left join t2 v on v.x=u.a and v.y='two' order by t.a
select count(*) from t1 a, t1 b, t1 c, t1 d
select * from t1 left join t2 on a=x and y='one' where b>5
select * from t1 left join t2 on false
select * from t1 left join t2 on true where a=1
select * from t2 left join t1 on a=x where a is null
select * from t2 left join t1 on a=x order by y
select * from t2 left join t1 on b=x*10 and c='two'
select a, y from t1 left join (select * from t2 where x>1) on a=x
select a, y from t1 left join (select x, max(y) y from t2 group by x) on a=x
select a, (select y from t2 where x=a limit 1) yy from t1 where yy is not null
