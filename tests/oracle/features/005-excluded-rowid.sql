-- the rowid of excluded has no affinity
.each
create table t(a unique,b)
insert into t(a,b) values(1,2)
insert into t(rowid,a,b) values(2,1,3) on conflict(a) do update set b=excluded.rowid
select * from t
insert into t(rowid,a,b) values(2,1,3) on conflict(a) do update set b=(excluded.rowid='2')
select * from t
insert into t(rowid,a,b) values(2,1,3) on conflict(a) do update set b=(excluded.rowid||'x'='2x') where excluded.rowid='2'
select * from t
insert into t(rowid,a,b) values(2,1,3) on conflict(a) do update set b=(excluded.rowid is '2')
select * from t
insert into t(rowid,a,b) values(2,1,3) on conflict(a) do update set b=(excluded._rowid_ in ('2'))
select * from t
insert into t(rowid,a,b) values(2,1,3) on conflict(a) do update set b=typeof(excluded.oid)
select * from t

-- signs before zero, rowids of OLD and NEW
.each
create table t(a,b)
create table p(id integer primary key, b)
create table lg(x,y)
create trigger tr after insert on t begin insert into lg values(new.rowid='1', '1'=new.rowid); end
create trigger tr2 after insert on t when new.rowid='1' begin insert into lg values('when',1); end
create trigger tr3 after insert on p begin insert into lg values(new.rowid='1', new.id='1'); end
create trigger tr4 after insert on p begin insert into lg values(new.rowid in ('1'), new.oid between '0' and '2'); end
create trigger tr5 after delete on p begin insert into lg values(old.rowid in ('1'), old.oid='1'); end
create trigger tr6 before insert on t begin insert into lg values(new.rowid in ('1'), new.oid='1'); end
insert into t values(1,2)
insert into p values(1,2)
insert into p values(1,3) on conflict(id) do update set b=(excluded.id='1')
select * from p
insert into p values(1,3) on conflict(id) do update set b=(excluded.rowid='1')
select * from p
delete from p
select * from lg
insert into t values(5,2) returning rowid='2', t.rowid='2'
select * from (t join p on t.rowid='1') where t.rowid='1'
select t.rowid='1' from (t left join p using(b)) left join lg on t.rowid='1'
select * from t where rowid='1'
select -0, +0, 0_0, typeof(-0), - -0, -+0, 0_0+1, 1 limit 0_1
select 1 order by -0
select 1 order by +0
select 1 where 5 and -0
select 1 where not +0
create table d(a default -0, b default +0, c default 0_0)
insert into d default values
select * from d
