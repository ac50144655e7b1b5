create table t(a integer primary key, b text unique, c);
create index ti on t(c); create view v as select * from t; create trigger tr after insert on t begin select 1; end;
insert into t values(1,'x''y',1.5),(2,'a
b',x'00ff'),(3,null,9e999),(4,'tab	é'||char(1),-9e999);
create table "w x"(a,b,primary key(a,b)) without rowid; insert into "w x" values(1,2);
create table au(id integer primary key autoincrement); insert into au values(7);
create table g(a, b as (a+1) stored, c as (a+2)); insert into g(a) values(1);
.print ---dump
.dump
.print ---dump t
.dump t g
.print ---dump opts
.dump --data-only --nosys --preserve-rowids t "w x" g
.dump --newlines t
.print ---schema
.schema
.print ---
.schema t
.schema t%
.schema --nosys
.print --- full
.fullschema
.print --- tables
.tables
.tables t%
.indexes
.indexes t
.indexes --all
.indexes --sys
attach ':memory:' as aux; create table aux.q(z); create index aux.qi on q(z);
.tables
.schema
.indexes
