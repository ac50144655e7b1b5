-- what lang_upsert.html, lang_returning.html, lang_update.html, lang_with.html, lang_transaction.html and pragma.html say
.each
create table v(word text primary key,cnt int default 1)
insert into v(word) values('a') on conflict(word) do update set cnt=cnt+1
insert into v(word) values('a'),('b'),('a') on conflict(word) do update set cnt=cnt+1 where word<>'zz' returning *
insert into v(word) values('a') on conflict do nothing returning *
insert into v(word) values('a') on conflict do update set cnt=9
insert into v(word) values('a') on conflict(cnt) do nothing
insert into v(word) values('a') on conflict(word) where 1 do nothing
insert into v(word) select 'c' on conflict do nothing
insert into v(word) select 'c' where true on conflict do nothing
insert into v as t(word) values('a') on conflict(word) do update set cnt=t.cnt+excluded.cnt
insert into v as t(word) values('a') on conflict(word) do update set cnt=v.cnt+1
insert into v(word) values('a') on conflict(word) do update set (cnt,word)=(select 50,'z')
insert into v(word) values('a') on conflict(word) do update set nosuch=1
insert into v(word) values('a') on conflict(nosuch) do nothing
insert into v default values on conflict do nothing
insert or replace into v(word) values('z') on conflict(word) do update set cnt=cnt+100
select * from v
create table m(a unique,b unique,c)
insert into m values(1,2,3)
insert into m values(1,9,4) on conflict(a) do update set c='a' on conflict(b) do update set c='b'
insert into m values(8,2,4) on conflict(a) do update set c='a' on conflict(b) do update set c='b'
insert into m values(8,2,4) on conflict(a) do nothing on conflict do update set c='last'
insert into m values(8,2,4) on conflict do nothing on conflict(a) do update set c='x'
select * from m
create unique index mi on m(c) where c>100
insert into m values(20,21,101)
insert into m values(22,23,101) on conflict(c) do nothing
insert into m values(22,23,101) on conflict(c) where c>100 do nothing
insert into m values(22,23,101) on conflict(c) where c>50 do nothing
insert into m values(30,31,32) returning a+b as s, rowid, *, m.*, (select count(*) from m), abs(-c)
insert into m values(40,41,42) returning max(a)
insert into m values(40,41,42) returning nosuch
update m set c=c where a=30 returning old.a
update m set a=a+1 where a>=20 returning a,b
delete from m where a=31 returning a,(select count(*) from m)
create table s(id int,val)
insert into s values(1,'x'),(1,'y'),(2,'z')
create table d(id int primary key,val,n)
insert into d values(1,null,0),(2,null,0),(3,null,0)
update d set val=s.val from s where s.id=d.id
select * from d
update d set n=t.c from (select id,count(*) c from s group by id) t where t.id=d.id returning d.id,n,val
update d as q set n=q.n+1 from s where s.id=q.id and s.val='z'
update d set n=5 from s, s as s2 where s.id=d.id and s2.id=s.id
update d set val=1 from d where 1
update d set val=d2.id from d as d2 where d2.id=d.id+1
select * from d
update d set id=1 where id=2
update or ignore d set id=1 where id=2
update or replace d set id=1 where id=2
select * from d
update d set (val,n)=(1,2) where id=3
update d set (val,n)=(select 7,8) where id=3
update d set (val,n)=(1,2,3)
update d set (val,n)=1
update d set val=1,val=2
select * from d
update d set rowid=100 where id=3
select rowid,id from d
create table cf(a int primary key on conflict ignore, b not null on conflict replace default 'def', c unique on conflict fail, e check(e>0) on conflict ignore)
create table cf(a int primary key on conflict ignore, b not null on conflict replace default 'def', c unique on conflict fail, e check(e>0))
insert into cf values(1,null,1,1),(1,'x',2,1),(2,'y',1,1),(3,'z',3,1)
select * from cf
insert or abort into cf values(1,'x',9,1)
insert or rollback into cf values(1,'x',9,1)
insert or ignore into cf values(9,'x',9,-1)
insert or replace into cf values(9,null,1,1)
select * from cf
with recursive c(x) as (values(1) union all select x+1 from c where x<5) select x from c
with recursive c(x) as (select 1 union select x%3+1 from c) select * from c order by x
with recursive c(x) as (select 1 union all select x+1 from c limit 4 offset 1) select * from c
with recursive c(x,y) as (select 1,0 union all select x+1,y+1 from c where x<4 order by 2 desc) select * from c
with a as (select 1 x), b as (select x+1 y from a) select * from a,b
with a as (select * from b), b as (select 1) select * from a
with a as (select 1), a as (select 2) select * from a
with a(x,y) as (select 1) select * from a
with a as not materialized (select 1 x) select * from a a1, a a2
with recursive a as (select 1 from a) select * from a
with recursive a(x) as (select 1 union all select x from a, a) select * from a
with recursive a(x) as (select 1 union all select count(x) from a) select * from a
with recursive a(x) as (select x from a union all select 1) select * from a
with recursive p(a,b) as (select 'r',0 union all select a||b,b+1 from p where b<3) select * from p
with t as (select 1 x) update d set n=(select x from t) returning n
with t as (select 3 x) delete from d where id in (select x from t) returning id
with t as (select 1 x) select * from (with t as (select 2 x) select * from t), t
values(1,2),(3,4) order by 2 desc
values(1,2),(3)
select * from (values(1,2),(3,4)) where column1>1
select * from (values(1,2)) as v(a,b)
select 1 union select 2 union all select 2 except select 1
select 1 as a union select 2 order by b
select 1 as a union select 2 as b order by b
select 1 limit 1 union select 2
select 1 order by 1 union select 2
select a.* , b.* from d a left join d b on a.id=b.id-1
select * from d a natural join d b
select * from d join s using(id) order by 1,3
select * from d join s using(nosuch)
select id from d join s using(id)
select val from d join s using(id)
select * from d cross join s where d.id=s.id
select * from d left outer join s on d.id=s.id where s.val is null
select * from d natural left join s
select * from d full join s on d.id=s.id+1
select * from d right join s on d.id=s.id
select * from d inner s
select * from d left join s
select * from d natural join s on 1
select * from d join s on 1 using(id)

.reset

.each
create table t(a)
begin
begin
insert into t values(1)
savepoint a
insert into t values(2)
savepoint b
insert into t values(3)
rollback to a
select * from t
release b
release a
commit
commit
rollback
savepoint x
insert into t values(5)
release X
release x
begin immediate transaction
end transaction
begin exclusive
rollback transaction
begin concurrent
begin deferred
rollback to nosuch
rollback to savepoint nosuch
commit
attach ':memory:' as aux
attach ':memory:' as aux
attach ':memory:' as main
attach ':memory:' as temp
create table aux.t(b)
select * from t, aux.t
insert into aux.t select a from main.t
select * from aux.t
detach aux
detach aux
detach main
detach temp
begin
attach ':memory:' as aux2
detach aux2
commit
attach ':memory:' as "a b"
create table "a b".q(x)
select name from "a b".sqlite_master
pragma database_list
detach "a b"
pragma user_version=5
pragma user_version
pragma application_id=0x7fffffff
pragma application_id
pragma main.user_version
pragma nosuch.user_version
pragma nosuch
pragma cache_size=-100
pragma cache_size
pragma foreign_keys=yes
pragma foreign_keys
pragma foreign_keys=off
pragma foreign_keys=maybe
pragma foreign_keys
pragma synchronous
pragma synchronous=full
pragma temp_store=memory
pragma temp_store
pragma journal_mode
pragma journal_mode=off
pragma page_size
pragma encoding
pragma encoding='UTF-16'
pragma encoding
pragma table_info(t)
pragma table_info('t')
pragma table_info(nosuch)
pragma table_xinfo(t)
pragma index_list(t)
pragma freelist_count
pragma page_count
pragma max_page_count
pragma auto_vacuum
pragma integrity_check
pragma quick_check(1)
pragma integrity_check(t)
pragma integrity_check(nosuch)
pragma foreign_key_check(nosuch)
pragma recursive_triggers
pragma case_sensitive_like=1
select 'a' like 'A'
pragma case_sensitive_like=0
pragma busy_timeout=100
pragma wal_checkpoint
pragma locking_mode
pragma secure_delete
pragma collation_list
pragma count_changes
pragma short_column_names
pragma full_column_names=1
select a, t.a, a+1 from t
pragma short_column_names=0
select a, t.a, a as q from t
select * from t
pragma full_column_names=0
select a, t.a, (select a from t) from t
pragma short_column_names=1
pragma empty_result_callbacks
pragma reverse_unordered_selects=1
select a from t
pragma reverse_unordered_selects=0
pragma optimize
pragma shrink_memory
pragma analysis_limit=100
pragma hard_heap_limit
pragma soft_heap_limit
pragma threads
pragma trusted_schema
pragma writable_schema
pragma query_only=1
insert into t values(9)
pragma query_only=0
pragma data_version
pragma schema_version
pragma legacy_file_format
pragma legacy_alter_table
pragma read_uncommitted
pragma automatic_index
pragma checkpoint_fullfsync
pragma cell_size_check
pragma ignore_check_constraints=1
create table ck(a check(a>0))
insert into ck values(-1)
pragma ignore_check_constraints=0
pragma integrity_check
pragma defer_foreign_keys
pragma stats
select * from pragma_table_info('t')
select name from pragma_index_list('t','main')
select * from pragma_user_version
select * from pragma_nosuch
select * from pragma_table_info
explain query plan select * from t where a=1
vacuum
vacuum into ''
analyze
select * from sqlite_stat1
reindex
