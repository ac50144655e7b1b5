create table "select"(a,"order by","a b"); insert into "select" values(1,2,3); create table p(id integer primary key); create table c(x references p(id)); 
.dump
.mode insert --titles on
select * from "select";
.lint fkey-indexes
.print "a\nb" 'a\nb' "\101\x41"
.mode insert select
select 1;
.mode list
.separator "\t" "\n\n"
select 1,2;
.read "|echo 'select 77;'"
.auth on
.auth off
.mode list
