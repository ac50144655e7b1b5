-- what lang_expr.html and datatype3.html say
.each
create table t1(t text, nu numeric, i integer, r real, no blob)
insert into t1 values('500.0','500.0','500.0','500.0','500.0')
select typeof(t),typeof(nu),typeof(i),typeof(r),typeof(no) from t1
delete from t1
insert into t1 values(500.0,500.0,500.0,500.0,500.0)
select typeof(t),typeof(nu),typeof(i),typeof(r),typeof(no) from t1
delete from t1
insert into t1 values(500,500,500,500,500)
select typeof(t),typeof(nu),typeof(i),typeof(r),typeof(no) from t1
delete from t1
insert into t1 values(x'0500',x'0500',x'0500',x'0500',x'0500')
select typeof(t),typeof(nu),typeof(i),typeof(r),typeof(no) from t1
delete from t1
insert into t1 values(null,null,null,null,null)
select typeof(t),typeof(nu),typeof(i),typeof(r),typeof(no) from t1
create table t2(a text,b numeric,c blob,d)
insert into t2 values('500','500','500',500)
select typeof(a),typeof(b),typeof(c),typeof(d) from t2
select a < 40, a < 60, a < 600 from t2
select b < 40, b < 60, b < 600 from t2
select c < 40, c < 60, c < 600 from t2
select d < 40, d < 60, d < 600 from t2
select b < '40', b < '60', b < '600' from t2
select a > d, a > c, a = 500, 500 = a, a + 0 = 500, +a = 500 from t2
select a in (500), a in ('500'), b in ('500'), d in ('500'), d in (select a from t2), a in (select d from t2) from t2
select a between 400 and 600, d between '400' and '600', a between '40' and 600 from t2
create table aff(a int, b integer, c tinyint, d smallint, e mediumint, f bigint, g "unsigned big int", h int2, i int8, j character(20), k varchar(255), l "varying character(255)", m nchar(55), n "native character(70)", o nvarchar(100), p text, q clob, r blob, s, t real, u double, v "double precision", w float, x numeric, y decimal(10,5), z boolean, aa date, ab datetime, ac "floating point", ad string, ae charint, af blobtext, ag floatblob, ah any, ai "")
insert into aff default values
insert into aff select '1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0','1.0'
create table n(x numeric)
insert into n values('3.0e+5'),('123e-2'),('0x1F'),(' 12 '),('12abc'),('1e999'),('-1e999'),('9223372036854775807'),('9223372036854775808'),('9007199254740993'),('9007199254740993.0'),('1_000'),('.5'),('5.'),('+5'),('--5'),('1e'),('e1'),('infinity'),('nan'),(''),(' ')
select x,typeof(x) from n
create table x(a int, b text, c collate nocase, d text collate rtrim)
insert into x values(1,'abc','abc','abc'),(2,'abc','ABC','abc '),(3,'ABC','aBc','abc  ')
select a from x where b=c order by a
select a from x where c=b order by a
select a from x where c=b collate rtrim order by a
select a from x where d=b order by a
select a from x where (c||'')='abc' order by a
select a from x where +c='abc' order by a
select a from x order by c, a
select a from x order by (c||''), a
select a from x order by c||'' collate nocase, a
select b from x union select c from x order by 1
select c from x union select b from x order by 1
select c from x intersect select 'ABC'
select 'ABC' intersect select c from x
select distinct c from x
select count(distinct c), count(distinct d), count(distinct b) from x
select max(c), min(c), group_concat(a order by c desc, a) from x
select c, count(*) from x group by c
select a from x where c in ('abc') order by a
select a from x where 'abc' in (c) order by a
select a from x where c between 'ABC' and 'abc' order by a
select case c when 'ABC' then 1 else 2 end from x
select c=b, b=c, c is b, c<>b, c<b from x
select nullif(c,'ABC'), nullif('ABC',c) from x
select min(c,'ABB'), max('abd',c) from x
select a from x where c like 'ABC' and b like 'abc' order by a
select (select c from x limit 1)='ABC'
select a from x x1 where c=(select 'ABC') order by a
select a from x where (b,c)=('abc','ABC')
select a from x where (c,b) in (select 'ABC','abc')
select cast(c as text)='ABC' from x
select c collate binary = 'ABC' from x

.reset

.each
select 1||2, 1||2+3, 1+2||3, -1||2, 'a'||null
select 5 -> 1
select 2*3%4, 7/2, -7/2, 7%-3, -7%3, 7.5%2, 5/0, 5%0, 5.0/0, 5/0.0
select 1<<2, 1<<-1, 256>>-2, -1>>70, 1<<63, 1<<64, -1<<65, 1>>null
select 1 & 3.7, '3'|1, 'x'|1, ~'5', ~1.9, ~null, ~9223372036854775807
select 9223372036854775807+1, -9223372036854775808-1, 9223372036854775807*2, -(-9223372036854775808), 9223372036854775807/-1, -9223372036854775808/-1, -9223372036854775808%-1
select 1 = 1.0, '1'=1, 1=='1', 1<>2, 1!=1, null=null, null is null, null is not null, 1 is 1, 1 is not 2, 1 is distinct from 2, null is not distinct from null
select not 1, not 0, not null, not 'a', not '1a', not 0.5, not 0.0, not x'31'
select 1 and null, 0 and null, null and 0, null or 1, null or 0, 1 or null
select 'abc' like 'ABC', 'abc' like 'a%', 'abc' like 'a_c', 'a%c' like 'a\%c' escape '\', 'ä' like 'Ä', 'a' like null, null like 'a', 'abc' like 'abc' escape null
select 'a' like 'a' escape 'xx'
select 'a' like 'a' escape ''
select 'abc' glob 'a*', 'abc' glob 'A*', 'abc' glob 'a?c', 'abc' glob 'a[a-c]c', 'abc' glob 'a[^x]c', 'a]c' glob 'a[]]c', 'a-c' glob 'a[x-]c', 'abc' glob '[', 'a*c' glob 'a[*]c'
select like('a%','abc'), like('a!%','a%','!'), glob('a*','abc')
select 'a' regexp 'b'
select 'a' match 'b'
select 5 between 1 and 10, 5 not between 1 and 10, 5 between 10 and 1, null between 1 and 2, 5 between null and 1, 5 between null and 10
select case when 0 then 1 end, case when null then 1 else 2 end, case 1 when 1 then 'a' when 1 then 'b' end, case null when null then 1 else 2 end, case 1 when '1' then 'x' else 'y' end
select 1 in (1,2), 3 in (1,2), null in (1), 1 in (null), 1 in (1,null), 1 not in (null), null in (), 1 in (), 1 not in ()
select 1 in (select 1), null in (select 1 where 0), 1 in (select null), 1 not in (select null where 0)
select exists(select 1), exists(select null), exists(select 1 where 0), not exists(select 1)
select (select 1 union select 2), (select 1 where 0), (select 3 limit 0)
select (select 1,2)
select (1,2)
select cast('12abc' as integer), cast('abc' as integer), cast('1e3' as integer), cast(' 12' as integer), cast('0x1f' as integer), cast(1e19 as integer), cast(-1e19 as integer), cast('9223372036854775808' as integer), cast('-9223372036854775809' as integer), cast(3.99 as int), cast(-3.99 as int), cast(x'3132' as int), cast(null as int)
select cast('12.5abc' as real), cast('abc' as real), cast('.5' as real), cast(5 as real), cast(x'352e35' as real), cast('1e400' as real), cast('-inf' as real)
select cast('12.5abc' as numeric), cast('1e3' as numeric), cast('12.0' as numeric), cast(12.0 as numeric), cast('abc' as numeric), cast('9223372036854775808' as numeric), cast('1e18' as numeric), cast('1e19' as numeric), typeof(cast('1e18' as numeric))
select cast(5 as text), cast(5.0 as text), cast(1e15 as text), cast(1e16 as text), cast(1.0e-5 as text), cast(x'414243' as text), cast('a' as blob), cast(12 as blob), cast(1.5 as blob), typeof(cast(null as blob))
select cast('a' as boolean), cast('5' as "foo"), typeof(cast('5' as "")), cast('5.5' as decimal(10,5)), cast(5.5 as char(1)), cast('7' as date)
select 'x' 'y'
select x'0g'
select x'abc'
select 0x, 1
select 0xfffffffffffffffff
select 0xffffffffffffffff, 0x7fffffffffffffff, -0x8000000000000000
select -0xffffffffffffffff, 0x8000000000000000, 1e, 2
select 1_000, 1_0.0_1, 0x1_f, 1e1_0
select 1__0
select 1_
select _1
select current_date = date('now'), length(current_time), length(current_timestamp)
select true, false, true+1, typeof(true), true is true, 5 is true, 0 is not true, null is true, null is not true, 'a' is true
select "abc", 'abc', `abc`
select [abc]
select 1 isnull, null isnull, 1 notnull, null not null, 1 is null
select +'5', typeof(+'5'), -'5', -'abc', - -5, typeof(-'5.0'), typeof(- '5')
select 1 < 2 < 3, 3 > 2 > 1, 1 = 1 = 1, 2 = 2 is 1, not 1 = 2, not 1 in (2), - 2 || 3, ~1+1, 2 * 3 || 4
select 'a' collate nocase = 'A', ('a' collate nocase) = 'A', 'a' = 'A' collate nocase, 'a'||'b' collate nocase = 'AB', ('a' collate nocase) in ('A'), 'a' in ('A' collate nocase)
select 1 is not distinct from 1.0, 'a' is distinct from 'A' collate nocase
select iif(1,2), iif(0,2), iif(0,1,1,2,3), if(0,1,0,2), if(1,2)
select iif(1)
select raise(abort,'x')
select abs(-9223372036854775808)
select count(*) filter (where 0), sum(1) filter (where 1)
select abs(1) filter (where 1)
select sum(distinct 1), count(distinct *)
select abs(distinct 1)
select max(distinct 1,2)
select group_concat(distinct 1,2)
select 1 in (1,2) in (1), 1 between 0 and 2 between 0 and 1, 2 not in (1) + 1
select 1 -> '$', '{"a":1}' -> 'a' ->> '$', '[1,2]' ->> 1 + 0
