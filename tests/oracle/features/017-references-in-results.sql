-- references to a recursive table in its own subqueries, and stars over tables of one name
.each
create table u(c)
with recursive q(x,y) as (select 1, 2 union all select x+1,(select y from q) from q where x<3) select x,y from q
with recursive q(x,y) as (select 1, 2 union all select x+1,(select y from q) from q where x<3) select x from q
with recursive q(x) as (select 1 union all select (select x from q) from u) select x from q
with recursive q(x) as (select 1 union all select x+1 from q where x<3 and exists(select 1 from q)) select x from q
with recursive q(x) as (select 1 union all select x+1 from q where x in (select x from q)) select x from q
with recursive q(x) as (select 1 union all select x+1 from q, q) select x from q
with recursive q(x) as (select 1 union all select x from (select x+1 x from q) where x<4) select x from q
with recursive q(x) as (select 1 union all select x+1 from q group by x) select x from q
with recursive q(x) as (select 1 union all select distinct x+1 from q where x<3) select x from q
with recursive q(x) as (select 1 union all select sum(x) from q where x<3) select x from q
with recursive q(x) as (select 1 union all select row_number() over () from q where x<3) select x from q
with recursive q(x) as (select 1 union select x+1 from q where x<3 union all select x+10 from q where x<3) select x from q
with recursive q(x) as (select 1 intersect select x from q) select x from q
with recursive q(x) as (select x from q union all select 1) select x from q
with recursive q(x) as (select 1 union all select q1.x+1 from q q1 left join u on u.c=q1.x where q1.x<3) select x from q
with recursive q(x) as (select 1 union all select q.x+1 from u left join q on 1) select x from q
with recursive q(x) as (with r as (select * from q) select 1 union all select x+1 from r where x<3) select x from q
with recursive q(x) as (select 1 union all select x+1 from (with r as (select * from q) select * from r) where x<3) select x from q
with recursive a(x) as (select 1 union all select x+1 from b where x<3), b(x) as (select x from a) select * from a
with recursive a(x) as (select 1 union all select x+1 from a where x<3), b(x) as (select x from a union all select x+10 from b where x<20) select * from b
select * from t join t using(a)
create table t(a,b)
select * from t join t using(a)
select * from t natural join t
select * from t left join t using(a)
select * from t join t using(a,b)
select * from t x join t using(a)
select * from t join u join t using(a)
select * from t, t join u
select * from t join t on 1
select t.* from t join t using(a)
select a from t join t using(a)
select b from t join t using(a)
select * from (t join t using(a))
select * from temp.t join t using(a)
create temp table t(a,b)
select * from temp.t join t using(a)
select * from temp.t join main.t using(a)
select t.* from temp.t join main.t using(a)
select * from t join main.t
