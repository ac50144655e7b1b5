attach ':memory:' as aux; create table aux.q(z); create index aux.qi on q(z);
create table t(a);
.print 1
.schema
.print 2
.schema q
.indexes
.schema --indent
create temp table tt(x);
.schema
.tables
.databases
