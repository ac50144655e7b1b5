-- aggregates of an outer SELECT in HAVING
.each
create table t(a,b)
create table s(x,y)
insert into t values(1,2),(1,3),(2,5)
insert into s values(1,2),(5,6)
select a from t group by a having exists(select 1 from s where x=count(*))
select a from t group by a having exists(select 1 from s where y=max(t.b)+max(x)) 
select a from t group by a having exists(select count(*) from s where x=max(b))
select a from t group by a having exists(select max(b) from s)
select a, (select max(b) from s) from t group by a
select a, (select max(b)+max(x) from s) from t group by a
select a, exists(select max(b) from s having max(b)>3) from t group by a
select a, exists(select 1 from s having max(b)>3) from t group by a
select a from t group by a having (select max(b))>3
select a from t group by a having exists(select max(b) limit 0)
select count(*) from t having exists(select 1 from s where x=count(t.a))
select count(*) from t where exists(select count(t.a) from s)
select (select count(t.a) from s) from t
select (select count(a) from s having count(a)>1) from t
select a from t where exists(select max(b))
select a from t group by a having exists(select sum(x) from s group by max(b))
select a from t group by a having exists(select sum(x) from s order by max(b))
