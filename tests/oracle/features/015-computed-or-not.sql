-- what is computed and what is not: abs() of the least integer fails
.each
create table t(a,b)
insert into t values(1,2),(-9223372036854775808,3),(0,0)
select 0 and abs(-9223372036854775808)
select 1 or abs(-9223372036854775808)
select a=0 and abs(a) from t
select a<0 or abs(a) from t
select a from t where a>=0 and abs(a)>=0
select a from t where abs(a)>=0 and a>=0
select a from t where a<0 or abs(a)>=0
select a>=0 and abs(a)>=0 from t
select b=2 and abs(a)>=0 from t
select case when a<0 then 1 else abs(a) end from t
select iif(a<0,1,abs(a)) from t
select coalesce(b,abs(a)) from t
select sum(abs(a)) filter (where a>=0) from t
select count(abs(a)) filter (where a>=0) from t
select sum(abs(a)) filter (where a>=0) over () from t
select group_concat(abs(a)) filter (where a>=0) from t group by b
select (1,2) in ((2,abs(a))) from t
select 5 between 6 and abs(a) from t
select 5 in (5,abs(a)) from t
select abs(a) from t limit 1
select abs(a) from t limit 1 offset 2
select abs(a) from t order by b limit 1 offset 2
select b from t where b<3 and abs(a)>0
select nullif(1,1) and abs(a) from t
select exists(select abs(a) from t)
select b from t where exists(select abs(t.a))
select b from t where b in (select abs(a) from t t2 where a>=0)
select count(*) from (select abs(a) x from t)
select b from (select abs(a) x, b from t)
select b from (select distinct abs(a) x, b from t)
select a from t group by a having a>=0 and abs(a)>=0
select max(b) from t having max(b)>5 and abs(min(a))
select t.b from t join t u on t.a>=0 and abs(t.a)=u.a
select 1 from t left join t u on 0 and abs(u.a)
select case a when 1 then 1 when abs(a) then 2 end from t
select a from t where not(a<0) and abs(a)>=0
select a from t where (a<0 or 1) and 0 and abs(a)
select a from t where 0 and abs(a)
select 0 and abs(a) from t
select null and abs(a) from t
select 0 and (select abs(a) from t)
select 1 or (select abs(-9223372036854775808))
