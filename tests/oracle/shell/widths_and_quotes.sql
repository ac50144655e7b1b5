create table t(a,b);
insert into t values('word word word word word','x'),(1,null),('abcdefghijklmnopqrstuvwxyz','verylongtextwithoutspaces');
.mode box --quote
select * from t;
.mode
.mode box --noquote
.mode box --quote on
select * from t;
.mode
.mode batch
.mode box --wordwrap on --wrap 10
select * from t;
.mode
.mode batch
.mode box --wrap 10
.mode
.mode batch
.mode box --sw 40
select * from t;
.mode box --sw 10
select * from t;
.mode column --sw 20
select * from t;
.mode table --screenwidth 20
select * from t;
.mode table --sw 0
.mode box --width 5,10
select * from t;
.mode batch
.mode box list
select 1;
.mode insert foo bar
select 1;
.width 3 -4
.show
.once a b
.output a b
.output nosuch/dir/x
.print back
.once --plain p.txt
select 5;
.system cat p.txt
.param set :x 'it''s'
.print 'a''b'"c"d e'f'
.print a;
.print a ;
.import --csv -v i.csv h
.separator ab cd
.import i.psv multi
.schema multi
.schema a b
.schema --foo
.schema sqlite_temp_schema
.schema sqlite_master
.fullschema foo
.indexes a b
.indexes --foo
.dump --foo
.connection close 0
.crlf foo
.backup
select :a, ?1, :b;
.parameter set :a 5
select :a, ?1, :b;
