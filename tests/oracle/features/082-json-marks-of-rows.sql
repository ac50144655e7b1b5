-- json marks through RETURNING, NEW, OLD, views and generated columns
.each
create table t(a,b)
insert into t values(json('[1]'),2) returning json_array(a), json_quote(a)
insert into t values(json('[1]'),2) returning a, json_array(json(a))
insert into t(a) select json('[1,2]') returning json_array(a)
update t set a=json('{"x":1}') returning json_array(a)
select json_array(a,b) from t
create table lg(x)
create trigger tr after insert on t begin insert into lg values(json_array(new.a)); end
create trigger tr2 before insert on t begin insert into lg values(json_array(new.a)); end
create trigger tr3 after update on t begin insert into lg values(json_array(old.a,new.a)); end
create trigger tr4 before update on t begin insert into lg values(json_array(old.a,new.a)); end
create trigger tr5 after delete on t begin insert into lg values(json_array(old.a)); end
insert into t values(json('[9]'),1)
insert into t select json('[9]'),1
update t set a=json('[10]')
delete from t
select x from lg
create table g(a, b as (json(a)), c as (json(a)) stored, d as (json_array(b)), e as (json_array(c)))
insert into g(a) values('[1]') returning json_array(b), json_array(c), d, e
select json_array(b),json_array(c),d,e from g
insert into g(a) values(json('[5]')) on conflict do nothing returning json_array(a)
create table u(k primary key, v)
insert into u values(1,json('[1]'))
insert into u values(1,json('[2]')) on conflict(k) do update set v=json_array(excluded.v)
select v from u
insert into u values(1,json('[2]')) on conflict(k) do update set v=json_array(v,excluded.v) returning json_array(v)
select v from u
create view vw as select json('[1]') as j, 2 as n
select json_array(j) from vw
create trigger iv instead of insert on vw begin insert into lg values(json_array(new.j)); end
delete from lg
insert into vw values(json('[3]'),1)
insert into vw select json('[4]'),1
create trigger iv2 instead of update on vw begin insert into lg values(json_array(old.j,new.j)); end
update vw set j=json('[5]')
update vw set n=1
select x from lg
create table d(a default (json('[1]')), b)
insert into d(b) values(1) returning json_array(a)
insert into d default values returning json_array(a)
