-- strings in double quotes when a column is renamed or dropped
.each
create table q(a,b, check(a<>"zz"))
alter table q drop column b
create table q2(a,b,c as (a||"zz"))
alter table q2 drop column b
create table q3(a,b, check("b">0), c)
alter table q3 drop column b
alter table q3 drop column c
create table q4(a,b,c as ("b"))
alter table q4 drop column b
create table q5(a, b check("b">0))
alter table q5 drop column b
create table q6(a, b, c, check("q6"."b">0))
alter table q6 drop column b
create table q7(a, b, c default "b")
alter table q7 drop column b
create table q9(a, b, c check(a > 'b'))
alter table q9 drop column b
alter table q9 rename a to "x y"
alter table q9 drop column "x y"
create table q10(a,b)
create view v10 as select a, "b" from q10
alter table q10 drop column b
create trigger tr10 after insert on q10 begin select "b"; end
alter table q10 drop column b
drop view v10
alter table q10 drop column b
select sql from sqlite_master

.reset

.each
create table q(a,b check(b<>"zz"),c default "dd", d as (a||"gg"))
create table o(x check(x<>"other"))
create view vv as select "str", a, "b" from q where a <> "lit"
create index qi on q(a) where b <> "pp"
create index qe on q("ee")
create index qe2 on q(a||"ee")
create trigger tr after insert on q begin insert into o values("tt"); update o set x="b" where x="x"; end
create trigger tr2 after insert on o when new.x="wh" begin select "b" from q; end
create temp view tv as select "tstr" from q
alter table q rename a to aa
select type,name,sql from sqlite_master
select sql from sqlite_temp_master

.reset

.each
create table q(a,b check(b<>"zz"),c default "dd", d as (a||"gg"), e)
create table o(x check(x<>"other"))
create view vv as select "str", a, "b" from q where a <> "lit"
create index qi on q(a) where b <> "pp"
create trigger tr after insert on q begin insert into o values("tt"); end
alter table q drop column e
select type,name,sql from sqlite_master
alter table q rename to q2
select type,name,sql from sqlite_master
alter table q2 add column f
select type,name,sql from sqlite_master

.reset

.each
create table q(a,b check(b<>"zz"))
create view vv as select "str" from q
alter table q rename to q2
select type,name,sql from sqlite_master

.reset

.each
create table q(a,b,c)
create index qe on q("ee")
alter table q drop column b
alter table q rename b to bb
drop index qe
create index qe on q("ee" collate nocase)
alter table q drop column b
alter table q rename b to bb
select sql from sqlite_master

.reset

.each
create table q(a,b,c)
create table o(x, y check(y <> "q"), z text default "zz", unique("x"), primary key("y"))
create view v2 as with w as (select "one" as "two") select "two", "three" from w group by "two" having "two">"four"
create view v3 as select * from q join o on "a"="x" and "b"<>"jj" where a in ("s1","a") and b like "p%" and c between "lo" and "hi"
create trigger tr after update of b on q when new.b = "wh" begin update o set y="set1", x=new."a" where y="cond"; insert into o(x) select "sel" from q where "c"="cc"; delete from o where x in (select "b" from q); insert into o values(1,"v",2) on conflict(y) do update set z="up" where z<>"ex"; end
alter table q rename c to cc
select sql from sqlite_master
select * from v2

.reset

.each
create table q(a,b,c, d as (case when a then "x1" else "it's" end), check("a" <> "b" || "nope"))
create index i on q(a) where "c" <> "w"
create view "my view" as select "a" as "the a", "zz" "alias" from q "tt" where "tt"."a" is not "ss"
alter table q rename column a to "new a"
select sql from sqlite_master
