-- what windowfunctions.html, lang_datefunc.html and json1.html say
.each
create table t(a,b,c)
insert into t values(1,'A','one'),(2,'B','two'),(3,'C','three'),(4,'D','one'),(5,'E','two'),(6,'F','three'),(7,'G','one')
select a,b,group_concat(b,'.') over (order by a rows between 1 preceding and 1 following) from t
select c,a,b,group_concat(b,'.') over (order by c,a range between unbounded preceding and current row) from t order by c,a
select c,a,b,group_concat(b,'.') over (partition by c order by a range between current row and unbounded following) from t order by c,a
select a,row_number() over w,rank() over w,dense_rank() over w,percent_rank() over w,cume_dist() over w from t window w as (order by c)
select a,ntile(2) over w,ntile(3) over w,ntile(100) over w from t window w as (order by a)
select lead(b,2,'n/a') over w,lag(b) over w,first_value(b) over w,last_value(b) over w,nth_value(b,3) over w from t window w as (order by a)
select a,group_concat(b) filter (where c<>'two') over (order by a) from t
select group_concat(b) over (order by a groups between 1 preceding and 1 following exclude ties) from t
select c,group_concat(b) over (order by c groups between 1 preceding and 1 following exclude current row) from t
select c,group_concat(b) over (order by c range between current row and current row exclude group) from t
select a,sum(a) over (order by a range between 2 preceding and 2 following) from t
select a,sum(a) over (order by a desc range between 2 preceding and 1 preceding) from t
select sum(a) over (order by a,b range between 1 preceding and current row) from t
select sum(a) over (rows between 1 following and 1 preceding) from t
select sum(a) over (rows between unbounded following and current row) from t
select sum(a) over (rows between current row and unbounded preceding) from t
select sum(a) over (rows -1 preceding) from t
select sum(a) over (rows a preceding) from t
select sum(a) over (rows 'x' preceding) from t
select sum(a) over (rows 1.5 preceding) from t
select sum(a) over (rows 2.0 preceding) from t
select sum(a) over (groups between 1 preceding and current row) from t
select sum(a) over (range 1 preceding) from t
select sum(a) over (order by a range -1 preceding) from t
select sum(a) over (order by a range 'x' preceding) from t
select sum(a) over (order by a range 1.5 preceding) from t
select sum(a) over w2 from t window w1 as (partition by c), w2 as (w1 order by a)
select sum(a) over (w1 partition by b) from t window w1 as (partition by c)
select sum(a) over (w1 order by b) from t window w1 as (order by c)
select sum(a) over (w1) from t window w1 as (order by c rows 1 preceding)
select sum(a) over w1 from t window w1 as (order by c rows 1 preceding)
select sum(a) over w9 from t
select sum(a) over (w9) from t
select row_number() over (order by a) from t where row_number() over () > 1
select a from t order by row_number() over (order by b desc)
select a from t group by row_number() over ()
select count(*) from t having row_number() over () > 0
select distinct c, count(*) over (partition by c) from t order by 1
select count(distinct a) over () from t
select sum(a) over (order by sum(a) over ()) from t
select sum(sum(a)) over (order by c) from t group by c
select row_number() over (), count(*) from t
select lead(a,-1) over () from t
select lead(a,'x') over () from t
select lag(a,null) over () from t
select nth_value(a,0) over () from t
select nth_value(a,1.5) over () from t
select nth_value(a,'2') over () from t
select ntile(0) over () from t
select ntile(null) over () from t
select first_value(a) from t
select rank() filter (where 1) over () from t
select max(a) over (order by a exclude no others) from t
select max(a) over (order by a rows unbounded preceding exclude group) from t
select min(b) over (order by a rows between 2 preceding and 1 preceding), total(a) over (order by a rows between 1 following and 2 following), avg(a) over (rows between 0 preceding and 0 following) from t
select json_group_array(b) over (order by a rows 2 preceding) from t
select group_concat(distinct b) over () from t
select a, sum(a) over (partition by null), sum(a) over (partition by a%2 order by null) from t
select a, row_number() over (order by c collate nocase desc nulls last, a) from t order by a
create view wv as select a, sum(a) over (order by a) s from t
select * from wv where a>3
select * from wv where s>10
select max(s) from wv
select (select sum(a) over () from t limit 1), (select max(x.a) over () from t limit 1) from t x limit 2
update t set a=row_number() over ()
delete from t where rank() over () = 1
insert into t select row_number() over (), 1, 1
select * from t where a in (select rank() over (order by a) from t)

.reset

.each
select date('2024-02-30'),date('2024-02-31'),date('2023-02-29'),date('2024-13-01'),date('2024-00-01'),date('2024-01-00'),date('2024-1-1'),date('0000-01-01'),date('9999-12-31'),date('10000-01-01'),date('-0001-01-01')
select datetime('2024-01-01 24:00:00'),datetime('2024-01-01 23:59:60'),datetime('2024-01-01 12:34'),datetime('2024-01-01T12:34:56.789'),datetime('2024-01-01 12:34:56Z'),datetime('2024-01-01 12:34+01:30'),datetime('2024-01-01 12:34 -05:00'),datetime('12:34'),datetime('2024-01-01 12'),datetime('2024-01-01 12:3')
select julianday('2000-01-01'),julianday('12:00'),julianday(2451545),date(2451545.5),date('2451545.5'),date(0),date(-1),date(5373484.5),date(5373485),datetime(1721059.5)
select date('2024-01-31','+1 month'),date('2024-01-31','+1 month','floor'),date('2024-01-31','+1 month','ceiling'),date('2024-02-29','+1 year'),date('2024-02-29','+1 year','floor'),date('2024-01-31','+1 month','-1 month')
select date('2024-03-15','start of month'),date('2024-03-15','start of year'),datetime('2024-03-15 12:00','start of day'),date('2024-03-15','weekday 0'),date('2024-03-15','weekday 5'),date('2024-03-15','weekday 7'),date('2024-03-15','weekday -1'),date('2024-03-15','weekday 1.5')
select datetime(1710500000,'unixepoch'),datetime(1710500000,'auto'),datetime(2460385.5,'auto'),datetime(2460385.5,'julianday'),datetime('1710500000','unixepoch'),datetime(1710500000.5,'unixepoch','subsec'),datetime('x','unixepoch'),datetime(1e20,'unixepoch'),datetime('2024-01-01','unixepoch')
select unixepoch('2024-03-15 12:00'),unixepoch('2024-03-15 12:00:00.5'),unixepoch('2024-03-15 12:00:00.5','subsec'),unixepoch('now')>0,unixepoch(null),unixepoch('x')
select datetime('2024-03-15','+1.5 days'),datetime('2024-03-15','+1 hour','-30 minutes','+1.5 seconds'),datetime('2024-03-15','1 day'),datetime('2024-03-15','+1day'),datetime('2024-03-15','+1 days'),datetime('2024-03-15','+1 fortnight'),datetime('2024-03-15','+0001-02-03'),datetime('2024-03-15','-0001-02-03 04:05'),datetime('2024-03-15','+0001-13-03'),datetime('2024-03-15','12:00'),datetime('2024-03-15','+12:30:30.5')
select strftime('%d %e %f %F %G %g %H %I %j %J %k %l %m %M %p %P %R %s %S %T %u %U %V %w %W %Y %%','2024-03-05 15:04:05.678')
select strftime('%q','2024-03-05'),strftime('%'),strftime('','2024-03-05'),strftime(null,'now'),strftime('%Y'),strftime('%Y-%m-%d','2024-03-05','+1 day'),strftime('%s','2024-03-05 00:00:00.9'),strftime('%f','2024-03-05 00:00:59.9999')
select timediff('2024-03-15','2023-01-31'),timediff('2023-01-31','2024-03-15'),timediff('2024-02-29','2023-02-28'),timediff('2024-01-01','x'),timediff('12:00','13:30:15.5')
select time('12:00:00','+1 hour'),time('23:59:59','+1 second'),time('12:00','subsec'),time('12:00:00.123','subsecond'),datetime('now','localtime') is null,date('now','utc') is null
select date('now','start of month','+1 month','-1 day') is not null, date('2024-03-15','localtime','utc'), date(), time() is not null, datetime('now','nosuch')
select date('2024-03-15',null),date(null),date('2024-03-15','+1 day',null),date('2024-03-15',''),date(''),date(' 2024-03-15'),date('2024-03-15 '),date('2024-03-15x'),date(x'323032342d30332d3135')
select date('2024-03-15','+2147483648 days'),date('2024-03-15','+10000 years'),date('2024-03-15','-5000 years'),date('0000-01-01','-1 day'),date('9999-12-31','+1 day')
select strftime('%W %U %V %G','2021-01-01'),strftime('%W %U %V %G','2020-12-31'),strftime('%j','2024-12-31'),strftime('%J','2024-12-31'),strftime('%I %l %p %P','00:00'),strftime('%k','03:00')
select typeof(julianday('now')),typeof(unixepoch('now')),typeof(unixepoch('now','subsec')),typeof(strftime('%s','now'))

.reset

.each
select json('{"a":1,"b":[1,2,{"c":null}]}'), json(' [ 1 , 2 ] '), json('{a:1,}'), json('[1,]'), json("'x'"), json('0x1F'), json('+1'), json('.5'), json('5.'), json('Infinity'), json('-Infinity'), json('NaN'), json('[1 /* c */, // d
2]')
select json('{"a":1'), 1
select json(''), 1
select json_valid('{a:1}'), json_valid('{a:1}',2), json_valid('{"a":1}',1), json_valid('{"a":1}',8), json_valid(jsonb('{"a":1}'),4), json_valid(jsonb('{"a":1}'),8), json_valid(null), json_valid('x',15)
select json_valid('x',0)
select json_valid('x',16)
select json_extract('{"a":[1,{"b":2}]}','$.a[1].b'), json_extract('{"a":1,"b":2}','$.a','$.b','$.c'), json_extract('[1,2,3]','$[#-1]','$[#-4]'), json_extract('{"a b":1}','$."a b"'), json_extract('{"a.b":1}','$."a.b"'), json_extract('{"a":1}','$'), json_extract('"x"','$'), json_extract('[null]','$[0]'), json_extract('[true]','$[0]'), json_extract('[1.50]','$[0]')
select json_extract('{"a":1}','a')
select json_extract('{"a":1}','$a')
select json_extract('{"a":1}','$.')
select json_extract('{"a":1}','$[')
select json_extract('{"a":1}','$[x]')
select json_extract('{"a":1}','$.a['), 1
select json_extract('{"a":1}',null), json_extract(null,'$'), json_extract('{"a":1}','$.a',null)
select '{"a":{"b":5}}'->'a','{"a":{"b":5}}'->>'a','{"a":{"b":5}}'->'$.a.b','[1,2]'->1,'[1,2]'->>-1,'[1,2]'->'1','{"1":"x"}'->1,'{"1":"x"}'->>'1','{"a":null}'->'a','{"a":null}'->>'a','{"a":"x"}'->'a','{"a":"x"}'->>'a'
select json_set('{"a":1}','$.b',2,'$.a',json('[1]')), json_insert('{"a":1}','$.a',2,'$.c','x'), json_replace('{"a":1}','$.a',2,'$.z',3), json_set('[1,2]','$[#]',3), json_insert('[1,2]','$[5]',3), json_set('{}','$.a.b.c',1), json_set('[]','$[0].x',1), json_set('null','$.a',1), json_set('{"a":1}')
select json_set('{"a":1}','$.b')
select json_set('{}','$.a',x'00')
select json_remove('{"a":1,"b":2}','$.a'), json_remove('[1,2,3]','$[0]','$[0]'), json_remove('[1,2,3]','$[#-1]'), json_remove('{"a":1}'), json_remove('{"a":1}','$'), json_remove('{"a":1}','$.x')
select json_array_insert('[1,2,3]','$[1]',9), json_array_insert('[1]','$[#]',2), json_array_insert('{"a":[1]}','$.a[0]',0)
select json_patch('{"a":1,"b":2}','{"a":null,"c":3}'), json_patch('[1]','{"a":1}'), json_patch('{"a":{"b":1}}','{"a":{"c":2}}'), json_patch('{"a":1}','[1]'), json_patch(null,'{}')
select json_type('{"a":[1,2.5,null,true,false,"x",{}]}','$.a[0]'), json_type('[2.5]','$[0]'), json_type('[null]','$[0]'), json_type('[true]','$[0]'), json_type('["x"]','$[0]'), json_type('[{}]','$[0]'), json_type('[]'), json_type('{}','$.x'), json_type('1e5'), json_type(null)
select json_array_length('[1,2,3]'), json_array_length('{"a":[1]}','$.a'), json_array_length('{"a":1}'), json_array_length('[1]','$[9]'), json_array_length('{"a":[1,2]}','$.b')
select json_quote('a"b\c
'), json_quote(1.5), json_quote(null), json_quote(json('[1]')), json_quote('é'), json_quote(char(1,31,127))
select json_quote(x'00')
select json_array(1,'x',null,json('{}'),1.0,9e999,-9e999), json_object('a',1,'b',json_array(1)), json_object()
select json_array(x'00')
select json_object('a')
select json_object(1,2)
select json_object('a',1,'a',2), json_object(null,1)
select json_pretty('{"a":[1,{"b":2}],"c":{},"d":[]}'), json_pretty('[1,[2]]','  '), json_pretty('[1]',null), json_pretty(null), json_pretty('[]'), json_pretty('1')
select json_error_position('{"a":1'), json_error_position('{"a":1}'), json_error_position('{"a":}'), json_error_position(null), json_error_position('[1,,2]'), json_error_position('é[')
select json_group_array(x), json_group_object(x,y), jsonb_group_array(x) from (select 1 x,'a' y union all select 'k','b' union all select null,'c')
select json_group_array(x order by x desc), json_group_array(distinct x) , json_group_array(x) filter (where x>1) from (select 1 x union all select 2 union all select 2)
select key,value,type,atom,id,parent,fullkey,path from json_each('{"a":1,"b":[1,2]}')
select key,value,type,atom,id,parent,fullkey,path from json_tree('{"a":1,"b":[1,{"c d":2}]}')
select key,value,fullkey from json_each('{"a":{"b":[5,6]}}','$.a.b')
select * from json_each('1')
select * from json_each(null)
select * from json_each('[1','$')
select * from json_each('[1]','x')
select hex(jsonb('{"a":[1,2.5,"x",null,true,false]}')), hex(jsonb('"a\u0041"')), hex(jsonb('0x1F')), hex(jsonb('[]')), json(jsonb('{a:"\u00e9"}')), hex(jsonb_extract('[1,[2]]','$[1]')), hex(jsonb_array(1,'x')), hex(jsonb_object('a',null)), hex(jsonb_set('[1]','$[0]',2)), hex(jsonb_patch('{"a":1}','{"b":2}')), hex(jsonb_remove('[1,2]','$[0]')), hex(jsonb_insert('{}','$.a',1)), hex(jsonb_replace('{"a":1}','$.a','b'))
select json('{"a":1,"a":2}')->'a', json('{"":1}')->'$.""', json('{"a":{"":2}}')->>'$.a.""'
select json('"\ud83d\ude00"')->>'$', json('"\x41\v\0\''"'), length(json('"\u0000"')->>'$')
select json('[1e400]')->>0, json('[12345678901234567890]')->>0, json('[-0]')->>0, json('[-0.0]')->>0, json('[0.1e1]')->>0, typeof(json('[1.0]')->>0), json('[1E5]')
select json('[01]'), 1
select json('[1.]'),json('[.1]'),json('[+1]'),json('[0xA]'),json('[-0xA]'),json('[''a'']'),json('{$a_1:2}')
