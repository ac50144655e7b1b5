create virtual table t using fts4(a, b, languageid=lid, notindexed=b)
create virtual table t3 using fts3(a, b)
create virtual table t4 using fts4(a, order=desc, prefix='2,3')
create table src(i integer primary key,a,b)
create virtual table t5 using fts4(a, b, content=src)
create virtual table t6 using fts4(content='',a)
create virtual table t7 using fts4
select name,sql from sqlite_schema
insert into t(a,b,lid) values('hello world','x',3)
select docid, lid, * from t
insert into t3 values('the quick brown fox','jumps')
insert into t3 values('the quick fox','jumps over')
select snippet(t3), offsets(t3), hex(matchinfo(t3)) from t3 where t3 match 'quick fox'
select snippet(t3), offsets(t3), matchinfo(t3) from t3
select snippet(1) from t3
select snippet(a) from t3
select offsets(t3) from t3 where t3 match '"'
select * from t3_segdir
select optimize(t3) from t3 limit 1
select optimize(t3) from t3 limit 1
select matchinfo(t3,'n') from t3 where t3 match 'quick'
select matchinfo(t3,'q') from t3
select * from t3_segdir
insert into t6(docid,a) values(1,'abc def')
select docid,a from t6 where t6 match 'abc'
select docid from t6 where t6 match 'abc'
select docid, hex(matchinfo(t6,'pcxnalsyb')) from t6 where t6 match 'abc'
delete from t6
delete from t6 where docid=1
update t6 set a='x' where docid=1
select docid,a from t6
select snippet(t6) from t6 where t6 match 'abc'
select offsets(t6) from t6 where t6 match 'abc'
insert into t6(a) values('abc def')
insert into t3(t3) values('nonsense')
insert into t3(t3) values('automerge=2')
select name,sql from sqlite_schema
create virtual table q using fts4(a, tokenize=foo)
create virtual table q using fts4(a, zork=foo)
create virtual table q using fts4(a, matchinfo=foo)
create virtual table q using fts4(a, order=foo)
create virtual table q using fts4(a, prefix='a')
create virtual table q using fts4(a, notindexed=z)
create virtual table q using fts4(a, compress=z)
create virtual table q using fts4(a, uncompress=z)
create virtual table q using fts4(a, content=nosuch)
create virtual table q2 using fts4(content=nosuch)
select * from q
create virtual table tk using fts3tokenize(porter)
select * from tk where input='running dogs'
select * from tk
create virtual table aux using fts4aux(t3)
select * from aux
select *,languageid from aux where term='fox'
select * from aux where term>'fox'
select * from aux where term between 'fox' and 'over'
select * from t3 where t3 match 'quick' and docid>1
explain query plan select * from t3 where t3 match 'quick' and docid>1
explain query plan select * from t3 where rowid=3
explain query plan select * from t3 where docid=3
pragma table_xinfo(t)
insert into t4 values('one two three'),('two three four'),('three four five')
select * from t4
select docid,* from t4 where t4 match 'three'
select docid,* from t4 where t4 match 'th*'
select docid,* from t4 where t4 match 'thr*'
select docid,* from t4 where t4 match 't*'
select * from t4_segdir
select hex(size) from t4_docsize
select id,hex(value) from t4_stat
update t4 set a='six seven' where docid=2
select * from t4_segdir
select id,hex(value) from t4_stat
delete from t4 where docid=1
insert into t4(t4) values('integrity-check')
pragma integrity_check
insert into t4(docid,a) values(2,'dup')
insert or replace into t4(docid,a) values(2,'dup')
insert into t4(docid,rowid,a) values(2,3,'dup')
insert into t4(rowid,a) values(20,'dup ten')
insert into t4(docid,a) values('x','dup')
select docid,* from t4 where t4 match 'dup'
delete from t4
select count(*) from t4_stat
select * from t4_segdir
insert into t5(docid,a,b) values(5,'a b c','d e f')
select docid from t5 where t5 match 'c'
select * from t5 where t5 match 'c'
select snippet(t5) from t5 where t5 match 'c'
select offsets(t5) from t5 where t5 match 'c'
insert into src values(5,'a b c', 'd e f'),(6,'b c d','g')
insert into t5(t5) values('integrity-check')
insert into t5(t5) values('rebuild')
insert into t5(t5) values('integrity-check')
select * from t5 where t5 match 'c'
select offsets(t5) from t5 where t5 match 'c'
alter table t5 rename to t55
select name from sqlite_schema order by 1
drop table t55
drop table t4
select name from sqlite_schema order by 1
