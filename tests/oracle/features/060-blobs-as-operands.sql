-- blobs as operands in a UTF-16 database
.each
pragma encoding='UTF-16le'
create table t(b,i integer, r real, n numeric, x text)
insert into t(b) values(x'310032003300')
insert into t(b) values(x'3132')
insert into t(b) values(x'2d0035002e0035007800')
insert into t(b) values(x'3100320033')
insert into t(b) values(x'')
insert into t(b) values(x'300078003100')
select b+0 from t order by rowid
select -b from t order by rowid
select +b from t order by rowid
select b*1.5 from t order by rowid
select b%5 from t order by rowid
select b||'' from t order by rowid
select b AND 1 from t order by rowid
select NOT b from t order by rowid
select b OR 0 from t order by rowid
select CASE WHEN b THEN 1 ELSE 2 END from t order by rowid
select iif(b,1,2) from t order by rowid
select ~b from t order by rowid
select b<<1 from t order by rowid
select b|0 from t order by rowid
select b&255 from t order by rowid
select abs(b) from t order by rowid
select round(b) from t order by rowid
select round(1.2345,b) from t order by rowid
select length(b) from t order by rowid
select upper(b) from t order by rowid
select lower(b) from t order by rowid
select substr('abcdef',b) from t order by rowid
select substr(b,1,2) from t order by rowid
select hex(b) from t order by rowid
select unicode(b) from t order by rowid
select instr(b,x'31') from t order by rowid
select replace('a123b',b,'z') from t order by rowid
select trim(b) from t order by rowid
select ltrim(b,'1') from t order by rowid
select quote(b) from t order by rowid
select typeof(b) from t order by rowid
select coalesce(b,1) from t order by rowid
select max(b,1) from t order by rowid
select b='123' from t order by rowid
select b=123 from t order by rowid
select b<5 from t order by rowid
select b like '12%' from t order by rowid
select b glob '1*' from t order by rowid
select '123' like b from t order by rowid
select cast(b as text) from t order by rowid
select cast(b as integer) from t order by rowid
select cast(b as real) from t order by rowid
select cast(b as numeric) from t order by rowid
select char(b) from t order by rowid
select printf('%d',b) from t order by rowid
select printf('%s',b) from t order by rowid
select printf('%f',b) from t order by rowid
select printf('%q',b) from t order by rowid
select printf('%.3s',b) from t order by rowid
select zeroblob(b) from t order by rowid
select date(b) from t order by rowid
select datetime('now',b) is null from t order by rowid
select strftime(b,0) from t order by rowid
select julianday(b) from t order by rowid
select json(b) from t order by rowid
select json_quote(1+b) from t order by rowid
select json_array(1,b+0) from t order by rowid
select sign(b) from t order by rowid
select sqrt(b) from t order by rowid
select pow(b,2) from t order by rowid
select floor(b) from t order by rowid
select mod(b,7) from t order by rowid
select nullif(b,1) from t order by rowid
select likelihood(b,0.5) from t order by rowid
select b is true from t order by rowid
select b is not false from t order by rowid
select b between 0 and 999 from t order by rowid
select unhex(b) from t order by rowid
select octet_length(b) from t order by rowid
select format('%i',b) from t order by rowid
select b collate nocase from t order by rowid
select ifnull(b,1) from t order by rowid
select sum(b) from t order by rowid
select total(b) from t order by rowid
select avg(b) from t order by rowid
select min(b) from t order by rowid
select group_concat(b) from t order by rowid
select group_concat('a',b) from t order by rowid
select string_agg(b,'-') from t order by rowid
select json_group_array(b+0) from t order by rowid
select count(b) from t order by rowid
select ceil(b) from t order by rowid
select exp(b) from t order by rowid
select sin(b) from t order by rowid
select atan2(b,1) from t order by rowid
select ln(b) from t order by rowid
select log(b) from t order by rowid
select radians(b) from t order by rowid
select trunc(b) from t order by rowid
select time(b) from t order by rowid
select unixepoch(b) from t order by rowid
select timediff(b,b) from t order by rowid
select json_type(b) from t order by rowid
select json_array_length(b) from t order by rowid
select json_set('{}','$.a',b+0) from t order by rowid
insert into t(i,r,n,x) select b,b,b,b from t
select typeof(i),typeof(r),typeof(n),typeof(x) from t
select 1 from t where b
select count(*) from t where not b
select 1 from t order by b limit 2 offset 1
select date(x'32003000320030002d00300031002d0030003100')
select date(x'32003000320030002d00300031002d00300031003100')
select strftime(x'25005900',0)
select date(0,x'2b003100200064006100790073000000')
select sum(x'3100320033') from t
select x'31003200'+x'3100', sum(x'31003200') over () from t
select ntile(x'3200') over () from t
select nth_value(b,x'3200') over () from t
select lag(1,x'3100') over () from t
select rowid from t where rowid=x'3100'
select percentile(1,x'35003000') from t

.reset

.each
pragma encoding='UTF-16be'
create table t(b,i integer, r real, n numeric, x text)
insert into t(b) values(x'003132003300')
insert into t(b) values(x'3132')
insert into t(b) values(x'2d0035002e0035007800')
insert into t(b) values(x'0031320033')
insert into t(b) values(x'')
insert into t(b) values(x'300078003100')
select b+0 from t order by rowid
select -b from t order by rowid
select +b from t order by rowid
select b*1.5 from t order by rowid
select b%5 from t order by rowid
select b||'' from t order by rowid
select b AND 1 from t order by rowid
select NOT b from t order by rowid
select b OR 0 from t order by rowid
select CASE WHEN b THEN 1 ELSE 2 END from t order by rowid
select iif(b,1,2) from t order by rowid
select ~b from t order by rowid
select b<<1 from t order by rowid
select b|0 from t order by rowid
select b&255 from t order by rowid
select abs(b) from t order by rowid
select round(b) from t order by rowid
select round(1.2345,b) from t order by rowid
select length(b) from t order by rowid
select upper(b) from t order by rowid
select lower(b) from t order by rowid
select substr('abcdef',b) from t order by rowid
select substr(b,1,2) from t order by rowid
select hex(b) from t order by rowid
select unicode(b) from t order by rowid
select instr(b,x'31') from t order by rowid
select replace('a123b',b,'z') from t order by rowid
select trim(b) from t order by rowid
select ltrim(b,'1') from t order by rowid
select quote(b) from t order by rowid
select typeof(b) from t order by rowid
select coalesce(b,1) from t order by rowid
select max(b,1) from t order by rowid
select b='123' from t order by rowid
select b=123 from t order by rowid
select b<5 from t order by rowid
select b like '12%' from t order by rowid
select b glob '1*' from t order by rowid
select '123' like b from t order by rowid
select cast(b as text) from t order by rowid
select cast(b as integer) from t order by rowid
select cast(b as real) from t order by rowid
select cast(b as numeric) from t order by rowid
select char(b) from t order by rowid
select printf('%d',b) from t order by rowid
select printf('%s',b) from t order by rowid
select printf('%f',b) from t order by rowid
select printf('%q',b) from t order by rowid
select zeroblob(b) from t order by rowid
select date(b) from t order by rowid
select datetime('now',b) is null from t order by rowid
select strftime(b,0) from t order by rowid
select julianday(b) from t order by rowid
select json(b) from t order by rowid
select json_quote(1+b) from t order by rowid
select json_array(1,b+0) from t order by rowid
select sign(b) from t order by rowid
select sqrt(b) from t order by rowid
select pow(b,2) from t order by rowid
select floor(b) from t order by rowid
select mod(b,7) from t order by rowid
select nullif(b,1) from t order by rowid
select likelihood(b,0.5) from t order by rowid
select b is true from t order by rowid
select b is not false from t order by rowid
select b between 0 and 999 from t order by rowid
select unhex(b) from t order by rowid
select octet_length(b) from t order by rowid
select format('%i',b) from t order by rowid
select b collate nocase from t order by rowid
select ifnull(b,1) from t order by rowid
select sum(b) from t order by rowid
select total(b) from t order by rowid
select avg(b) from t order by rowid
select min(b) from t order by rowid
select group_concat(b) from t order by rowid
select group_concat('a',b) from t order by rowid
select string_agg(b,'-') from t order by rowid
select json_group_array(b+0) from t order by rowid
select count(b) from t order by rowid
select ceil(b) from t order by rowid
select exp(b) from t order by rowid
select sin(b) from t order by rowid
select atan2(b,1) from t order by rowid
select ln(b) from t order by rowid
select log(b) from t order by rowid
select radians(b) from t order by rowid
select trunc(b) from t order by rowid
select time(b) from t order by rowid
select unixepoch(b) from t order by rowid
select timediff(b,b) from t order by rowid
select json_type(b) from t order by rowid
select json_array_length(b) from t order by rowid
select json_set('{}','$.a',b+0) from t order by rowid
insert into t(i,r,n,x) select b,b,b,b from t
select typeof(i),typeof(r),typeof(n),typeof(x) from t
select 1 from t where b
select count(*) from t where not b
select 1 from t order by b limit 2 offset 1
select date(x'32003000320030002d00300031002d0030003100')
select date(x'32003000320030002d00300031002d00300031003100')
select strftime(x'25005900',0)
select date(0,x'2b003100200064006100790073000000')
select sum(x'0031320033') from t
select x'00313200'+x'0031', sum(x'00313200') over () from t
select ntile(x'3200') over () from t
select nth_value(b,x'3200') over () from t
select lag(1,x'0031') over () from t
select rowid from t where rowid=x'0031'
