-- Access paths: equalities, ranges, IN, OR, partial and expression indexes, WITHOUT ROWID.
create table a1(k integer primary key, p int, q int, r text)
create index a1p on a1(p)
create index a1qr on a1(q, r desc)
create unique index a1u on a1(r)
insert into a1 values(1,5,1,'a'),(2,5,2,'b'),(3,6,1,'c'),(4,7,null,'d'),(5,null,2,'e'),(6,6,3,'f')
create table b1(k int, p int, s text, primary key(k,p))
insert into b1 values(1,1,'x'),(2,5,'y'),(3,6,'z'),(5,5,'w'),(6,7,'v')
create table c1(x)
insert into c1 values(1),(2),(5),(6),(null)
create index pidx on a1(p) where q>1
create index eidx on a1(p+q)
create table w1(m int, n text, o int, primary key(m,n)) without rowid
insert into w1 values(1,'b',10),(1,'a',20),(2,'c',30),(3,'a',10)
create index w1o on w1(o)
select * from a1 where p=5
select k from a1 where p=5 and q=2
select k from a1 where p>5 order by p desc
select k from a1 where p>5 and p<7
select k from a1 where p between 5 and 6 order by p
select p from a1 order by p desc
select p, k from a1 order by p, k desc
select q, r from a1 order by q, r desc
select q, r from a1 order by q desc, r
select q, r from a1 order by q, r
select q, r from a1 where q=1 order by r
select q, r from a1 where q=1 and r>'a' order by r
select q, r from a1 where q=1 and r<'c'
select q, r from a1 where q in (1,2) order by q, r
select q, r from a1 where q in (2,1) and r>'a'
select * from a1 where r='c'
select * from a1 where r in ('a','f','zz')
select k from a1 where p is null
select k from a1 where p=5 or q=1
select k from a1 where p=5 or r='f' or k=4
select k from a1 where (p=5 and q=1) or (p=6 and q=3)
select k from a1 where p=5 or p=7
select k from a1 where p+q=7
select k from a1 where p+q>7 order by p+q
select k from a1 where q>1 and p=5
select k from a1 where q>1 order by p
select a1.k, b1.s from a1, b1 where a1.k=b1.k
select a1.k, b1.s from a1, b1 where a1.p=b1.p
select a1.k, b1.s from a1, b1 where a1.p=b1.p and a1.k=b1.k
select a1.k, b1.s from a1 left join b1 on a1.p=b1.p and b1.k>2
select a1.k, b1.s, x from a1, b1, c1 where a1.k=b1.k and b1.p=x
select a1.k, b1.s, x from c1, b1, a1 where a1.k=b1.k and b1.p=x and a1.p>5
select * from w1 where m=1
select * from w1 where o=10
select * from w1 where m=1 and n='a'
select n from w1 where m>1 order by m desc
select o from w1 order by o
select o, m from w1 where o>=10 order by o desc
select w1.*, c1.x from w1 join c1 on m=x
select c1.x, w1.n from c1 left join w1 on m=x order by 1,2
select min(p), max(p) from a1
select min(p) from a1
select max(r) from a1
select min(k) from a1 where p=5
select count(*) from a1 where p=5
select count(p) from a1
select p, count(*) from a1 group by p
select p, sum(k) from a1 group by p order by p desc
select q, r, count(*) from a1 group by q, r
select r, q, count(*) from a1 group by r, q
select distinct p from a1
select distinct q, r from a1
select k from a1 where p in (select p from b1)
select k from a1 where exists(select 1 from b1 where b1.k=a1.k and b1.p=a1.p)
select k, (select s from b1 where b1.k=a1.k) from a1
select * from a1 where k in (select k from b1 where p=a1.p)
select a.k, b.k from a1 a join a1 b on a.p=b.p and a.k<b.k
select a.k, b.k from a1 a join a1 b on a.q=b.q where a.k<>b.k
select a.k, b.k, c.k from a1 a, a1 b, a1 c where a.p=b.p and b.q=c.q and a.k=1
select k from a1 where p='5'
select k from a1 where p=5.0
select k from a1 where r=5
select k from a1 where p>'x'
select k from a1 where k>2 and k<5
select k from a1 where k>=2.5
select k from a1 where k<'abc' limit 2
select k from a1 where k=2 and p=5
select k from a1 where k in (1,2,3) and p=5
select k from a1 where r like 'c%'
select k from a1 where r glob 'c*'
select k from a1 indexed by a1p where p>5
select k from a1 indexed by a1p
select k from a1 not indexed where p=5
select k from a1 where p=5 order by k desc
select k from a1 where p=5 order by q
select k from a1 order by p limit 3
select k from a1 order by q, p limit 3 offset 1
select k from a1 order by p+q
select * from (select k, p from a1 where p>5) where k<5
select * from (select p, count(*) c from a1 group by p) where p=5
select x from c1 where x in (select k from a1 where p=5) order by x desc
select x, p from c1 left join a1 on k=x
select x, p from c1 left join a1 on k=x where p is null
select x, p from c1 left join a1 on p=x
select x, p, s from c1 left join a1 on a1.k=x left join b1 on b1.k=a1.k and b1.p=a1.p
select * from c1 full join b1 on x=p
select * from b1 right join c1 on x=p order by x
select sum(x) from c1 where x < (select avg(x) from c1)
select k from a1 where p > (select min(p) from a1) order by p, k
select k from a1 where p=(select p from b1 where s='z')
select k from a1 a where p=(select max(p) from a1 b where b.q=a.q)
