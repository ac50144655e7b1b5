-- plans that are SQLite's own: joins of every kind, subqueries, compounds, views, co-routines
.each
create table t1(a integer primary key,b,c,d text)
create table t2(x,y,z)
create table t3(p unique,q,r)
create table w(k primary key,v,u) without rowid
create index t1b on t1(b)
create index t1cd on t1(c,d)
create index t2x on t2(x)
create index t2yz on t2(y,z)
create index t3q on t3(q) where r>5
create index t3e on t3(lower(r))
create view v1 as select a,b from t1 where c>1
create view v2 as select b,count(*) as n from t1 group by b
create view v3 as select a,b from t1 union all select x,y from t2
create view v4 as select a,b from t1 union select x,y from t2
explain query plan select * from v3
explain query plan select a from v3 where b=1
explain query plan select * from v3, t1 where t1.a=v3.a
explain query plan select * from t1 left join v3 on t1.a=v3.a
explain query plan select * from (select a from t1 union all select x from t2 union all select p from t3)
explain query plan select * from (select a from t1 union all select x from t2) limit 3
explain query plan select a from t1 union all select x from t2
explain query plan with q as (select a from t1 union all select x from t2) select * from q
explain query plan select * from t2 full join w on t2.x=w.v
explain query plan select * from t2 left join t1 on t2.x=t1.b full join w on t2.x=w.v
explain query plan select * from t1 right join v2 on v2.b=t1.a
explain query plan select v2.b as c0,count(*) as c1 from v2 where v2.n between 1 and 5 group by v2.b
explain query plan select t2.x as c0,count(*) as c1 from t2 where (t2.z=1 or t2.x=2) group by t2.x
explain query plan select v2.n as c0 from v2 where v2.n in (1,2,3)
explain query plan select w.u as c0,count(*) as c1 from w where w.u between 1 and 5 group by w.u limit 3
explain query plan select t3.p as c0,v1.a as c1 from t3,v1 where v1.a=1
explain query plan select distinct t3.q,t3.q as c1 from t3
explain query plan select v1.a as c0,v1.a as c1 from v1, (select w.v as c0,w.u as c1,w.u as c2 from w where w.k=(select max(z) from t2) and w.v=(select max(z) from t2)) as s where v1.b is null and v1.b=1
explain query plan select w.k as c0 from t1,w where w.v=(select q from t3 where p=w.v) and w.v>2 and (t1.a,t1.d)=(1,2) order by w.k desc
explain query plan select t2.x as c0,t2.y as c1,t2.z as c2 from t2 where t2.y like 'a%' order by t2.y
explain query plan select w.k as c0,w.k as c1,w.k as c2 from w where w.k between 1 and 5 and w.u between 1 and 5 order by w.k
explain query plan select distinct t3.r,t3.p as c1,t3.q as c2 from t3 order by t3.q
explain query plan select t3.r as c0,count(*) as c1 from t3 where t3.p in (1,2,3) group by t3.r
explain query plan select count(*) as c0,max(t3.q) as c1 from t3 where t3.q>2 order by t3.p
explain query plan select t2.z as c0,t2.z as c1 from t2 order by t2.y
explain query plan select count(*) as c0,max(t3.p) as c1 from t3 where t3.r=(select q from t3 where p=t3.p) and t3.r>2 and t3.p in (select t2.y from t2)
explain query plan select v1.b as c0,count(*) as c1 from v1 where v1.b like 'a%' and v1.a=(select max(z) from t2) and v1.b is null group by v1.b
explain query plan select distinct v1.b,t2.x as c1 from t2 full join v1 on t2.y=v1.a order by v1.b desc,v1.a limit 3
explain query plan select w.k as c0,w.u as c1 from t1,w where w.u=(select max(z) from t2) and w.u=t1.a and w.k=t1.c
explain query plan select v2.b as c0 from v2 join w on v2.n=w.k where (w.u,w.u)=(1,2) order by v2.n desc
explain query plan select w.u as c0,w.v as c1 from w where w.k in (select t2.z from t2)
explain query plan select w.v as c0,w.u as c1,w.k as c2 from w where (w.v=1 or w.u=2)
explain query plan select t2.x as c0,count(*) as c1 from t2 group by t2.x
explain query plan select t1.c as c0,v2.n as c1 from v2 left join t1 on v2.b=t1.b where not exists(select 1 from t3 where p=v2.n)
explain query plan select distinct v1.a,v2.b as c1,v2.b as c2 from v2,v1 where v2.n=v1.a
explain query plan select t3.r as c0,count(*) as c1 from t3 where t3.q>2 group by t3.r
explain query plan select v2.n as c0,count(*) as c1 from v2 where v2.b=(select q from t3 where p=v2.b) and not exists(select 1 from t3 where p=v2.n) and v2.b like 'a%' group by v2.n
explain query plan select v1.a as c0,v1.a as c1,(select count(*) from t2 where t2.x=v1.a) as c2 from v1 where (v1.b,v1.b)=(1,2) and v1.a=1 order by v1.b limit 3
explain query plan select v1.b as c0,v1.a as c1,(select count(*) from t2 where t2.x=v1.b) as c2 from v1 where (v1.a=1 or v1.b=2)
explain query plan select t1.b as c0,t1.b as c1 from t1 where t1.d=(select max(z) from t2)
explain query plan select t1.a as c0,t1.b as c1 from t1 limit 3
explain query plan select t2.x as c0 from t2 order by t2.z,t2.y
explain query plan select v3.a as c0,v3.b as c1,v3.a as c2 from v3 order by v3.a desc,v3.b desc
explain query plan select t2.y as c0,w.u as c1,w.v as c2 from t2,w where w.u=t2.x
explain query plan select distinct t3.p,t1.a as c1 from t1 join t3 on t1.b=t3.q where t3.r in (1,2,3)
explain query plan select count(*) as c0,max(t3.p) as c1 from t3 where t3.r=(select q from t3 where p=t3.q) order by t3.p
explain query plan select w.v as c0,(select count(*) from t2 where t2.x=w.v) as c1 from w order by w.u
explain query plan select w.k as c0,w.k as c1 from w where w.k=1 and w.u>2 and w.u>2
explain query plan select t1.d as c0,(select count(*) from t2 where t2.x=t1.b) as c1 from t1 where t1.c between 1 and 5 and t1.a is null and t1.d=(select q from t3 where p=t1.d)
explain query plan select t3.r as c0,t3.p as c1,t3.r as c2 from t3 order by t3.r desc,t3.r desc
explain query plan select t2.y as c0,t2.z as c1 from t2 order by t2.x,t2.z desc
explain query plan select v1.b as c0,v1.a as c1 from t2 left join v1 on t2.y=v1.a, (select t2.y as c0,(select count(*) from t2 where t2.x=t2.y) as c1 from t2 where t2.y=1) as s
explain query plan select w.k as c0,w.v as c1 from w where w.k in (select t2.y from t2) order by w.v
explain query plan select t2.y as c0,t3.p as c1,t2.x as c2 from t3 left join t2 on t3.r=t2.x order by t3.r desc
explain query plan select t2.x as c0,t2.x as c1,t2.x as c2 from t2 where t2.z=(select q from t3 where p=t2.z) and t2.z in (1,2,3)
explain query plan select t1.d as c0 from t3 left join t1 on t3.r=t1.a where t1.a=(select q from t3 where p=t1.b) order by t1.b
explain query plan select t3.p as c0 from t3 where t3.p>2
explain query plan select t1.a as c0,count(*) as c1 from t1 where t1.c>2 group by t1.a
explain query plan select t2.x as c0,t2.x as c1 from t2 where (t2.x,t2.y)=(1,2) order by t2.x
explain query plan select t3.q as c0,t3.p as c1,t3.r as c2,(select count(*) from t2 where t2.x=t3.q) as c3 from t3
explain query plan select t3.r as c0 from t3,t2, (select t2.z as c0,t2.z as c1 from t2 where t2.x in (1,2,3) and t2.x like 'a%') as s
explain query plan select t1.d as c0,count(*) as c1 from t1,v2 where v2.n=t1.b group by t1.d
explain query plan select count(*) as c0,max(t2.x) as c1 from t2 where t2.y=1 order by t2.x,t2.z
explain query plan select v2.b as c0,v2.b as c1,(select count(*) from t2 where t2.x=v2.n) as c2 from v2
explain query plan select t3.r as c0,t3.q as c1,t3.q as c2 from t3 where t3.p is null order by t3.q desc
explain query plan select t1.d as c0,count(*) as c1 from t1 where (t1.d=1 or t1.d=2) and not exists(select 1 from t3 where p=t1.d) group by t1.d
explain query plan select count(*) as c0,max(t3.p) as c1 from t3 where t3.p in (select t2.x from t2)
explain query plan select t2.z as c0 from t2,t1, (select t2.z as c0 from t2 where t2.y like 'a%') as s where not exists(select 1 from t3 where p=t1.a) and t1.c is null
explain query plan select w.v as c0,count(*) as c1 from w where w.k=(select q from t3 where p=w.k) and not exists(select 1 from t3 where p=w.v) and not exists(select 1 from t3 where p=w.k) group by w.v
explain query plan select t2.z as c0,t2.y as c1 from t2 where not exists(select 1 from t3 where p=t2.z)
explain query plan select t2.y as c0,t1.c as c1,t1.d as c2 from t2 left join t1 on t2.y=t1.c where t1.c=t2.z order by t2.x
explain query plan select v3.b as c0,t2.y as c1 from v3,t2 where v3.b=(select q from t3 where p=v3.a)
explain query plan select v3.a as c0,v3.a as c1,v3.a as c2 from v3 where v3.a in (1,2,3) order by v3.b desc
explain query plan select v2.b as c0 from v2 order by v2.b,v2.b
explain query plan select v1.b as c0 from v1 where v1.a>2 and v1.a is null and not exists(select 1 from t3 where p=v1.b) limit 3
explain query plan select t3.p as c0 from t3
explain query plan select v1.a as c0,count(*) as c1 from v1 where (v1.a,v1.b)=(1,2) and v1.b=1 and v1.a>2 group by v1.a limit 3
explain query plan select t1.a as c0,t1.a as c1 from t1 where t1.b>2
explain query plan select w.u as c0,w.v as c1 from w join t3 on w.k=t3.r where (t3.q,t3.p)=(1,2)
explain query plan select v1.a as c0,v1.a as c1 from v1 where v1.a between 1 and 5
explain query plan select v2.n as c0 from v2 where not exists(select 1 from t3 where p=v2.b) order by v2.b limit 3
explain query plan select t3.q as c0,t3.p as c1 from t1,t2 left join t3 on t1.c=t3.r where (t2.y=1 or t2.x=2) and t1.a=t3.p and t2.x between 1 and 5 order by t3.p desc
explain query plan select t3.p as c0,count(*) as c1 from t3 where t3.q=(select max(z) from t2) group by t3.p
explain query plan select t3.q as c0,t3.p as c1,t3.p as c2 from t3 where t3.p in (select t2.z from t2)
explain query plan select w.v as c0,v2.n as c1,v2.b as c2 from v2 left join w on v2.n=w.k join v1 on v2.b=v1.a
explain query plan select t2.x as c0,t2.x as c1 from t2 where not exists(select 1 from t3 where p=t2.y) and t2.x between 1 and 5
explain query plan select w.u as c0,w.v as c1,w.k as c2 from w order by w.v,w.u desc
explain query plan select t3.r as c0 from w left join t3 on w.u=t3.r where t3.p=(select q from t3 where p=t3.p) order by t3.p
explain query plan select t1.a as c0,t1.c as c1,t1.d as c2 from t1 where t1.a between 1 and 5 and t1.d like 'a%' and t1.b=(select q from t3 where p=t1.a)
explain query plan select t3.r as c0,count(*) as c1 from t3 where t3.q>2 and (t3.p,t3.q)=(1,2) group by t3.r
explain query plan select v3.a as c0,v3.b as c1 from v3 where v3.a is null and v3.a=(select q from t3 where p=v3.b)
explain query plan select count(*) as c0,max(v2.n) as c1 from v2 where v2.b=(select q from t3 where p=v2.b) and v2.n>2
explain query plan select v3.a as c0,v3.b as c1 from v3 where v3.a=(select q from t3 where p=v3.b) order by v3.b,v3.a
explain query plan select v3.a as c0,(select count(*) from t2 where t2.x=v3.b) as c1 from v3 where (v3.b,v3.a)=(1,2)
explain query plan select t2.z as c0,v1.a as c1,t2.y as c2 from v1 join t2 on v1.a=t2.y
explain query plan select t1.d as c0,t1.a as c1,t1.b as c2,row_number() over (order by t1.d) as c3 from t1 where t1.b=(select max(z) from t2)
explain query plan select distinct w.v,w.k as c1 from w where not exists(select 1 from t3 where p=w.v)
explain query plan select t1.d as c0,count(*) as c1 from t1 group by t1.d limit 3
explain query plan select t1.d as c0,t1.d as c1 from t1 where not exists(select 1 from t3 where p=t1.a) and t1.b=(select max(z) from t2) order by t1.d,t1.b desc
explain query plan select distinct v2.b from v2 where not exists(select 1 from t3 where p=v2.b)
explain query plan select w.k as c0,w.v as c1,(select count(*) from t2 where t2.x=w.k) as c2 from w
explain query plan select distinct v1.a,w.k as c1 from v1,w where v1.a in (1,2,3) and (w.v,w.v)=(1,2) and v1.a in (1,2,3)
explain query plan select v3.a as c0,v3.b as c1,(select count(*) from t2 where t2.x=v3.b) as c2 from v3 limit 3
explain query plan select count(*) as c0,max(t1.a) as c1 from t1 where t1.c=(select max(z) from t2)
explain query plan select v1.a as c0,v1.a as c1 from t3,v1 where v1.b is null
explain query plan select count(*) as c0,max(v1.a) as c1 from v1
explain query plan select distinct t3.p,v1.b as c1 from t3 join v1 on t3.q=v1.a where v1.b is null
explain query plan select t1.b as c0,t2.z as c1 from t2 left join t1 on t2.x=t1.a where t1.d like 'a%' and t1.a=(select q from t3 where p=t1.d) order by t2.x desc,t2.x
explain query plan select t2.y as c0 from t2 where t2.y in (1,2,3)
explain query plan select t1.d as c0 from t2,t1 where t1.b=t2.z
explain query plan select t1.b as c0,count(*) as c1 from t2 left join t1 on t2.x=t1.a where t1.b in (1,2,3) group by t1.b
explain query plan select v1.b as c0,count(*) as c1 from v1 where v1.b=(select max(z) from t2) and v1.b in (1,2,3) and (v1.b=1 or v1.a=2) group by v1.b
explain query plan select t3.r as c0,t3.q as c1,v1.b as c2 from v1,t3,t2 where v1.a like 'a%' order by v1.b desc
explain query plan select v1.a as c0,v1.a as c1 from v1 where v1.a is null and v1.b=(select max(z) from t2) and v1.b=(select max(z) from t2) order by v1.a
explain query plan select v1.b as c0,count(*) as c1 from v1 where v1.b=(select q from t3 where p=v1.a) and (v1.a=1 or v1.a=2) and (v1.a=1 or v1.a=2) group by v1.b
explain query plan select t2.x as c0 from t2 where t2.z=1
explain query plan select v3.b as c0,v3.a as c1,v3.b as c2 from t1,v3
explain query plan select v1.b as c0,v1.a as c1,(select count(*) from t2 where t2.x=v1.a) as c2 from v1 where v1.b between 1 and 5
explain query plan select v3.b as c0,v3.b as c1 from v3 where v3.b=1 order by v3.a desc,v3.b
explain query plan select t3.r as c0 from t3 where (t3.r=1 or t3.p=2) order by t3.p
explain query plan select t1.a as c0,t1.c as c1,row_number() over (order by t1.c) as c2 from t1 where (t1.a,t1.c)=(1,2) order by t1.a desc,t1.a desc
explain query plan select t3.p as c0,(select count(*) from t2 where t2.x=t3.q) as c1 from t3 order by t3.q,t3.q desc
explain query plan select w.k as c0,w.v as c1,w.k as c2,row_number() over (order by w.v) as c3 from w order by w.v,w.v desc
explain query plan select v3.a as c0,v3.b as c1,t1.b as c2 from w left join t1 on w.k=t1.a,v3
explain query plan select v1.b as c0,v1.a as c1 from v1
explain query plan select t1.c,t1.b from t1 union all select t2.x,t2.x from t2
explain query plan select t1.c,t1.a from t1 union all select t2.x,t2.x from t2 union all select p,q from t3
explain query plan select t1.b,t1.b from t1 union all select t2.x,t2.x from t2 union all select p,q from t3
explain query plan select t1.c,t1.b from t1 union all select t2.y,t2.y from t2 union all select p,q from t3
explain query plan select t1.c,t1.b from t1 union all select t2.y,t2.y from t2
explain query plan select t1.c,t1.d from t1 union all select t2.z,t2.x from t2
explain query plan select t1.a,t1.b from t1 intersect select t2.z,t2.y from t2 order by 2
explain query plan select t1.b,t1.d from t1 union all select t2.x,t2.z from t2
explain query plan select t1.c,t1.d from t1 union all select t2.x,t2.x from t2
