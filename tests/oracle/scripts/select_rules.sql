-- Recursion, outer aggregates, precedence, row values, and the messages of what is refused.
create table t1(a integer primary key, b int, c text, d real)
insert into t1 values(1,10,'one',1.5),(2,20,'two',2.5),(3,20,'three',null),(4,null,'four',4.5),(5,30,'ONE',-1)
create table t2(x int, y text collate nocase, z)
insert into t2 values(1,'One','1'),(2,'TWO',2),(2,'two',2.0),(7,'seven',null),(null,'nil',x'00')
select (select max(t1.a) from t2 limit 1) from t1
select (select sum(t1.a + x) from t2) from t1
select a, (select count(*) from t2 where x = t1.a and exists (select 1 from t1 q where q.b = t1.b and q.a <> t1.a)) from t1
select a from t1 where b = (select b from t1 q where q.a = t1.a + 1)
select * from (select a, b from t1 where a > 1) p join (select x from t2) q on p.a = q.x join t1 r using (a)
select p.a, q.b, r.c from t1 p join t1 q using (a) join t1 r using (a)
select a, b, c, d from t1 natural join (select a, 5 as e from t1) natural join (select a, 6 as f from t1)
select * from t1 p left join t1 q using (a, b)
select p.a from t1 p join t2 using (zz)
with c(n) as (select 1 union all select 2) select p.n, q.n from c p, c q
with a(x) as (select 1), b(x) as (select x + 1 from a), c(x) as (select x + 1 from b) select a.x, b.x, c.x from a, b, c
with recursive r(i, s) as (select 1, 'a' union all select i + 1, s || 'b' from r where i < 4) select * from r order by i desc
with recursive r(i) as (select 1 union all select i + 1 from r where i < 100000) select count(*), max(i) from r
with recursive p(a, b) as (select 1, 2 union select b, a from p) select * from p
with recursive r(i) as (select 1 union all select i * 2 from r where i < 50 union all select i * 3 from r where i < 50) select i, count(*) from r group by i
with recursive r(i) as (select 1 union all select i + 1 from r limit 3 offset 2) select i from r
with recursive r(i) as (select 1 intersect select i + 1 from r) select * from r
with recursive r(i) as (select i from r union all select 1) select * from r
with recursive r(i) as (select 1 union all select max(i) from r) select * from r limit 3
with recursive r(i) as (select 1 union all select r1.i + 1 from r r1, r r2) select * from r limit 3
select 1 as a, 2 as a
select a.a from (select 1 as a, 2 as a) a
select * from (select 1 as a, 2 as a)
select "a:1" from (select 1 as a, 2 as a)
select t1.rowid from t1 join t2 on t1.rowid = t2.rowid
select count(*) from t1 where a in (select a from t1 where b in (select b from t1 where c in ('one', 'two')))
select b, count(*) filter (where a > 1) as n, group_concat(c order by c desc) from t1 group by b having n > 0 order by n, b
select b, sum(a) over (order by b), sum(sum(a)) over (order by b) from t1 group by b
select a, sum(b) over (order by a rows between 2 preceding and 1 preceding) s from t1 order by s desc, a
select c, lag(c, 1, 'none') over w, lead(c) over w, first_value(c) over w, row_number() over w from t1 window w as (order by c)
select a, max(b) over (partition by c collate nocase order by a) from t1
select count(*) over (), a from t1 where a > 2
select a, rank() over (order by b desc nulls last) r from t1 where a <> 3 order by r, a
select distinct b, count(*) over (partition by b) from t1 order by 1
select a, (select sum(x) over () from t2 limit 1) from t1 limit 2
select sum(a) over (order by b range between unbounded preceding and current row exclude ties) from t1
select a, sum(a) over (order by a desc) from t1 limit 3
select min(a), max(a), sum(a), count(*) from t1 where a > 100
select a, b from t1 group by b order by a desc
select a % 2 as k, sum(b) from t1 group by k having k = 1
select sum(b) as b from t1 group by a % 2 order by b
select b from t1 group by a order by b
select count(*), count(b), a from t1 group by a > 2
select c from t1 where c in ('one', 'two') collate nocase
select c from t1 where (c collate nocase) in ('one', 'two')
select x, y from t2 where (x, y) = (2, 'two')
select x, y from t2 where (y, x) > ('p', 1) order by x
select x from t2 where (x, y) in (select a, c from t1)
select (1, 2) in (select 1, 2), (1, 3) in (values (1, 2), (1, 3)), (1, 2) not in ((1, 2), (3, 4))
select (select a, b from t1 where a = 2) = (2, 20), (2, 20) > (select a, b from t1 where a = 1)
select case (select 2) when 1 then 'x' when 2 then 'y' end
select case when a = 1 then 'p' when a = 2 then null end, case a when 3 then b end from t1
select a, b from t1 where case when b > 15 then a else 0 end > 2
select not a = 1, not (a = 1 and b = 10), - - a, + a, a -1, a * -1 from t1 where a < 3
select a || b || c, a || null, 1 || 2 + 3 from t1 where a = 1
select 1 + 2 * 3 - 4 / 2 % 3, 7 & 3 | 8, 1 << 2 + 1, 2 * 3 || 4
select a between 1 and 2 and b > 5, a not between 1 and 2 or b > 5 from t1
select null is null, null is not null, 1 isnull, 1 notnull, null = null, null <> 1, not null is null
select 'a' like 'A', 'a' glob 'A', 'abc' like 'a_c', 'a' like null, like('a', 'b'), 5 like 5, x'61' like 'a'
select 1 in (1, null), 2 in (1, null), null in (1), null in (), 2 not in (1, null)
select cast(' 12 ' as int), cast('1.5e2x' as real), cast('abc' as numeric), cast(x'3132' as int), cast(12345678901234567890 as int)
select typeof(1 / 2), typeof(1.0 / 2), 5 / 0, 5 % 0, 5.5 % 2, -7 / 2, -7 % 2, 1e400, -1e400
select 9223372036854775807 + 0, 9223372036854775808, -9223372036854775808, 0x7fffffffffffffff, 0xffffffffffffffff
select 1 < 'a', 'a' < x'61', null < 1, 1 < 2.5, 2 = 2.0, '2' = 2, 2 = '2', '2.0' = 2.0
select a = '1', a = '1.0', a = ' 1', c = 1, b > '9', d = '1.5' from t1 where a = 1
select z = '2', z = 2, z > 1, z < 'a', z is null from t2
select x = y, x < y, y = z from t2
select t1.a from t1, t2 where t1.b = t2.x * 10 and t2.y = 'two' order by 1
select * from t1 where a = 1 and a = 2
select * from t1 where b = 20 and b = 20 and a > 2
select * from t1 where a = 1 or 1 = 0
select * from t1 where 1 = 0
select count(*) from t1 where 1
select count(*) from t1, t2 where 0
select * from t1 left join t2 on 0 where a = 1
select sum(a) from t1 left join t2 on a = x where y like 't%'
select t1.a, q.n from t1 left join (select x, count(*) n from t2 group by x) q on q.x = t1.a order by t1.a
select t1.a, q.k from t1 left join (select x, 'const' as k from t2) q on q.x = t1.a order by t1.a, q.k
select t1.a, q.k from t1 left join (select x, coalesce(z, 'nul') as k from t2 where x > 1) q on q.x = t1.a order by t1.a, q.k
select t1.a, max(q.k) from t1 left join (select x, 'const' as k from t2) q on q.x = t1.a group by t1.a
select t1.a, q.k is null from t1 left join (select x, 'const' as k from t2) q on q.x = t1.a where q.k is null
select a from t1 union select b from t1 union select x from t2 order by 1 limit 3
select a, c from t1 where a < 3 union all select x, y from t2 where x < 3 order by 2 collate nocase, 1
select a from t1 except select a from t1 where a > 2 union all select 99 order by 1
select c from t1 intersect select y collate binary from t2
select y from t2 intersect select c from t1
select upper(c) u from t1 union select upper(y) from t2 order by u
select * from (select a from t1 union select x from t2) order by a desc limit 2
select count(*) from (select a from t1 union all select x from t2 limit 4)
select a, (select group_concat(y) from (select y from t2 where x <= a order by y)) from t1 where a < 4
select exists (select 1 from t2 where x = 100), exists (select null), not exists (select 1 where 0)
select a from t1 order by exists (select 1 from t2 where x = a) desc, a desc
select a from t1 order by case when a = 3 then 0 else a end
select a from t1 order by b is null, b desc, a
select a, b from t1 order by 2 desc nulls last, 1 desc limit 3
select a as aa from t1 order by aa + 0 desc
select a from t1 order by t1.a desc
select b c, c b from t1 order by c, b
select c from t1 order by lower(c), c
select a from t1 order by nope
select a from t1 group by nope
select a from t1 having a > 1
select count(*) from t1 where nope(a)
select a from t1 where a = (select 1, 2)
select a from t1 where a in (select 1, 2)
select * from t1 join t1
select a from t1 join t1 q
select q.a from t1 join t1 q on q.nope = 1
select * from nope.t1
select * from t1 limit a
select * from t1 limit 1 offset 'x'
select abs(a, b) from t1
select count(distinct a, b) from t1
select count(distinct *) from t1
select max(*) from t1
select group_concat() from t1
select sum(a) filter (where sum(a) > 1) from t1
select lag(a) from t1
select row_number() over (order by sum(a)) from t1
select a, row_number() over (order by a) as r from t1 where r = 1
select (a, b) from t1
select a + (1, 2) from t1
select * from t1 where (a, b) = 1
select * from t1 where (a, b) = (1, 2, 3)
select ntile(0) over () from t1
select nth_value(a, 0) over () from t1
select a from (t1)
select a from (t1 as q) where q.a = 1
select * from (select 1) as a, (select 2) as b
select (select (select (select a))) from t1 where a < 3
values (1, 2), (3)
values ((select max(a) from t1)), (7)
select * from (values (1, 'x'), (2, 'y')) as v join t1 on t1.a = v.column1
select a, "b", [c], `d` from t1 where "a" = 1
select 'a' "x y", 1 [z w]
select 'single' 'alias'
select a'alias' from t1 limit 1
select t1.* , t2.x from t1, t2 where a = 1 and x = 1
select *, a, * from t1 where a = 1
select count(), count(*) from t1
select t1.a + t2.x as s from t1, t2 where s > 8 order by s
select max(a, b), min(a, 3), max(c) from t1 group by a having max(a, b) > 15
select total(b), avg(b), sum(d), count(d), group_concat(b, ';') from t1
select sum(c), avg(c), min(c), max(c) from t1
select quote(sum(1.5)), quote(sum(1)), quote(sum(null)), quote(total(null)), quote(avg(null)) from t1
select hex(c), length(c), substr(c, 2), instr(c, 'e') from t1 order by length(c), c
