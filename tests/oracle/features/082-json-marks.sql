-- the mark of JSON goes with a value that INSERT ... VALUES and UPDATE have computed
.each
create table t(a,b, c text, d int, e as (json('[9]')), f as (b))
create table lg(x)
insert into t(a,b,c,d) values(1,json('[1]'),json('[2]'),json('[3]')) returning json_array(a),json_array(b),json_array(c),json_array(d),json_array(e),json_array(f)
insert into t(a,b) select 2,json('[1]') returning json_array(b)
insert into t(a,b) select a,json(b) from t order by a returning json_array(b)
insert into t(a,b) select a,json(b) from t limit 2 returning json_array(b)
insert into t(a,b) select a,b from t limit 2 returning json_array(b)
insert into t(a,b) values(2,json('[1]')),(3,'[4]'),(4,json('{}')) returning json_array(b)
insert into t(a,b) values(2,(select json('[5]'))) returning json_array(b)
insert into t(a,b) values(2,case when 1 then json('[5]') end) returning json_array(b)
insert into t(a,b) values(2,json('[1]')) returning json_array(rowid,b,(select json_array(b)))
insert into t(a,b) select value,value from json_each('[[1],2]') returning json_array(a,b)
insert into t(a) values(json('[1]')) on conflict do nothing returning json_array(a)
update t set b=json('[3]') where a=1 returning json_array(b),json_array(c),json_array(a)
update t set b=json('[3]'),c=json('[4]') where a=2 returning json_array(b,c)
update t set b=x from (select json('[1]') as x) where a=4 returning json_array(b)
update t set b=b where a=1 returning json_array(b)
delete from t where a=4 returning json_array(b)
create trigger tr after insert on t begin insert into lg values(json_array(new.b)); end
create trigger tr1 before insert on t begin insert into lg values(json_array(new.b)||'B'); end
create trigger tr2 before update on t begin insert into lg values(json_array(old.b,new.b,new.c)||'U'); end
create trigger tr3 after update on t begin insert into lg values(json_array(old.b,new.b,new.c)||'A'); end
create trigger tr4 after insert on lg when json_array(new.x)='["[1]"]' begin insert into lg values('when'); end
insert into t(a,b,c) values(5,json('[1]'),json('[6]'))
select * from lg
delete from lg
insert into t(a,b) select 5,json('[1]')
select * from lg
delete from lg
update t set b=json('[1]'),c=json('[7]') where a=5
select * from lg
delete from lg
update t set b=b where a=5
select * from lg
delete from lg
create table u(a unique, b)
insert into u values(1,json('[1]'))
insert into u values(1,json('[2]')) on conflict(a) do update set b=json_array(excluded.b) returning b
insert into u values(1,json('[2]')) on conflict(a) do update set b=excluded.b returning json_array(b)
insert into u values(1,json('[2]')) on conflict(a) do update set b=json('[3]') returning json_array(b),b
create view v as select * from t
create trigger iv instead of insert on v begin insert into lg values(json_array(new.b)); end
create trigger iu instead of update on v begin insert into lg values(json_array(new.b,old.b)); end
insert into v(a,b) values(1,json('[1]'))
insert into v(a,b) values(1,json('[1]')) returning json_array(b)
update v set b=json('[8]') where a=1
select * from lg
create table ck(a, check(json_array(a)<>'["[1]"]'))
insert into ck values(json('[1]'))
insert into ck values('[1]')
create table ck2(a, b as (json_array(a)) stored)
insert into ck2 values(json('[1]'))
select * from ck2
create index ixj on ck2(json_array(a))
insert into ck2 values(json('[2]'))
select * from ck2 where json_array(a)='["[2]"]'
replace into u values(1,json('[1]')) returning json_array(b)
create table w(k primary key, v) without rowid
insert into w values(1,json('[1]')) returning json_array(v)
insert into w select 2,json('[1]') returning json_array(v)
update w set v=json('[2]') returning json_array(v)
create table st(a any, b text) strict
insert into st values(json('[1]'),json('[2]')) returning json_array(a,b)
