-- LIKE and GLOB with a constant beginning, searched in an index.
create table l(a text collate nocase, b text, c)
create index la on l(a)
create index lb on l(b)
insert into l values('abc','abc',1),('ABD','ABD',2),('ab','ab',3),('Zoo','Zoo',4),('zz','zz',5),('a%c','a%c',6),(null,null,7),('b','b',8),('@x','@x',9),(x'6162','q',10)
select a from l where a like 'ab%'
select a from l where a like 'AB%' order by a
select a from l where a like 'z%'
select a from l where a like 'Z_%'
select a from l where a like '@%'
select a from l where a like 'abc'
select a from l where a like '%c'
select a from l where a not like 'ab%'
select b from l where b glob 'ab*'
select b from l where b glob 'A*' and b > 'ABC'
select b from l where b glob 'a[b]*'
select b from l where b like 'ab%'
select a from l where a like 'a!%%' escape '!'
pragma case_sensitive_like=1
select b from l where b like 'ab%'
select a from l where a like 'ab%'
