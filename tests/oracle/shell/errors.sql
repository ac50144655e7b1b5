.mode foo
.foo
.headers
.echo
.mode list --zz
select * from nosuch;
select 1,
  2, from;
select abs(-9223372036854775808);
create table t(a primary key, b not null);
insert into t values(1,2);
insert into t values(1,2);
insert into t values(1,null);
select 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', nosuch, 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
select @;
select "abc" from t;
.tables x y
.print a 'b c' "d\te" f\tg
.schema nosuch
.open
.import
.import nosuch.csv t
.read nosuch
.output
.bail
.limit foo
.help foo
.s
/
GO
go;
select 5 /* comment
.dot in comment
*/;
-- comment
.print hi; there -- c
.databases
.changes on
insert into t values(5,6);
.changes off
.eqp on
select * from t where a=1;
select 1;
.eqp off
explain query plan select * from t x, t y order by x.b;
.explain off
.timer
.dbinfo
.width 10 20
.mode
.mode box
.mode
.width
.separator : ;
.mode
.nullvalue
.nullvalue N
.mode
.show
.exit 7
