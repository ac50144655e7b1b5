-- probabilities; stars over tables of one name; databases that are not there
.each
select likelihood(1,2)
select likelihood(1,-0.1)
select likelihood(1,0.5,1)
select likelihood(1,'0.5')
select likelihood(1,1/2.0)
select likelihood(1,1)
select likelihood(1,1.0)
select likelihood(1,0)
create table t(a,b)
select *,nosuch.* from t
select t.* from t, t
select * from t, t
select * from t a, t a
select a.* from t a, t a
select * from (select 1 a, 2 a)
select a from (select 1 a, 2 a)
select * from t natural join t
pragma nosuch.table_info(t)
vacuum nosuch
vacuum nosuch into 'x'
analyze nosuch.t
reindex nosuch.t
detach nosuch
