.import --csv i.csv t1
select * from t1;
.schema t1
.import i.psv t2
select * from t2;
.import --csv -v --skip 1 i.csv t1
select count(*) from t1;
.mode tabs
.import i.tsv t3
select * from t3;
.schema t3
.import --csv dup.csv t4
.schema t4
.import --ascii --colsep "," --rowsep "\n" i.csv t5
.mode list
select * from t5;
.schema t5
.import --csv "|echo 'p,q'; echo 1,2" t6
select * from t6;
.import --csv nosuch.csv t7
.import --csv --schema temp i.csv t8
.import --bad i.csv t8
.import a b c
.import i.csv
.import --csv <<END t9
a,b
1,2
END
select * from t9;
create table n(a integer not null, b integer unique);
.import --csv <<END n
x,1
y,1
z,2
END
select a,typeof(a),b,typeof(b) from n;
.parameter list
.parameter set $x 'abc'
.parameter set ?2 12
.parameter set :y x'01'
.parameter set @z 1.5+2
.parameter list
select $x, ?2, :y, @z;
.parameter unset $x
.parameter foo
.parameter clear
.parameter list
.limit foo
.limit a
.once o.txt
select 1;
select 2;
.system cat o.txt
.output o.txt
select 3;
.print hi
.output
.system cat o.txt
.once '|cat'
select 4;
.read '|echo "select 55;"'
.echo on
select 1;
-- hi
.print x
.echo off
.changes on
insert into n values(5,5);
select 1;
.changes off
.backup bk.db
.save sv.db
.restore bk.db
.backup aux bk.db
.clone cl.db
.clone cl.db
.sha3sum
.sha3sum --sha3-256 n
.open bk.db
.tables
.open --readonly bk.db
create table zz(a);
.open nosuchdir/x
.open --new new.db
.tables
.open --bad x
.trace stdout
select 1;
.trace off
.eqp on
select * from sqlite_schema where name='a' order by 1;
.eqp off
.testcase 100
select 5;
.check 5
.testcase 101
select 5;
.check 6
.exit abc
