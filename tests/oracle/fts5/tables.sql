create virtual table t using fts5(a, b)
insert into t values('one two three','four five'),('two','one two'),(null,5),('Über x','one')
select rowid,* from t
select rowid from t where t match 'one'
select rowid from t where t match 'one' order by rank
select rowid, rank, bm25(t) from t where t match 'one'
select rowid, bm25(t, 10, 2.5) from t where t match 'one two'
select highlight(t,0,'[',']'), highlight(t,1,'<','>') from t where t match 'one OR two'
select snippet(t,-1,'[',']','..',2) from t where t match 'two'
select rowid from t('one') where rowid>1
select rowid from t where t = 'uber'
select rowid from t where a match 'two'
select rowid from t where t match 'on*'
select rowid from t where t match '"one two"'
select rowid from t where t match 'NEAR(one three, 1)'
select rowid from t where t match 'one NOT two'
update t set a='changed text' where rowid=1
select rowid,* from t where t match 'changed'
select rowid from t where t match 'three'
delete from t where rowid=2
select rowid from t where t match 'one'
insert into t(t) values('integrity-check')
begin
insert into t values('in transaction','x')
select rowid from t('transaction')
savepoint s
insert into t values('in savepoint','x')
select rowid from t('savepoint')
rollback to s
select rowid from t('savepoint')
select rowid from t('transaction')
release s
rollback
select rowid from t('transaction')
insert into t(t) values('optimize')
insert into t(t) values('integrity-check')
select rowid,* from t
insert into t(t) values('bad')
insert into t(t,rank) values('pgsz',10)
insert into t(t,rank) values('pgsz',100)
insert into t(rowid,a) values('x','y')
insert into t(rowid,a) values(1,'y')
insert or replace into t(rowid,a) values(1,'new')
insert or ignore into t(rowid,a) values(1,'new2')
select rowid,* from t
update t set rowid=2 where rowid=1
update or replace t set rowid=3 where rowid=2
select rowid,* from t
insert into t(t) values(null)
insert into t(t,rank) values('rank','bm25(10)')
select rowid,rank from t('new')
select * from t_config
select rowid from t where t match 'one' or rowid=3
drop table t
select name from sqlite_schema
create virtual table p using fts5(a, b, prefix='2 3', tokenize='porter')
insert into p values('running connections','nationally'),('runner connect','nation'),('run','rüns')
select rowid from p('runs')
select rowid from p('co*')
select rowid from p('con*')
select rowid from p('nat*')
select rowid from p('r*')
delete from p where rowid=2
select rowid from p('co*')
insert into p(p) values('integrity-check')
create virtual table tri using fts5(a, tokenize=trigram)
insert into tri values('abcdefg hij'),('xabcz'),('ABC'),('zzz')
select rowid from tri where a like '%bcd%'
select rowid from tri where a like '%abc%'
select rowid from tri where a glob '*abc*'
select rowid from tri where a glob '*ABC*'
select rowid from tri('abcd')
select rowid from tri('"efg hi"')
select highlight(tri,0,'[',']') from tri('abc')
create virtual table dc using fts5(a,b,detail=column)
insert into dc values('one two','three'),('three','one')
select rowid, bm25(dc), highlight(dc,0,'[',']') from dc('one')
select rowid from dc('b:one')
select rowid from dc('one two')
create virtual table dn using fts5(a,b,detail=none)
insert into dn values('one two','three'),('three','one')
select rowid, bm25(dn), highlight(dn,1,'[',']') from dn('one')
select rowid from dn('b:one')
delete from dn where rowid=1
select rowid from dn('one OR three')
create virtual table cl using fts5(a,b,content='')
insert into cl(rowid,a,b) values(1,'one','two'),(5,'two','three')
select rowid,a,b from cl('two')
select rowid,* from cl
delete from cl
update cl set a='x'
insert into cl(cl,rowid,a,b) values('delete',1,'one','two')
select rowid from cl('two')
insert into cl(cl) values('delete-all')
select rowid from cl('two')
create virtual table cd using fts5(a,content='',contentless_delete=1)
insert into cd(rowid,a) values(1,'one two'),(2,'two three'),(3,'one')
delete from cd where rowid=1
select rowid from cd('one OR two')
insert into cd(cd) values('integrity-check')
update cd set a='four' where rowid=2
select rowid from cd('two OR four')
insert or replace into cd(rowid,a) values(3,'five')
select rowid from cd('one OR five')
create table src(id integer primary key, x, y)
insert into src values(1,'alpha beta','q'),(2,'gamma','alpha')
create virtual table ex using fts5(x,y,content=src,content_rowid=id)
insert into ex(ex) values('rebuild')
select rowid,x,y from ex('alpha')
select rowid from ex
insert into ex(ex,rank) values('integrity-check',1)
update src set x='delta' where id=1
insert into ex(ex,rank) values('integrity-check',1)
insert into ex(ex) values('integrity-check')
delete from src where id=2
select x from ex('gamma')
alter table p rename to pp
select rowid from pp('run')
insert into pp values('after rename','x')
select rowid from pp('rename')
select name,sql from sqlite_schema where name like 'pp%'
pragma integrity_check
create virtual table v1 using fts5(a,b)
insert into v1 values('one two','three one one'),('two','one')
create virtual table vr using fts5vocab(v1,row)
create virtual table vc using fts5vocab(v1,col)
create virtual table vi using fts5vocab(v1,instance)
select rowid,* from vr
select rowid,* from vc
select rowid,* from vi
select * from vi where term='one'
select * from vc where term>'one' and term<='two'
explain query plan select * from vc where term='one'
create virtual table vn using fts5vocab(dn,col)
select * from vn
create virtual table bad using fts5vocab(v1)
create virtual table bad using fts5vocab(v1,nope)
create virtual table vx using fts5vocab(nope,row)
select * from vx
insert into vr values(1,2,3)
