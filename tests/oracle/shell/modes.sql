create table t(a integer primary key, b text, "c d" blob, e real);
insert into t values(1,'hello',x'00ff41',1.5),(2,NULL,NULL,1e300),(3,'it''s "q", |x|
l2	tab',x'',-0.0),(4,char(1,27,127)||'é€日本'||'<b>&amp;\\',x'00000000',9e999);
.print == line
.mode line
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == column
.mode column
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == table
.mode table
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == box
.mode box
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == markdown
.mode markdown
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == html
.mode html
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == json
.mode json
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == jsonl
.mode jsonl
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == jatom
.mode jatom
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == jobject
.mode jobject
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == quote
.mode quote
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == insert
.mode insert
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == insert xx
.mode insert xx
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == ascii
.mode ascii
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == tabs
.mode tabs
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == tcl
.mode tcl
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == c
.mode c
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == split
.mode split
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == psql
.mode psql
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == off
.mode off
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == count
.mode count
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == eqp
.mode eqp
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == explain
.mode explain
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == batch
.mode batch
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == tty
.mode tty
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == qbox
.mode qbox
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
.print == www
.mode www
select * from t;
select 1 where 0;
select a,a from t limit 1;
.mode -v
