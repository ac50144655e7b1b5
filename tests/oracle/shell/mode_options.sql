create table t(a integer primary key, b text, "c d" blob, e real);
insert into t values(1,'x',NULL,1.5);
.headers on
.print == list
.mode list
select * from t;select 1 where 0;
.mode
.print == line
.mode line
select * from t;select 1 where 0;
.mode
.print == html
.mode html
select * from t;select 1 where 0;
.mode
.print == jatom
.mode jatom
select * from t;select 1 where 0;
.mode
.print == jobject
.mode jobject
select * from t;select 1 where 0;
.mode
.print == quote
.mode quote
select * from t;select 1 where 0;
.mode
.print == insert
.mode insert
select * from t;select 1 where 0;
.mode
.print == ascii
.mode ascii
select * from t;select 1 where 0;
.mode
.print == tabs
.mode tabs
select * from t;select 1 where 0;
.mode
.print == tcl
.mode tcl
select * from t;select 1 where 0;
.mode
.print == c
.mode c
select * from t;select 1 where 0;
.mode
.print == split
.mode split
select * from t;select 1 where 0;
.mode
.print == psql
.mode psql
select * from t;select 1 where 0;
.mode
.print == off
.mode off
select * from t;select 1 where 0;
.mode
.print == count
.mode count
select * from t;select 1 where 0;
.mode
.print == qbox
.mode qbox
select * from t;select 1 where 0;
.mode
.print == csv
.mode csv
select * from t;select 1 where 0;
.mode
.mode list --reset
.headers off
.nullvalue N
.mode box
.mode
select * from t;
.mode html
.mode -v
select * from t;
.mode json
.nullvalue N
select * from t;
.mode html
.nullvalue Q
select * from t;
.mode column
.mode list --quote relaxed
select 'NULL','12','1e5','x''y','','a b','null','x''00''','é',' a',' 12', '1x', '0x1', 'a,b','-', '"', '+5','abc"d','.5','5.','inf','a
b';
.mode line --null N --reset
.mode -v
.mode list --limits 2,5,3 --titles on
select 'abcdefghij' as abcdefg, 'a
b
c
d';
.mode line
select 'abcdefghij' as abcdefg, 'a
b
c
d';
.mode box
select 'abcdefghij' as abcdefg, 'a
b
c
d';
.mode box --limits off --wrap 10 --wordwrap off
select 'aaa bbb ccc ddd eee', 'xxxxxxx,yyyyyyyyyyyyyyyyyy','aaaaaaaaaaa   bbb','a bbbbbbbbbbbbbbbbbbbb';
.mode box --limits off --wrap 10 --wordwrap on
select 'aaa bbb ccc ddd eee' as c1, 'xxxxxxx,yyyyyyyyyyyyyyyyyy' as c2,'aaaaaaaaaaa   bbb' as c3,'a bbbbbbbbbbbbbbbbbbbb';
.mode box --reset
.mode split --sw 40
select 'abc' union select 'def' union select 'ghi' union select 'klmnop' union select 'x' union select 'yy' union select 'q';
.mode json --sw 40
select 1.0, 1e16,1e17,123456789012345678.0, 1.5e15, 12345678901234567.0,0.0001,0.00001,1e-5,1.25e20,2e22;
.mode insert
select 1.0, 1e16,1e17,123456789012345678.0, 1.5e15, 12345678901234567.0,0.0001,0.00001,1e-5,1.25e20,2e22;
.mode list
select 1.0, 1e16,1e17,123456789012345678.0, 1.5e15, 12345678901234567.0,0.0001,0.00001,1e-5,1.25e20,2e22;
.mode list --textjsonb on
select jsonb('{"a":1}');
.mode list --blob-quote text
select x'4142';
.mode ascii --titles on
.mode list --rowcount on
select 1;
select 1 where 0;
.mode csv --rowcount on
select 1;
.mode list --reset
.mode list --fpfmt %.2f
select 2.345, 1e999;
.mode markdown --align LRC
select 'a','b',3;
.mode box --null xx --border off --rowcount on
select null, 'aaa' union select 2,3;
.mode list --title always --colsep "\t" --rowsep "\r\n"
.mode
select 1,2;
